"""A store of an older version is brought up to date by whatever command looks at it next."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.domain.specs.settings import RunSpec
from engine.domain.status import Job
from engine.store import process_identity as identity
from engine.store import schema
from engine.store.store import Store
from problems import ProblemRef

if TYPE_CHECKING:
    from tests.conftest import Shell

LATER = (*schema.MIGRATIONS, ("m999_later", "CREATE TABLE later (x INTEGER) STRICT"))


@pytest.mark.parametrize("words", [("runs", "--json"), ("show", "--json"), ("data", "list")])
def test_a_command_that_only_looks_updates_an_older_store(
    words: tuple[str, ...], preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(RunSpec(ProblemRef("jssp")))
    monkeypatch.setattr(schema, "MIGRATIONS", LATER)
    assert preceptor(*words).code == 0
    assert (tmp_path / "runs.db.before-m999_later").exists()
    assert len(json.loads(preceptor("runs", "--json").out)["runs"]) == 1


def test_an_older_store_with_an_engine_at_work_is_left_alone(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(tmp_path / "runs.db") as store:
        run = store.jobs.create_run(RunSpec(ProblemRef("jssp")))
        store.jobs.claim(Job("run", run), identity.current())
    monkeypatch.setattr(schema, "MIGRATIONS", LATER)
    refused = preceptor("runs")
    assert refused.code == 1
    assert "an older version works on run 1; stop it first" in refused.complaint


def test_looking_makes_no_store(preceptor: Shell, tmp_path: Path) -> None:
    assert preceptor("runs").code == 0
    assert not list(tmp_path.iterdir())


def test_a_store_that_an_engine_rescued_is_named_where_it_was(
    preceptor: Shell, tmp_path: Path
) -> None:
    (tmp_path / "runs.db.rescued-1").write_bytes(b"")
    assert "was deleted while an engine had it open; what it held is in" in preceptor("runs").err
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(RunSpec(ProblemRef("jssp")))
    assert "rescued" not in preceptor("runs").err


def test_a_store_that_was_copied_without_its_log_is_said_to_be_one(
    preceptor: Shell, tmp_path: Path
) -> None:
    gone = replace(identity.current(), started="long ago")
    with Store(tmp_path / "work.db") as store:
        store.jobs.create_run(RunSpec(ProblemRef("jssp")))
        store.jobs.claim(Job("run", 1), gone)
        store.fold()
        shutil.copy(tmp_path / "work.db", tmp_path / "copy.db")
    assert "copied without its log copy.db-wal" in preceptor("runs", "--db", "copy.db").err
    shutil.copy(tmp_path / "work.db", tmp_path / "other.db")
    assert "copied without its log other.db-wal" in preceptor("import", "other.db").err
