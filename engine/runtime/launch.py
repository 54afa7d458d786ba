"""Starting an engine that outlives the terminal it was started from."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.llm.openai.secret import Secret, hide
from engine.runtime.control import of_study
from engine.store.reader import Reader
from engine.store.store import Store
from problems.errors import PreceptorError, WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.runtime.control import Place

PATIENCE = 120.0
"""Seconds an engine may take to claim its run; importing on a busy machine is slow."""

TAIL = 2000
"""Characters of a dead engine's log that its error shows."""


def launch(
    db: Path, run: int, secrets: Mapping[str, str], module: str = "engine.runtime.run"
) -> int:
    """Start `python -P -m MODULE DB RUN` in a session of its own; returns its process number.

    `secrets` (environment name to key) go over its stdin as one JSON line and appear neither in
    its arguments nor in its environment. Returns once the engine has claimed the run, or has
    ended well. Raises WorldError with the end of its log when it dies before.
    """
    with Reader(db) as reader:
        engine = _Engine(module, db, run, log_path(db, run), lambda: reader.run(run).heartbeat)
        return _launch(engine, secrets)


def launch_study(db: Path, study: int, secrets: Mapping[str, str]) -> int:
    """The same for the engine of a study, `engine.runtime.study`."""
    with Reader(db) as reader:
        log = log_path(db, of_study(study))
        host = _Engine(
            "engine.runtime.study", db, study, log, lambda: reader.study(study).heartbeat
        )
        return _launch(host, secrets)


@dataclass(frozen=True, slots=True)
class _Engine:
    """A process to start: its module and arguments, its log, how its heartbeat is read."""

    module: str
    db: Path
    number: int
    log: Path
    heartbeat: Callable[[], float]


def _launch(engine: _Engine, secrets: Mapping[str, str]) -> int:
    unclaimed = engine.heartbeat()
    process = _start(engine, secrets)
    patience = time.monotonic() + PATIENCE
    while engine.heartbeat() == unclaimed:
        if process.poll() is not None or time.monotonic() > patience:
            return _ended(process, engine.log)
        time.sleep(0.02)
    # Somebody has to reap the engine if it ends before its launcher.
    threading.Thread(target=process.wait, daemon=True).start()
    return process.pid


def serve(conduct_in: Callable[[Store, int, Mapping[str, Secret]], int]) -> int:
    """The frame of an engine process: its arguments name the store and what it works on.

    Returns the exit code, for an error that of the error tree.
    """
    db, number = Path(sys.argv[1]), int(sys.argv[2])
    secrets = {name: Secret(key) for name, key in receive_secrets().items()}
    hide(secrets.values())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for its viewers
    try:
        with Store(db) as store:
            return conduct_in(store, number, secrets)
    except PreceptorError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return error.exit_code


def receive_secrets() -> Mapping[str, str]:
    """The engine's side: read the secrets from stdin, to its end."""
    line = sys.stdin.readline()
    return {str(name): str(key) for name, key in json.loads(line or "{}").items()}


def log_path(db: Path, place: Place) -> Path:
    """Where the engine of a run or a study writes what would have gone to the terminal."""
    return Path(f"{db}.logs") / f"{place}.log"


def _start(engine: _Engine, secrets: Mapping[str, str]) -> subprocess.Popen[bytes]:
    engine.log.parent.mkdir(parents=True, exist_ok=True)
    module = [sys.executable, "-P", "-m", engine.module]
    command = [*module, str(engine.db.resolve()), str(engine.number)]
    with engine.log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            close_fds=True,
            env=_scrubbed(secrets),
        )
    _hand_over(process, secrets)
    return process


def _hand_over(process: subprocess.Popen[bytes], secrets: Mapping[str, str]) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(dict(secrets)).encode() + b"\n")
        process.stdin.close()
    except BrokenPipeError:
        pass  # it died at once; its log says why


def _scrubbed(secrets: Mapping[str, str]) -> dict[str, str]:
    """Our environment without the secrets, under whatever name they stand there."""
    keys = {key for key in secrets.values() if key}
    return {n: v for n, v in os.environ.items() if n not in secrets and v not in keys}


def _ended(process: subprocess.Popen[bytes], log: Path) -> int:
    """The number of an engine that ended well. Raises WorldError for any other, and ends it."""
    process.kill()
    if process.wait() == 0:
        return process.pid
    text = log.read_text("utf-8", "replace").strip()[-TAIL:]
    raise WorldError(f"the engine died before it took the run over; {log} ends with:\n{text}")
