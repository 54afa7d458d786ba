"""The screen of a run, live or finished: it reads the store and sends commands."""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size

from engine.domain.specs.settings import RunSpec
from engine.domain.status import Job, Status
from engine.domain.text.plain_text import clean
from engine.domain.values import Candidate
from engine.monitor.children import find_program_calls
from engine.monitor.members import Member
from engine.monitor.monitor import Monitor
from engine.monitor.run_summary import summarise
from engine.monitor.snapshot import Snapshot
from problems.errors import StoreError
from tui.screens.boxes import TextBox
from tui.screens.panes import PATIENCE, JobScreen, reading
from tui.screens.program import ProgramScreen, ReflectionScreen
from tui.text.events import event_line
from tui.text.formatting import number
from tui.text.pages.run import page_spending
from tui.widgets import keymap as keys
from tui.widgets.code import DiffPane, Version
from tui.widgets.curve import CurvePlot
from tui.widgets.detail import DetailPane
from tui.widgets.events import EventsPane
from tui.widgets.exchange import BriefPane
from tui.widgets.pareto import ParetoPlot
from tui.widgets.population import PopulationTable
from tui.widgets.progress import ChangeLine, ProgressPane, RunHeader, describe_last_gain
from tui.widgets.table import RowTable


class RunScreen(JobScreen):
    """One run, now or as an earlier generation left it.

    The selection follows the best program until the user selects another.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a run")
    PANES = ("population", "pareto", "curve", "brief", "diff", "events")
    SCOPES = ("a run", "a screen")

    def __init__(self, run: int) -> None:
        super().__init__()
        self.run = run
        self.job = Job("run", run)
        self.snapshot: Snapshot | None = None
        self.selected: str | None = None
        self._follows_best = True
        self._monitor: Monitor | None = None
        self._present: Snapshot | None = None
        self._generation: int | None = None
        self._best_known: float | None = None

    def compose(self) -> ComposeResult:
        yield RunHeader(id="header")
        yield from self.compose_panes(
            (
                PopulationTable(id="population", classes="pane"),
                ParetoPlot(id="pareto", classes="pane"),
                CurvePlot(id="curve", classes="pane"),
            ),
            (BriefPane(id="brief", classes="pane"), DiffPane(id="diff", classes="pane")),
            (DetailPane(id="detail"), EventsPane(id="events", classes="pane")),
        )
        yield ChangeLine(id="change")
        yield ProgressPane(id="progress")
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Read what has happened so far, then look as often as the terminal's line allows."""
        super().on_mount()
        self._read_ahead(time.monotonic())

    def look(self) -> None:
        """Read what is new in the store, and show it."""
        self.app.check_launch()
        try:
            self._monitor = self._monitor or Monitor(self.app.reader, self.run)
            snapshot = self._monitor.look(self.app.clock())
        except StoreError as error:
            self.report(str(error))
            return
        self.report("")
        if snapshot is not None:
            self._take(snapshot)

    def show(self) -> None:
        """Show the snapshot in every pane; each paints what differs."""
        snapshot = self.snapshot
        if snapshot is None:
            return
        if self._follows_best or snapshot.at(self.selected) is None:
            first = snapshot.best or next(iter(snapshot.members), None)
            self.selected = first.place if first else None
        self.query_one(RunHeader).show(snapshot)
        self.query_one(PopulationTable).show(snapshot, self.selected)
        self.query_one(ParetoPlot).show(snapshot, self.selected)
        self.query_one(CurvePlot).show(snapshot, self._best_known)
        self.query_one(BriefPane).show(snapshot)
        self.query_one(EventsPane).show(snapshot)
        self.query_one(ChangeLine).show(snapshot)
        self.query_one(ProgressPane).show(snapshot)
        self._show_selected(snapshot)
        self.show_hints()

    @property
    def status(self) -> Status | None:
        """The status of the run now, whatever generation is shown."""
        return self._present.status if self._present else None

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        if event.key != self.selected:
            self.select(event.key)

    def on_pareto_plot_chosen(self, event: ParetoPlot.Chosen) -> None:
        self.select(event.place)

    def on_row_table_opened(self) -> None:
        self.action_open()

    def on_events_pane_opened(self, message: EventsPane.Opened) -> None:
        """Show the program that an event is about, else the event in full."""
        event = message.event
        id = str(getattr(event.fact, "program", ""))
        member = self.snapshot.member(id) if self.snapshot else None
        if member is not None and member.candidate is not None and not message.in_full:
            self.app.push_screen(ProgramScreen(self.run, id))
        else:
            line = event_line(event)
            self.app.push_screen(TextBox(f"{line.time} {line.kind}", Content(clean(line.text))))

    def select(self, place: str) -> None:
        """Select a program in all panes."""
        self.selected = place
        self._follows_best = False
        self.show()

    def action_open(self) -> None:
        member = self._member()
        table = self.query_one(PopulationTable)
        if table.filter.text and not table.row_keys:
            self.notify("the filter accepts no program; / changes it", severity="warning")
        elif member is not None and member.candidate is None:
            self.notify(
                f"{member.id or 'the child'} is still in progress; wait for its generation"
            )
        elif member is not None:
            self.app.push_screen(ProgramScreen(self.run, member.id))

    def action_turn(self, step: int) -> None:
        present = self._present
        if present is None or present.closed is None or self._monitor is None:
            return
        end = present.closed + (present.opened is not None)
        at = max(0, (end if self._generation is None else self._generation) + step)
        try:
            self.snapshot = self._monitor.look_back(at) if at < end else present
        except StoreError as error:
            self.report(str(error))
            return
        self._generation = at if at < end else None
        self.show()

    def action_reflection(self) -> None:
        snapshot = self.snapshot
        known = sorted({row.generation for row in snapshot.briefs}) if snapshot else []
        if known:
            self.app.push_screen(ReflectionScreen(self.run, known, len(known) - 1))
        else:
            self.notify("no analyzer has spoken in this run yet", severity="warning")

    def action_spending(self) -> None:
        try:
            summary = summarise(self.app.reader, self.run)
        except StoreError as error:
            self.report(str(error))
            return
        last_gain = describe_last_gain(self._present) if self._present else ""
        width = min(TextBox.CELLS, self.app.size.width - TextBox.AROUND)
        text = page_spending(summary, width, last_gain)
        self.app.push_screen(TextBox(f"run {self.run}: what it paid, and what for", Content(text)))

    def action_announce(self) -> None:
        self.app.announce_otherwise()

    def action_more(self) -> None:
        self.app.ask_for_more(self.run)

    def action_export_run(self) -> None:
        self.app.export_run(self.run)

    def chosen(self) -> tuple[int, Candidate] | None:
        """The selected program."""
        member = self._member()
        return (self.run, member.candidate) if member and member.candidate else None

    def _read_ahead(self, began: float) -> None:
        """Read a piece of a long history and come back for the next: keys are heard in between."""
        left = 0
        with suppress(StoreError):  # the look that follows reports it
            self._monitor = self._monitor or Monitor(self.app.reader, self.run)
            left = self._monitor.read_ahead()
        if not left:
            self.look_every(1 / self.app.hertz)
            return
        if time.monotonic() - began >= PATIENCE:
            told = f" run {self.run}  {reading(left)}"
            self.query_one(RunHeader).update(Content(told), layout=False)
        self.set_timer(0.001, partial(self._read_ahead, began))

    def _take(self, snapshot: Snapshot) -> None:
        """Take over what is new; an earlier generation stays as it is shown."""
        before = self._present
        self._present = snapshot
        if before is None:
            self._read_best_known(snapshot.row.spec)
        elif snapshot.change is not None and snapshot.change != before.change:
            cost = number(snapshot.change.new.cost)
            self.app.announce(f"run {self.run}: {snapshot.change.new.id} is the best, {cost}")
        if self._generation is None:
            self.snapshot = snapshot
            self.show()

    @work(thread=True, exit_on_error=False)
    def _read_best_known(self, spec: RunSpec) -> None:
        """Read the best known costs of the design set, for which its problem is loaded."""
        from engine.report.side_by_side import find_best_known

        self._best_known = find_best_known(spec)
        if self._best_known is not None and self.is_attached:
            self.app.call_from_thread(self.show)

    def _arrange(self, size: Size) -> None:
        super()._arrange(size)
        if self.PANES[self._shown] in ("pareto", "curve"):
            self.set_class(self.PANES[self._shown] == "curve", "curve")

    def _member(self) -> Member | None:
        return self.snapshot.at(self.selected) if self.snapshot else None

    def _show_selected(self, snapshot: Snapshot) -> None:
        member = self._member()
        objective = self._natural(snapshot, member)
        self.query_one(DetailPane).show(snapshot, member, objective)
        diff = self.query_one(DiffPane)
        if member is None or member.candidate is None:
            answer = self._answer_to(member)
            title = "reply, not evaluated yet" if answer else "· none yet"
            diff.show(Version(title, answer), ())
            return
        ids = dict.fromkeys((*member.parents, snapshot.row.best or ""))
        others = [snapshot.member(id) for id in ids if id != member.id]
        olds = [Version.of(other.candidate) for other in others if other and other.candidate]
        diff.show(Version.of(member.candidate), olds)

    def _answer_to(self, member: Member | None) -> str:
        """The writer's reply for a child in progress, empty while there is none."""
        if member is None or member.child is None:
            return ""
        place = (member.generation, member.child.slot)
        try:
            found = find_program_calls(self.app.reader, self.run, *place)
        except StoreError:
            return ""
        return next((e.call.reply.text for e in reversed(found) if e.call.reply), "")

    def _natural(self, snapshot: Snapshot, member: Member | None) -> float | None:
        if member is None:
            return None
        return self.app.objectives.natural(snapshot.row.spec.problem, member.cost)
