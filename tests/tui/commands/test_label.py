"""`label`, `remove`, `vacuum`, `--on-end`: what becomes of runs that are done."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.conftest import ALONE, WRITER, Shell
from tests.tui.schemas import read_document

SMALL = (*ALONE, "--llm", WRITER, "--option", "generations=0")


def test_a_run_goes_by_its_name_and_is_listed_by_its_tag(preceptor: Shell, exhibit: Path) -> None:
    words = ("label", "1", "--name", "night", "--tag", "paper", "--note", "wider fields")
    labelled = read_document(preceptor(*words, "--json").out, "label")
    assert labelled == {
        "schema": 1,
        "run": 1,
        "name": "night",
        "note": "wider fields",
        "tags": ["paper"],
    }
    shown = preceptor("show", "night").out
    assert shown.startswith("run 1 night ")
    assert "tags: paper\nnote: wider fields\n" in shown
    listed = preceptor("runs", "--tag", "paper").out.splitlines()[-1].split()
    assert (listed[0], listed[-2:]) == ("1", ["night", "paper"])
    assert preceptor("label", "night", "--untag", "paper", "--note", "").out == (
        "run 1: night; no tags; no note\n"
    )
    assert "holds no runs with tag paper" in preceptor("runs", "--tag", "paper").err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--name", "7"), "could not be told from others"),
        (("--name", "latest"), "could not be told from others"),
        (("--name", "two words"), "one word"),
        (("--name", "study:1"), "one word"),
        (("--tag", ""), "one word"),
        (("--tag", "\x1b[2J"), "one word"),
    ],
)
def test_a_label_that_could_not_be_typed_is_refused(
    words: tuple[str, ...], complaint: str, preceptor: Shell, exhibit: Path
) -> None:
    refused = preceptor("label", "1", *words)
    assert refused.code == 2
    assert complaint in refused.complaint


def test_a_name_is_given_once(preceptor: Shell, exhibit: Path) -> None:
    preceptor("label", "1", "--name", "night")
    refused = preceptor("label", "2", "--name", "night")
    assert refused.code == 2
    assert "another run is named night" in refused.complaint


def test_a_removed_run_leaves_what_others_refer_to(preceptor: Shell) -> None:
    preceptor("run", *SMALL)
    preceptor("run", *SMALL, "--seed", "1")
    before = preceptor("show", "2", "--json").out
    assert "add --yes" in preceptor("remove", "1").complaint
    assert preceptor("remove", "1", "--yes").code == 0
    assert preceptor("show", "2", "--json").out == before
    assert preceptor("show", "1").code == 2
    shrunk = read_document(preceptor("vacuum", "--json").out, "vacuum")
    assert shrunk["after"] <= shrunk["before"]
    assert preceptor("show", "2", "--json").out == before
    assert preceptor("remove", "2", "--yes").code == 0
    assert "holds no runs yet" in preceptor("runs").err


def test_a_run_that_another_goes_on_from_is_kept(preceptor: Shell) -> None:
    preceptor("run", *SMALL)
    preceptor("resume", "1", "--fork")
    refused = preceptor("remove", "1", "--yes")
    assert refused.code == 2
    assert "run 2 goes on from run 1" in refused.complaint
    assert preceptor("remove", "2", "1", "--yes").code == 0


def test_a_command_is_started_when_a_run_is_over(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEPTOR_ON_END", "")  # restored afterwards
    told = 'echo "$PRECEPTOR_JOB $PRECEPTOR_STATUS $PRECEPTOR_DB" > told.part; mv told.part told'
    done = preceptor("run", *SMALL, "--on-end", told)
    assert done.code == 0, done.err
    while not (tmp_path / "told").exists():
        time.sleep(0.01)
    word, status, db = (tmp_path / "told").read_text().split()
    assert (word, status, Path(db)) == ("1", "done", tmp_path / "runs.db")


def test_a_search_that_found_nothing_says_so(preceptor: Shell) -> None:
    done = preceptor("run", *SMALL)
    assert "nothing better than the seeds: " in done.out
