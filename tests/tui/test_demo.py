"""The recording that ships, a run whose replies were written by hand: browsed and replayed."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from engine.store.run_file import read_recording
from tests.conftest import Shell
from tests.tui.schemas import read_lines

DEMO = Path(__file__).parents[2] / "docs/demo/jssp-by-hand.run"
RECORDED = DEMO.parents[2] / "studies/recorded"
RULES = RECORDED / "rules"
TEACHERS = {"jssp": "offline-l2d", "tsp": "lehd-tsp", "cvrp": "lehd-cvrp", "maxcut": "eco-dqn"}
ARMS = ("blind", "ours")
FIRST = (
    *("--method", "ours"),
    *("--option", "generations=1", "--option", "states=64", "--option", "phases=1"),
    *("--design", "design-64", "--option", "selection=none"),
)


def test_the_demo_is_browsed_like_a_run_of_ones_own(preceptor: Shell) -> None:
    assert preceptor("import", str(DEMO)).code == 0
    shown = json.loads(preceptor("show", "1", "--json").out)
    assert shown["totals"]["calls"] == 30
    assert shown["best"]["cost"] == 1806.484375
    assert len(shown["population"]) == 10


def test_its_replies_make_the_programs_and_costs_that_it_recorded(preceptor: Shell) -> None:
    assert preceptor("import", str(DEMO)).code == 0
    done = preceptor("run", "jssp", "--llm", f"replay:{DEMO}", *FIRST, "--headless", "--json")
    lines = read_lines(done.out, "run")
    made = [line for line in lines if line["event"] == "candidate" and line["generation"] == 1]
    assert len(made) == 5
    for child in made:
        recorded = json.loads(preceptor("show", "1", child["program"], "--json").out)
        assert child["cost"] == recorded["cost"]


def test_every_recording_that_the_manual_names_is_there() -> None:
    """And one that is not named is not kept."""
    page = (DEMO.parents[1] / "recorded-runs.md").read_text("utf-8")
    named = set(re.findall(r"`([\w-]+\.run)`", page))
    assert named == {file.name for file in RECORDED.glob("*.run")}


@pytest.mark.parametrize("file", sorted(RECORDED.glob("*.run")), ids=lambda file: file.name)
def test_a_recording_is_named_after_what_it_holds(file: Path) -> None:
    """PROBLEM[-OPTION][-TEACHER]-METHOD[-SEED].run; no teacher for methods that ask none."""
    spec = next(json.loads(row["spec"]) for table, row in read_recording(file) if table == "runs")
    problem = spec["problem"]["name"]
    parts = [problem, *(value for _, value in spec["problem"]["options"])]
    if spec["method"] in ("blind", "eoh"):
        assert spec["teacher"] == ""
    elif spec["teacher"] != TEACHERS[problem]:
        parts.append(spec["teacher"])
    parts.append(spec["method"])
    if spec["seed"]:
        parts.append(str(spec["seed"]))
    assert file.stem == "-".join(parts)


@pytest.mark.parametrize("file", sorted(RULES.glob("*.run")), ids=lambda file: file.name)
def test_a_run_of_the_protocol_is_named_after_its_arm_and_seed(file: Path) -> None:
    spec = next(json.loads(row["spec"]) for table, row in read_recording(file) if table == "runs")
    arm = spec["arm"] or spec["method"]
    assert file.stem == f"{spec['problem']['name']}-{arm}-{spec['seed']}"


@pytest.mark.parametrize(("problem", "runs"), [("jssp", 40), ("tsp", 29)])
def test_the_runs_of_the_protocol_are_all_kept(problem: str, runs: int) -> None:
    names = set()
    for file in RULES.parents[1].glob(f"rules-{problem}*.toml"):
        study = tomllib.loads(file.read_text("utf-8"))
        arms = [Path(name).stem for name in (*study["methods"], *study.get("arms", ()))]
        names |= {f"{problem}-{arm}-{seed}" for arm in arms for seed in study["seeds"]}
    assert len(names) == runs
    assert names == {file.stem for file in RULES.glob(f"{problem}-*.run")}


def test_several_recordings_are_imported_at_once(preceptor: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.run").write_text("nothing")
    files = (str(tmp_path / "bad.run"), *(str(RECORDED / f"tsp-{n}.run") for n in ARMS))
    done = preceptor("import", *files)
    assert done.out.splitlines() == [
        "run 1 done: tsp, blind, seed 0, writer imported:seat",
        "run 2 done: tsp, ours, seed 0, writer imported:seat, teacher lehd-tsp",
    ]
    assert done.code == 2
    assert "bad.run is damaged or no recorded run" in done.err
