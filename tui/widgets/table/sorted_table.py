"""A table that is sorted by the column that the user chose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tui.widgets import keymap as keys
from tui.widgets.table.quiet_table import QuietTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Order:
    """How a table is sorted; `reverse` is against the way that its column usually goes."""

    by: str
    reverse: bool = False

    def apply(
        self, items: Sequence[T], key: Callable[[T], Any] | None, down: bool = False
    ) -> list[T]:
        """Items by a key, or as they come without one; those whose key is None come last.

        `down` says that the largest usually come first.
        """
        if key is None:
            return list(reversed(items)) if self.reverse else list(items)
        known = [item for item in items if key(item) is not None]
        unknown = [item for item in items if key(item) is None]
        return [*sorted(known, key=key, reverse=self.reverse != down), *unknown]

    def __str__(self) -> str:
        return f"sort {self.by}{' reversed' if self.reverse else ''}"


class SortedTable(QuietTable):
    """A subclass names in `ORDERS` the columns that it is sorted by, and heeds `order`."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a sorted table")
    ORDERS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self.order = Order(self.ORDERS[0] if self.ORDERS else "")

    def orders(self) -> tuple[str, ...]:
        """The columns that the table can be sorted by now."""
        return self.ORDERS

    def on_quiet_table_sorted(self, event: QuietTable.Sorted) -> None:
        """Sort by the column whose head was clicked, the second time in reverse."""
        event.stop()
        if event.column in self.orders():
            again = event.column == self.order.by
            self._sort(Order(event.column, again and not self.order.reverse))

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = self.orders()
        here = names.index(self.order.by) if self.order.by in names else -1
        self._sort(Order(names[(here + 1) % len(names)], self.order.reverse))

    def action_reverse(self) -> None:
        """Reverse the order."""
        self._sort(Order(self.order.by, not self.order.reverse))

    def _sort(self, order: Order) -> None:
        self.order = order
        self.rearrange()
