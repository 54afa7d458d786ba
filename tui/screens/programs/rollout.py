"""A program's rollout on any instance of its design set, drawn decision by decision."""

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


class RolloutScreen(PaneScreen):
    """One step: the choice with its fields, the state before and after it.

    Where the teacher has spoken on the state, one of the cases `found`, its choice stands beside
    the program's. `rollouts` are what the program did, where they are read already; the first step
    of the first instance is shown unless `instance` and `step` say otherwise.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a rollout")
    PANES = ("step",)
    SCOPES = ("a rollout", "a screen")
    TAKES: ClassVar[tuple[keys.Scope, ...]] = ()

    def __init__(
        self, run: int, program: str, found: Sequence[Case] = (), rollouts: Rollouts | None = None
    ) -> None:
        super().__init__()
        self.run = run
        self.program = program
        self.instance = 0
        self.step = 0
        self._cases = {(case.instance, case.step): case for case in found}
        self._rollouts = rollouts

    def compose(self) -> ComposeResult:
        """Header, one pane, hints."""
        head = f" run {self.run}  program {self.program}  rollout"
        yield Static(Content(head), id="header")
        yield Tabs(id="tabs")
        with Vertical(id="body", classes="row"):
            yield ReadingPane(id="step", classes="pane")
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Read what the program did, in a thread, unless that is done."""
        super().on_mount()
        if self._rollouts is not None:
            self._take(self._rollouts)
        else:
            self._pane.show("step", lambda width: Content("reading …"))
            self._read()

    def action_step(self, steps: int) -> None:
        """Some decisions on, or back; no further than the first and the last one."""
        if self._rollouts is not None and self._rollouts.walks:
            end = self._rollouts.count_steps(self.instance) - 1
            self.step = max(0, min(self.step + steps, end))
            self._draw()

    def action_instance(self, step: int) -> None:
        """To the next instance or the one before, round and round, as far along as here."""
        if self._rollouts is not None and self._rollouts.walks:
            self.instance = (self.instance + step) % len(self._rollouts.walks)
            self.action_step(0)

    @property
    def _pane(self) -> ReadingPane:
        return self.query_one(ReadingPane)

    @work(thread=True, exit_on_error=False)
    def _read(self) -> None:
        from engine.api.measure.decision import read_rollouts  # it takes problems to load

        try:
            with Reader(self.app.reader.path) as reader:
                found = read_rollouts(reader, self.run, self.program)
        except PreceptorError as error:
            told = str(error)
            self.app.call_from_thread(self._tell, told)
            return
        if self.is_attached:
            self.app.call_from_thread(self._take, found)

    def _take(self, found: Rollouts) -> None:
        self._rollouts = found
        if found.walks:
            self._draw()
        else:
            self._tell(f"run {self.run} holds no actions of {self.program}")

    @work(thread=True, exclusive=True, group="draw", exit_on_error=False)
    def _draw(self) -> None:
        place = (self.instance, self.step)
        assert self._rollouts is not None
        try:
            drawn = self._rollouts.draw_step(*place)
        except PreceptorError as error:
            self.app.call_from_thread(self._tell, str(error))
            return
        if self.is_attached:
            write = partial(cases.describe_step, drawn, self._cases.get(place))
            self.app.call_from_thread(self._show, place, write)

    def _show(self, place: tuple[int, int], write: partial[Content]) -> None:
        """Show what was drawn, unless the user has gone on."""
        if place == (self.instance, self.step) and self._rollouts is not None:
            count = self._rollouts.count_steps(self.instance)
            whole = self._rollouts.problem.contract.whole
            step = "solution" if whole else f"decision {self.step + 1} of {count}"
            title = f"instance {self.instance} of {len(self._rollouts.walks)} · {step}"
            self._pane.show(title, write, False)

    def _tell(self, text: str) -> None:
        if self.is_attached:
            self._pane.show("step", lambda width: Content(text))
