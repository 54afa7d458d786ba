"""What a cell of many cores would do an hour, from what one machine takes (run as a script).

    python -m benchmarks.cell [--problem jssp --method ours --teacher offline-l2d] [--children 10]

A short run with `builtin` is measured: CPU seconds a child of its evaluation, of its teacher
(facts included), and of the engine itself, which is one thread. The rest is a simulation: runs
side by side make generations of five children behind a reflection, each waits for the model's
rate limit and the model, then for the engine's thread, then for a core. Printed are children an
hour and what was the busiest by its share of the time.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import itertools
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.domain.specs.settings import RunSpec, Settings
from engine.runtime.run import run_booked
from engine.store.store import Store
from problems import ProblemRef

CHILDREN = 5
"""Of a generation, behind one reflection."""

HOUR = 3600.0
CORES = (2, 8, 16, 64)
RUNS = (1, 4, 16, 64)
MODELS = ((0.0, 0), (2.0, 0), (20.0, 0), (20.0, 500), (20.0, 60))
"""Seconds a call, and calls a minute that the provider lets pass (0: any number)."""

Step = tuple[str, float]


@dataclass(frozen=True, slots=True)
class Costs:
    """CPU seconds of one child: of its evaluation, of the teacher, of the engine's own thread."""

    evaluation: float
    teacher: float
    engine: float


class Server:
    """So many places that work on what comes first; `busy` are the seconds of them all."""

    def __init__(self, places: int) -> None:
        self._free = [0.0] * places
        self._places = places
        self.busy = 0.0

    def serve(self, ready: float, seconds: float) -> float:
        """When work that is ready then is done."""
        start = max(ready, heapq.heappop(self._free))
        heapq.heappush(self._free, start + seconds)
        self.busy += seconds
        return start + seconds

    def share(self, until: float) -> float:
        """The share of its time that it was busy."""
        return self.busy / self._places / until


def measure(problem: str, method: str, teacher: str, children: int) -> Costs:
    """The second of two runs in this process, its children's work in theirs.

    The first, of one child, starts what a process starts once, and evaluates the seeds.
    """
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "runs.db") as store:
        for seed, count in enumerate((1, children)):
            settings = Settings(total_children=count)
            spec = RunSpec(ProblemRef(problem), method, seed, "builtin", "", teacher, settings)
            run = store.jobs.create_run(spec)
            cpu = time.process_time()
            asyncio.run(run_booked(store, run, {}))
        own = time.process_time() - cpu
        return Costs(*count_seconds(store.path, run, children), own / children)


def count_seconds(path: Path, run: int, children: int) -> tuple[float, float]:
    """CPU seconds of the evaluation and of the teacher, facts included, a child of a run."""
    query = (
        "SELECT sum(e.cpu), ifnull(sum(d.cpu), 0.0) + ifnull(sum(f.cpu), 0.0) FROM candidates c "
        "LEFT JOIN evaluations e ON e.id = c.evaluation LEFT JOIN facts f ON f.id = c.facts "
        "LEFT JOIN diagnostics d ON d.id = c.diagnostics WHERE c.run = ? AND c.generation > 0"
    )
    with closing(sqlite3.connect(path)) as db:
        evaluation, teacher = db.execute(query, (run,)).fetchone()
    return evaluation / children, teacher / children


def simulate(costs: Costs, cores: int, runs: int, call: float, rate: int) -> tuple[float, str]:
    """Children an hour of so many runs side by side, and the busiest resource."""
    servers = {
        "the engine's thread": Server(1),
        "the cores": Server(cores),
        "the model's rate": Server(1),
    }
    asking: list[Step] = [("the model's rate", 60 / rate if rate else 0.0), ("the model", call)]
    thinking = [*asking, ("the engine's thread", costs.engine)]
    making = [*thinking, ("the cores", costs.evaluation), ("the cores", costs.teacher)]
    count = itertools.count()
    events = [(0.0, next(count), run, thinking) for run in range(runs)]
    open_children = [0] * runs
    done = 0
    while events and events[0][0] < HOUR:
        now, _, run, steps = heapq.heappop(events)
        if steps:
            name, seconds = steps[0]
            over = servers[name].serve(now, seconds) if name in servers else now + seconds
            heapq.heappush(events, (over, next(count), run, steps[1:]))
        elif open_children[run]:
            done += 1
            open_children[run] -= 1
            if not open_children[run]:
                heapq.heappush(events, (now, next(count), run, thinking))
        else:
            open_children[run] = CHILDREN
            for _ in range(CHILDREN):
                heapq.heappush(events, (now, next(count), run, making))
    shares = {name: server.share(HOUR) for name, server in servers.items()}
    name = max(shares, key=shares.__getitem__)
    return done, f"{name} {100 * min(1.0, shares[name]):.0f} %"


def main() -> None:
    """Measure, then simulate."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problem", default="jssp")
    parser.add_argument("--method", default="ours")
    parser.add_argument("--teacher", default="offline-l2d")
    parser.add_argument("--children", type=int, default=10)
    parser.add_argument("--costs", type=float, nargs=3, help="instead of a measurement")
    typed = parser.parse_args()
    if typed.costs:
        costs = Costs(*typed.costs)
    else:
        costs = measure(typed.problem, typed.method, typed.teacher, typed.children)
    print(
        f"CPU seconds a child: evaluation {costs.evaluation:.2f}, teacher {costs.teacher:.2f}, "
        f"engine {costs.engine:.3f}"
    )
    for call, rate in MODELS:
        print(f"\n{call:.0f} s a call, {rate or 'any number of'} calls a minute")
        for runs in RUNS:
            found = (simulate(costs, cores, runs, call, rate) for cores in CORES)
            cells = zip(CORES, found, strict=True)
            told = (f"{cores} cores {made:6.0f} ({busiest})" for cores, (made, busiest) in cells)
            print(f"{runs:>3} runs  " + "   ".join(told))


if __name__ == "__main__":
    main()
