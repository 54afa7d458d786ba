"""A run on a cluster through every fault: it costs time, and the same programs come out."""

from __future__ import annotations

import asyncio
import operator
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import Client

from engine.api.run import Run, prepare_resume
from engine.domain.events import EvaluationEnded
from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.domain.status import Job
from engine.runtime.executors.executor import Cluster
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from tests.conftest import TOY, WRITER
from tests.engine.runtime.cluster import LoopbackCluster
from tests.engine.runtime.test_resume import TEACHER, population

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1200)]

LONG = 600.0
"""Seconds after which a run is taken to be stuck."""

GENERATIONS = 3


def book(db: Path, executor: str, children: int = 0) -> int:
    """A run of the toy whose programs are evaluated there; so many children at once."""
    settings = Settings(
        generations=GENERATIONS,
        eval_concurrency=children,
        eval_seconds=10,
        states=16,
        executor=executor,
    )
    spec = RunSpec(ProblemRef(TOY), writer=WRITER, teacher=TEACHER, settings=settings)
    with Store(db) as store:
        return store.jobs.create_run(spec)


@contextmanager
def engine(db: Path, run: int) -> Iterator[subprocess.Popen[str]]:
    """An engine at work on a run; the block's end waits for its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "engine.runtime.run", str(db), str(run)],
        stdin=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write("{}\n")
    process.stdin.close()
    try:
        yield process
        process.wait(LONG)
    finally:
        process.kill()
        process.wait()


def wait_for_events(db: Path, run: int, count: int) -> None:
    """Until so many evaluations of a run have ended."""
    limit = time.monotonic() + LONG
    with Reader(db) as reader:
        while sum(e.kind == "evaluated" for e in reader.events(run)) < count:
            assert time.monotonic() < limit
            time.sleep(0.05)


def state(db: Path, run: int) -> tuple[str, str]:
    """A run's state and its reason."""
    with Reader(db) as reader:
        row = reader.job(Job("run", run))
        return row.state, row.reason


def carry_out(db: Path, run: int) -> str:
    """A run to its end; its state."""
    with engine(db, run):
        pass
    return state(db, run)[0]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the run as it is on this machine, one child at a time."""
    db = tmp_path_factory.mktemp("undisturbed") / "runs.db"
    assert carry_out(db, book(db, "local", 1)) == "done"
    return db


@pytest.mark.parametrize("children", [2, 8])
def test_any_number_of_children_gives_the_same_programs(
    children: int, tmp_path: Path, undisturbed: Path
) -> None:
    db = tmp_path / "runs.db"
    assert carry_out(db, book(db, "local", children)) == "done"
    assert population(db, 1) == population(undisturbed, 1)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers_gives_the_same_programs(
    workers: int, tmp_path: Path, undisturbed: Path
) -> None:
    db = tmp_path / "runs.db"
    with LoopbackCluster(tmp_path, workers) as cluster:
        assert carry_out(db, book(db, f"dask:{cluster.address}")) == "done"
    assert population(db, 1) == population(undisturbed, 1)


def kill_worker(cluster: LoopbackCluster) -> None:
    """The process of a worker ends at once."""
    cluster.kill(0)


def stop_worker(cluster: LoopbackCluster) -> None:
    """A worker stands still and holds what it has."""
    cluster.workers[0].send_signal(signal.SIGSTOP)


def slow_worker(cluster: LoopbackCluster) -> None:
    """A worker stands still for a while, again and again."""
    for _ in range(20):
        cluster.workers[0].send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        cluster.workers[0].send_signal(signal.SIGCONT)
        time.sleep(0.1)


def end_helpers(cluster: LoopbackCluster) -> None:
    """The system, short of memory, ends the processes of a worker that hold the most."""
    for child in children_of(cluster.workers[0].pid):
        os.kill(child, signal.SIGKILL)


def children_of(pid: int) -> list[int]:
    """Child processes of all threads of a process."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for children in lists for word in children.read_text().split()]


@pytest.mark.parametrize("fault", [kill_worker, stop_worker, slow_worker, end_helpers])
def test_a_fault_of_a_worker_costs_time_alone(
    fault: Callable[[LoopbackCluster], None],
    tmp_path: Path,
    undisturbed: Path,
    note: Callable[[str, str, int, int], None],
) -> None:
    db = tmp_path / "runs.db"
    with LoopbackCluster(tmp_path, 2) as cluster:
        run = book(db, f"dask:{cluster.address}")
        with engine(db, run):
            wait_for_events(db, run, 3)
            fault(cluster)
    assert state(db, run)[0] == "done"
    assert population(db, run) == population(undisturbed, 1)
    note(fault.__name__, "the run ended as undisturbed", 0, 0)


def count_workers(address: str, enough: Callable[[int], bool]) -> None:
    """Wait until a scheduler knows of enough workers."""

    async def look() -> None:
        async with asyncio.timeout(LONG), Cluster(address) as cluster:
            while not enough(len((await cluster._client.scheduler.identity())["workers"])):
                await asyncio.sleep(0.1)

    asyncio.run(look())


def evaluated(db: Path, run: int) -> Counter[tuple[int | None, int | None, EvaluationEnded]]:
    """How often the evaluation of each child of a run has ended, CPU seconds left out."""
    with Reader(db) as reader:
        return Counter(
            (event.generation, event.slot, replace(event.fact, cpu=0.0))
            for event in reader.events(run)
            if isinstance(event.fact, EvaluationEnded)
        )


def test_a_worker_that_was_cut_off_brings_nothing_twice(tmp_path: Path, undisturbed: Path) -> None:
    db = tmp_path / "runs.db"
    with LoopbackCluster(tmp_path, 2) as cluster:
        run = book(db, f"dask:{cluster.address}")
        with engine(db, run):
            wait_for_events(db, run, 3)
            cluster.workers[0].send_signal(signal.SIGSTOP)
            count_workers(cluster.address, lambda count: count == 1)
            cluster.workers[0].send_signal(signal.SIGCONT)
    assert state(db, run)[0] == "done"
    assert population(db, run) == population(undisturbed, 1)
    assert evaluated(db, run) == evaluated(undisturbed, 1)


KEEPING = {
    f"DASK_DISTRIBUTED__WORKER__MEMORY__{name}": "False" for name in ("TARGET", "SPILL", "PAUSE")
}
"""A worker whose memory fills up does nothing about it by itself."""


def fill_memory(cluster: LoopbackCluster) -> None:
    """Something else on a worker takes so much memory that its nanny ends it."""
    with Client(cluster.address) as client:  # type: ignore[no-untyped-call] # of Dask's
        filling = client.submit(operator.mul, b"x", 600_000_000, workers=["w1"], key="filling")
        wait_for_line(cluster.folder / "dask_worker.log", "exceeded 95% memory budget")
        filling.cancel()


def kill_below_nanny(cluster: LoopbackCluster) -> None:
    """The process of a worker ends at once; its nanny starts another one."""
    for child in children_of(cluster.workers[1].pid):
        os.kill(child, signal.SIGKILL)
    wait_for_line(cluster.folder / "dask_worker.log", "Restarting worker")


def wait_for_line(file: Path, text: str) -> None:
    """Until a log says so."""
    limit = time.monotonic() + LONG
    while text not in file.read_text(errors="replace"):
        assert time.monotonic() < limit, text
        time.sleep(0.1)


@pytest.mark.parametrize("fault", [fill_memory, kill_below_nanny])
def test_a_worker_that_its_nanny_starts_again_costs_time_alone(
    fault: Callable[[LoopbackCluster], None], tmp_path: Path, undisturbed: Path
) -> None:
    db = tmp_path / "runs.db"
    with LoopbackCluster(tmp_path, 1) as cluster:
        cluster.add_worker(memory="500MB", environment=KEEPING)
        count_workers(cluster.address, lambda count: count == 2)
        run = book(db, f"dask:{cluster.address}")
        with engine(db, run):
            wait_for_events(db, run, 3)
            fault(cluster)
    assert state(db, run)[0] == "done"
    assert population(db, run) == population(undisturbed, 1)


def test_all_workers_may_be_replaced(tmp_path: Path, undisturbed: Path) -> None:
    db = tmp_path / "runs.db"
    with LoopbackCluster(tmp_path, 2) as cluster:
        run = book(db, f"dask:{cluster.address}")
        with engine(db, run):
            wait_for_events(db, run, 3)
            cluster.kill(0)
            cluster.kill(1)
            cluster.add_worker()
    assert state(db, run)[0] == "done"
    assert population(db, run) == population(undisturbed, 1)


def test_a_run_pauses_without_its_scheduler_and_goes_on_with_another(
    tmp_path: Path, undisturbed: Path, note: Callable[[str, str, int, int], None]
) -> None:
    db = tmp_path / "runs.db"
    with LoopbackCluster(tmp_path, 1) as cluster:
        run = book(db, f"dask:{cluster.address}")
        with engine(db, run):
            wait_for_events(db, run, 3)
            cluster.kill_scheduler()
        now, reason = state(db, run)
        assert now == "paused" and "Dask scheduler" in reason
        cluster.start_scheduler()
        cluster.add_worker()
        prepare_resume(Run(db, run), Caps())
        assert carry_out(db, run) == "done"
    assert population(db, run) == population(undisturbed, 1)
    note("no scheduler", "the run paused, and went on when resumed", 0, 0)


def test_a_cancelled_evaluation_ends_on_its_worker(tmp_path: Path) -> None:
    """A run that is ended at once leaves no candidate at work in the cluster."""
    slow = tmp_path / "slow.py"
    slow.write_text("def score(item, state):\n    while True:\n        pass\n")
    with LoopbackCluster(tmp_path, 1) as cluster:
        script = SCRIPT.format(address=cluster.address, toy=TOY)
        subprocess.run([sys.executable, "-c", script, str(slow)], check=True, timeout=LONG)
        limit = time.monotonic() + LONG
        while busy(cluster.workers[0].pid):
            assert time.monotonic() < limit
            time.sleep(0.1)


SCRIPT = """
import asyncio, sys
from pathlib import Path
from engine.evaluate.pool import Limits
from engine.runtime.executors.executor import Cluster
from problems import ProblemRef

async def main():
    async with Cluster({address!r}, outage=300.0) as cluster:
        async with cluster.evaluations(ProblemRef({toy!r}), Limits(100000.0, 512)) as there:
            code = Path(sys.argv[1]).read_text()
            asked = asyncio.create_task(there.evaluate(code, "design"))
            while not await cluster._client.processing() or not await at_work(cluster):
                await asyncio.sleep(0.1)
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)

async def at_work(cluster):
    return any((await cluster._client.processing()).values())

asyncio.run(main())
"""


def busy(worker: int) -> bool:
    """Whether a candidate is at work below a worker: a child of a zygote."""
    helpers = children_of(worker)
    zygotes = [zygote for helper in helpers for zygote in children_of(helper)]
    return any(children_of(zygote) for zygote in zygotes)
