"""One program in full: lineage, code, cases, prompt; its decisions and rollouts; reflections."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from engine.domain.records import Exchange
from engine.domain.search_state import BriefRow
from engine.domain.values import Candidate, Case
from engine.monitor import Reader
from engine.monitor.children import find_program_calls, find_reflection_calls
from problems.errors import PreceptorError
from tui.screens.panes import PaneScreen, ReadingScreen
from tui.text.formatting import format_outcome
from tui.widgets import keymap as keys
from tui.widgets.cases import (
    count_disagreements,
    describe_cases,
    describe_drawn_case,
    describe_step,
    order_cases,
)
from tui.widgets.code import DiffPane, Version, number_lines
from tui.widgets.detail import format_origin
from tui.widgets.exchange import describe_calls, embolden
from tui.widgets.lineage import Lineage
from tui.widgets.text_pane import ReadingPane

if TYPE_CHECKING:
    from engine.api.measure.decision import RecordedRollouts


class RolloutScreen(ReadingScreen):
    """One step: the choice with its fields, the state before and after it.

    Where the teacher has spoken on the state, one of the cases `found`, its choice stands beside
    the program's. `rollouts` are what the program did, where they are read already; the first step
    of the first instance is shown unless `instance` and `step` say otherwise.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a rollout")
    PANES = ("step",)
    SCOPES = ("a rollout", "a screen")

    def __init__(
        self,
        run: int,
        program: str,
        found: Sequence[Case] = (),
        rollouts: RecordedRollouts | None = None,
    ) -> None:
        super().__init__(f"run {run}  program {program}  rollout")
        self.run = run
        self.program = program
        self.instance = 0
        self.step = 0
        self._cases = {(case.instance, case.step): case for case in found}
        self._rollouts = rollouts

    def on_mount(self) -> None:
        """Read what the program did, in a thread, unless that is done."""
        super().on_mount()
        if self._rollouts is not None:
            self._take(self._rollouts)
        else:
            self.pane.show("step", lambda width: Content("reading …"))
            self._read()

    def action_step(self, steps: int) -> None:
        if self._rollouts is not None and self._rollouts.walks:
            end = self._rollouts.count_steps(self.instance) - 1
            self.step = max(0, min(self.step + steps, end))
            self._draw()

    def action_instance(self, step: int) -> None:
        if self._rollouts is not None and self._rollouts.walks:
            self.instance = (self.instance + step) % len(self._rollouts.walks)
            self.action_step(0)

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

    def _take(self, found: RecordedRollouts) -> None:
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
            write = partial(describe_step, drawn, self._cases.get(place))
            self.app.call_from_thread(self._show, place, write)

    def _show(self, place: tuple[int, int], write: partial[Content]) -> None:
        """Show what was drawn, unless the user has gone on."""
        if place == (self.instance, self.step) and self._rollouts is not None:
            count = self._rollouts.count_steps(self.instance)
            whole = self._rollouts.problem.contract.whole
            step = "solution" if whole else f"decision {self.step + 1} of {count}"
            title = f"instance {self.instance} of {len(self._rollouts.walks)} · {step}"
            self.pane.show(title, write, False)

    def _tell(self, text: str) -> None:
        if self.is_attached:
            self.pane.show("step", lambda width: Content(text))


class DecisionScreen(ReadingScreen):
    """One case of a program: both choices with their fields, and what each makes of the state."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a decision")
    PANES = ("decision",)
    SCOPES = ("a decision", "a screen")

    def __init__(self, run: int, program: str, found: Sequence[Case]) -> None:
        super().__init__(f"run {run}  program {program}  decisions")
        self.run = run
        self.program = program
        self.cases = tuple(found)
        self.at = 0
        self._rollouts: RecordedRollouts | None = None

    def on_mount(self) -> None:
        super().on_mount()
        self._show("drawing …")
        self._draw(self.cases[0])

    def action_turn(self, step: int) -> None:
        self.at = (self.at + step) % len(self.cases)
        self._show("drawing …")
        self._draw(self.cases[self.at])

    def action_rollout(self) -> None:
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
        write = partial(describe_drawn_case, case, pictures)
        self.pane.show(title, write)


class ProgramScreen(PaneScreen):
    """A candidate of a run. The relative under the cursor is what the diff compares with."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a program in full")
    PANES = ("lineage", "code", "diff", "cases", "prompt")
    FIRST = 1
    SCOPES = ("a program in full", "a screen")

    def __init__(self, run: int, id: str) -> None:
        super().__init__()
        self.run = run
        self.id_shown = id
        self._known: dict[str, Candidate] = {}
        self._cases: list[Case] = []

    def compose(self) -> ComposeResult:
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
        self._cases = order_cases(candidate.diagnostics)
        self.query_one("#header", Static).update(
            _program_head(self.run, candidate, self.app.size.width), layout=False
        )
        self.query_one(Lineage).show(id, self._known)
        self.query_one("#code", ReadingPane).show(f"code {id}", partial(_write_code, candidate))
        differing = count_disagreements(candidate.diagnostics)
        self.query_one("#cases", ReadingPane).show(
            f"cases · {differing} disagreements",
            partial(describe_cases, candidate.diagnostics),
        )
        self._show_exchange(candidate)
        self._compare_with(candidate.parents[0] if candidate.parents else "")

    def on_lineage_pointed(self, event: Lineage.Pointed) -> None:
        if event.id != self.id_shown:
            self._compare_with(event.id)

    def on_lineage_relative_opened(self, event: Lineage.RelativeOpened) -> None:
        self.show(event.id)

    def action_decisions(self) -> None:
        if self._cases:
            self.app.push_screen(DecisionScreen(self.run, self.id_shown, self._cases))
        else:
            self.notify("no teacher has diagnosed this program", severity="warning")

    def action_rollout(self) -> None:
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
        write = partial(describe_calls, calls, origin_of(candidate))
        self.query_one("#prompt", ReadingPane).show("prompt and reply", write)


def origin_of(candidate: Candidate) -> str:
    """Where a program comes from, in words."""
    if candidate.generation == 0:
        return "it is a seed"
    parents = " and ".join(candidate.parents) or "no parent"
    if candidate.tuning is not None:
        return f"its constants were found by search, from {parents}"
    return f"operator {candidate.operator} made it from {parents}"


def _write_code(candidate: Candidate, width: int) -> Content:
    """Idea and code."""
    idea = Content.styled(f"{candidate.program.idea}\n\n", "italic")
    return idea + number_lines(candidate.program.code, width)


def _program_head(run: int, candidate: Candidate, width: int) -> Content:
    """The program in a line: chance is left out where it would be cut."""
    head = f" run {run}  program {candidate.id} "
    outcome = format_outcome(candidate).replace("on the selection set", "selection")
    if len(head) + len(outcome) + 1 > width:
        outcome = outcome.partition(" (chance")[0]
    return Content.assemble((head, "bold"), f" {outcome}")


class ReflectionScreen(ReadingScreen):
    """The reflections of a run, a generation at a time; `generations` are those that have any."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a reflection")
    PANES = ("reflection",)
    SCOPES = ("a reflection", "a screen")

    def __init__(self, run: int, generations: Sequence[int], at: int) -> None:
        super().__init__(f"run {run}  reflections")
        self.run = run
        self.generations = tuple(generations)
        self.at = at

    def on_mount(self) -> None:
        super().on_mount()
        self.show()

    def action_turn(self, step: int) -> None:
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
        write = partial(_write_reflection, briefs, made, kept, calls)
        self.pane.show(f"gen {generation}", write)


def _write_reflection(
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
        Content("\n").join(
            [*(_brief_head(row, made, kept) for row in rows), embolden(text.strip())]
        )
        for text, rows in slots.items()
    ]
    parts += [describe_calls(calls, "", width)] if calls else []
    return Content("\n\n").join(parts)


def _brief_head(row: BriefRow, made: Mapping[int, Candidate], kept: Collection[str]) -> Content:
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
