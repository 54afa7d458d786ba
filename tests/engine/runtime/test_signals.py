"""What asks a whole engine to end: the first time its work pauses, the second time it is gone."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.domain.names import log_path
from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.status import Job
from engine.runtime import launch as launching
from engine.runtime.launch import launch
from engine.store.reader import Reader, status
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import JobTaken
from tests.conftest import ROOT
from tests.engine.runtime.test_disk import wait_until
from tests.engine.runtime.test_resume import TEACHER, TOY, book, drive, population
from tests.scripted import LOG
from tests.tui.writers import CLOSED

Begin = Callable[[Path], subprocess.Popen[bytes]]

GATED = "tests/tui/writers.py:Gated"
RUN = Job("run", 1)


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As long as this file is there, no reply comes."""
    file = tmp_path / "closed"
    file.touch()
    monkeypatch.setenv(CLOSED, str(file))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv(LOG, str(tmp_path / "asked.log"))
    return file


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Starts an engine as the launcher does, without waiting for it."""
    begun: list[subprocess.Popen[bytes]] = []

    def start(db: Path) -> subprocess.Popen[bytes]:
        log = db.parent / "engine.log"
        begun.append(launching._start(["engine.runtime.run", str(db), "1"], log, {}))
        return begun[-1]

    yield start
    for process in begun:
        process.kill()
        process.wait()


def book_gated(db: Path) -> None:
    """The run of `test_resume.book`, its replies behind the gate."""
    settings = Settings(generations=3, llm_concurrency=4, eval_concurrency=4, eval_seconds=10)
    spec = RunSpec(ProblemRef(TOY), writer=GATED, teacher=TEACHER, settings=settings)
    with Store(db) as store:
        store.jobs.create_run(spec)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run, with nothing that ends it."""
    db = tmp_path_factory.mktemp("undisturbed") / "runs.db"
    assert drive(db, book(db)) == 0
    return db


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_the_first_signal_waits_for_replies_and_pauses(
    tmp_path: Path, gate: Path, begin: Begin, undisturbed: Path, name: str
) -> None:
    db = tmp_path / "runs.db"
    book_gated(db)
    engine = begin(db)
    with Reader(db) as reader:
        wait_until(lambda: len(reader.calls(1)) == 1)
        engine.send_signal(signal.Signals[name])
        with pytest.raises(subprocess.TimeoutExpired):
            engine.wait(1)
        gate.unlink()
        assert engine.wait(30) == 0
        row = reader.run(1)
        assert (row.state, row.reason, row.identity) == ("paused", f"paused by {name}", None)
        assert [call.reply is not None for call in reader.calls(1)] == [True]
    assert drive(db, 1) == 0
    assert population(db, 1) == population(undisturbed, 1)


def test_the_second_signal_ends_it_at_once_and_resume_changes_nothing(
    tmp_path: Path, gate: Path, begin: Begin, undisturbed: Path
) -> None:
    db = tmp_path / "runs.db"
    book_gated(db)
    engine = begin(db)
    with Reader(db) as reader:
        wait_until(lambda: len(reader.calls(1)) == 1)
        engine.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            engine.wait(1)
        engine.send_signal(signal.SIGTERM)
        assert engine.wait(5) == 128 + signal.SIGTERM
        assert status(reader.run(1)) == "interrupted"
    gate.unlink()
    assert drive(db, 1) == 0
    assert population(db, 1) == population(undisturbed, 1)
    asked = Counter((tmp_path / "asked.log").read_text().split())
    assert max(asked.values()) == 1  # what the gate held back was never answered


def test_a_signal_while_it_starts_pauses_it_before_the_first_call(
    tmp_path: Path, gate: Path, begin: Begin
) -> None:
    db = tmp_path / "runs.db"
    book_gated(db)
    engine = begin(db)
    engine.send_signal(signal.SIGTERM)
    assert engine.wait(60) == 0
    with Reader(db) as reader:
        row = reader.run(1)
        assert (row.state, row.reason) == ("paused", "paused by SIGTERM")
        assert reader.calls(1) == ()
    gate.unlink()
    assert drive(db, 1) == 0


def test_of_many_launches_of_one_run_one_begins(tmp_path: Path, gate: Path) -> None:
    db = tmp_path / "runs.db"
    book_gated(db)

    def begin(_: int) -> str:
        try:
            return f"process {launch(db, RUN, {})}"
        except JobTaken as error:
            return str(error)

    with ThreadPoolExecutor(6) as crowd:
        said = Counter(crowd.map(begin, range(6)))
    with Reader(db) as reader:
        owner = reader.run(1).identity
        assert owner is not None
        assert said == {
            f"process {owner.pid}": 1,
            f"run 1 is at work in process {owner.pid}; watch it": 5,
        }
        gate.unlink()
        wait_until(lambda: reader.run(1).state == "done")
    assert set(Counter((tmp_path / "asked.log").read_text().split()).values()) == {1}
    assert "at work" not in log_path(db, RUN).read_text()


def test_a_run_that_is_done_takes_no_other_engine(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    run = book(db)
    assert drive(db, run) == 0
    with pytest.raises(JobTaken, match="run 1 is done; there is nothing left to do"):
        launch(db, RUN, {})
