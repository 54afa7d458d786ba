"""The file of a store holds all of it when no engine is at work; an engine knows its file."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.domain.status import Job
from engine.store import process_identity as identity
from engine.store.connection import is_whole, update
from engine.store.reader import Reader, status
from engine.store.store import Store
from engine.store.transfer import vacuum
from problems.errors import StoreBusy, StoreLost
from tests.engine.samples import CANDIDATE, EVALUATION, SPEC, in_child

RUN = Job("run", 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def copy_alone(path: Path) -> Path:
    """A copy of the file without its log, as somebody makes who knows of no log."""
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    return copy


def read_state(path: Path) -> str:
    with Reader(path) as reader:
        return reader.run(1).state


def begin_and_die(path: Path) -> None:
    """What an engine leaves that is killed in the middle of its work."""

    def work() -> None:
        store = Store(path)
        store.jobs.create_run(SPEC)
        store.jobs.claim(RUN, identity.current())
        store.fold()
        store.search_log.record_candidate(1, CANDIDATE)
        os._exit(0)

    os.waitpid(in_child(work), 0)


def test_a_store_that_is_closed_under_a_viewer_is_whole_without_its_log(path: Path) -> None:
    with Reader(path) as viewer:
        with Store(path) as store:
            store.jobs.create_run(SPEC)
            assert [row.number for row in viewer.runs()] == [1]
            store.jobs.claim(RUN, identity.current())
            store.jobs.release(RUN, "done")
        assert read_state(copy_alone(path)) == "done"


def test_folding_reports_a_reader_whose_older_view_prevents_it(path: Path) -> None:
    with Store(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as browser:
        store.jobs.create_run(SPEC)
        browser.execute("BEGIN")
        browser.execute("SELECT count(*) FROM runs").fetchone()
        store.jobs.set_reason(RUN, "later than that view")
        assert not store.fold()
        browser.execute("COMMIT")
        assert store.fold()
        with Reader(copy_alone(path)) as copy:
            assert copy.run(1).reason == "later than that view"


def test_vacuum_says_that_a_reader_keeps_the_space_from_the_disk(path: Path) -> None:
    with Store(path) as store:
        store.jobs.create_run(SPEC)
        store.jobs.release(RUN, "done")
    with closing(sqlite3.connect(path, isolation_level=None)) as browser:
        browser.execute("BEGIN")
        browser.execute("SELECT count(*) FROM runs").fetchone()
        with pytest.raises(StoreBusy, match="close it, then try again"):
            vacuum(path)
    assert vacuum(path)[1] == path.stat().st_size


def test_the_log_of_a_killed_engine_is_folded_in_by_the_next_command(path: Path) -> None:
    begin_and_die(path)
    with Reader(path):  # a viewer that is open meanwhile
        update(path)
        copy = copy_alone(path)
        assert is_whole(path)
        assert is_whole(copy)
        with Reader(copy) as reader:
            assert len(reader.candidates(1)) == 1
            assert status(reader.run(1)) == "interrupted"


def test_a_copy_without_the_log_of_a_killed_engine_is_not_whole(path: Path) -> None:
    begin_and_die(path)
    copy = copy_alone(path)
    assert is_whole(path)
    assert not is_whole(copy)
    update(copy)
    with Store(copy) as store:  # whoever writes to it does not make it whole
        assert store.candidates(1) == ()
    assert not is_whole(copy)


def test_a_store_that_lost_its_log_is_not_whole(path: Path) -> None:
    begin_and_die(path)
    path.with_name("runs.db-wal").unlink()
    with Reader(path) as viewer:  # makes an empty log
        assert viewer.candidates(1) == ()
        assert not is_whole(path)


def test_a_copy_of_the_file_under_a_living_engine_is_not_whole(path: Path) -> None:
    with Store(path) as store:
        store.jobs.create_run(SPEC)
        store.jobs.claim(RUN, identity.current())
        store.fold()
        assert is_whole(path)
        assert not is_whole(copy_alone(path))


def test_a_missing_store_is_whole(path: Path) -> None:
    assert is_whole(path)


@pytest.mark.parametrize("fate", ["deleted", "replaced"])
def test_a_store_that_is_gone_is_noticed_and_what_it_holds_is_kept(path: Path, fate: str) -> None:
    with Store(path) as store:
        store.jobs.create_run(SPEC)
        store.refuse_lost()
        path.unlink()
        if fate == "replaced":
            path.write_bytes(b"another file")
        with pytest.raises(StoreLost, match=rf"{fate}: continue with --db runs\.db\.rescued-1"):
            store.refuse_lost()
        store.search_log.record_evaluation(
            1, "key", EVALUATION, program="p", design="d", evaluator="e"
        )  # an answer that was already paid
        store.rescue()
    with Reader(path.with_name("runs.db.rescued-1")) as rescued:
        assert rescued.evaluation(1, "key") == EVALUATION


def test_a_store_that_is_moved_is_named_by_its_new_place(path: Path) -> None:
    folder = path.parent / "before"
    folder.mkdir()
    with Store(folder / "runs.db") as store:
        store.jobs.create_run(SPEC)
        folder.rename(path.parent / "after")
        with pytest.raises(StoreLost, match=r"moved: continue with --db .*after/runs\.db"):
            store.refuse_lost()
        store.jobs.release(RUN, "paused", "moved")
        store.rescue()
    assert read_state(copy_alone(path.parent / "after" / "runs.db")) == "paused"
    assert [file.name for file in path.parent.iterdir()] == ["after"]
