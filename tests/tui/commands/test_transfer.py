"""`preceptor export-run` and `import`: a run goes to another machine, and is repeated there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import TEACHER, TOY, WRITER, Shell
from tests.tui.schemas import read_document, read_lines

RUN = (TOY, "--teacher", TEACHER, "--option", "generations=1")


def result(out: str) -> dict[str, Any]:
    """The last line of `run --json` without what belongs to one machine and one day."""
    last: dict[str, Any] = read_lines(out, "run")[-1]
    for one in (last, last["best"], *last["population"]):
        for name in ("run", "seconds", "cpu", "milliseconds", "quick"):
            one.pop(name, None)
    return last


def test_a_run_is_the_same_elsewhere_and_can_be_repeated_without_its_writer(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = preceptor("run", *RUN, "--llm", WRITER, "--json")
    assert recorded.code == 0, recorded.err
    written = read_document(preceptor("export-run", "-o", "a.run", "--json").out, "export-run")
    assert written == {
        "schema": 1,
        "run": 1,
        "file": "a.run",
        "bytes": (tmp_path / "a.run").stat().st_size,
    }
    here = preceptor("show", "--json").out
    assert preceptor("export-run", "-o", "lean.run", "--lean").code == 0
    assert (tmp_path / "lean.run").stat().st_size < (tmp_path / "a.run").stat().st_size

    monkeypatch.setenv("PRECEPTOR_DB", "away.db")
    monkeypatch.setenv("TEST_PRECEPTOR_LOG", str(tmp_path / "asked"))
    imported = read_document(
        preceptor("import", "a.run", "--trust-problem", "--json").out, "import"
    )
    assert imported == {
        "schema": 1,
        "run": 1,
        "file": "a.run",
        "status": "done",
        "known": False,
    }
    assert preceptor("show", "--json").out.replace("imported:", "") == here
    for source in ("replay:1", "replay:a.run", "replay:lean.run"):
        repeated = preceptor("run", *RUN, "--llm", source, "--json")
        assert result(repeated.out) == result(recorded.out)
    assert not (tmp_path / "asked").exists()
    known = preceptor("import", "a.run", "--trust-problem")
    assert known.out.startswith("run 1 done: toy, preceptor, seed 0")
    assert "away.db holds this run already, as run 1; --again makes a second copy" in known.err
    again = preceptor("import", "a.run", "--trust-problem", "--again")
    assert again.out.startswith("run 5 done: toy, preceptor, seed 0")


def test_the_runs_of_another_store_are_taken_once(preceptor: Shell, exhibit: Path) -> None:
    words = ("import", str(exhibit), "--db", "mine.db", "--trust-problem")
    taken = preceptor(*words, "--json")
    assert taken.code == 0, taken.err
    found = [one["run"] for one in read_lines(taken.out, "import")]
    assert found == sorted(found)
    assert found
    known = read_lines(preceptor(*words, "--json").out, "import")
    assert [one["run"] for one in known] == found
    assert all(one["known"] for one in known)
    assert preceptor("import", "mine.db", "--db", "mine.db").code == 2


def test_a_recording_that_does_not_fit_pauses_the_run(preceptor: Shell, exhibit: Path) -> None:
    assert preceptor("export-run", "3", "-o", "a.run").code == 0
    paused = preceptor("run", *RUN, "--llm", "replay:a.run")
    assert paused.code == 1
    assert "replay:a.run holds no reply to this analyzer request" in paused.err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("export-run", "3"), "--output"),
        (("export-run", "3", "-o", "three.json"), "try -o three.run"),
        (("export-run", "3", "-o", "old.run"), "--force replaces it"),
        (("export-run", "9", "-o", "x.run"), "unknown run '9'"),
        (("import", "none.run"), "none.run cannot be read"),
        (("import", "old.run"), "damaged or no recorded run"),
        (("run", *RUN, "--llm", "replay:none.run"), "none.run cannot be read"),
        (("run", *RUN, "--llm", "replay:old.run"), "damaged or no recorded run"),
        (("run", *RUN, "--llm", "replay:three"), "unknown writer 'replay:three'"),
    ],
)
def test_what_cannot_be_is_refused(
    words: tuple[str, ...], complaint: str, preceptor: Shell, exhibit: Path
) -> None:
    (exhibit.parent / "old.run").write_bytes(b"kept")
    refused = preceptor(*words)
    assert refused.code == 2
    assert complaint in refused.complaint
    assert (exhibit.parent / "old.run").read_bytes() == b"kept"
    assert len(json.loads(preceptor("runs", "--json").out)["runs"]) == 4


def test_only_force_replaces_a_recording(preceptor: Shell, exhibit: Path) -> None:
    (exhibit.parent / "old.run").write_bytes(b"kept")
    assert preceptor("export-run", "3", "-o", "old.run", "--force").code == 0
    assert preceptor("import", "old.run", "--again").out.startswith("run 5 done: jssp, ours")
