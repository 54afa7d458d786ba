"""The installation, examined: versions, sandbox, teachers, models, store, disk and sessions."""

from __future__ import annotations

import getpass
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from engine.domain.concurrency import run_apart
from engine.domain.specs.settings import LOCAL, Settings
from engine.domain.text.plain_text import clean
from engine.llm.openai.local_servers import LocalServer, find_servers, ports_here
from engine.runtime.executors.executor import Cluster, open_executor
from engine.runtime.executors.tasks import FORM, WorkerFacts
from engine.runtime.provenance import evaluator_version
from engine.runtime.writers.writer_config import addresses
from engine.store.connection import file_system, refuse_network
from engine.store.reader import Reader
from problems import ProblemRef
from problems.errors import PreceptorError, StoreError, TeacherUnavailable
from teachers import weights

Verdict = Literal["ok", "warn", "fail"]

LIBRARIES = (
    "cmaes",
    "numpy",
    "numba",
    "openai",
    "safetensors",
    "sqlite-utils",
    "textual",
    "typer",
)
SAMPLE = ProblemRef("jssp")
"""What workers are asked for their version of."""

PATIENCE = 120.0
"""Seconds for a question to a fresh interpreter; the first import of torch is slow."""

TORCH = """
import torch
cuda = torch.cuda.is_available()
print(torch.__version__, "with " + torch.cuda.get_device_name() if cuda else "without CUDA")
"""
_ENGINE = __name__.removesuffix(".api.doctor")
SANDBOX = f"from {_ENGINE}.evaluate.sandbox.child import probe; print(probe())"
LEVELS = {
    "full": "full: candidates read Python's own files only, write nothing, reach no network",
    "seccomp": "seccomp: as full, but candidates can read the user's files (no Landlock here)",
    "process": "process: limits on time and memory only; run programs of writers that you trust",
}
MOUNTS = Path("/proc/self/mountinfo")
FIXED = (3, 51, 3)
"""First SQLite without the fault that two writers and checkpoints at one instant can meet."""

LEAST = 200e6
SCARCE = 2e9
"""Bytes of free disk: below the first nothing should start, below the second it is said."""

LOGIND = ("/usr/lib/systemd", "/etc/systemd", "/run/systemd")
LINGER = Path("/var/lib/systemd/linger")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at; `detail` says what was found and, if need be, what to do."""

    name: str
    verdict: Verdict
    detail: str


def examine(db: Path, executor: str = LOCAL) -> Iterator[Check]:
    """All checks, one after the other; none raises, none changes anything.

    The workers of a cluster are looked at where `executor` is one.
    """
    yield Check(
        "preceptor",
        "ok",
        f"{version('preceptor')} on Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}",
    )
    yield check_libraries(LIBRARIES)
    yield check_torch()
    yield check_sandbox()
    yield from check_teachers()
    ports = ports_here(addresses())
    yield check_models(find_servers(ports), ports)
    yield check_store(db)
    yield check_sqlite(sqlite3.sqlite_version_info)
    folder = next(parent for parent in db.resolve().parents if parent.is_dir())
    yield check_disk(shutil.disk_usage(folder).free)
    yield check_sessions(logind_settings(), lingers())
    if executor != LOCAL:
        yield from check_cluster(executor)


def check_libraries(names: Iterable[str]) -> Check:
    """The installed versions."""
    found = []
    missing = []
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return Check(
            "libraries", "fail", f"missing: {', '.join(missing)}; install preceptor again"
        )
    return Check("libraries", "ok", ", ".join(found))


def check_torch() -> Check:
    """The build of torch, asked in a process of its own."""
    found = _ask(TORCH)
    if found is None:
        return Check("torch", "fail", "cannot be imported: no teacher can comment; install it")
    return Check("torch", "ok", found)


def check_sandbox() -> Check:
    """The level that candidates run at, found by attacking it."""
    level = _ask(SANDBOX)
    if level not in LEVELS:
        return Check("sandbox", "fail", "cannot be probed: no program can be evaluated")
    return Check("sandbox", "ok" if level == "full" else "warn", LEVELS[level])


def check_teachers() -> Iterator[Check]:
    """Every teacher with weights: whether they are those that its header describes."""
    for name, file in weights.header_files().items():
        try:
            header, _ = weights.read(file)
        except TeacherUnavailable as error:
            yield Check(f"teacher {name}", "fail", str(error))
        else:
            detail = f"{header.problem}, weights intact, sha256 {header.sha256[:16]}"
            yield Check(f"teacher {name}", "ok", detail)
    if not weights.header_files():
        yield Check("teachers", "warn", "no weights here; see `preceptor teachers train --help`")


def check_models(servers: Sequence[LocalServer], ports: Sequence[int]) -> Check:
    """The model servers found at some ports here, and how a run asks one of their models."""
    if not servers:
        looked = ", ".join(map(str, ports))
        return Check("models", "ok", f"no server on this machine (looked at ports {looked})")
    found = "; ".join(f"{one.address}: {', '.join(one.models)}" for one in servers)
    return Check("models", "ok", f"{found}; ask one with --llm {servers[0].writers[0]}")


def check_store(db: Path) -> Check:
    """The run store: where it lies, whether it can be read, who wrote it."""
    place = db.resolve()
    if not place.parent.is_dir():
        return Check("store", "fail", f"{place.parent}: no such folder; name another with --db")
    try:
        refuse_network(place)
        with Reader(db) as reader:
            newer = reader.newer()
            runs = len(reader.runs())
    except StoreError as error:
        return Check("store", "fail", str(error))
    kind = file_system(place, MOUNTS.read_text("utf-8")) if MOUNTS.exists() else "local"
    if not db.exists():
        return Check("store", "ok", f"{place} is made by the first run ({kind} file system)")
    if newer:
        return Check("store", "warn", f"{place}: written by a newer version, can only be read")
    return Check("store", "ok", f"{place}: {runs} runs, schema up to date ({kind} file system)")


def check_cluster(executor: str) -> Iterator[Check]:
    """Every worker of a cluster: its version, cores and sandbox, and whether it can be used."""
    try:
        cluster = open_executor(Settings(executor=executor, outage_seconds=PATIENCE))
        assert isinstance(cluster, Cluster)
        told = run_apart(_describe_workers(cluster))
    except PreceptorError as error:
        yield Check("cluster", "fail", str(error))
        return
    yield Check("cluster", "ok", f"{executor}: a scheduler, workers: {len(told)}")
    ours = evaluator_version(SAMPLE)
    for address, facts in told.items():
        yield check_worker(address, facts, ours)


def check_worker(address: str, facts: WorkerFacts | str | None, ours: str) -> Check:
    """A worker by what it says of itself; `ours` is our version of what it would run."""
    name = f"worker {address}"
    if not isinstance(facts, WorkerFacts):
        return Check(name, "fail", clean(facts or "does not answer"))
    known = f"Preceptor {facts.version} on Python {facts.python}, {facts.cores} cores, sandbox"
    known = clean(f"{known} {facts.level or 'none'}")
    if facts.form != FORM or facts.evaluator != ours:
        return Check(name, "fail", f"{known}; of another version than here, it is not used")
    if facts.level not in LEVELS:
        return Check(name, "fail", f"{known}: no program can be evaluated there")
    return Check(name, "ok" if facts.level == "full" else "warn", known)


async def _describe_workers(cluster: Cluster) -> dict[str, WorkerFacts | str | None]:
    async with cluster:
        return await cluster.describe(SAMPLE)


def check_sqlite(found: tuple[int, ...]) -> Check:
    """SQLite's version; before 3.51.3 our file lock is what keeps the store safe."""
    word = ".".join(map(str, found))
    if found < FIXED:
        word += ": has the WAL fault fixed in 3.51.3, our lock around every write avoids it"
    return Check("sqlite", "ok", word)


def check_disk(free: float) -> Check:
    """Free bytes beside the run store."""
    detail = f"{free / 1e9:.1f} GB free"
    if free < LEAST:
        return Check("disk", "fail", f"{detail}; free some space before a run")
    return Check("disk", "ok" if free >= SCARCE else "warn", detail)


def check_sessions(settings: str, lingers: bool) -> Check:
    """Whether logging out ends runs: systemd-logind may kill what a session leaves behind."""
    found = re.findall(r"(?m)^\s*KillUserProcesses\s*=\s*(\S+)", settings)
    if found and found[-1].lower() in ("yes", "true", "on", "1") and not lingers:
        advice = "run `loginctl enable-linger` once, or start preceptor inside tmux"
        return Check("sessions", "warn", f"logging out kills running searches here; {advice}")
    return Check("sessions", "ok", "runs go on when you log out")


def logind_settings() -> str:
    """The text of all of systemd-logind's settings, the deciding ones last; empty without it."""
    folders = [Path(folder) for folder in LOGIND]
    files = [folder / "logind.conf" for folder in folders]
    files += [file for folder in folders for file in sorted(folder.glob("logind.conf.d/*.conf"))]
    return "\n".join(file.read_text("utf-8") for file in files if file.is_file())


def lingers() -> bool:
    """Whether the user's processes may outlive the session all the same."""
    try:
        return (LINGER / getpass.getuser()).exists()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return False


def _ask(code: str) -> str | None:
    """What a fresh interpreter prints; None when it fails."""
    command = [sys.executable, "-P", "-c", code]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=True
        )
    except (subprocess.SubprocessError, OSError):
        return None
    return done.stdout.strip()
