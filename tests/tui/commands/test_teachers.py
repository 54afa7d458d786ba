"""`preceptor teachers`: what is there, and what becomes of missing or altered weights."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.api import resolve
from teachers.field_policy import train as train_policies
from teachers.field_policy.train import PolicySettings
from teachers.training.measure import TrainingProgress
from teachers.weights import Header, write
from tests.conftest import TOY, Shell
from tests.teachers.offline_l2d.test_official import layout
from tests.tui.schemas import read_document, read_lines

OWN = Header(
    name="own",
    problem="jssp",
    family="offline_l2d",
    about="A test's own",
    architecture={"network": "offline-l2d"},
    origin={"seed": 3},
    measured={"random-10x10": 901.25},
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's teachers: one, with weights that no network fits."""
    place = tmp_path / "teachers"
    monkeypatch.setenv("PRECEPTOR_TEACHERS", str(place))
    write(OWN, {"weight": np.zeros(3, np.float32)}, place)
    return place


def test_teachers_are_listed_with_their_figures(preceptor: Shell, folder: Path) -> None:
    listed = read_document(preceptor("teachers", "list", "--json").out, "teachers-list")
    teachers = {teacher["name"]: teacher for teacher in listed["teachers"]}
    assert teachers["offline-l2d"]["problem"] == "jssp"
    assert teachers["es-jssp"]["default"] and not teachers["offline-l2d"]["default"]
    assert teachers["own"]["weights"] == "own"
    assert teachers["own"]["measured"] == OWN.measured
    assert len(teachers["own"]["sha256"]) == 64


def test_the_list_is_a_table_too(preceptor: Shell, folder: Path) -> None:
    lines = preceptor("teachers", "list").out.splitlines()
    (own,) = [line.split() for line in lines if line.startswith("own")]
    assert own == ["own", "jssp", "own", "random-10x10", "901.25"]


def test_listing_imports_no_torch(folder: Path) -> None:
    code = (
        "import sys; sys.argv = ['preceptor', 'teachers', 'list']\n"
        "from tui import cli\n"
        "try: cli.main()\n"
        "finally: print('torch' in sys.modules, 'numpy' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False False"


def test_altered_weights_are_refused(preceptor: Shell, folder: Path) -> None:
    (folder / "own.safetensors").write_bytes(b"other")
    refused = preceptor("teachers", "verify", "own")
    assert refused.code == 3
    assert "not the file its header describes" in refused.complaint


def test_missing_weights_are_refused(preceptor: Shell, folder: Path) -> None:
    (folder / "own.safetensors").unlink()
    for words in (("teachers", "verify", "own"), ("bench", "jssp", "--teacher", "own")):
        refused = preceptor(*words)
        assert refused.code == 3
        assert "own.safetensors is missing" in refused.err.splitlines()[-1]


def test_an_imported_network_is_listed_and_measured(
    preceptor: Shell, folder: Path, tmp_path: Path
) -> None:
    torch.save(layout(), tmp_path / "net.pth")
    imported = preceptor("teachers", "import", str(tmp_path / "net.pth"), "--json")
    assert read_document(imported.out, "teachers-import")["name"] == "l2d-net"
    bench = preceptor("bench", "jssp", "--set", "random-2x2", "--teacher", "l2d-net", "--json")
    (row,) = read_document(bench.out, "bench")[0]["rows"]
    assert row["kind"] == "teacher" and row["mean"] > 0


def test_a_class_that_cannot_be_built_books_no_run(preceptor: Shell, tmp_path: Path) -> None:
    file, db = tmp_path / "own.py", tmp_path / "own.db"
    file.write_text("class Own:\n    def __init__(self, *_): raise RuntimeError('no licence')\n")
    refused = preceptor("run", "jssp", "--headless", "--teacher", f"{file}:Own", "--db", str(db))
    assert refused.code == 3
    assert "own.py:2: RuntimeError: no licence in __init__()" in refused.complaint
    assert not db.exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("verify", "onw"), "did you mean 'own'?"),
        (("train", "ofline-l2d"), "did you mean 'offline-l2d'?"),
        (("import", "nowhere.pth"), "nowhere.pth: not a readable network file"),
    ],
)
def test_what_does_not_exist_is_named(
    words: tuple[str, ...], complaint: str, preceptor: Shell, folder: Path
) -> None:
    refused = preceptor("teachers", *words)
    assert refused.code == 2
    assert complaint in refused.complaint


def test_figures_are_compared_with_the_recorded_ones(
    preceptor: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from teachers import verify

    figures = [verify.Figure("random-10x10", 901.25, 901.25), verify.Figure("far", 7.0, None)]
    monkeypatch.setattr(verify, "verify", lambda name, report, device: figures)
    table = preceptor("teachers", "verify", "own")
    assert table.code == 0
    assert table.out.splitlines()[-1].split() == ["far", "7", "-", "set", "not", "imported"]
    figures.append(verify.Figure("x", 7.0, 8.0))
    done = preceptor("teachers", "verify", "own", "--json")
    found = read_document(done.out, "teachers-verify")
    assert done.code == 1
    assert [one["equal"] for one in found["teachers"][0]["figures"]] == [True, None, False]


def test_a_training_tells_how_it_stands_and_what_it_made(
    preceptor: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from teachers.offline_l2d import train

    costs = list[tuple[float, float]]()

    def training(name: str, **options: object) -> Header:
        assert name == "offline-l2d"
        report = options.pop("report")
        assert callable(report)
        report(TrainingProgress("training", 0.5, 60.0))
        for done, cost in costs:
            report(TrainingProgress("training", done, 6.0, cost=cost))
        assert options.pop("start") == "own"
        assert options == {"minutes": 2.0, "seed": 4, "out": None, "device": "cpu", "resume": True}
        return OWN

    monkeypatch.setattr(train, "train", training)
    words = ("offline-l2d", "--minutes", "2", "--seed", "4", "--device", "cpu")
    done = preceptor("teachers", "train", *words, "--start", "own", "--json")
    progress, trained = read_lines(done.out, "teachers-train")
    assert (progress["stage"], progress["done"], progress["cost"]) == ("training", 0.5, None)
    assert trained["origin"] == {"seed": 3}
    assert done.err == ""
    told = preceptor("teachers", "train", *words, "--start", "own")
    assert told.err == "training 50%, 1.0 min left\n"
    costs += [(0.6, 2000.0), (1.0, 1950.5)]
    drawn = preceptor("teachers", "train", *words, "--start", "own").err
    assert "validation cost by share of the training" in drawn and "2000" in drawn


def test_a_policy_is_trained_for_a_problem_and_written_as_a_rule(
    preceptor: Shell, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolve, "try_problem", lambda *_: None)  # it starts processes
    monkeypatch.setattr(train_policies, "_processes", lambda _: nullcontext(map))
    monkeypatch.setattr(
        train_policies,
        "settings_of",
        lambda ref, hidden: PolicySettings(ref.name, "", population=2, validate_every=1),
    )
    done = preceptor("teachers", "train", TOY, "--minutes", "0")
    assert "design, 7 to 8: policy-toy " in done.err
    assert done.err.rstrip().endswith("the best rule, smith, 2664")
    file = tmp_path / "rule.py"
    written = preceptor("teachers", "export", "policy-toy", "-o", str(file), "--json")
    assert read_document(written.out, "teachers-export")["code"] == file.read_text("utf-8")
    again = preceptor("teachers", "export", "policy-toy", "-o", str(file))
    assert (again.code, "is there already" in again.err) == (2, True)
    other = preceptor("teachers", "export", "es-jssp", "-o", str(file), "--force")
    assert (other.code, "es-jssp is no policy of" in other.err) == (2, True)
    units = preceptor("teachers", "train", "es-jssp", "--hidden", "4")
    assert (units.code, "--hidden is for the policy of a problem" in units.err) == (2, True)
