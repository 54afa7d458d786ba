"""The decisions of a program on which a teacher has spoken, drawn one at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from engine.monitor import Reader
from problems.errors import PreceptorError
from tui.screens.panes import PaneScreen
from tui.screens.programs.rollout import RolloutScreen
from tui.widgets import keymap as keys
from tui.widgets.frame.tabs import Tabs
from tui.widgets.panes import cases
from tui.widgets.panes.reading import ReadingPane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from engine.api.measure.decision import Rollouts
    from engine.domain.values import Case


class DecisionScreen(PaneScreen):
    """One case of a program: both choices with their fields, and what each makes of the state."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a decision")
    PANES = ("decision",)
    SCOPES = ("a decision", "a screen")
    TAKES: ClassVar[tuple[keys.Scope, ...]] = ()

    def __init__(self, run: int, program: str, found: Sequence[Case]) -> None:
        super().__init__()
        self.run = run
        self.program = program
        self.cases = tuple(found)
        self.at = 0
        self._rollouts: Rollouts | None = None

    def compose(self) -> ComposeResult:
        """Header, one pane, hints."""
        head = f" run {self.run}  program {self.program}  decisions"
        yield Static(Content(head), id="header")
        yield Tabs(id="tabs")
        with Vertical(id="body", classes="row"):
            yield ReadingPane(id="decision", classes="pane")
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Draw the first one."""
        super().on_mount()
        self._show("drawing …")
        self._draw(self.cases[0])

    def action_turn(self, step: int) -> None:
        """To the next decision or the one before."""
        self.at = (self.at + step) % len(self.cases)
        self._show("drawing …")
        self._draw(self.cases[self.at])

    def action_rollout(self) -> None:
        """Walk on from the decision shown."""
        case = self.cases[self.at]
        screen = RolloutScreen(self.run, self.program, self.cases, self._rollouts)
        screen.instance = case.instance
        screen.step = case.step
        self.app.push_screen(screen)

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _draw(self, case: Case) -> None:
        from engine.api.measure.decision import read_rollouts  # it takes problems to load

        told: tuple[str, ...]
        try:
            if self._rollouts is None:
                with Reader(self.app.reader.path) as reader:
                    self._rollouts = read_rollouts(reader, self.run, self.program)
            drawn = self._rollouts.draw_case(case)
            told = (drawn.chosen, drawn.preferred)
        except PreceptorError as error:
            told = (str(error),)
        if self.is_attached:
            self.app.call_from_thread(self._take, case, told)

    def _take(self, case: Case, told: tuple[str, ...]) -> None:
        """Show what was drawn, unless the user has gone on."""
        if case is self.cases[self.at]:
            self._show(*told)

    def _show(self, *pictures: str) -> None:
        case = self.cases[self.at]
        title = f"decision {self.at + 1} of {len(self.cases)}"
        write = partial(cases.describe_drawn, case, pictures)
        self.query_one(ReadingPane).show(title, write)
