"""Lists that do not change while they are shown, each item with a text about it.

Checks of the installation, settings, instance sets, teachers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

import problems
import teachers
from engine.domain.names import NOTHING
from engine.domain.records import Measurement
from engine.domain.specs.settings import KnownSetting
from engine.monitor import Reader
from problems.errors import PreceptorError
from problems.sets.library import Holding, holdings
from problems.sets.references import References, of_problem
from teachers.weights import Header, header_files, read_header
from tui.screens.command import CommandScreen, MeasureScreen, OutputScreen, TrainingFormScreen
from tui.screens.fields import IMPORT_SETS, IMPORT_TEACHER
from tui.screens.panes import PaneScreen
from tui.text.formatting import number, table
from tui.text.pages.measures import about, identity
from tui.text.pages.teachers import problem_of, weights_of
from tui.text.settings import format_value
from tui.widgets import keymap as keys
from tui.widgets.frame import retitle
from tui.widgets.table import Cell, Column, RowTable
from tui.widgets.text_pane import ReadingPane

WAITING = "looking …"
"""What is said until there are items."""

NARROWEST = 12
"""Cells that a column keeps where it is cut."""


@dataclass(frozen=True, slots=True)
class Item:
    """One row: its cells by column, and `write`, which gives its full text for a width."""

    key: str
    cells: Mapping[str, str]
    write: Callable[[int], Content]


def write_item(title: str, *parts: str) -> Content:
    """A title and those of the parts that are not empty, blank lines between them."""
    return Content.assemble((f"{title}\n\n", "bold"), "\n\n".join(filter(None, parts)))


class CatalogueTable(RowTable):
    """Items under a title; columns to the right give way when the table is narrow."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a catalogue")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("a catalogue", "a table")

    def __init__(self, title: str, columns: Sequence[Column], **names: Any) -> None:
        super().__init__(**names)
        self._title = title
        self._all = tuple(columns)
        self._items: dict[str, Item] = {}
        self._is_filled = False

    @property
    def item(self) -> Item | None:
        """The item under the cursor."""
        return self._items.get(self.cursor or "")

    def show(self, items: Sequence[Item]) -> None:
        """Show items; the cursor stays where it is."""
        self._items = {item.key: item for item in items}
        self._is_filled = True
        self.refill()

    def refill(self) -> None:
        """The items that the filter lets through."""
        columns = fit_columns(self._all, self.room)
        rows = {
            key: tuple(Cell(item.cells[column.name]) for column in columns)
            for key, item in self._items.items()
            if self.filter.accepts(item.cells)
        }
        self.set_rows(columns, rows, self.cursor)
        count = f"{len(rows)}{self.describe_filter(len(self._items))}"
        retitle(self, f"{self._title} {count if self._is_filled else f'· {WAITING}'}")


def fit_columns(columns: Sequence[Column], width: int) -> tuple[Column, ...]:
    """As many columns from the left as the width holds, the first one always.

    The first that the width does not hold takes what room is left, unless that is too little.
    """
    taken: list[Column] = []
    for column in columns:
        room = width - sum(one.width for one in taken)
        if taken and room < min(column.width, NARROWEST):
            break
        taken.append(replace(column, width=min(column.width, room)) if taken else column)
    return tuple(taken)


class CatalogueScreen(PaneScreen):
    """A subclass names what it lists in `PANES`, its columns, and how they are collected."""

    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("a screen",)
    TAKES: ClassVar[tuple[keys.Scope, ...]] = ()
    COLUMNS: ClassVar[tuple[Column, ...]] = ()

    def __init__(self) -> None:
        super().__init__()
        self._opened = False

    def collect(self, db: Path) -> Sequence[Item]:
        """The items, from catalogues alone; called in a thread. Raises PreceptorError."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        listed, about = self.PANES
        yield Static(Content(f" preceptor  {listed}"), id="header")
        table = CatalogueTable(listed, self.COLUMNS, id=listed, classes="pane list")
        yield from self.compose_panes((table, ReadingPane(id=about, classes="pane")))
        yield from self.compose_frame()

    def on_mount(self) -> None:
        """Collect in a thread."""
        super().on_mount()
        self.query_one(f"#{self.PANES[1]}", ReadingPane).show("…", lambda width: Content(WAITING))
        self._collect()

    def on_screen_resume(self) -> None:
        """What was opened from here may have changed something: collect again."""
        super().on_screen_resume()
        if self._opened:
            self._opened = False
            self._collect()

    def open(self, screen: Screen[None]) -> None:
        """Show a screen that may change what is listed here."""
        self._opened = True
        self.app.push_screen(screen)

    def pointed(self) -> Item | None:
        """The item under the cursor."""
        return self.query_one(CatalogueTable).item

    def on_row_table_moved(self) -> None:
        self._show_item()

    def on_row_table_opened(self) -> None:
        """Where only one pane is shown, the text is behind Enter."""
        self.action_pane(2)

    @work(thread=True, exit_on_error=False)
    def _collect(self) -> None:
        try:
            items = self.collect(self.app.reader.path)
        except PreceptorError as error:
            self.app.call_from_thread(self.notify, str(error), severity="error", timeout=15)
            return
        self.app.call_from_thread(self._show, items)

    def _show(self, items: Sequence[Item]) -> None:
        if self.is_attached:
            self.query_one(CatalogueTable).show(items)
            self._show_item()

    def _show_item(self) -> None:
        item = self.pointed()
        if item is not None:
            self.query_one(f"#{self.PANES[1]}", ReadingPane).show(item.key, item.write)


SIGNS = {"ok": "✓ ok", "warn": "! warn", "fail": "✗ fail"}
"""Verdicts; the sign is enough without colour."""


class DoctorScreen(CatalogueScreen):
    """What `preceptor doctor` finds: versions, sandbox, teachers, run store, disk, sessions."""

    PANES = ("checks", "about")
    COLUMNS: ClassVar[tuple[Column, ...]] = (
        Column("check", 22),
        Column("verdict", 9),
        Column("found", 52),
    )

    def collect(self, db: Path) -> Sequence[Item]:
        """All checks; some of them ask a fresh interpreter."""
        from engine.api.doctor import examine

        return [
            Item(
                one.name,
                {"check": one.name, "verdict": SIGNS[one.verdict], "found": one.detail},
                partial(_write_parts, one.name, (SIGNS[one.verdict], one.detail)),
            )
            for one in examine(db)
        ]


class SettingsScreen(CatalogueScreen):
    """What `--option` takes, and what holds where one stands."""

    PANES = ("settings", "about")
    COLUMNS: ClassVar[tuple[Column, ...]] = (
        Column("setting", 22),
        Column("value", 16),
        Column("from", 18),
        Column("kind", 24),
    )

    def collect(self, db: Path) -> Sequence[Item]:
        """All settings. Raises UserError for a `preceptor.toml` that is wrong."""
        from engine.domain.specs.settings import list_settings

        return [_setting_item(one) for one in list_settings((), None)]


def _setting_item(one: KnownSetting) -> Item:
    value = format_value(one.name, one.value)
    cells = {"setting": one.name, "value": value, "from": one.source, "kind": one.kind}
    parts = (
        one.meaning,
        f"takes: {one.kind}",
        f"now: {value}, from {one.source}",
        f"otherwise: {format_value(one.name, one.default)}",
        f"set it with: --option {one.name}=VALUE",
    )
    return Item(one.name, cells, partial(_write_parts, one.name, parts))


def _write_parts(name: str, parts: Sequence[str], width: int) -> Content:
    return write_item(name, *parts)


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
        measured = {
            (m.problem, m.set, m.kind, m.solver, m.method, m.run): m  # the latest study's counts
            for found in reversed(studies)
            for m in found
        }
        return [
            _set_item(
                one,
                known[one.problem].get(one.name),
                [m for m in measured.values() if (m.problem, m.set) == (one.problem, one.name)],
            )
            for one in holdings()
        ]

    def action_import(self) -> None:
        self.open(CommandScreen("import sets", ("data", "import"), IMPORT_SETS))

    def action_fetch(self) -> None:
        item = self.pointed()
        if item is not None:
            self.open(OutputScreen(("data", "fetch", item.cells["set"])))

    def action_bench(self) -> None:
        item = self.pointed()
        if item is not None:
            problem, name = item.cells["problem"], item.cells["set"]
            self.open(MeasureScreen("bench", problem, set=name))


def _set_item(one: Holding, known: References | None, measured: list[Measurement]) -> Item:
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
    return Item(f"{one.problem} {one.name}", cells, partial(_write_set, one, known, measured))


def _write_set(
    one: Holding, known: References | None, measured: Sequence[Measurement], width: int
) -> Content:
    """The set in words, its references, a line for each solver."""
    return write_item(
        f"{one.problem} {one.name}, {one.size} instances",
        about(one),
        _explain_source(one),
        f"best known by {known.solver}, mean {number(fmean(known.objectives))}" if known else "",
        _page_measured(measured),
        f"measure more with: preceptor bench {one.problem} --set {one.name}",
    )


def _explain_source(one: Holding) -> str:
    """Where the set comes from, or how to get it."""
    if one.entry is not None:
        return f"imported from {one.entry.source}"
    if one.state == "generated":
        return "generated on use"
    fetch = f"preceptor data fetch {one.name}\n  or " if one.address else ""
    return f"not imported; get it with:\n  {fetch}preceptor data import FOLDER"


def _page_measured(measured: Sequence[Measurement]) -> str:
    """Mean objectives by solver, in the order in which they were stored."""
    if not measured:
        return "no study has measured it yet"
    rows = [
        (m.method or m.solver, m.kind, number(m.mean), NOTHING if m.run is None else str(m.run))
        for m in measured
    ]
    return table(("solver", "kind", "mean", "run"), rows)


class TeachersScreen(CatalogueScreen):
    """Every teacher with a name; those in files are named where they are used."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("teachers")
    PANES = ("teachers", "about")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("teachers", "a screen")
    COLUMNS: ClassVar[tuple[Column, ...]] = (
        Column("teacher", 20),
        Column("problem", 9),
        Column("used", 12),
        Column("weights", 9),
        Column("size", 9, right=True),
        Column("sha256", 10),
    )

    def collect(self, db: Path) -> Sequence[Item]:
        """Headers alone are read, no weights."""
        return [_teacher_item(name, header_files().get(name)) for name in teachers.names()]

    def action_verify(self) -> None:
        item = self.pointed()
        if item is not None:
            self.open(OutputScreen(("teachers", "verify", item.key)))

    def action_train(self) -> None:
        item = self.pointed()
        self.open(TrainingFormScreen(item.key if item else ""))

    def action_import(self) -> None:
        self.open(CommandScreen("import a teacher", ("teachers", "import"), IMPORT_TEACHER))


def _teacher_item(name: str, file: Path | None) -> Item:
    header = read_header(file) if file else None
    problem = problem_of(name, header) or ""
    used = "the paper's" if name == teachers.default(problem, paper=True) else "when named"
    weights = file.with_suffix(".safetensors") if file else None
    size = weights.stat().st_size / 1000 if weights and weights.is_file() else None
    cells = {
        "teacher": name,
        "problem": problem or NOTHING,
        "used": "by default" if name == teachers.default(problem) else used,
        "weights": weights_of(name, header),
        "size": NOTHING if size is None else f"{size:,.0f} kB",
        "sha256": header.sha256[:8] if header else NOTHING,
    }
    return Item(name, cells, partial(_write_teacher, name, header))


def _write_teacher(name: str, header: Header | None, width: int) -> Content:
    """The header in words, and the command that verifies it."""
    if name in teachers.EXACT:
        return write_item(
            name, "exact: it solves what is left of an instance and needs no weights"
        )
    if header is None:
        advice = f"no weights yet; train them with:\n  preceptor teachers train {name}"
        return write_item(name, advice)
    figures = [(name_of, number(cost)) for name_of, cost in header.measured.items()]
    chosen = [f"{what}: {number(cost)}" for what, cost in header.validation.items()]
    return write_item(
        name,
        header.about,
        table(("set", "mean cost"), figures) if figures else "no figures recorded",
        f"measure again with: preceptor teachers verify {name}",
        f"chosen by its mean cost on {chosen[0]}" if chosen else "",
        "\n".join(_list_facts(header.origin)),
        f"sha256 {header.sha256}",
    )


def _list_facts(facts: Mapping[Any, Any], inset: str = "") -> Iterator[str]:
    """Nested facts, a line each."""
    for name, value in facts.items():
        if isinstance(value, dict):
            yield f"{inset}{name}"
            yield from _list_facts(value, f"{inset}  ")
        elif isinstance(value, list):
            yield f"{inset}{name}"
            yield from _list_facts(dict(enumerate(value, start=1)), f"{inset}  ")
        else:
            yield f"{inset}{name}: {value}"
