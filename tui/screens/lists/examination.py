"""The installation and the settings: what is there, and what holds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from tui.screens.lists.catalogue import CatalogueScreen
from tui.text.settings import format_value
from tui.widgets.table.catalogue import Item, write_item
from tui.widgets.table.table import Column

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from textual.content import Content

    from engine.api.doctor import Check
    from engine.domain.specs.settings import KnownSetting

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

        return [_check(one) for one in examine(db)]


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

        return [_setting(one) for one in list_settings((), None)]


def _check(one: Check) -> Item:
    cells = {"check": one.name, "verdict": SIGNS[one.verdict], "found": one.detail}
    return Item(one.name, cells, partial(_write, one.name, (SIGNS[one.verdict], one.detail)))


def _setting(one: KnownSetting) -> Item:
    value = format_value(one.name, one.value)
    cells = {"setting": one.name, "value": value, "from": one.source, "kind": one.kind}
    parts = (
        one.meaning,
        f"takes: {one.kind}",
        f"now: {value}, from {one.source}",
        f"otherwise: {format_value(one.name, one.default)}",
        f"set it with: --option {one.name}=VALUE",
    )
    return Item(one.name, cells, partial(_write, one.name, parts))


def _write(name: str, parts: Sequence[str], width: int) -> Content:
    return write_item(name, *parts)
