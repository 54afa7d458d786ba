"""A pane that is drawn as lines of text and repaints only those that differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.events import Resize

    from tui.widgets.plot.plot import Run


class LinePane(Widget, can_focus=True):
    """A subclass gives its lines in `paint`, and calls `draw` when they may have changed."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "plot--plain",
        "plot--dot",
        "plot--child",
        "plot--front",
        "plot--selected",
        "plot--level",
        "plot--population",
        "plot--best",
    }

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._lines: list[list[Run]] = []

    def paint(self) -> list[list[Run]]:
        """The lines for the size that the pane has now."""
        raise NotImplementedError

    def draw(self) -> None:
        """Draw anew; only lines that differ are painted."""
        before = self._lines
        self._lines = self.paint()
        for y in range(max(len(before), len(self._lines))):
            if before[y : y + 1] != self._lines[y : y + 1]:
                self.refresh(Region(0, y, self.size.width, 1))

    def on_resize(self, _: Resize) -> None:
        """Draw for the new size."""
        self.draw()

    def render_line(self, y: int) -> Strip:
        """One line."""
        runs = self._lines[y] if y < len(self._lines) else []
        styles = self.get_component_rich_style
        segments = [Segment(text, styles(f"plot--{role}")) for text, role in runs]
        return Strip(segments).adjust_cell_length(self.size.width, self.rich_style)
