"""The sandbox: what a forked child gives up before it loads foreign code.

Three levels, the strongest that works is found by trying (`probe`):

    full      limits on CPU and memory, one open socket; reads Python's own files (of others it
              can tell that they exist), writes nothing, starts nothing, reaches no network
    seccomp   the same, but every file that the user can read is readable
    process   limits and one open socket only; systems that forbid the rest, and macOS, which
              does not limit memory either

On every level the child is a process of its own without our environment, and its word is never
taken for a cost (`engine.evaluate.pool`).
"""

from __future__ import annotations

import ctypes
import fcntl
import math
import os
import platform
import resource
import signal
import socket
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

import problems
from engine.evaluate.sandbox import landlock, seccomp

Level = Literal["full", "seccomp", "process"]
LEVELS: tuple[Level, ...] = ("full", "seccomp", "process")

CHANNEL = 3
"""The descriptor of a child's only socket."""

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
OPEN_FILES = 64
LINUX = sys.platform == "linux"

LIFE = 60
"""CPU seconds of a child that takes one batch of programs after another."""

COMPILING = 20
"""CPU seconds that compiling a rule may take, beside those of the program itself."""

TRYING = 2.0
"""Times its limit that Python may take for the instances on which a compiled rule is compared."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one candidate may use on one set: CPU seconds and MiB of memory.

    Wall-clock time is limited too, at four times the CPU seconds, as a backstop for programs
    that wait.
    """

    cpu_seconds: float = 60
    memory_mb: int = 2048

    def within(self, seconds: float | None) -> Limits:
        """The same with so many CPU seconds instead of these; None: these."""
        return self if seconds is None else replace(self, cpu_seconds=seconds)


def enter(level: Level, limits: Limits, channel: int, parent: int, compiles: bool = False) -> None:
    """Restrict this process for good. Raises OSError where the kernel refuses.

    A process that `compiles` may take `COMPILING` seconds more, of them `TRYING` times its limit
    before it does, and looks at its time by itself.

    `channel` is the socket that stays open, as descriptor `CHANNEL`; `parent` is the process
    whose death ends this one.
    """
    die_with(parent)
    os.setpgid(0, 0)  # so that what it starts, where that is possible, is killed with it
    _redirect(channel)
    _limit(limits, compiles)
    if level == "process":
        _close_others()
        return
    libc = _libc()
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the kernel refused NO_NEW_PRIVS")
    if level == "full":
        landlock.restrict(libc, _rules())
    _close_others()
    seccomp.restrict(libc)


def prepare(level: Level) -> None:
    """Do what is the same for every child once, in the process that they are forked from."""
    if level != "process":
        seccomp.program(platform.machine())
    if level == "full":
        _rules()


@cache
def _rules() -> int:
    """The descriptor of the Landlock rules, beyond those that a child makes its own."""
    rules = landlock.make_rules(_libc(), readable_folders())
    kept = fcntl.fcntl(rules, fcntl.F_DUPFD_CLOEXEC, CHANNEL + 1)
    os.close(rules)
    return kept


def die_with(parent: int) -> None:
    """Have the kernel kill this process when `parent` is gone (Linux; elsewhere nothing)."""
    if LINUX:
        _libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)


@cache
def readable_folders() -> tuple[Path, ...]:
    """The folders a candidate may import from: Python's library, its packages, our problems."""
    library = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    packages = {p for p in map(Path, sys.path) if p.name in ("site-packages", "dist-packages")}
    ours = {Path(problems.__file__).parent}
    return tuple(sorted(path for path in library | packages | ours if os.access(path, os.R_OK)))


def _redirect(channel: int) -> None:
    """Make `channel` the descriptor `CHANNEL`, and have nothing to read or to write besides."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.dup2(channel, CHANNEL)


def _close_others() -> None:
    # Kernels without close_range try every number: keep that short where the limit is huge.
    os.closerange(CHANNEL + 1, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))


def _limit(limits: Limits, compiles: bool) -> None:
    """Hard limits; memory counts from what Python and NumPy occupy already."""
    most = math.ceil(limits.cpu_seconds) + (COMPILING if compiles else 1)
    tried = math.ceil((1 + TRYING * compiles) * limits.cpu_seconds)
    # The soft CPU limit says SIGXCPU, the hard one is for those who ignore it.
    _lower(resource.RLIMIT_CPU, min(tried, most), most)
    if LINUX:  # macOS refuses to limit the address space
        _lower(resource.RLIMIT_AS, _mapped() + (limits.memory_mb << 20))
    _lower(resource.RLIMIT_NOFILE, OPEN_FILES)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_CORE, 0)


def _lower(kind: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, below any that we run under ourselves."""
    inherited = resource.getrlimit(kind)[1]
    ceiling = sys.maxsize if inherited == resource.RLIM_INFINITY else inherited
    hard = min(hard or soft, ceiling)
    resource.setrlimit(kind, (min(soft, hard), hard))


def _mapped() -> int:
    """Bytes of address space in use (Linux)."""
    file = os.open("/proc/self/statm", os.O_RDONLY)  # `Path` would touch a hundred pages
    pages = int(os.read(file, 64).split()[0])
    os.close(file)
    return pages * resource.getpagesize()


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def probe() -> Level:
    """The strongest level that holds here, found by attacking it from a child.

    Raises OSError when not even the weakest can be entered.
    """
    for level in LEVELS if LINUX and seccomp.known_architecture() else LEVELS[-1:]:
        if _holds(level):
            return level
    raise OSError("no child process can be limited here")


def _holds(level: Level) -> bool:
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        _attack(level, parent)
    return os.waitpid(child, 0)[1] == 0


def _attack(level: Level, parent: int) -> None:
    """In a child: exit with 0 only if every attack fails."""
    escaped = True
    try:
        ours, _ = socket.socketpair()
        enter(level, Limits(), ours.fileno(), parent)
        escaped = any(_succeeds(attack) for attack in _attacks(level, parent))
    finally:
        os._exit(1 if escaped else 0)


def _attacks(level: Level, parent: int) -> Iterator[Callable[[], object]]:
    if level == "process":
        return
    yield socket.socket
    yield os.fork
    yield lambda: os.kill(parent, 0)
    yield lambda: os.open(os.devnull, os.O_WRONLY)
    if level == "full":
        yield lambda: list(Path("/").iterdir())


def _succeeds(attack: Callable[[], object]) -> bool:
    try:
        attack()
    except OSError:
        return False
    return True
