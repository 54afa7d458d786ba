"""What screens share: the application they ask, panes that fit the terminal, and their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, runtime_checkable

from textual import work
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import DescendantFocus, Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from engine.domain.specs.settings import Caps
from engine.domain.status import Job, Status
from engine.domain.values import Candidate
from engine.monitor import Reader
from engine.monitor.objectives import Objectives
from problems.errors import PreceptorError
from tui.widgets import keymap as keys
from tui.widgets.frame import FilterBar, Hints, Tabs
from tui.widgets.text_pane import ReadingPane, TextPane

if TYPE_CHECKING:
    from engine.api.job import CommandWord
    from engine.api.resolve import Answering, RunRequest


Measuring = Literal["bench", "tune", "diagnose"]
"""The commands that measure a program."""


class Viewer(App[None]):
    """The store to read, the time, and the orders that only an application can carry out.

    Screens are written against this class: the application, which knows them, lies above them and
    says what each order does.
    """

    reader: Reader
    objectives: Objectives
    clock: Callable[[], float]
    """The time in Unix seconds."""
    hertz: float
    """Looks at the store in a second."""
    refused: frozenset[str]
    """The actions that are refused here: those that change something, where it only reads."""
    layout: dict[str, str]
    """The pane that is shown alone, by the name of the screen's class; none of them for all."""

    def check_launch(self) -> None: ...

    def start(self, requests: Sequence[RunRequest]) -> object: ...

    def start_study(self, file: str, anew: bool) -> object: ...

    async def look_ahead_at_study(self, file: str) -> str:
        raise NotImplementedError

    def start_from(self, run: int, candidate: Candidate) -> None: ...

    def ask_for_more(self, run: int) -> None: ...

    def go_on(
        self, run: int, caps: Caps, fork: bool, answering: Answering, options: tuple[str, ...]
    ) -> object: ...

    def measure(self, kind: Measuring, run: int, candidate: Candidate) -> None: ...

    def resume(self, job: Job) -> object: ...

    def order(self, job: Job, kind: CommandWord) -> None: ...

    def ask_to_stop(self, job: Job) -> None: ...

    def ask_for_label(self, run: int) -> None: ...

    def save_picture(self) -> None: ...

    def page(self, text: str) -> None: ...

    def edit(self, run: int, candidate: Candidate) -> None: ...

    def label(self, run: int, name: str, note: str, tags: Sequence[str]) -> None: ...

    def export_run(self, run: int) -> None: ...

    def ask_to_remove(self, runs: Sequence[int]) -> None: ...

    def announce(self, text: str) -> None: ...

    def announce_otherwise(self) -> None: ...

    def copy_program(self, run: int, candidate: Candidate) -> None: ...

    async def export(self, run: int, id: str) -> str:
        raise NotImplementedError

    async def look_ahead(self, request: RunRequest) -> str:
        raise NotImplementedError


Shape = Literal["tiny", "single", "columns", "wide"]

SHAPES: tuple[tuple[Shape, int, int], ...] = (
    ("wide", 150, 40),
    ("columns", 110, 30),
    ("single", 60, 16),
)
"""The least width and height of every shape, the largest first."""

LOW = 20
"""Lines below which a pane has them all."""

TOO_SMALL = "this terminal is too small (minimum 60x16)"

PATIENCE = 0.15
"""Seconds after which a screen says that it is reading."""

ROWS = ("top", "middle", "bottom")
"""The ids of the rows of panes."""

NOTHING_CHOSEN = "there is no program here yet"


@runtime_checkable
class Searched(Protocol):
    """A pane that is filtered, or in which words are looked for, by what is typed behind `/`."""

    SEARCHES: ClassVar[str]
    """What may be typed."""
    sought: str
    """What was typed last."""

    def look_for(self, words: str) -> None:
        """Show what fits some words; all of it for none."""


class PaneScreen(Screen[None]):
    """Panes side by side where they fit, else one at a time with a line of tabs.

    A subclass names its panes' ids in `PANES`, begins at the `FIRST` and composes them; a pane
    says in `SCOPES` which keys are its own. `TAKES` is empty where there is no program to copy or
    export.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("panes", "a program")
    PANES: ClassVar[tuple[str, ...]] = ()
    FIRST = 0
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ()
    TAKES: ClassVar[tuple[keys.Scope, ...]] = ("a program",)
    AUTO_FOCUS = None
    app: Viewer

    def __init__(self) -> None:
        super().__init__()
        self._shown = 0
        self._zoomed = False
        self._timer: Timer | None = None

    def compose_panes(self, *rows: Sequence[Widget]) -> Iterable[Widget]:
        """The line of tabs and, below it, rows of panes, of which at most the third is low.

        All are arranged before they are styled, which takes as long as their first picture.
        """
        alone = self.app.layout.get(type(self).__name__)
        self._zoomed = alone in self.PANES
        self._shown = self.PANES.index(alone) if alone in self.PANES else self.FIRST
        self._take_shape(self.app.size)
        yield Tabs(id="tabs")
        yield Vertical(*map(self._compose_row, ROWS, rows), id="body")

    def _compose_row(self, name: str, row: Sequence[Widget]) -> Horizontal:
        for pane in row:
            pane.set_class(pane.id == self.PANES[self._shown], "shown")
        shown = any(pane.has_class("shown") for pane in row)
        return Horizontal(*row, id=name, classes="row shown" if shown else "row")

    def compose_frame(self) -> Iterable[Widget]:
        """What every such screen ends with: the line behind `/`, hints, and `too small`."""
        yield FilterBar(id="filter")
        yield Hints(id="hints")
        yield Static(TOO_SMALL, id="too-small")

    def on_mount(self) -> None:
        """Begin at the first pane, or at the one that was shown alone the last time."""
        self.action_pane(self._shown + 1)

    def look(self) -> None:
        """Read what is new and show it, where anything can be new."""

    def look_every(self, seconds: float) -> None:
        """Look now and from now on, but not while another screen hides this one."""
        self.look()
        self._timer = self.set_interval(seconds, self.look)

    def on_screen_suspend(self) -> None:
        """Nobody can see it: read nothing."""
        if self._timer is not None:
            self._timer.pause()

    def on_screen_resume(self) -> None:
        if self._timer is not None:
            self._timer.resume()
            self.look()

    def on_resize(self, event: Resize) -> None:
        """Fit the panes to the terminal; one that was too small for them took the focus away."""
        self._arrange(event.size)
        if self.focused is None and shape_for(event.size) != "tiny":
            self._panes()[self._shown].focus(scroll_visible=False)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """The pane with the focus is the one that is shown, and its keys are named."""
        for index, pane in enumerate(self._panes()):
            if event.widget in pane.walk_children(with_self=True):
                self._shown = index
        self._arrange(self.size)
        self._keep_layout()
        self.show_hints()

    def action_pane(self, number: int) -> None:
        if 1 <= number <= len(self.PANES):
            self._shown = number - 1
            self._arrange(self.size)
            self._panes()[self._shown].focus(scroll_visible=False)

    def action_next_pane(self, step: int) -> None:
        self.action_pane((self._shown + step) % len(self.PANES) + 1)

    def action_zoom(self) -> None:
        self._zoomed = not self._zoomed
        self._arrange(self.size)
        self._keep_layout()

    def chosen(self) -> tuple[int, Candidate] | None:
        """The run and the program that copying and exporting are about, if there is one."""
        return None

    def act_on_chosen(self, act: Callable[[int, Candidate], None]) -> None:
        """Do something with the run and the program that are chosen, or say that none is."""
        chosen = self.chosen()
        if chosen is None:
            self.notify(NOTHING_CHOSEN, severity="warning")
        else:
            act(*chosen)

    def action_copy(self) -> None:
        self.act_on_chosen(self.app.copy_program)

    @work(exclusive=True, exit_on_error=False)
    async def action_export(self) -> None:
        chosen = self.chosen()
        if chosen is None:
            self.notify(NOTHING_CHOSEN, severity="warning")
            return
        run, candidate = chosen
        self.notify(f"exporting {candidate.id} …")
        try:
            self.notify(await self.app.export(run, candidate.id), timeout=10)
        except PreceptorError as error:
            self.notify(str(error), severity="error", timeout=10)

    def action_page(self) -> None:
        pane = self._panes()[self._shown]
        if isinstance(pane, TextPane):
            self.app.page(pane.text)

    def action_edit(self) -> None:
        self.act_on_chosen(self.app.edit)

    def action_measure(self, kind: Measuring) -> None:
        self.act_on_chosen(partial(self.app.measure, kind))

    def action_start_from(self) -> None:
        self.act_on_chosen(self.app.start_from)

    def action_filter(self) -> None:
        if self._searched() is None:
            self.action_pane(1)
        pane = self._searched()
        if pane is not None:
            self.query_one(FilterBar).open(pane.sought, pane.SEARCHES)

    def on_filter_bar_sifted(self, event: FilterBar.Sifted) -> None:
        """Show what was typed in the pane that it is about."""
        pane = self._searched()
        if pane is not None:
            pane.look_for(event.text)

    def drop_search(self) -> bool:
        """Forget what is looked for in the shown pane; False where nothing is."""
        pane = self._searched()
        if pane is None or not pane.sought:
            return False
        pane.look_for("")
        return True

    def on_filter_bar_closed(self) -> None:
        self.action_pane(self._shown + 1)

    def show_hints(self) -> None:
        """Name the keys of the pane with the focus, those of any text behind the screen's."""
        own = getattr(self._panes()[self._shown], "SCOPES", ())
        special = [scope for scope in own if scope != "text"]
        text = [scope for scope in own if scope == "text"]
        scopes = (*special, *self.SCOPES, *text, "panes", *self.TAKES)
        self.query_one(Hints).show(scopes, self.idle() | self.app.refused, self.urgent())

    def idle(self) -> frozenset[str]:
        """The actions that would do nothing now."""
        return frozenset()

    def urgent(self) -> frozenset[str]:
        """The actions without which nothing continues."""
        return frozenset()

    def _keep_layout(self) -> None:
        """Remember the pane that is shown alone for the next screen of this kind."""
        if self._zoomed:
            self.app.layout[type(self).__name__] = self.PANES[self._shown]
        else:
            self.app.layout.pop(type(self).__name__, None)

    def _searched(self) -> Searched | None:
        """The shown pane, where words can be looked for in it."""
        pane = self._panes()[self._shown]
        return pane if isinstance(pane, Searched) else None

    def _panes(self) -> list[Widget]:
        return [self.query_one(f"#{name}") for name in self.PANES]

    def _take_shape(self, size: Size) -> None:
        shape = shape_for(size)
        alone = shape == "single" or self._zoomed
        for name in ("tiny", "columns", "wide"):
            self.set_class(shape == name and not (alone and name != "tiny"), name)
        self.set_class(alone, "single")
        self.set_class(shape == "single" and size.height < LOW, "low")
        self.set_class(self._zoomed, "zoomed")

    def _arrange(self, size: Size) -> None:
        self._take_shape(size)
        for index, pane in enumerate(self._panes()):
            pane.set_class(index == self._shown, "shown")
        for row in self.query(".row"):
            row.set_class(any(pane.has_class("shown") for pane in row.query(".pane")), "shown")
        self.query_one(Tabs).show([name.capitalize() for name in self.PANES], self._shown)


class ReadingScreen(PaneScreen):
    """One text in one pane below a head; a subclass names the pane in `PANES`."""

    TAKES: ClassVar[tuple[keys.Scope, ...]] = ()

    def __init__(self, head: str) -> None:
        super().__init__()
        self._head = head

    def compose(self) -> ComposeResult:
        yield Static(Content(f" {self._head}"), id="header")
        yield Tabs(id="tabs")
        with Vertical(id="body"):
            for name in self.PANES:
                with Vertical(classes="row"):
                    yield ReadingPane(id=name, classes="pane")
        yield from self.compose_frame()

    @property
    def pane(self) -> ReadingPane:
        """The pane with the text."""
        return self.query_one(f"#{self.PANES[-1]}", ReadingPane)


class JobScreen(PaneScreen):
    """A run or a study, whose engine is paused, stopped and resumed from here."""

    job: Job
    _error = ""

    @property
    def status(self) -> Status | None:
        """The status of the job, None before it is read."""
        raise NotImplementedError

    def idle(self) -> frozenset[str]:
        """What cannot be asked of a job in its state."""
        return keys.idle_actions(self.status) if self.status else frozenset()

    def urgent(self) -> frozenset[str]:
        """How a job continues that rests."""
        return keys.urgent_actions(self.status) if self.status else frozenset()

    def action_resume(self) -> None:
        self.app.resume(self.job)

    def action_pause(self) -> None:
        self.app.order(self.job, "pause")

    def action_stop(self) -> None:
        if "stop" in self.idle():
            self.notify(f"{self.job} has ended already: it is {self.status}")
        else:
            self.app.ask_to_stop(self.job)

    def report(self, error: str) -> None:
        """Show an error once, however often it occurs in a row; empty: it is over."""
        if error and error != self._error:
            self.notify(error, severity="error", timeout=10)
        self._error = error


def reading(programs: int) -> str:
    """What a screen says while it reads."""
    return f"reading {programs} programs …"


def shape_for(size: Size) -> Shape:
    """The largest shape that fits."""
    for shape, width, height in SHAPES:
        if size.width >= width and size.height >= height:
            return shape
    return "tiny"
