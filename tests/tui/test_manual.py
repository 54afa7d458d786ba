"""The pages of the manual: what they tell a user to type works, and `help` prints them."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.domain.specs.settings import read_file
from engine.runtime.writers.writer_config import names
from tests.conftest import TEACHER, TOY, Shell
from tui.commands.tour import _replay
from tui.text.manual import folder, read_page, titles

PAGES = (
    "first-run",
    "writers",
    "studies",
    "reading-results",
    "store",
    "safety",
    "ssh",
    "cluster",
    "upgrading",
)
"""In this order: later pages show the run that the first one starts."""

OWN = ("own-problem", "own-teacher", "own-writer", "kinds")
"""On files of a user's own, in this order too: later ones use the problem of the first."""

QUICK = {
    "GENERATIONS": "0",
    "DESIGN": "taillard-15x15",
    "SELECTION": "none",
    "STATES": "32",
    "PHASES": "1",
}
"""Settings of the environment that make the run of the first page a matter of seconds."""

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#:]+)\)")


def blocks(page: str, kind: str) -> Iterator[str]:
    """The blocks of a page that are of a kind."""
    for found, text in _BLOCK.findall(read_page(page)):
        if found == kind:
            yield text


def carry_out(line: str, preceptor: Shell) -> None:
    """Type a line of a page; one of ours is carried out in this process. Fails where it does."""
    words = shlex.split(line, comments=True)
    if words[:1] == ["preceptor"] and ">" not in words:
        done = preceptor(*words[1:])
        assert done.code == 0, f"{line}\n{done.err}"
    elif words:
        ours = f'python() {{ {sys.executable} "$@"; }}\npreceptor() {{ python -m tui "$@"; }}'
        subprocess.run(["/bin/sh", "-ec", f"{ours}\n{line}"], check=True)


def test_what_the_pages_tell_to_type_works(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in QUICK.items():
        monkeypatch.setenv(f"PRECEPTOR_{name}", value)
    for page in PAGES:
        for block in blocks(page, "sh"):
            for line in block.splitlines():
                carry_out(line, preceptor)
    with sqlite3.connect(tmp_path / "runs.db") as db:
        for query in (line for block in blocks("store", "sql") for line in block.splitlines()):
            assert db.execute(query).fetchall(), query
    db.close()


def test_what_the_pages_on_files_of_ones_own_tell_to_type_works(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEPTOR_TEACHERS", str(tmp_path / "teachers"))  # none trained for a shop
    for page in OWN:
        for block in blocks(page, "sh"):
            for line in block.splitlines():
                carry_out(line, preceptor)


def test_the_program_of_either_kind_on_its_page_is_one(preceptor: Shell, tmp_path: Path) -> None:
    found = {}
    for kind, text in zip(("rule", "whole"), blocks("kinds", "python"), strict=True):
        (tmp_path / "mine.py").write_text(text)
        words = ("--kind", kind, "--set", "tsp20", "--program", "mine.py", "--json")
        (table,) = json.loads(preceptor("bench", "tsp", *words).out)
        found[kind] = table["rows"][0]["mean"]
    assert found == {"rule": pytest.approx(4.306, abs=5e-4), "whole": pytest.approx(3.9, abs=5e-2)}


def test_the_settings_file_of_the_pages_is_one(tmp_path: Path) -> None:
    file = tmp_path / "preceptor.toml"
    file.write_text("".join(blocks("writers", "toml")))
    assert names(file) == ("local", "large")
    assert read_file(file)


@pytest.mark.parametrize("page", (*PAGES, *OWN))
def test_every_page_that_another_names_is_there(page: str) -> None:
    linked = [folder() / link for link in _LINK.findall(read_page(page))]
    assert [file for file in linked if not file.exists()] == []


def test_help_prints_pages_and_commands(preceptor: Shell) -> None:
    listed = preceptor("help").out
    assert all(title in listed for title in titles().values())
    assert preceptor("help", "ssh").out.startswith("# Over SSH\n")
    assert preceptor("help", "methods").out.startswith("# A method of your own\n")
    assert "Usage: preceptor export-run" in preceptor("help", "export-run").out
    refused = preceptor("help", "frist-run")
    assert refused.code == 2
    assert "did you mean 'first-run'?" in refused.complaint


def test_a_tour_leaves_a_folder_that_is_there_as_it_is(preceptor: Shell, tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    refused = preceptor("tour", str(tmp_path))
    assert refused.code == 2
    assert "is not empty" in refused.complaint
    assert "cannot be used: Not a directory" in preceptor("tour", "notes/here").complaint


def test_the_tour_replays_the_recording_that_it_comes_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _replay(tmp_path / "tour.db") == 0
    assert "run 1 done: jssp, ours" in capsys.readouterr().out


def test_a_tour_draws_a_decision_and_leaves_a_program_and_the_recording(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replay(db: Path) -> int:
        words = ("run", TOY, "--teacher", TEACHER, "--option", "generations=0", "--db", str(db))
        return preceptor(*words).code

    monkeypatch.setattr("tui.commands.tour._replay", replay)
    done = preceptor("tour", "seen")
    assert done.code == 0, done.err
    assert "after the teacher's choice" in done.out
    assert (tmp_path / "seen/rule.py").exists()
    assert preceptor("show", "2", "--db", "seen/tour.db", "--json").code == 0
