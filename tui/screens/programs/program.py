"""One program in full: lineage, code, diff, cases, prompt and raw reply."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.widgets import Static

from engine.monitor.children import find_program_calls
from problems.errors import PreceptorError
from tui.screens.panes import PaneScreen
from tui.screens.programs.decision import DecisionScreen
from tui.screens.programs.rollout import RolloutScreen
from tui.text.formatting import format_outcome
from tui.widgets import keymap as keys
from tui.widgets.code.code import number_lines
from tui.widgets.code.diff import DiffPane, Version
from tui.widgets.panes import cases, exchange
from tui.widgets.panes.lineage import Lineage
from tui.widgets.panes.reading import ReadingPane

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.domain.values import Candidate, Case


class ProgramScreen(PaneScreen):
    """A candidate of a run. The relative under the cursor is what the diff compares with."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a program in full")
    PANES = ("lineage", "code", "diff", "cases", "prompt")
    SCOPES = ("a program in full", "a screen")

    def __init__(self, run: int, id: str) -> None:
        super().__init__()
        self.run = run
        self.id_shown = id
        self._known: dict[str, Candidate] = {}
        self._cases: list[Case] = []

    def compose(self) -> ComposeResult:
        """Header, panes in two rows, hints."""
        yield Static(id="header")
        yield from self.compose_panes(
            (
                Lineage(id="lineage", classes="pane"),
                ReadingPane(id="code", classes="pane"),
                ReadingPane(id="cases", classes="pane"),
            ),
            (DiffPane(id="diff", classes="pane"), ReadingPane(id="prompt", classes="pane")),
        )
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Read the run's programs once: they never change."""
        super().on_mount()
        try:
            found = self.app.reader.outlines(self.run)
        except PreceptorError as error:
            self.notify(str(error), severity="error")
            return
        self._known = {candidate.id: candidate for candidate in found}
        self.show(self.id_shown)

    def show(self, id: str) -> None:
        """Show a program of the run."""
        try:
            candidate = self.app.reader.candidate(self.run, id)
        except PreceptorError as error:
            self.notify(str(error), severity="error")
            return
        self.id_shown = id
        self._cases = cases.order(candidate.diagnostics)
        self.query_one("#header", Static).update(_head(self.run, candidate), layout=False)
        self.query_one(Lineage).show(id, self._known)
        self.query_one("#code", ReadingPane).show(f"code {id}", partial(_write, candidate))
        differing = cases.count(candidate.diagnostics)
        self.query_one("#cases", ReadingPane).show(
            f"cases · {differing} disagreements",
            partial(cases.describe, candidate.diagnostics),
        )
        self._show_exchange(candidate)
        self._compare_with(candidate.parents[0] if candidate.parents else "")

    def on_lineage_pointed(self, event: Lineage.Pointed) -> None:
        """Compare with the relative under the cursor."""
        if event.id != self.id_shown:
            self._compare_with(event.id)

    def on_lineage_relative_opened(self, event: Lineage.RelativeOpened) -> None:
        """Show that relative in full."""
        self.show(event.id)

    def action_decisions(self) -> None:
        """Draw the cases."""
        if self._cases:
            self.app.push_screen(DecisionScreen(self.run, self.id_shown, self._cases))
        else:
            self.notify("no teacher has diagnosed this program", severity="warning")

    def action_rollout(self) -> None:
        """Walk through what the program did, from the first decision of the first instance."""
        self.app.push_screen(RolloutScreen(self.run, self.id_shown, self._cases))

    def chosen(self) -> tuple[int, Candidate] | None:
        """The program shown."""
        candidate = self._known.get(self.id_shown)
        return (self.run, candidate) if candidate else None

    def _compare_with(self, id: str) -> None:
        """The named relative first, then the other parents."""
        candidate = self._known[self.id_shown]
        ids = dict.fromkeys((id, *candidate.parents))
        olds = [Version.of(self._known[other]) for other in ids if other in self._known]
        self.query_one(DiffPane).show(Version.of(candidate), olds)

    def _show_exchange(self, candidate: Candidate) -> None:
        place = (candidate.generation, candidate.slot)
        calls = find_program_calls(self.app.reader, self.run, *place)
        write = partial(exchange.describe, calls, origin_of(candidate))
        self.query_one("#prompt", ReadingPane).show("prompt and reply", write)


def origin_of(candidate: Candidate) -> str:
    """Where a program comes from, in words."""
    if candidate.generation == 0:
        return "it is a seed"
    parents = " and ".join(candidate.parents) or "no parent"
    if candidate.tuning is not None:
        return f"its constants were found by search, from {parents}"
    return f"operator {candidate.operator} made it from {parents}"


def _write(candidate: Candidate, width: int) -> Content:
    """Idea and code."""
    idea = Content.styled(f"{candidate.program.idea}\n\n", "italic")
    return idea + number_lines(candidate.program.code, width)


def _head(run: int, candidate: Candidate) -> Content:
    outcome = format_outcome(candidate, selection_last=True)
    return Content.assemble((f" run {run}  program {candidate.id} ", "bold"), f" {outcome}")
