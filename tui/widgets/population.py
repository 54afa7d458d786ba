"""The population table: survivors, children in progress, and what became of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual.binding import BindingType

from engine.domain.names import NOTHING
from engine.monitor.members import Member
from engine.monitor.snapshot import Snapshot
from tui.text.formatting import figure, share
from tui.widgets import keymap as keys
from tui.widgets.frame import retitle
from tui.widgets.table import Cell, Column, SortedTable, fit_columns

MARK = Column("", 2)
STATUS = Column("status", 17)
COLUMNS = (
    MARK,
    Column("id", 6),
    Column("gen", 4, right=True),
    Column("op", 5),
    Column("parents", 12, rank=1),
    Column("cost", 10, right=True),
    Column("agree", 7, right=True),
    Column("± se", 7, right=True, rank=1),
    Column("real", 7, right=True, rank=2),
    Column("value", 7, right=True, rank=2),
    Column("pct", 7, right=True, rank=2),
    Column("front", 6, right=True),
    STATUS,
)


class PopulationTable(SortedTable):
    """The members of a snapshot as rows, by their places.

    The rank that it is sorted by at first is the order in which the programs survived.
    """

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("population")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("population", "a sorted table", "a table")
    ORDERS: ClassVar[tuple[str, ...]] = ("rank", "cost", "agree", "id")

    SEARCHES: ClassVar[str] = "words  field:value  !not  code:word  idea:word"

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._snapshot: Snapshot | None = None
        self._selected: str | None = None
        self.everyone = False

    def show(self, snapshot: Snapshot, selected: str | None) -> None:
        """Show a snapshot, the cursor on the member at the place `selected`."""
        self._snapshot = snapshot
        self._selected = selected
        self.refill()

    def refill(self) -> None:
        """The members that filter and order leave."""
        if self._snapshot is None:
            return
        columns = fit_columns(COLUMNS, self.room)
        wanted = [m for m in self._snapshot.members if self._is_wanted(m)]
        by = self.order.by
        members = self.order.apply(wanted, _KEYS.get(by), down=by == "agree")
        rows = {member.place: self._format_member(member, columns) for member in members}
        self.set_rows(columns, rows, self._selected)
        retitle(self, self._title())

    def action_all(self) -> None:
        self.everyone = not self.everyone
        self.rearrange()

    def _is_wanted(self, member: Member) -> bool:
        assert self._snapshot is not None
        recent = member.fate in ("kept", "in progress") or member.front is not None
        recent = recent or member.generation == self._snapshot.closed
        if not recent and not self.everyone:
            return False
        program = member.candidate.program if member.candidate else None
        texts = {"code": program.code, "idea": program.idea} if program else {}
        return self.filter.accepts(_facts(member, self._snapshot), texts)

    def _format_member(self, member: Member, columns: Sequence[Column]) -> tuple[Cell, ...]:
        assert self._snapshot is not None
        facts = _facts(member, self._snapshot)
        role = _role(member, facts)
        return tuple(
            Cell(facts.get(column.name, NOTHING), role if column in (MARK, STATUS) else "")
            for column in columns
        )

    def _title(self) -> str:
        """The title names nothing that changes with every child: it repaints the whole pane."""
        assert self._snapshot is not None
        kept = sum(member.fate == "kept" for member in self._snapshot.members)
        parts = ["all programs" if self.everyone else f"population {kept}"]
        parts.append(str(self.order))
        if self.filter.text:
            parts.append(f"filter {self.filter.text}: {len(self.row_keys)} found")
        return " · ".join(parts)


def _role(member: Member, facts: dict[str, str]) -> str:
    if facts[""]:
        return "good"
    if facts["status"].startswith("✗"):
        return "bad"
    return {"in progress": "busy", "dropped": "past"}.get(member.fate, "")


def _facts(member: Member, snapshot: Snapshot) -> dict[str, str]:
    """What the columns hold, by their names."""
    d = member.candidate.diagnostics if member.candidate else None
    return {
        "": "★" if snapshot.row.best and member.id == snapshot.row.best else "",
        "id": member.id or "·",
        "gen": str(member.generation),
        "op": member.operator or "·",
        "parents": " ".join(member.parents) or NOTHING,
        "cost": figure(member.cost),
        "agree": share(member.agreement),
        "± se": share(d.stderr if d else None),
        "real": share(d.real_agreement if d else None),
        "value": share(d.value if d else None),
        "pct": share(d.percentile if d else None),
        "front": NOTHING if member.front is None else str(member.front),
        "status": _status(member, snapshot),
    }


def _status(member: Member, snapshot: Snapshot) -> str:
    if member.child is not None:
        return member.child.format_stage(snapshot.now)
    assert member.candidate is not None
    failure = member.candidate.failure
    if failure is not None:
        return f"✗ {failure.kind}"
    return "new best" if _is_new_best(member, snapshot) else member.fate


def _is_new_best(member: Member, snapshot: Snapshot) -> bool:
    """Whether it became the best in the last closed generation, in place of another."""
    change = snapshot.change
    return (
        change is not None
        and change.old is not None
        and change.generation == snapshot.closed
        and change.new.id == member.id
    )


_KEYS: dict[str, Callable[[Member], Any]] = {
    "cost": lambda member: member.cost,
    "agree": lambda member: member.agreement,
    "id": lambda member: member.id or None,
}
