"""Runs side by side: results, settings, curves, operators, winners."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from engine.domain.values import Candidate
from engine.monitor import Reader
from engine.report.side_by_side import Comparison, compare_groups
from problems.errors import PreceptorError
from tui.screens.command import CommandScreen
from tui.screens.fields import COMPARISON
from tui.screens.panes import PATIENCE, PaneScreen, reading
from tui.text.chart import sign
from tui.text.pages.compare import (
    page_charts,
    page_differences,
    page_facts,
    page_failures,
    page_yields,
)
from tui.widgets import keymap as keys
from tui.widgets.code import DiffPane, Version
from tui.widgets.text_pane import ReadingPane

HEIGHT = 9
"""Cells of a chart from bottom to top: two of them fit a small terminal."""

COLOURS = ("$text-primary", "$text-warning", "$text-success", "$text-error", "$text-accent")
"""Those of the first runs; letters tell runs apart without them."""


class CompareScreen(PaneScreen):
    """Two runs or more as they stand when the screen opens; the code is that of the winners."""

    PANES = ("facts", "curves", "operators", "diff")
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("comparing")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("comparing", "a screen")

    def __init__(self, runs: Sequence[int]) -> None:
        super().__init__()
        self.runs = tuple(runs)
        self._comparison: Comparison | None = None

    def compose(self) -> ComposeResult:
        names = ", ".join(map(str, self.runs))
        yield Static(Content(f" runs {names} side by side"), id="header")
        yield from self.compose_panes(
            (ReadingPane(id="facts", classes="pane"), ReadingPane(id="curves", classes="pane")),
            (ReadingPane(id="operators", classes="pane"), DiffPane(id="diff", classes="pane")),
        )
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Read the runs once, in a thread."""
        super().on_mount()
        self.set_timer(PATIENCE, self._say_reading)
        self._read()

    @work(thread=True, exit_on_error=False)
    def _read(self) -> None:
        try:
            with Reader(self.app.reader.path) as reader:
                comparison = compare_groups(reader, self.runs, ())
        except PreceptorError as error:
            self.app.call_from_thread(self.notify, str(error), severity="error")
            return
        if self.is_attached:
            self.app.call_from_thread(self._show, comparison)

    def _say_reading(self) -> None:
        if self._comparison is None:
            programs = sum(map(self.app.reader.count_programs, self.runs))
            self._pane("facts").show(reading(programs), lambda width: Content(""))

    def _show(self, comparison: Comparison) -> None:
        self._comparison = comparison

        def draw(width: int) -> Content:
            return _colour("\n\n".join(page_charts(comparison, max(width, 40), HEIGHT)))

        self._pane("facts").show("settings and results", partial(_format_facts, comparison))
        self._pane("curves").show("curves", draw)
        children = Content(f"{page_yields(comparison)}\n\n{page_failures(comparison)}")
        self._pane("operators").show("operators and failures", lambda _: children)
        first, *others = [
            Version(f"{sign(index)} {side.name}", side.best.program.code if side.best else "")
            for index, side in enumerate(comparison.groups)
        ]
        self.query_one(DiffPane).show(first, others)

    def action_export_results(self) -> None:
        words = ("compare", *map(str, self.runs))
        self.app.push_screen(CommandScreen("write results", words, COMPARISON))

    def chosen(self) -> tuple[int, Candidate] | None:
        """The best program of the first run."""
        side = self._comparison.groups[0] if self._comparison else None
        if side is None or side.best is None or side.best_run is None:
            return None
        return side.best_run, side.best

    def _pane(self, name: str) -> ReadingPane:
        return self.query_one(f"#{name}", ReadingPane)


def _colour(charts: str) -> Content:
    """Charts whose letters have the colours of their runs, those that say whose included."""
    content = Content(charts)
    start = 0
    for line in charts.split("\n"):
        drawn = line.find("│") + 1
        letters = r"([A-Z])\1*" if drawn else r"(?:(?<=^)|(?<=  ))([A-Z])(?= )"
        for found in re.finditer(letters, line[drawn:]):
            colour = COLOURS[(ord(found[1]) - ord("A")) % len(COLOURS)]
            place = start + drawn
            content = content.stylize(f"bold {colour}", place + found.start(), place + found.end())
        start += len(line) + 1
    return content


def _format_facts(comparison: Comparison, width: int) -> Content:
    warnings = "\n".join(textwrap.fill(one, max(width, 20)) for one in comparison.warnings)
    parts = [page_facts(comparison), warnings, page_differences(comparison)]
    return Content("\n\n".join(part for part in parts if part))
