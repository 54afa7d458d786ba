"""What was reflected on in a generation: what became of each brief, the prompt and the reply."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from engine.monitor.children import find_reflection_calls
from problems.errors import PreceptorError
from tui.screens.panes import PaneScreen
from tui.text.formatting import format_outcome
from tui.text.operators import format_origin
from tui.widgets import keymap as keys
from tui.widgets.frame.tabs import Tabs
from tui.widgets.panes import exchange
from tui.widgets.panes.brief import embolden
from tui.widgets.panes.reading import ReadingPane

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.domain.records import Exchange
    from engine.domain.search_state import BriefRow
    from engine.domain.values import Candidate


class ReflectionScreen(PaneScreen):
    """The reflections of a run, a generation at a time; `generations` are those that have any."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a reflection")
    PANES = ("reflection",)
    SCOPES = ("a reflection", "a screen")
    TAKES: ClassVar[tuple[keys.Scope, ...]] = ()

    def __init__(self, run: int, generations: Sequence[int], at: int) -> None:
        super().__init__()
        self.run = run
        self.generations = tuple(generations)
        self.at = at

    def compose(self) -> ComposeResult:
        """Header, one pane, hints."""
        yield Static(Content(f" run {self.run}  reflections"), id="header")
        yield Tabs(id="tabs")
        with Vertical(id="body", classes="row"):
            yield ReadingPane(id="reflection", classes="pane")
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Show the first one."""
        super().on_mount()
        self.show()

    def action_turn(self, step: int) -> None:
        """To the next generation or the one before."""
        self.at = (self.at + step) % len(self.generations)
        self.show()

    def show(self) -> None:
        """Read the generation, which does not change once it is closed, and show it."""
        generation = self.generations[self.at]
        reader = self.app.reader
        try:
            briefs = [row for row in reader.briefs(self.run) if row.generation == generation]
            made = {one.slot: one for one in reader.outlines(self.run, generation)}
            kept = reader.survivors(self.run).get(generation, ())
            calls = find_reflection_calls(reader, self.run, generation)
        except PreceptorError as error:
            self.notify(str(error), severity="error")
            return
        write = partial(_write, briefs, made, kept, calls)
        self.query_one(ReadingPane).show(f"gen {generation}", write)


def _write(
    briefs: Sequence[BriefRow],
    made: Mapping[int, Candidate],
    kept: Collection[str],
    calls: Sequence[Exchange],
    width: int,
) -> Content:
    """Every brief under the slots that share it and what these made of it; then the calls."""
    slots: dict[str, list[BriefRow]] = {}
    for row in briefs:
        slots.setdefault(row.brief.text, []).append(row)
    parts = [
        Content("\n").join([*(_head(row, made, kept) for row in rows), embolden(text.strip())])
        for text, rows in slots.items()
    ]
    parts += [exchange.describe(calls, "", width)] if calls else []
    return Content("\n\n").join(parts)


def _head(row: BriefRow, made: Mapping[int, Candidate], kept: Collection[str]) -> Content:
    """`slot 2  p of p0003 → p0012 survived, cost 1490`."""
    child = made.get(row.slot)
    origin = format_origin(row.brief.operator, child.parents if child else ())
    fate = "nothing yet"
    if child is not None:
        survived = "survived" if child.id in kept else "did not survive"
        fate = f"{child.id} {survived}, {format_outcome(child)}"
    return Content.assemble(
        (f"slot {row.slot + 1}  {origin} → ", "bold $text-accent"), fate.replace("\n", " ")
    )
