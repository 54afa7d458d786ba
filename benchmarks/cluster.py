"""What a task of a Dask cluster costs beside the same evaluation here (run as a script).

A scheduler and a worker of one thread are started on loopback. The program and the instance are
small, so that what differs is the way there and back.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.evaluate.pool import Limits
from engine.runtime.executors.executor import Cluster, Evaluations, Executor, Local
from problems import ProblemRef

TARGET = 10.0
"""Milliseconds of wall-clock time that the way may cost a task."""

PROGRAM = "def score(feature, state):\n    return -feature.processing_time\n"
SMALL = "random-3x3"
REPEATS = 200

IDLE = 5.0
"""Seconds in which nothing is asked."""


async def measure(executor: Executor, pids: list[int]) -> tuple[list[float], list[float]]:
    """Wall-clock milliseconds of each evaluation, and CPU milliseconds a task by process.

    Processes are this one and those in `pids`; what they use while nothing is asked is left out.
    """
    async with executor, executor.evaluations(ProblemRef("jssp"), Limits()) as evaluations:
        await evaluate(evaluations)  # loads the set, starts the worker's process
        everybody = (os.getpid(), *pids)
        idle = await use(everybody, asyncio.sleep(IDLE))
        found = list[float]()

        async def work() -> None:
            for _ in range(REPEATS):
                found.append(await evaluate(evaluations))

        used = await use(everybody, work())
    seconds = sum(found) / 1000
    return found, [(b - a * seconds / IDLE) / REPEATS for a, b in zip(idle, used, strict=True)]


async def use(pids: Sequence[int], work: Coroutine[None, None, None]) -> list[float]:
    """CPU milliseconds that processes use while some work is done."""
    before = [cpu(pid) for pid in pids]
    await work
    return [cpu(pid) - earlier for pid, earlier in zip(pids, before, strict=True)]


async def evaluate(evaluations: Evaluations) -> float:
    """Wall-clock milliseconds of one evaluation of one instance, without the proof."""
    started = time.perf_counter()
    (found,) = await evaluations.try_out([PROGRAM], SMALL, [0], 30.0)
    assert found.failure is None, found.failure
    return 1000 * (time.perf_counter() - started)


def cpu(pid: int) -> float:
    """CPU milliseconds of a process so far, its children not counted (Linux)."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return 1000 * (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def cluster() -> Iterator[tuple[str, list[int]]]:
    """The address of a scheduler, and the process numbers of it and of its worker."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        shared = ["--scheduler-file", str(file), "--host", "127.0.0.1", "--no-dashboard"]
        scheduler = start("dask_scheduler", "--port", "0", *shared)
        worker = start("dask_worker", "--no-nanny", "--nthreads", "1", *shared)
        try:
            while not file.exists() or not file.read_text().endswith("}"):
                time.sleep(0.1)
            yield json.loads(file.read_text())["address"], [scheduler.pid, worker.pid]
        finally:
            for process in (worker, scheduler):
                process.kill()
                process.wait()


def start(module: str, *words: str) -> subprocess.Popen[bytes]:
    """A process of Dask's, silent."""
    command = [sys.executable, "-m", f"distributed.cli.{module}", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> None:
    """Print medians and quartiles, the difference, and where the CPU time goes."""
    here, (mine,) = asyncio.run(measure(Local(1), []))
    with cluster() as (address, pids):
        there, spent = asyncio.run(measure(Cluster(address, outage=300.0), pids))
    for name, found in (("here", here), ("cluster", there)):
        low, middle, high = statistics.quantiles(found, n=4)
        print(f"{name:8} {middle:6.1f} ms a task (quartiles {low:.1f} and {high:.1f})")
    overhead = statistics.median(there) - statistics.median(here)
    best = min(there) - min(here)
    print(f"overhead {overhead:6.1f} ms a task, of the quickest {best:.1f} (aim {TARGET:g})")
    told = zip(("engine", "scheduler", "worker"), spent, strict=True)
    print("CPU ms a task: " + ", ".join(f"{name} {value:.1f}" for name, value in told))
    print(f"CPU ms a task of the engine without a cluster: {mine:.1f}")


if __name__ == "__main__":
    main()
