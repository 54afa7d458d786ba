"""CPU time until a screen is open, over a store of 200 runs and 20,000 programs (run as a script).

    python -m benchmarks.opening [--store FILE]

Every run is a copy of the recorded one in `docs/demo`, its generations three times over, in the
newest run thirty times: 990 programs. FILE keeps the store for the next time.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.store.transfer import import_run
from tui.app.app import Preceptor, collect_less
from tui.screens.compare import CompareScreen
from tui.screens.program import ProgramScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

DEMO = Path(__file__).parents[1] / "docs/demo/jssp-by-hand.run"
RUNS = 200
ROUNDS = 3
ROUNDS_OF_NEWEST = 30
ROOM = 1_000_000
"""Ids that a round of a run may take."""

TABLES = (
    *("generations", "evaluations", "diagnostics", "candidates", "population", "briefs"),
    *("calls", "events"),
)
BULKY = {"evaluations": "actions", "calls": "request"}
"""Columns that only the newest three runs hold: most of a gigabyte would be these."""

SIZE = (160, 48)
PATIENCE = 60.0
"""Seconds after which a screen counts as never opened."""


def build(path: Path) -> None:
    """Fill a new store."""
    import_run(path, DEMO)
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA synchronous = OFF")
        pattern = {table: read(db, table) for table in ("runs", *TABLES)}
        for run in range(2, RUNS + 1):
            insert(db, "runs", {**pattern["runs"][0], "run": run})
            for number in range(ROUNDS_OF_NEWEST if run == RUNS else ROUNDS):
                for table in TABLES:
                    for row in pattern[table]:
                        insert(db, table, move(table, row, run, number))
            db.commit()


def read(db: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    """The rows of run 1."""
    return [dict(row) for row in db.execute(f"SELECT * FROM {table} WHERE run = 1")]


def insert(db: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    """Add a row."""
    places = ", ".join(f":{name}" for name in row)
    db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", row)


def move(table: str, row: dict[str, Any], run: int, number: int) -> dict[str, Any]:
    """A row of run 1 as that of another run, in a round; round 0 keeps the names of programs."""
    moved = {**row, "run": run}
    if table in BULKY and run < RUNS - 2:
        moved[BULKY[table]] = b""
    if moved.get("generation") is not None:
        moved["generation"] += 6 * number
    for name, value in row.items():
        if name in ("id", "evaluation", "diagnostics", "facts") and isinstance(value, int):
            moved[name] = value + (ROUNDS_OF_NEWEST * run + number) * ROOM
        elif name in ("id", "candidate", "parents", "data") and number and value:
            moved[name] = re.sub(r"p(\d{4})", rf"p{number}\1", value)
        elif name == "key":
            moved[name] = f"{value} {number}"
    return moved


async def measure(app: Preceptor, screen: Callable[[], Screen[None]], sign: str) -> str:
    """CPU and wall milliseconds until a screen shows a word, and of the longest of its pauses."""
    began, cpu = time.perf_counter(), time.process_time()
    last = began
    longest = 0.0
    app.push_screen(screen())
    async with asyncio.timeout(PATIENCE):
        while sign not in shown(app):
            await asyncio.sleep(0)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
    spent = (time.process_time() - cpu, time.perf_counter() - began, longest)
    whole, wall, deaf = (f"{1000 * seconds:6.0f} ms" for seconds in spent)
    app.pop_screen()
    return f"{whole} CPU, {wall}, {deaf} without a key"


def shown(app: Preceptor) -> str:
    """All that the terminal shows."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def report(path: Path) -> None:
    """Open screen after screen and print what each took."""
    screens: dict[str, tuple[Callable[[], Screen[None]], str]] = {
        "a run of 33 programs": (lambda: RunScreen(1), "generation 5 closed"),
        "the list of 200 runs": (RunsScreen, "best p"),
        "a run of 990 programs": (lambda: RunScreen(RUNS), "generation 179 closed"),
        "a program of it": (lambda: ProgramScreen(RUNS, "p0031"), "disagreements"),
        "two runs of 99 programs": (lambda: CompareScreen((198, 199)), "operators and failures"),
        "that run beside another": (lambda: CompareScreen((199, 200)), "operators and failures"),
    }
    app = Preceptor(path, 1)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        for name, (screen, sign) in screens.items():
            print(f"{name:<26}{await measure(app, screen, sign)}", flush=True)


def main() -> None:
    """Build the store unless it is there, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, help="where the store is kept")
    kept = parser.parse_args().store
    with tempfile.TemporaryDirectory() as folder:
        path = kept or Path(folder) / "runs.db"
        if not path.exists():
            build(path)
        collect_less()
        asyncio.run(report(path))


if __name__ == "__main__":
    main()
