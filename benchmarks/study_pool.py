"""A study one run after another and all at once, and how busy the cores are (run as a script).

    python -m benchmarks.study_pool [--problem tests/toy] [--calls 10] [--slots 16]

12 runs (3 methods x 4 seeds) of a problem, with a writer that takes 2 s a call and with `builtin`;
then one run alone with each. CPU seconds are those of the engine and all its children, `busy` are
the cores that this comes to over the wall time. The pooled study's results are compared with those
of the other, run by run.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.specs.study import StudySpec, Task
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef

ROOT = Path(__file__).parents[1]
SLOW = "benchmarks/slow_writer.py:Slow"
METHODS = ("performance-only", "eoh", "reevo")
SEEDS = (0, 1, 2, 3)

Results = list[tuple[str | None, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Spent:
    """What an engine took."""

    wall: float
    cpu: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problem", default="tests/toy")
    parser.add_argument("--calls", type=int, default=10, help="of each run")
    parser.add_argument("--slots", type=int, default=16, help="calls in flight, of all runs")
    typed = parser.parse_args()
    settings = Settings(calls=typed.calls, llm_concurrency=typed.slots, eval_seconds=20)
    problem = ProblemRef(typed.problem)
    for writer in (SLOW, "builtin"):
        found = [compare(problem, writer, settings, at_once) for at_once in (1, 0)]
        print(f"  equal results: {found[0] == found[1]}")
    for writer in (SLOW, "builtin"):
        alone(problem, writer, settings)


def compare(problem: ProblemRef, writer: str, settings: Settings, at_once: int) -> Results:
    """A study with so many runs at once; its best programs and survivors, by place."""
    spec = StudySpec(
        f"pool {at_once}",
        (Task(problem, settings=settings, sets=("held-out",), solvers=("shortest",)),),
        METHODS,
        SEEDS,
        writer,
        at_once=at_once,
    )
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "runs.db"
        with Store(db) as store:
            study = store.jobs.create_study(spec)
        tell(f"12 runs, {at_once or 'all'} at once, {writer}", drive("study", db, study))
        with Reader(db) as reader:
            runs = reader.study_runs(study).values()
            return [(run.best, survivors(reader, run.number)) for run in runs]


def survivors(reader: Reader, run: int) -> tuple[str, ...]:
    """The programs of a run's last population."""
    return tuple(candidate.program.hash for candidate in reader.population(run))


def alone(problem: ProblemRef, writer: str, settings: Settings) -> None:
    """One run."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "runs.db"
        with Store(db) as store:
            run = store.jobs.create_run(
                RunSpec(problem, METHODS[0], writer=writer, settings=settings)
            )
        tell(f"one run, {writer}", drive("run", db, run))


def drive(kind: str, db: Path, number: int) -> Spent:
    """An engine process to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    command = [sys.executable, "-m", f"engine.runtime.{kind}", str(db), str(number)]
    done = subprocess.run(command, input="{}\n", text=True, cwd=ROOT, check=False)
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 4):
        sys.exit(f"the engine ended with {done.returncode}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(wall, cpu)


def tell(what: str, spent: Spent) -> None:
    """A line of the report."""
    cores = len(os.sched_getaffinity(0))
    busy = spent.cpu / spent.wall
    print(f"{what:<50}{spent.wall:8.1f} s{spent.cpu:8.1f} CPU s{busy:6.2f} of {cores} cores busy")


if __name__ == "__main__":
    main()
