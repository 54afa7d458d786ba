"""How a run ages: a run of many children on a small problem (run as a script).

    python -m benchmarks.long_run [--children 1000] [--db FILE]

The problem is the toy of the tests, the writer `builtin`, nobody teaches. Printed are, at 100,
1,000 and 5,000 children, the engine's CPU seconds and wall seconds a generation (over the
generations since the last 10 % of the children), its memory, and the store; then the CPU seconds
until the run, resumed for one more generation, has made it, and until its screen is there.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.screens import SIZE, open_one
from engine.api.run import Run, prepare_resume
from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.runtime.run import run_booked
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from tui.app.app import Preceptor
from tui.screens.run import RunScreen

TOY = "tests/toy"
METHOD = "performance-only"
STAGES = (100, 1000, 5000)
EACH = 5
"""Children of a generation."""

LOOK = 0.05
"""Seconds between looks at the run."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How far the run was, when, after how much CPU time, and how large by then."""

    children: int
    generation: int
    wall: float
    cpu: float
    megabytes: float
    store: float


def main() -> None:
    """Run, then resume, then open."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--children", type=int, default=STAGES[1])
    parser.add_argument("--db", type=Path, help="where the store is kept")
    typed = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = typed.db or Path(folder) / "runs.db"
        run = book(db, typed.children)
        report(asyncio.run(carry_out(db, run)))
        ended = db.stat().st_size
        print(f"store {ended / 1e6:.1f} MB, {ended / typed.children / 1000:.1f} kB a child")
        resume(db, run, typed.children)
        asyncio.run(open_screen(db, run))


def book(db: Path, children: int) -> int:
    """A run of so many children, not started yet."""
    settings = Settings(generations=children // EACH, children=EACH, eval_seconds=10)
    spec = RunSpec(ProblemRef(TOY), METHOD, writer="builtin", settings=settings)
    with Store(db) as store:
        return store.jobs.create_run(spec)


async def carry_out(db: Path, run: int) -> list[Sample]:
    """The run to its end, looked at all the time."""
    samples: list[Sample] = []
    with Store(db) as store:
        work = asyncio.create_task(run_booked(store, run, {}))
        while not work.done():
            samples.append(look(store, run))
            await asyncio.sleep(LOOK)
        print(f"run {run}: {work.result()}")
        samples.append(look(store, run))
    return samples


def look(store: Store, run: int) -> Sample:
    """The run as it stands."""
    generations = len(store.generations(run))
    size = sum(file.stat().st_size for file in store.path.parent.glob(f"{store.path.name}*"))
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    children = store.count_children(run)
    now = (time.monotonic(), time.process_time())
    return Sample(children, generations, *now, pages * 4096 / 1e6, size / 1e6)


def report(samples: list[Sample]) -> None:
    """A line for each stage that the run came to."""
    last = samples[-1]
    stages = [stage for stage in STAGES if stage <= last.children]
    print(f"{'children':>9}{'CPU s':>9}{'wall s':>9}{'MB':>8}{'store MB':>10}  a generation")
    for stage in stages or [last.children]:
        after = next(s for s in samples if s.children >= stage)
        before = next(s for s in samples if s.children >= stage - max(50, stage // 10))
        count = max(1, after.generation - before.generation)
        cpu = (after.cpu - before.cpu) / count
        wall = (after.wall - before.wall) / count
        sizes = f"{after.megabytes:>8.0f}{after.store:>10.1f}"
        print(f"{after.children:>9}{cpu:>9.3f}{wall:>9.3f}{sizes}")


def resume(db: Path, run: int, children: int) -> None:
    """The run once more, for one more generation; its engine is this process."""
    prepare_resume(Run(db, run), Caps(), (f"generations={children // EACH + 1}",))
    cpu = time.process_time()
    samples = asyncio.run(carry_out(db, run))
    first = next(s for s in samples if s.children > children)
    spent = first.cpu - cpu
    print(f"resumed: {spent:.2f} CPU s and {first.wall - samples[0].wall:.1f} s to a new child")


async def open_screen(db: Path, run: int) -> None:
    """CPU seconds until the screen of the run shows its last generation, the middle of three."""
    with Reader(db) as reader:
        last = len(reader.generations(run)) - 1
    app = Preceptor(db, 1)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        sign = f"generation {last} closed"
        spent = [await open_one(app, lambda: RunScreen(run), sign) for _ in range(3)]
    print(f"opened: {1000 * median(spent):.0f} ms CPU")


if __name__ == "__main__":
    main()
