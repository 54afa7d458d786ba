"""How many bytes the screens write to a terminal, how soon they paint, and the CPU time they take.

    python -m benchmarks.tui_bytes [--size 160x48]

A pty plays the terminal. toy: an engine works on `tests/toy`, far faster than any real run. idle:
the same run, its engine gone. jssp: the main job, builtin writer, at its real rate.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAINTED = b"population"
"""Bytes that are on the screen once it shows something useful."""

SYNC_QUERY, SYNC_ANSWER = b"\x1b[?2026$p", b"\x1b[?2026;2$y"


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


class Terminal:
    """A command in a pty of some size, read without pause; answers the sync-mode query."""

    def __init__(self, words: list[str], width: int, height: int) -> None:
        self.began = time.monotonic()
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        environment = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.process = subprocess.Popen(
            words,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)

    def read(self, seconds: float, until: bytes = b"") -> bytes:
        """Everything written in so many seconds, or until some bytes have come."""
        end = time.monotonic() + seconds
        heard = b""
        while (left := end - time.monotonic()) > 0 and not (until and until in heard):
            ready, _, _ = select.select([self.master], [], [], left)
            if ready:
                heard += self._take()
        return heard

    def leave(self) -> None:
        """Press q, and wait for the viewer to end."""
        os.write(self.master, b"q")
        self.read(2.0)
        self.process.wait(10)
        os.close(self.master)

    def _take(self) -> bytes:
        try:
            chunk = os.read(self.master, 65536)
        except OSError:
            return b""
        if SYNC_QUERY in chunk:
            os.write(self.master, SYNC_ANSWER)
        return chunk


def measure(db: Path, run: int, size: tuple[int, int], settle: float, window: float) -> Measured:
    """Watch a run: what is written in `window` seconds, `settle` seconds after the first paint."""
    words = [sys.executable, "-c", "from tui.cli import main; main()", "watch", str(run)]
    terminal = Terminal([*words, "--db", str(db)], *size)
    terminal.read(20.0, until=PAINTED)
    painted = time.monotonic() - terminal.began
    painted_cpu = _cpu_seconds(terminal.process.pid)
    terminal.read(settle)
    before = _cpu_seconds(terminal.process.pid)
    written = len(terminal.read(window))
    cpu = (_cpu_seconds(terminal.process.pid) - before) / window
    terminal.leave()
    return Measured(written, window, cpu, painted, painted_cpu)


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def book(db: Path, problem: str, writer: str, teacher: str, generations: int) -> int:
    """Book a run; the one on the toy makes some fifteen events a second."""
    from engine.config import RunSpec, Settings
    from engine.store import Store
    from problems import ProblemRef

    settings = Settings(generations=generations, eval_seconds=10, llm_concurrency=1)
    spec = RunSpec(ProblemRef(problem), writer=writer, teacher=teacher, settings=settings)
    with Store(db) as store:
        return store.create_run(spec)


def start(db: Path, run: int) -> subprocess.Popen[str]:
    """An engine at work on a run, in a session of its own."""
    engine = subprocess.Popen(
        [sys.executable, "-m", "engine.run", str(db), str(run)],
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
