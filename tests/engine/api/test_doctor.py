"""Each check of the installation says what it found and what to do."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from engine.api.doctor import (
    check_disk,
    check_libraries,
    check_sessions,
    check_sqlite,
    check_store,
)
from engine.store.store import Store
from tests.engine.samples import SPEC


@pytest.mark.parametrize(
    ("settings", "lingers", "verdict"),
    [
        ("", False, "ok"),
        ("[Login]\n#KillUserProcesses=yes\n", False, "ok"),
        ("[Login]\nKillUserProcesses=yes\n", False, "warn"),
        ("[Login]\nKillUserProcesses = yes\n", True, "ok"),
        ("KillUserProcesses=yes\n[Login]\nKillUserProcesses=no\n", False, "ok"),
    ],
)
def test_a_logout_that_kills_searches_is_announced(
    settings: str, lingers: bool, verdict: str
) -> None:
    assert check_sessions(settings, lingers).verdict == verdict


@pytest.mark.parametrize(("free", "verdict"), [(100e6, "fail"), (1e9, "warn"), (50e9, "ok")])
def test_little_disk_is_a_warning_and_none_a_failure(free: float, verdict: str) -> None:
    assert check_disk(free).verdict == verdict


def test_an_old_sqlite_is_guarded() -> None:
    assert "our lock" in check_sqlite((3, 51, 2)).detail
    assert check_sqlite((3, 51, 3)).detail == "3.51.3"


def test_a_missing_library_is_named() -> None:
    check = check_libraries(["numpy", "no-such-library"])
    assert check.verdict == "fail"
    assert "missing: no-such-library;" in check.detail


def test_a_store_is_made_by_the_first_run(tmp_path: Path) -> None:
    check = check_store(tmp_path / "runs.db")
    assert check.verdict == "ok"
    assert "first run" in check.detail
    assert not list(tmp_path.iterdir())


def test_the_runs_of_a_store_are_counted(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(SPEC)
    assert "1 runs, schema up to date" in check_store(tmp_path / "runs.db").detail


def test_a_foreign_file_is_no_store(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "runs.db") as db:
        db.execute("CREATE TABLE songs (name TEXT)")
    db.close()
    assert check_store(tmp_path / "runs.db").verdict == "fail"
