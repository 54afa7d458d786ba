"""How many bytes the screens write to a terminal, how soon they paint, and the CPU time they take.

    python -m benchmarks.tui_bytes [--size 160x48]

A pty plays the terminal. toy: an engine works on `tests/toy`, far faster than any real run. idle:
the same run, its engine gone. jssp: the main job, builtin writer, at its real rate.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from engine.domain.specs.settings import RunSpec, Settings
from engine.store.store import Store
from problems import ProblemRef
from tests.tui.terminal import ROOT, Pty

PAINTED = b"population"
"""Bytes that are on the screen once it shows something useful."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Bytes in a window of seconds and the CPU share in it; seconds to the first useful paint.

    `painted_cpu` are CPU seconds until then: what a machine without other work would need.
    """

    written: int
    window: float
    cpu: float
    painted: float
    painted_cpu: float

    def tell(self, name: str) -> str:
        """One line of the report."""
        rate = self.written / self.window / 1000
        return (
            f"{name:<6}{self.written:>8} bytes in {self.window:.0f} s = {rate:6.2f} kB/s, "
            f"CPU {100 * self.cpu:.1f} %; "
            f"first paint after {self.painted:.2f} s ({self.painted_cpu:.2f} CPU s)"
        )


def measure(db: Path, run: int, size: tuple[int, int], settle: float, window: float) -> Measured:
    """Watch a run: what is written in `window` seconds, `settle` seconds after the first paint."""
    terminal = Pty(("watch", str(run), "--db", str(db)), size)
    terminal.read(20.0, until=PAINTED)
    painted, painted_cpu = time.monotonic() - terminal.began, terminal.cpu()
    terminal.read(settle)
    before = terminal.cpu()
    written = len(terminal.read(window))
    cpu = (terminal.cpu() - before) / window
    terminal.press("q")
    terminal.read(2.0)
    terminal.process.wait(10)
    terminal.close()
    return Measured(written, window, cpu, painted, painted_cpu)


def book(db: Path, problem: str, writer: str, teacher: str, generations: int) -> int:
    """Book a run; the one on the toy makes some fifteen events a second."""
    settings = Settings(generations=generations, eval_seconds=10, llm_concurrency=1)
    spec = RunSpec(ProblemRef(problem), writer=writer, teacher=teacher, settings=settings)
    with Store(db) as store:
        return store.jobs.create_run(spec)


def start(db: Path, run: int) -> subprocess.Popen[str]:
    """An engine at work on a run, in a session of its own."""
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
    return engine


def measure_live(db: Path, run: int, size: tuple[int, int], settle: float) -> Measured:
    """Watch a run at work."""
    engine = start(db, run)
    try:
        return measure(db, run, size, settle, window=15.0)
    finally:
        engine.kill()
        engine.wait()


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="160x48", help="columns x lines")
    width, height = map(int, parser.parse_args().size.split("x"))
    size = (width, height)
    toy, writers = ROOT / "tests/toy", ROOT / "tests/tui/writers.py"
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "runs.db"
        stress = book(db, str(toy), f"{writers}:Slow", f"program:{toy / 'teacher.py'}", 200)
        print(measure_live(db, stress, size, settle=5.0).tell("toy"))
        print(measure(db, stress, size, settle=2.0, window=5.0).tell("idle"))
        real = book(db, "jssp", "builtin", "offline-l2d", 20)
        print(measure_live(db, real, size, settle=15.0).tell("jssp"))


if __name__ == "__main__":
    main()
