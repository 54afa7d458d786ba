"""Files that are no run store are refused in one clear line, and never changed."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.specs.study import StudySpec
from engine.domain.status import Job
from engine.store import connection as opening
from engine.store import jobs, schema
from engine.store import process_identity as identity
from engine.store.reader import Reader
from engine.store.store import Store
from problems.errors import StoreError, StoreForeign, UserError
from tests.engine.samples import CANDIDATE, EVALUATION, SPEC, ended_well, in_child

NOBODY = 65534
TWO = (*schema.MIGRATIONS, ("m002_notes", "CREATE TABLE notes (text TEXT) STRICT"))
MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
35 22 0:30 / /home rw - nfs4 server:/home rw
36 35 0:31 / /home/me/local\\040disk rw - xfs /dev/sdb1 rw
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def sealed() -> Iterator[Path]:
    """A store in a folder where nothing can be made, for a child without privileges."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Store(folder / "runs.db") as store:
            store.jobs.create_run(SPEC)
        folder.chmod(0o555)
        (folder / "runs.db").chmod(0o444)
        yield folder / "runs.db"
        folder.chmod(0o755)


def as_nobody(work: object) -> bool:
    """Do `work` without the privileges that a test may run with; whether it went well."""

    def stripped() -> None:
        if os.geteuid() == 0:
            os.setuid(NOBODY)
        assert callable(work)
        work()

    return ended_well(in_child(stripped))


def made(path: Path) -> Path:
    with Store(path) as store:
        store.jobs.create_run(SPEC)
    return path


def both_refuse(path: Path, match: str) -> None:
    before = path.read_bytes()
    for opener in (Reader, Store):
        with pytest.raises(StoreForeign, match=match) as caught:
            opener(path)
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


def test_a_store_is_durable_and_shared(path: Path) -> None:
    with Store(path) as store, closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        pragmas = ("synchronous", "foreign_keys", "busy_timeout")
        values = [store._rows(f"PRAGMA {name}")[0][0] for name in pragmas]
        assert values == [2, 1, 5000]


def test_a_missing_store_reads_as_empty_and_is_not_made(path: Path) -> None:
    with Reader(path) as reader:
        assert (reader.runs(), reader.latest(), reader.data_version()) == ((), None, 0)
        assert not list(path.parent.iterdir())
        made(path)
        assert len(reader.runs()) == 1
        assert reader.data_version() > 0


def test_a_file_that_is_still_empty_reads_as_empty(path: Path) -> None:
    path.touch()
    with Reader(path) as reader:
        assert reader.runs() == ()
    assert path.stat().st_size == 0


def test_junk_is_refused(path: Path) -> None:
    path.write_text("this is a letter, not a database\n" * 100)
    both_refuse(path, "not a run store")


def test_the_database_of_another_program_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE runs (run INTEGER)")
    both_refuse(path, "a database of another program")


def test_a_truncated_store_is_called_damaged(path: Path) -> None:
    os.truncate(made(path), 10_000)
    with pytest.raises(StoreError, match="damaged; restore a copy"), Reader(path) as reader:
        reader.runs()


def test_a_newer_store_can_be_read_and_not_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as newer:
        newer.setattr(schema, "MIGRATIONS", TWO)
        made(path)
    with pytest.raises(StoreForeign, match=r"newer version \(m002_notes\)"):
        Store(path)
    with Reader(path) as reader:
        assert reader.newer() == ("m002_notes",)
        assert len(reader.runs()) == 1


def test_an_older_store_is_copied_and_brought_up_to_date(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(path)
    monkeypatch.setattr(schema, "MIGRATIONS", TWO)
    with pytest.raises(StoreError, match="an older version wrote this"):
        Reader(path)
    with Store(path) as store:
        assert store._rows("SELECT * FROM notes") == []
        assert len(store.runs()) == 1
    with closing(sqlite3.connect(f"{path}.before-m002_notes")) as copy:
        assert copy.execute("SELECT run FROM runs").fetchall() == [(1,)]


def test_an_older_store_waits_while_an_engine_works_on_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(path) as store:
        store.jobs.claim(Job("run", store.jobs.create_run(SPEC)), identity.current())
    monkeypatch.setattr(schema, "MIGRATIONS", TWO)
    with pytest.raises(StoreError, match="works on run 1; stop it first"):
        Store(path)


def test_commands_finished_in_an_older_store_stay_finished(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:4])
        older.setattr(jobs, "_cap_columns", lambda caps: {})
        made(path)
        with closing(sqlite3.connect(path)) as db:
            db.execute("INSERT INTO control VALUES ('id', 1, 'pause', 1.5, 2.5, 'done')")
            db.commit()
    with Store(path) as store:
        assert store.finished_commands(Job("run", 1)) == {"id"}
        assert store.finished_commands(Job("study", 1)) == frozenset()


def test_decisions_are_counted_in_an_older_store_where_they_can_be_read(path: Path) -> None:
    with Store(path) as store:
        run = store.jobs.create_run(SPEC)
        for key, id in (("whole", "1.0"), ("damaged", "1.1")):
            store.search_log.record_evaluation(
                run, key, EVALUATION, program=key, design="", evaluator=""
            )
            store.search_log.record_candidate(run, replace(CANDIDATE, id=id, slot=1), key)
        store.search_log.record_candidate(run, replace(CANDIDATE, id="1.2", slot=2))
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE evaluations SET actions = x'00' WHERE key = 'damaged'")
        db.execute("ALTER TABLE candidates DROP COLUMN decisions")
        db.execute("DELETE FROM _sqlite_migrations WHERE name = 'm009_decisions'")
        db.commit()
    with Store(path) as store:
        assert [one.decisions for one in store.candidates(run)] == [4, 0, 0]
        assert [one.pace for one in store.paces(run)] == [EVALUATION.cpu / 4]


def test_an_older_store_waits_for_an_engine_of_a_study_too(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(path) as store:
        study = store.jobs.create_study(StudySpec("tiny", (), ()))
        store.jobs.claim(Job("study", study), identity.current())
    monkeypatch.setattr(schema, "MIGRATIONS", TWO)
    with pytest.raises(StoreError, match="works on study 1; stop it first"):
        Store(path)


def test_a_failing_step_leaves_the_older_store_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(path)
    broken = "CREATE TABLE notes (text TEXT) STRICT; CREATE TABLE runs (run INTEGER)"
    with monkeypatch.context() as newer:
        newer.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("m002_broken", broken)))
        with pytest.raises(StoreError, match="already exists"):
            Store(path)
    with Store(path) as store:
        tables = {row["name"] for row in store._rows("SELECT name FROM sqlite_master")}
        assert "notes" not in tables


def test_a_folder_whose_name_is_not_utf_8_holds_a_store(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff"))
    folder.mkdir()
    with Store(folder / "runs.db") as store:
        run = store.jobs.create_run(SPEC)
    with Reader(folder / "runs.db") as reader:
        assert [row.number for row in reader.runs()] == [run]


def test_a_missing_folder_is_named(path: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        Store(path / "runs.db")


def test_a_read_only_store_is_read_and_not_written(sealed: Path) -> None:
    def read_and_fail_to_write() -> None:
        with Reader(sealed) as reader:
            assert len(reader.runs()) == 1
        with pytest.raises(StoreError, match="cannot be written; check its permissions"):
            Store(sealed)

    assert as_nobody(read_and_fail_to_write)


def test_a_folder_without_permission_is_named_before_anything_is_made(sealed: Path) -> None:
    def fail_to_make() -> None:
        with pytest.raises(StoreError, match="check its permissions"):
            Store(sealed.with_name("other.db"))

    assert as_nobody(fail_to_make)


def test_network_file_systems_are_refused(path: Path) -> None:
    mounts = path.with_name("mountinfo")
    mounts.write_text(MOUNTS.replace("/home ", f"{path.parent.resolve()} "))
    with pytest.raises(StoreError, match="nfs4 file system cannot hold a run store"):
        opening.refuse_network(path, mounts)


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/var/runs.db", "ext4"),
        ("/home/me/runs.db", "nfs4"),
        ("/home/me/local disk/runs.db", "xfs"),
        ("/homes/runs.db", "ext4"),
    ],
)
def test_the_nearest_mount_decides(place: str, kind: str) -> None:
    assert opening.file_system(Path(place), MOUNTS) == kind
