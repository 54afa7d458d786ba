"""The teachers: what they are, where they come from, what they were measured at."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import teachers
from engine.domain.names import NOTHING
from teachers.weights import header_files, read_header
from tui.screens.forms.command import CommandScreen, OutputScreen
from tui.screens.forms.training import TrainingFormScreen
from tui.screens.lists.catalogue import CatalogueScreen
from tui.text.formatting import number, table
from tui.text.pages.teachers import problem_of, weights_of
from tui.widgets import keymap as keys
from tui.widgets.form.commands import IMPORT_TEACHER
from tui.widgets.table.catalogue import Item, write_item
from tui.widgets.table.table import Column

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from textual.binding import BindingType
    from textual.content import Content

    from teachers.weights import Header


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
        return [_item(name, header_files().get(name)) for name in teachers.names()]

    def action_verify(self) -> None:
        """Measure the recorded figures of the teacher under the cursor again."""
        item = self.pointed()
        if item is not None:
            self.open(OutputScreen(("teachers", "verify", item.key)))

    def action_train(self) -> None:
        """Ask how the teacher under the cursor shall be trained."""
        item = self.pointed()
        self.open(TrainingFormScreen(item.key if item else ""))

    def action_import(self) -> None:
        """Ask for an official network."""
        self.open(CommandScreen("import a teacher", ("teachers", "import"), IMPORT_TEACHER))


def _item(name: str, file: Path | None) -> Item:
    header = read_header(file) if file else None
    problem = problem_of(name, header) or ""
    cells = {
        "teacher": name,
        "problem": problem or NOTHING,
        "used": _describe_use(name, problem),
        "weights": weights_of(name, header),
        "size": _size(file),
        "sha256": header.sha256[:8] if header else NOTHING,
    }
    return Item(name, cells, partial(_write, name, header))


def _describe_use(name: str, problem: str) -> str:
    if name == teachers.default(problem):
        return "by default"
    return "the paper's" if name == teachers.default(problem, paper=True) else "when named"


def _size(file: Path | None) -> str:
    weights = file and file.with_suffix(".safetensors")
    if weights is None or not weights.is_file():
        return NOTHING
    return f"{weights.stat().st_size / 1000:,.0f} kB"


def _write(name: str, header: Header | None, width: int) -> Content:
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
        "\n".join(_list(header.origin)),
        f"sha256 {header.sha256}",
    )


def _list(facts: Mapping[Any, Any], inset: str = "") -> Iterator[str]:
    """Nested facts, a line each."""
    for name, value in facts.items():
        if isinstance(value, dict):
            yield f"{inset}{name}"
            yield from _list(value, f"{inset}  ")
        elif isinstance(value, list):
            yield f"{inset}{name}"
            yield from _list(dict(enumerate(value, start=1)), f"{inset}  ")
        else:
            yield f"{inset}{name}: {value}"
