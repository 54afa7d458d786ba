"""The training of a teacher: its form, and its validation curve while it is at work."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from tui.screens.forms.command import CommandScreen, OutputScreen
from tui.text.training import TrainingCurve
from tui.widgets.form.commands import TRAINING
from tui.widgets.form.fields import begin_with
from tui.widgets.frame.tabs import Tabs
from tui.widgets.panes.reading import ReadingPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

HEIGHT = 9
"""Cells of the curve from bottom to top: it fits a small terminal."""


class TrainingFormScreen(CommandScreen):
    """How a teacher shall be trained."""

    def __init__(self, teacher: str) -> None:
        super().__init__("training", ("teachers", "train"), begin_with(TRAINING, teacher=teacher))

    def output(self, words: Sequence[str]) -> OutputScreen:
        """The training at work."""
        return TrainingScreen((*words, "--json"))


class TrainingScreen(OutputScreen):
    """A training at work; ended by leaving the screen, it goes on when it is started again."""

    PANES: ClassVar[tuple[str, ...]] = ("validation", "output")

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(words)
        self._curve = TrainingCurve()

    def compose(self) -> ComposeResult:
        """Header, the curve above the lines, hints."""
        yield Static(id="header")
        yield Tabs(id="tabs")
        with Vertical(id="body"):
            with Vertical(classes="row"):
                yield ReadingPane(id="validation", classes="pane")
            with Vertical(classes="row"):
                yield ReadingPane(id="output", classes="pane")
        yield from self.compose_frame()

    def tell(self, line: str) -> str:
        """A line of progress is a point of the curve, and told in words."""
        return self._curve.read(line)

    def _show(self) -> None:
        super()._show()
        if self.is_attached:
            pane = self.query_one("#validation", ReadingPane)
            pane.show(self._curve.title, partial(_draw, self._curve), from_top=False)


def _draw(curve: TrainingCurve, width: int) -> Content:
    return Content(curve.page(max(width, 40), HEIGHT))
