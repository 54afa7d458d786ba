"""Terminals to try the screens in: a pty that counts bytes, and tmux, which shows a picture."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shlex
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PRECEPTOR = (sys.executable, "-c", "from tui.__main__ import main; main()")
PATIENCE = 60.0
"""Seconds to wait for what must come, however busy the machine is."""

OUTER = ("TMUX", "NO_COLOR", "COLUMNS", "LINES")
"""What says how the terminal around the tests looks; a size in it would hide a resize."""

_servers = count()
"""A server that was just ended may still hold its name."""

SYNC_QUERY, SYNC_ANSWER = b"\x1b[?2026$p", b"\x1b[?2026;2$y"


def is_asleep(pid: int) -> bool:
    """Whether every thread of a process and of its children sleeps; without /proc, always true.

    One that is due but has to wait for a busy processor does not sleep: it is runnable.
    """
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            state = (task / "stat").read_text("utf-8").rpartition(")")[2].split()[0]
            children = (task / "children").read_text("utf-8").split()
        except OSError:  # it has just ended
            continue
        if state not in "SZ" or not all(is_asleep(int(child)) for child in children):
            return False
    return True


class Pty:
    """A command in a terminal of some size; answers what Textual asks a terminal at its start."""

    def __init__(self, words: Sequence[str], size: tuple[int, int], **environment: str) -> None:
        self.began = time.monotonic()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        plain = {name: value for name, value in os.environ.items() if name not in OUTER}
        self.process = subprocess.Popen(
            [*PRECEPTOR, *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            env=plain | {"TERM": "xterm-256color", "COLORTERM": "truecolor"} | environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)

    def read(self, seconds: float, until: bytes = b"") -> bytes:
        """Everything written in so many seconds, or until some bytes have come."""
        end = time.monotonic() + seconds
        heard = b""
        while (left := end - time.monotonic()) > 0 and not (until and until in heard):
            if select.select([self._master], [], [], left)[0]:
                chunk = self._take()
                if not chunk:
                    break
                heard += chunk
        return heard

    def settle(self, most: int = 0) -> bytes:
        """Everything written until the command rests: it sleeps, after a second of `most` bytes.

        Raises AssertionError when it never does.
        """
        end = time.monotonic() + PATIENCE
        heard = b""
        while True:
            fresh = self.read(1.0)
            asleep = is_asleep(self.process.pid)
            fresh += self.read(0.01)
            heard += fresh
            if len(fresh) <= most and asleep:
                return heard
            assert time.monotonic() < end, f"{len(fresh)} bytes in the last second"

    def cpu(self) -> float:
        """CPU seconds that the command has used (Linux only)."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text("utf-8")
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def press(self, key: str) -> None:
        """Type a key."""
        os.write(self._master, key.encode())

    def close(self) -> None:
        """The terminal goes away, as when a line drops."""
        os.close(self._master)

    def _take(self) -> bytes:
        try:
            chunk = os.read(self._master, 65536)
        except OSError:
            return b""
        if SYNC_QUERY in chunk:
            os.write(self._master, SYNC_ANSWER)
        return chunk


class Tmux:
    """A command in a tmux of its own."""

    def __init__(self, name: str) -> None:
        self._name = name

    def show(self, *words: str) -> None:
        """Start the command; what it leaves on the terminal stays there."""
        line = shlex.join([*PRECEPTOR, *words])
        shell = f"{line}; echo left with $?; exec sleep 1000"
        self._tell("new-session", "-d", "-x", "80", "-y", "24", "-c", str(ROOT), shell)

    def press(self, *keys: str) -> None:
        """Type keys, by tmux's names."""
        self._tell("send-keys", *keys)

    def resize(self, width: int, height: int) -> None:
        """Another size."""
        self._tell("resize-window", "-x", str(width), "-y", str(height))

    def scribble(self, text: str) -> None:
        """Write on the terminal as another program would."""
        Path(self._tell("display-message", "-p", "#{pane_tty}").strip()).write_text(text, "utf-8")

    def picture(self) -> str:
        """What the terminal shows."""
        return self._tell("capture-pane", "-p")

    def wait_for(self, words: str) -> str:
        """The picture once it holds some words, stands still, and the command sleeps.

        Raises AssertionError when they never come.
        """
        end = time.monotonic() + PATIENCE
        shell = int(self._tell("display-message", "-p", "#{pane_pid}"))
        before = ""
        picture = self.picture()
        while words not in picture or picture != before or not is_asleep(shell):
            assert time.monotonic() < end, f"{words!r} never came:\n{picture}"
            time.sleep(0.3)
            before = picture
            picture = self.picture()
        return picture

    def close(self) -> None:
        """The terminal goes away with everything in it."""
        self._tell("kill-server", check=False)

    def _tell(self, *words: str, check: bool = True) -> str:
        environment = os.environ | {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        done = subprocess.run(
            ["tmux", "-L", self._name, "-f", "/dev/null", *words],
            env={n: v for n, v in environment.items() if n not in OUTER},
            capture_output=True,
            text=True,
            check=check,
        )
        return done.stdout


@contextmanager
def tmux() -> Iterator[Tmux]:
    """A tmux server of its own, gone afterwards."""
    terminal = Tmux(f"preceptor-{os.getpid()}-{next(_servers)}")
    try:
        yield terminal
    finally:
        terminal.close()
