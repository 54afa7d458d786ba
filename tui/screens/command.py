"""Commands of the command line as forms, and the screens of what a command writes."""

from __future__ import annotations

import asyncio
import shlex
import sys
import textwrap
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import ClassVar

from textual import work
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

import tui
from engine.domain.text.plain_text import clean
from tui.screens.fields import TRAINING, list_measure_fields
from tui.screens.forms import FormScreen
from tui.screens.panes import Measuring, ReadingScreen
from tui.text.pages.teachers import TrainingCurve
from tui.widgets import keymap as keys
from tui.widgets.form import begin_with
from tui.widgets.text_pane import ReadingPane

COMMAND = (sys.executable, "-P", "-m", tui.__name__)
"""`preceptor`, as a process of its own: it can be ended, and computes beside the screen."""

LONGEST = 4000
"""Characters of a line that are shown."""

SHORTEST = 20
"""Characters below which no sentence is broken."""

MOST = 5000
"""Lines that are kept."""

SOME = 65_536
"""Bytes that are read at once."""


class CommandScreen(FormScreen):
    """What a command shall do; `words` are typed before the values of the fields."""

    def carry_out(self, values: Mapping[str, str]) -> None:
        """Type the command, and show what it says."""
        (words,) = self.commands(values)
        self.app.switch_screen(self.output((*words, "--db", str(self.app.reader.path))))

    def output(self, words: Sequence[str]) -> OutputScreen:
        """The screen of the command."""
        return OutputScreen(words)


class OutputScreen(ReadingScreen):
    """A command at work and what it has written; leaving the screen ends it."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a command")
    PANES: ClassVar[tuple[str, ...]] = ("output",)
    SCOPES = ("a command", "a screen")

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__("")
        self.words = tuple(words)
        self.code: int | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._lines: deque[str] = deque(maxlen=MOST)
        self._open = ""

    def on_mount(self) -> None:
        super().on_mount()
        self._show()
        self._follow()

    def on_unmount(self) -> None:
        """Nobody would read the rest."""
        self._end()

    def tell(self, line: str) -> str:
        """A whole line that the command has written, as it is shown."""
        return line

    def action_stop(self) -> None:
        self._end()

    def idle(self) -> frozenset[str]:
        """A command that has ended cannot be ended."""
        return frozenset() if self.code is None else frozenset({"stop"})

    @work(exit_on_error=False)
    async def _follow(self) -> None:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *COMMAND,
                *self.words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
        except (OSError, ValueError) as error:  # words that no command line can hold
            self._take(f"{error}\n")
            self.code = 2
        else:
            await self._read(self._process)
        self._show()
        if self.is_attached:
            self.show_hints()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Show what a command writes until it ends."""
        assert process.stdout is not None
        try:
            while heard := await process.stdout.read(SOME):
                self._take(heard.decode("utf-8", "replace"))
            self.code = await process.wait()
        finally:
            self._end()

    def _take(self, heard: str) -> None:
        """Add to what was written; the last line may still be open."""
        *closed, rest = (self._open + heard).split("\n")
        self._lines.extend(_shorten(self.tell(line)) for line in closed)
        self._open = _shorten(rest)
        self._show()

    def _show(self) -> None:
        """Show the lines; at the end unless the user has scrolled away from it."""
        if not self.is_attached:
            return
        told = {None: "at work", 0: "done"}.get(self.code, f"ended with code {self.code}")
        typed = clean(shlex.join(("preceptor", *self.words)))
        self.query_one("#header", Static).update(Content(f" {typed}"), layout=False)
        pane = self.query_one("#output", ReadingPane)
        follows = pane.is_vertical_scroll_end
        text = clean("\n".join((*self._lines, self._open)))
        pane.show(told, lambda width: Content(fold_prose(text, width)), from_top=False)
        if follows:
            pane.scroll_end(animate=False)

    def _end(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.terminate()


def fold_prose(text: str, width: int) -> str:
    """A text whose long sentences are broken between words for a width in cells.

    A line with columns, which has two blanks in a row, stays whole: it is scrolled sideways.
    """
    return "\n".join(_fold_line(line, width) for line in text.split("\n"))


def _fold_line(line: str, width: int) -> str:
    if len(line) <= width or "  " in line.strip():
        return line
    folded = textwrap.wrap(
        line,
        max(width, SHORTEST),
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(folded)


def _shorten(line: str) -> str:
    line = line.rstrip("\r")
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


class MeasureScreen(CommandScreen):
    """What `bench`, `tune` or `diagnose` shall do; `begins` are values at first, by name."""

    def __init__(self, kind: Measuring, problem: str, **begins: str) -> None:
        fields = begin_with(list_measure_fields(kind, problem), **begins)
        super().__init__(kind, (kind,), fields)


HEIGHT = 9
"""Cells of the curve from bottom to top: it fits a small terminal."""


class TrainingFormScreen(CommandScreen):
    """How a teacher shall be trained."""

    def __init__(self, teacher: str) -> None:
        super().__init__("training", ("teachers", "train"), begin_with(TRAINING, name=teacher))

    def output(self, words: Sequence[str]) -> OutputScreen:
        """The training at work."""
        return TrainingScreen((*words, "--json"))


class TrainingScreen(OutputScreen):
    """A training at work; ended by leaving the screen, it continues when it is started again."""

    PANES: ClassVar[tuple[str, ...]] = ("validation", "output")

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(words)
        self._curve = TrainingCurve()

    def tell(self, line: str) -> str:
        """A line of progress is a point of the curve, and shown in words."""
        return self._curve.read(line)

    def _show(self) -> None:
        super()._show()
        if self.is_attached:
            pane = self.query_one("#validation", ReadingPane)
            pane.show(self._curve.title, partial(_draw, self._curve), from_top=False)


def _draw(curve: TrainingCurve, width: int) -> Content:
    return Content(curve.page(max(width, 40), HEIGHT))
