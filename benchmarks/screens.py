"""What the screens cost, each figure beside its budget (run as a script).

    python -m benchmarks.screens [--store FILE] [--rounds 5]

The store holds 200 runs and 20,000 programs, all made from the recorded run in `docs/demo`: its
generations three times over, in the newest run 31 times (1,023 programs), and a study of 24 of
the runs. FILE keeps it for the next time. What is printed is the median of the rounds and the
worst of them. A pty plays the terminal, of 160x48. Commands start as those of an installation,
with the bytecode that the first start leaves behind: under PYTHONDONTWRITEBYTECODE every start
would compile 300 modules anew. The live run is the main job with writer `builtin` and its
teacher, at its real rate. Exit code 1 where a median misses its budget.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from textual.screen import Screen

from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.specs.study import StudySpec, Task
from engine.store.store import Store
from engine.store.transfer import import_run
from problems import ProblemRef
from tests.tui.terminal import ROOT, Pty
from tui.app.app import Preceptor
from tui.commands.viewing import collect_less
from tui.screens.compare import CompareScreen
from tui.screens.program import ProgramScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen
from tui.screens.study import StudyScreen

DEMO = Path(__file__).parents[1] / "docs/demo/jssp-by-hand.run"
RUNS = 200
REPEATS = 3
REPEATS_OF_NEWEST = 31
ROOM = 1_000_000
"""Ids that a repeat of a run may take."""

ARMS = ("ours", "performance-only", "eoh", "reevo")
SEEDS = 6
"""Of the study: 24 cells."""

TABLES = (
    *("generations", "evaluations", "diagnostics", "candidates", "population", "briefs"),
    *("calls", "events"),
)
BULKY = {"evaluations": "actions", "calls": "request"}
"""Columns that only the newest three runs hold: most of a gigabyte would be these."""

SIZE = (160, 48)
PATIENCE = 60.0
"""Seconds after which a screen counts as never opened."""

LOOK = 0.005
"""Seconds between two looks at a screen that opens: its worker needs them to get its turn."""

QUIET = 5.0
"""Seconds in which an idle screen must write nothing."""

LIVE = 10.0
"""Seconds for which a live run is watched, its opening included."""

PAGE_DOWN = "\x1b[6~"


@dataclass(slots=True)
class Figure:
    """What a median must not exceed, and what was measured."""

    name: str
    unit: str
    budget: float
    measured: list[float] = field(default_factory=list)

    @property
    def kept(self) -> bool:
        """Whether the median keeps the budget."""
        return median(self.measured) <= self.budget

    def tell(self) -> str:
        """A line of the report."""
        told = (f"{value:10.2f}" for value in (median(self.measured), max(self.measured)))
        verdict = "" if self.kept else "  over budget"
        return f"{self.name:<42}{''.join(told)}{self.budget:10g}  {self.unit}{verdict}"


class Figures:
    """The figures by name and unit, in the order in which they were first measured."""

    def __init__(self) -> None:
        self._known: dict[str, Figure] = {}

    def take(self, name: str, unit: str, budget: float, value: float) -> None:
        """Add a measurement."""
        self._known.setdefault(f"{name} {unit}", Figure(name, unit, budget)).measured.append(value)

    def report(self) -> bool:
        """Print the table; returns whether every budget is kept."""
        print(f"{'':<42}{'median':>10}{'worst':>10}{'budget':>10}")
        for figure in self._known.values():
            print(figure.tell())
        return all(figure.kept for figure in self._known.values())


def build(path: Path) -> None:
    """Fill a new store."""
    import_run(path, DEMO)
    with closing(sqlite3.connect(path)) as db:
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA synchronous = OFF")
        pattern = {table: read(db, table) for table in ("runs", *TABLES)}
        for run in range(2, RUNS + 1):
            insert(db, "runs", {**pattern["runs"][0], "run": run})
            for number in range(REPEATS_OF_NEWEST if run == RUNS else REPEATS):
                for table in TABLES:
                    for row in pattern[table]:
                        insert(db, table, move(table, row, run, number))
            db.commit()
    enrol(path)


def enrol(path: Path) -> None:
    """Make the oldest runs a study that is done."""
    spec = StudySpec("24 cells", (Task(ProblemRef("jssp")),), ARMS, tuple(range(SEEDS)))
    with Store(path) as store:
        study = store.jobs.create_study(spec)
    with closing(sqlite3.connect(path)) as db:
        for place in range(len(spec.runs())):
            insert(db, "study_runs", {"study": study, "place": place, "run": place + 1})
        db.execute("UPDATE studies SET state = 'done'")
        db.commit()


def read(db: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    """The rows of run 1."""
    return [dict(row) for row in db.execute(f"SELECT * FROM {table} WHERE run = 1")]


def insert(db: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    """Add a row."""
    places = ", ".join(f":{name}" for name in row)
    db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", row)


def move(table: str, row: dict[str, Any], run: int, number: int) -> dict[str, Any]:
    """A row of run 1 as that of another run, in a repeat; repeat 0 keeps the names of programs."""
    moved = {**row, "run": run}
    if table in BULKY and run < RUNS - 2:
        moved[BULKY[table]] = b""
    if moved.get("generation") is not None:
        moved["generation"] += 6 * number
    for name, value in row.items():
        if name in ("id", "evaluation", "diagnostics", "facts") and isinstance(value, int):
            moved[name] = value + (REPEATS_OF_NEWEST * run + number) * ROOM
        elif name in ("id", "candidate", "parents", "data") and number and value:
            moved[name] = re.sub(r"p(\d{4})", rf"p{number}\1", value)
        elif name == "key":
            moved[name] = f"{value} {number}"
    return moved


async def measure_openings(path: Path, rounds: int, figures: Figures) -> None:
    """CPU time until a screen shows what it is there for, and how long no key is heard."""
    screens: dict[str, tuple[Callable[[], Screen[None]], str]] = {
        "the list of 200 runs": (RunsScreen, "best p"),
        "a run of 99 programs": (lambda: RunScreen(199), "generation 17 closed"),
        "a run of 1,023 programs": (lambda: RunScreen(RUNS), "generation 185 closed"),
        "a program of it": (lambda: ProgramScreen(RUNS, "p0031"), "disagreements"),
        "two runs of 99 programs": (lambda: CompareScreen((198, 199)), "operators and failures"),
        "1,023 beside 99 programs": (lambda: CompareScreen((199, 200)), "operators and failures"),
        "a study of 24 cells": (lambda: StudyScreen(1), "24/24"),
    }
    for _ in range(rounds):
        app = Preceptor(path, 1)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            for name, (screen, sign) in screens.items():
                spent = await open_one(app, screen, sign)
                figures.take(f"open {name}", "ms CPU", 300, 1000 * spent)


async def open_one(app: Preceptor, screen: Callable[[], Screen[None]], sign: str) -> float:
    """CPU seconds until a screen shows a word, without those spent on looking for it."""
    cpu = time.process_time()
    app.push_screen(screen())
    looked = 0.0
    async with asyncio.timeout(PATIENCE):
        while True:
            began = time.thread_time()
            seen = sign in shown(app)
            looked += time.thread_time() - began
            if seen:
                break
            await asyncio.sleep(LOOK)
    spent = time.process_time() - cpu - looked
    app.pop_screen()
    return spent


def shown(app: Preceptor) -> str:
    """All that the terminal shows."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


def measure_terminals(path: Path, rounds: int, figures: Figures) -> None:
    """Bytes and CPU time of screens in a terminal, from their start on."""
    views = {
        "list": ((), b"best p"),
        "run": (("watch", str(RUNS)), b"185 closed"),
        "study": (("watch", "study:1"), b"24/24"),
    }
    for _ in range(rounds):
        for name, (words, sign) in views.items():
            with opened(path, words) as terminal:
                measure_terminal(terminal, name, sign, figures)


def measure_terminal(terminal: Pty, name: str, sign: bytes, figures: Figures) -> None:
    """Start, first picture, one line down, one page down, and nothing for a while."""
    heard = terminal.read(PATIENCE, until=sign)
    figures.take(f"{name}: cold start", "s", 1.0, time.monotonic() - terminal.began)
    figures.take(f"{name}: cold start", "s CPU", 1.0, terminal.cpu())
    heard += terminal.settle()
    figures.take(f"{name}: first picture", "kB", 50, len(heard) / 1000)
    terminal.press("j")
    figures.take(f"{name}: j", "kB", 8, len(terminal.settle()) / 1000)
    cpu = terminal.cpu()
    terminal.press(PAGE_DOWN)
    terminal.settle()
    figures.take(f"{name}: page down", "ms CPU", 100, 1000 * (terminal.cpu() - cpu))
    cpu = terminal.cpu()
    figures.take(f"{name}: idle for 5 s", "bytes", 0, len(terminal.read(QUIET)))
    figures.take(f"{name}: idle", "% CPU", 1, 100 * (terminal.cpu() - cpu) / QUIET)


def measure_live(folder: Path, rounds: int, figures: Figures) -> None:
    """Bytes a second of a run at work, its opening included, and the viewer's share of a CPU."""
    db = folder / "live.db"
    settings = Settings(generations=200, eval_seconds=10, llm_concurrency=1)
    with Store(db) as store:
        run = store.jobs.create_run(
            RunSpec(ProblemRef("jssp"), writer="builtin", teacher="offline-l2d", settings=settings)
        )
    with working(db, run):
        for _ in range(rounds):
            with opened(db, ("watch", str(run))) as terminal:
                heard = len(terminal.read(LIVE))
                figures.take("live, with its opening", "kB/s", 10, heard / LIVE / 1000)


@contextmanager
def opened(db: Path, words: tuple[str, ...]) -> Iterator[Pty]:
    """Screens in a terminal, left afterwards."""
    terminal = Pty(words, SIZE, PRECEPTOR_DB=str(db), PYTHONDONTWRITEBYTECODE="")
    try:
        yield terminal
    finally:
        terminal.press("q")
        terminal.read(2.0)
        terminal.close()
        terminal.process.wait(PATIENCE)


@contextmanager
def working(db: Path, run: int) -> Iterator[None]:
    """An engine at work on a run, killed afterwards."""
    engine = subprocess.Popen(
        [sys.executable, "-m", "engine.runtime.run", str(db), str(run)],
        stdin=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        start_new_session=True,
    )
    assert engine.stdin is not None
    engine.stdin.write("{}\n")
    engine.stdin.close()
    try:
        yield
    finally:
        engine.kill()
        engine.wait()


def main() -> None:
    """Build the store unless it is there, measure and report."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, help="where the store is kept")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured")
    typed = parser.parse_args()
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        path = typed.store or Path(folder) / "runs.db"
        if not path.exists():
            build(path)
        collect_less()
        asyncio.run(measure_openings(path, typed.rounds, figures))
        measure_terminals(path, typed.rounds, figures)
        measure_live(Path(folder), typed.rounds, figures)
    sys.exit(0 if figures.report() else 1)


if __name__ == "__main__":
    main()
