"""Starting an engine that outlives the terminal it was started from."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from engine.domain.names import ON_END, log_path
from engine.domain.records import RunRow, StudyRow
from engine.domain.status import Job, JobKind, State
from engine.llm.openai.secret import Secret, hide
from engine.runtime.job import ENDING, HELD, last_line, pause_on_signals
from engine.store.connection import refuse_full
from engine.store.jobs import refuse_taken
from engine.store.reader import Reader, liveness, status
from engine.store.store import Store
from problems.errors import DiskFull, JobTaken, PreceptorError, WorldError

PATIENCE = 120.0 + HELD
"""Seconds an engine may take to claim its run: importing on a busy machine is slow, and another
program may hold the store."""

TAIL = 2000
"""Characters of a dead engine's log that its error shows."""

TAKEN = 75
"""What an engine process ends with that found another one at work on its job."""

EXIT_CODES = {"failed": 1, "budget": 4}
"""What an engine process ends with for a job in such a state; 0 for any other."""


def launch(db: Path, job: Job, secrets: Mapping[str, str], module: str = "") -> int:
    """Start `python -P -m MODULE DB NUMBER` in a session of its own; returns its process number.

    `module` is `engine.runtime.run` or `engine.runtime.study` unless given. `secrets`
    (environment name to key) go over its stdin as one JSON line and appear neither in its
    arguments nor in its environment. Returns once the engine has claimed the job, or has ended
    well. Raises WorldError with the end of its log when it dies before, JobTaken when another
    engine has the job, DiskFull when there is no space for what it will write.
    """
    log = log_path(db, job)
    try:
        refuse_full(db)
    except DiskFull as error:
        _mark_failed(db, job, str(error))
        raise
    with Reader(db) as reader:
        row = reader.job(job)
        refuse_taken(job, row)
        arguments = [module or f"{__package__}.{job.kind}", str(db.resolve()), str(job.number)]
        process = _start(arguments, log, secrets)
        patience = time.monotonic() + PATIENCE
        while not _has_claimed(process, reader.job(job)):
            if process.poll() is not None or time.monotonic() > patience:
                return _ended(process, db, job, row.heartbeat)
            time.sleep(0.02)
    # Somebody has to reap the engine if it ends before its launcher.
    threading.Thread(target=process.wait, daemon=True).start()
    return process.pid


def serve(
    carry_out: Callable[[Store, int, Mapping[str, Secret]], Coroutine[Any, Any, State]],
    kind: JobKind,
) -> int:
    """The frame of an engine process: its arguments name the store and the job of that kind.

    Whatever comes of the job, the user's command `ON_END` is started last. Returns the exit code,
    for an error that of the error tree.
    """
    db = Path(sys.argv[1])
    number = int(sys.argv[2])
    secrets = {name: Secret(key) for name, key in receive_secrets().items()}
    hide(secrets.values())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is for its viewers
    pause_on_signals()
    on_end = os.environ.pop(ON_END, "")
    try:
        with Store(db) as store:
            state = asyncio.run(carry_out(store, number, secrets))
    except JobTaken:
        on_end = ""
        return TAKEN  # whoever launched it says so; the log is the other engine's
    except PreceptorError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return error.exit_code
    finally:
        if on_end:
            start_on_end(on_end, db, Job(kind, number))
    return EXIT_CODES.get(state, 0)


def start_on_end(text: str, db: Path, job: Job) -> None:
    """Start a user's command in a shell of its own, told which job has ended and how.

    What it prints goes to the engine's log. Nobody waits for it.
    """
    with Reader(db) as reader:
        now = status(reader.job(job))
    word = str(job.number) if job.kind == "run" else f"{job.kind}:{job.number}"
    told = {"PRECEPTOR_DB": str(db), "PRECEPTOR_JOB": word, "PRECEPTOR_STATUS": now}
    subprocess.Popen(
        ["/bin/sh", "-c", text],
        stdin=subprocess.DEVNULL,
        env=os.environ | told,
        start_new_session=True,
    )


def receive_secrets() -> Mapping[str, str]:
    """The engine's side: read the secrets from stdin, to its end."""
    line = sys.stdin.readline()
    return {str(name): str(key) for name, key in json.loads(line or "{}").items()}


def _start(arguments: list[str], log: Path, secrets: Mapping[str, str]) -> subprocess.Popen[bytes]:
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    with log.open("ab") as output, _signals_held():
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", *arguments],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            close_fds=True,
            env=_scrubbed(secrets),
        )
    _hand_over(process, secrets)
    return process


@contextmanager
def _signals_held() -> Iterator[None]:
    """A process started within gets what asks it to end once `pause_on_signals` can hear it.

    It inherits the mask; while it imports, the signal would end it instead of pausing its work.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _has_claimed(process: subprocess.Popen[bytes], row: RunRow | StudyRow) -> bool:
    return row.identity is not None and row.identity.pid == process.pid


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


def _ended(process: subprocess.Popen[bytes], db: Path, job: Job, unclaimed: float) -> int:
    """The number of an engine that had its job, last heard of at `unclaimed`, and has ended.

    Raises JobTaken when another engine has the job, WorldError for an engine that never began.
    """
    log = log_path(db, job)
    process.kill()
    code = process.wait()
    if code == TAKEN:
        with Reader(db) as reader:
            refuse_taken(job, reader.job(job))
        raise JobTaken(f"another engine has just worked on {job}; look at it before you go on")
    with Reader(db) as reader:
        if code == 0 or reader.job(job).heartbeat != unclaimed:
            return process.pid  # it has had the job, and the store says what came of it
    _mark_failed(db, job, f"the engine died before it began (its log ends with: {last_line(log)})")
    text = log.read_text("utf-8", "replace").strip()[-TAIL:]
    raise WorldError(f"the engine died before it took the run over; {log} ends with:\n{text}")


def _mark_failed(db: Path, job: Job, reason: str) -> None:
    """Say in the store what became of a job that was just booked and that nobody works on."""
    with suppress(PreceptorError), Store(db) as store:
        row = store.job(job)
        if row.state == "starting" and liveness(row) == "gone":
            store.jobs.release(job, "failed", reason)
