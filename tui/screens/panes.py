"""What screens of several panes share: how they fit the terminal, and moving between panes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from textual import work
from textual.screen import Screen
from textual.widgets import Static

from problems.errors import WorldError
from tui.widgets import keymap as keys
from tui.widgets.frame.hints import Hints
from tui.widgets.frame.tabs import Tabs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.binding import BindingType
    from textual.events import DescendantFocus, Resize
    from textual.geometry import Size
    from textual.widget import Widget

    from engine.domain.values import Candidate
    from tui.screens.viewer import Viewer

Shape = Literal["tiny", "single", "columns", "board"]

SHAPES: tuple[tuple[Shape, int, int], ...] = (
    ("board", 150, 40),
    ("columns", 110, 30),
    ("single", 60, 16),
)
"""The least width and height of every shape, the largest first."""

NOTHING_CHOSEN = "there is no program here yet"


class PaneScreen(Screen[None]):
    """Panes beside each other where they fit, else one at a time with a line of tabs.

    A subclass names its panes' ids in `PANES` and composes them; a pane says in `SCOPES` which
    keys are its own. `TAKES` is empty where there is no program to be taken away.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("panes", "a program")
    PANES: ClassVar[tuple[str, ...]] = ()
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ()
    TAKES: ClassVar[tuple[keys.Scope, ...]] = ("a program",)
    AUTO_FOCUS = None
    app: Viewer

    def __init__(self) -> None:
        super().__init__()
        self._shown = 0
        self._zoomed = False

    def compose_frame(self) -> Iterable[Widget]:
        """What every such screen ends with: hints, and the word to a terminal too small."""
        yield Hints(id="hints")
        yield Static("this terminal is too small: 60 x 16 cells are the least", id="too-small")

    def on_mount(self) -> None:
        """Begin at the first pane."""
        self.action_pane(1)

    def on_resize(self, event: Resize) -> None:
        """Fit the panes to the terminal."""
        self._arrange(event.size)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """The pane with the focus is the one that is shown, and its keys are named."""
        for index, pane in enumerate(self._panes()):
            if event.widget in pane.walk_children(with_self=True):
                self._shown = index
        self._arrange(self.size)
        self.show_hints()

    def action_pane(self, number: int) -> None:
        """Jump to a pane, counted from 1."""
        if 1 <= number <= len(self.PANES):
            self._shown = number - 1
            self._arrange(self.size)
            self._panes()[self._shown].focus(scroll_visible=False)

    def action_next_pane(self, step: int) -> None:
        """Jump to the pane after or before this one."""
        self.action_pane((self._shown + step) % len(self.PANES) + 1)

    def action_zoom(self) -> None:
        """Show the pane alone, or all of them again."""
        self._zoomed = not self._zoomed
        self._arrange(self.size)

    def chosen(self) -> tuple[int, Candidate] | None:
        """The run and the program that copying and exporting are about, if there is one."""
        return None

    def action_copy(self) -> None:
        """Copy the program's code."""
        chosen = self.chosen()
        if chosen is None:
            self.notify(NOTHING_CHOSEN, severity="warning")
        else:
            self.app.copy_program(*chosen)

    @work(exclusive=True, exit_on_error=False)
    async def action_export(self) -> None:
        """Write the program to a stand-alone file in the working directory."""
        chosen = self.chosen()
        if chosen is None:
            self.notify(NOTHING_CHOSEN, severity="warning")
            return
        run, candidate = chosen
        self.notify(f"exporting {candidate.id} …")
        try:
            self.notify(await self.app.export(run, candidate.id), timeout=10)
        except WorldError as error:
            self.notify(str(error), severity="error", timeout=10)

    def show_hints(self) -> None:
        """Name the keys of the pane with the focus."""
        own = getattr(self._panes()[self._shown], "SCOPES", ())
        self.query_one(Hints).show((*own, *self.SCOPES, "panes", *self.TAKES))

    def _panes(self) -> list[Widget]:
        return [self.query_one(f"#{name}") for name in self.PANES]

    def _arrange(self, size: Size) -> None:
        shape = shape_for(size)
        alone = shape == "single" or self._zoomed
        for name in ("tiny", "columns", "board"):
            self.set_class(shape == name and not (alone and name != "tiny"), name)
        self.set_class(alone, "single")
        self.set_class(self._zoomed, "zoomed")
        for index, pane in enumerate(self._panes()):
            pane.set_class(index == self._shown, "shown")
        for row in self.query(".row"):
            row.set_class(any(pane.has_class("shown") for pane in row.query(".pane")), "shown")
        self.query_one(Tabs).show([name.capitalize() for name in self.PANES], self._shown)


def shape_for(size: Size) -> Shape:
    """The largest shape that fits."""
    for shape, width, height in SHAPES:
        if size.width >= width and size.height >= height:
            return shape
    return "tiny"
