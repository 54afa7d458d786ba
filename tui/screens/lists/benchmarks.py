"""The instance sets: what they are, their best known results, what studies measured on them."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar

import problems
from engine.domain.names import NOTHING
from engine.monitor import Reader
from problems.sets.library import holdings
from problems.sets.references import of_problem
from tui.screens.forms.command import CommandScreen, OutputScreen
from tui.screens.forms.measure import MeasureScreen
from tui.screens.lists.catalogue import CatalogueScreen
from tui.text.formatting import number, table
from tui.text.pages.data import about, identity
from tui.widgets import keymap as keys
from tui.widgets.form.commands import IMPORT_SETS
from tui.widgets.table.catalogue import Item, write_item
from tui.widgets.table.quiet_table import Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from textual.binding import BindingType
    from textual.content import Content

    from engine.domain.records import Measurement
    from problems.sets.library import Holding
    from problems.sets.references import References


class BenchmarksScreen(CatalogueScreen):
    """Every set of every problem; nothing is generated, loaded or measured to show it."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("sets")
    PANES = ("sets", "about")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("sets", "a screen")
    COLUMNS: ClassVar[tuple[Column, ...]] = (
        Column("problem", 9),
        Column("set", 19),
        Column("size", 6, right=True),
        Column("state", 11),
        Column("identity", 11),
        Column("best known", 12, right=True),
        Column("measured", 10, right=True),
    )

    def collect(self, db: Path) -> Sequence[Item]:
        """Catalogues, stored references, and the figures of studies."""
        known = {name: of_problem(name) for name in problems.names()}
        with Reader(db) as reader:
            studies = [reader.measurements(study.number) for study in reader.studies()]
        measured = {key: m for found in reversed(studies) for m in found if (key := _key(m))}
        return [
            _item(one, known[one.problem].get(one.name), _measured_on(one, measured.values()))
            for one in holdings()
        ]

    def action_import(self) -> None:
        """Ask for files to import."""
        self.open(CommandScreen("import sets", ("data", "import"), IMPORT_SETS))

    def action_fetch(self) -> None:
        """Download the published set under the cursor."""
        item = self.pointed()
        if item is not None:
            self.open(OutputScreen(("data", "fetch", item.cells["set"])))

    def action_bench(self) -> None:
        """Ask what shall be measured on the set under the cursor."""
        item = self.pointed()
        if item is not None:
            problem, name = item.cells["problem"], item.cells["set"]
            self.open(MeasureScreen("bench", problem, sets=name))


def _key(one: Measurement) -> tuple[str, ...]:
    """What makes two measurements the same one; that of the latest study counts."""
    return (one.problem, one.set, one.kind, one.solver, one.method, str(one.run))


def _measured_on(one: Holding, measured: Iterable[Measurement]) -> list[Measurement]:
    return [m for m in measured if (m.problem, m.set) == (one.problem, one.name)]


def _item(one: Holding, known: References | None, measured: list[Measurement]) -> Item:
    design = one.described is not None and one.described.design
    cells = {
        "problem": one.problem,
        "set": one.name,
        "size": str(one.size),
        "state": one.state,
        "identity": "own" if design else identity(one) or NOTHING,
        "best known": number(fmean(known.objectives)) if known else NOTHING,
        "measured": str(len(measured) or NOTHING),
    }
    return Item(f"{one.problem} {one.name}", cells, partial(_write, one, known, measured))


def _write(
    one: Holding, known: References | None, measured: Sequence[Measurement], width: int
) -> Content:
    """The set in words, its references, a line for each solver."""
    return write_item(
        f"{one.problem} {one.name}, {one.size} instances",
        about(one),
        _explain(one),
        f"best known by {known.solver}, mean {number(fmean(known.objectives))}" if known else "",
        _page(measured),
        f"measure more with: preceptor bench {one.problem} --set {one.name}",
    )


def _explain(one: Holding) -> str:
    """Where the set comes from, or how to get it."""
    if one.entry is not None:
        return f"imported from {one.entry.source}"
    if one.state == "generated":
        return "generated on use"
    fetch = f"preceptor data fetch {one.name}\n  or " if one.address else ""
    return f"not imported; get it with:\n  {fetch}preceptor data import FOLDER"


def _page(measured: Sequence[Measurement]) -> str:
    """Mean objectives by solver, in the order in which they were stored."""
    if not measured:
        return "no study has measured it yet"
    rows = [
        (m.method or m.solver, m.kind, number(m.mean), NOTHING if m.run is None else str(m.run))
        for m in measured
    ]
    return table(("solver", "kind", "mean", "run"), rows)
