"""Starting an engine that outlives the terminal it was started from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from engine.reader import Reader
from problems.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Mapping

PATIENCE = 120.0
"""Seconds an engine may take to claim its run; importing on a busy machine is slow."""

TAIL = 2000
"""Characters of a dead engine's log that its error shows."""


def launch(db: Path, run: int, secrets: Mapping[str, str], module: str = "engine.run") -> int:
    """Start `python -P -m MODULE DB RUN` in a session of its own; returns its process number.

    `secrets` (environment name to key) go over its stdin as one JSON line and appear neither in
    its arguments nor in its environment. Returns once the engine has claimed the run, or has
    ended well. Raises WorldError with the end of its log when it dies before.
    """
    with Reader(db) as reader:
        unclaimed = reader.run(run).heartbeat
        process = _start(db, run, secrets, module)
        patience = time.monotonic() + PATIENCE
        while reader.run(run).heartbeat == unclaimed:
            if process.poll() is not None or time.monotonic() > patience:
                return _ended(process, log_path(db, run))
            time.sleep(0.02)
    # Somebody has to reap the engine if it ends before its launcher.
    threading.Thread(target=process.wait, daemon=True).start()
    return process.pid


def receive_secrets() -> Mapping[str, str]:
    """The engine's side: read the secrets from stdin, to its end."""
    line = sys.stdin.readline()
    return {str(name): str(key) for name, key in json.loads(line or "{}").items()}


def log_path(db: Path, run: int) -> Path:
    """Where the engine of a run writes what would have gone to the terminal."""
    return Path(f"{db}.logs") / f"{run}.log"


def _start(db: Path, run: int, secrets: Mapping[str, str], module: str) -> subprocess.Popen[bytes]:
    log = log_path(db, run)
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-P", "-m", module, str(db.resolve()), str(run)]
    with log.open("wb") as output:
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
