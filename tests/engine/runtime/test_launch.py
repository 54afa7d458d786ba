"""An engine is started apart: from the terminal, from the secrets, from the working directory."""

from __future__ import annotations

import json
import os
import pty
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.domain.names import log_path
from engine.domain.records import RunRow
from engine.domain.status import Job
from engine.runtime import control
from engine.runtime.control import Command
from engine.runtime.launch import launch
from engine.store import process_identity as identity
from engine.store.reader import Reader, status
from engine.store.store import Store
from problems.errors import WorldError
from tests.engine.samples import SPEC

RUN = Job("run", 1)
KEY = "sk-canary-1234"
STUB = """
import json, os, sys, time
from pathlib import Path
from engine.domain.status import Job
from engine.runtime import control
from engine.runtime.launch import receive_secrets
from engine.store import process_identity as identity
from engine.store.store import Store

secrets = receive_secrets()
db, job = Path(sys.argv[1]), Job("run", int(sys.argv[2]))
with Store(db) as store:
    store.jobs.claim(job, identity.current())
    seen = {
        "secrets": dict(secrets),
        "environment": list(os.environ.values()),
        "arguments": sys.argv,
        "path": sys.path,
        "terminal": [os.isatty(fd) for fd in (0, 1, 2)],
    }
    Path(f"{db}.seen").write_text(json.dumps(seen))
    while not (orders := control.pending(store, job)):
        print("still here", flush=True)
        time.sleep(0.02)
    control.finish(store, job, orders[0])
    store.jobs.release(job, "stopped")
"""
MODULES = {
    "stub_engine": STUB,
    "stub_dead": "import sys; sys.exit('ModelError: no such model')",
    "stub_quick": STUB.replace("while not", "while False and not").replace(
        "control.finish(store, job, orders[0])", "pass"
    ),
}


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with run 1, and engines of our own that the launcher can name."""
    for name, code in MODULES.items():
        (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(SPEC)
    return tmp_path / "runs.db"


def wait_until(db: Path, holds: Callable[[RunRow], bool]) -> None:
    with Reader(db) as reader:
        while not holds(reader.run(1)):
            time.sleep(0.02)


def stop(db: Path) -> None:
    control.send(db, RUN, Command("stop"))
    wait_until(db, lambda row: row.state == "stopped")


def test_a_launched_engine_owns_its_run_and_takes_orders(db: Path) -> None:
    pid = launch(db, RUN, {}, "stub_engine")
    with Reader(db) as reader:
        row = reader.run(1)
    assert row.identity is not None
    assert (row.identity.pid, status(row)) == (pid, "running")
    assert os.getsid(pid) == pid
    stop(db)


def test_secrets_arrive_over_stdin_and_stand_nowhere_else(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    monkeypatch.setenv("COPY_OF_IT", KEY)
    launch(db, RUN, {"MY_KEY": KEY}, "stub_engine")
    stop(db)
    seen = json.loads(Path(f"{db}.seen").read_text())
    assert seen["secrets"] == {"MY_KEY": KEY}
    assert KEY not in seen["environment"] + seen["arguments"]
    assert KEY not in log_path(db, RUN).read_text()


def test_an_engine_is_off_the_terminal_and_off_the_working_directory(db: Path) -> None:
    launch(db, RUN, {}, "stub_engine")
    stop(db)
    seen = json.loads(Path(f"{db}.seen").read_text())
    assert seen["terminal"] == [False, False, False]
    assert "" not in seen["path"]
    assert "still here" in log_path(db, RUN).read_text()


def test_an_engine_that_dies_at_once_shows_the_end_of_its_log(db: Path) -> None:
    with pytest.raises(WorldError, match="ends with:\nModelError: no such model"):
        launch(db, RUN, {}, "stub_dead")
    with Reader(db) as reader:
        row = reader.run(1)
    assert row.state == "failed"
    assert "its log ends with: ModelError: no such model" in row.reason


def test_an_engine_that_is_done_before_anyone_looks_is_no_failure(db: Path) -> None:
    pid = launch(db, RUN, {}, "stub_quick")
    wait_until(db, lambda row: row.state == "stopped")
    assert pid > 0


def test_an_engine_that_ends_before_its_launcher_leaves_no_zombie(db: Path) -> None:
    pid = launch(db, RUN, {}, "stub_engine")
    stop(db)
    while identity.started(pid) is not None or Path(f"/proc/{pid}").exists():
        time.sleep(0.01)


def test_an_engine_outlives_the_terminal_it_was_started_from(db: Path) -> None:
    launcher, terminal = pty.fork()
    if launcher == 0:  # pragma: no cover - another process
        try:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
            launch(db, RUN, {}, "stub_engine")
            signal.pause()
        finally:
            os._exit(1)
    wait_until(db, lambda row: row.identity is not None)
    os.close(terminal)
    assert os.WTERMSIG(os.waitpid(launcher, 0)[1]) == signal.SIGHUP
    log = log_path(db, RUN)
    size = log.stat().st_size
    while log.stat().st_size == size:  # it prints on
        time.sleep(0.01)
    stop(db)
