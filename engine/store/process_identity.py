"""Which process a run belongs to, and whether that very process still lives.

A process number alone is reused sooner or later; with its start time and the boot it happened in
it names one process for good.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from engine.domain.records import Identity


def current() -> Identity:
    """The identity of this process."""
    return Identity(os.getpid(), started(os.getpid()) or "", _boot())


def lives(identity: Identity) -> bool:
    """Whether that very process still runs; a zombie or a reused number does not count."""
    return identity.boot == _boot() and started(identity.pid) == identity.started


def is_stopped(identity: Identity) -> bool:
    """Whether the process was stopped (SIGSTOP, a debugger) and waits to be continued."""
    return _stat(identity.pid)[0].startswith(("T", "t"))


def started(pid: int) -> str | None:
    """Start time of a process, or None when it is gone or only waits to be reaped."""
    state, start = _stat(pid)
    return None if state[:1] in "ZX" else start


def started_by_ps(pid: int) -> str | None:
    """The same where there is no /proc, to the second."""
    state, start = _stat_by_ps(pid)
    return None if state[:1] in "ZX" else start


def _stat(pid: int) -> tuple[str, str]:
    """State and start time of a process, both empty when it is gone."""
    if not Path("/proc/self/stat").exists():
        return _stat_by_ps(pid)
    try:
        line = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return "", ""
    # The command name may hold blanks and brackets: fields are counted from its last bracket.
    state, *rest = line.rpartition(")")[2].split()
    return state, rest[18]


def _stat_by_ps(pid: int) -> tuple[str, str]:
    command = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return (answer[0], " ".join(answer[1:])) if answer else ("", "")


@cache
def _boot() -> str:
    """Identifies this boot; empty where start times are absolute dates anyway."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""
