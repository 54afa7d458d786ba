"""The user's own keys: the table `[keys]` of preceptor.toml, `ACTION = "keys"`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.domain.text.toml_table import parse_toml
from problems.errors import UnknownName, UserError
from tui.widgets.keymap import SHIPPED, scopes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tui.widgets.keymap import Key

_KEY = re.compile(r"[!-+\--~]|[a-z][a-z0-9_]*(\+[a-z0-9_]+)*")
"""A sign that is typed, or a name such as `ctrl+x`, `f5`, `left`; a comma is named `comma`."""

_GENERAL = ("everywhere", "a screen", "panes")
"""Where keys work beside those of every screen."""

_BESIDE_FORMS = ("a form",)
"""Where letters are text: the general keys do not work there."""


def read_keys(file: Path) -> tuple[Key, ...]:
    """The table of keys with the user's own, the shipped one where the file names none.

    Raises UserError, with file and line, for an action that does not exist, for what is no key,
    and for a key with two meanings in one place; and as `parse_toml`.
    """
    if not file.is_file():
        return SHIPPED
    own = parse_toml(file).get("keys", {})
    if not isinstance(own, dict):
        raise UserError(f'{file}: [keys] is a table of ACTION = "keys"')
    names = {key.name for key in SHIPPED if key.name}
    for name, value in own.items():
        place = f"{file}:{_line_of(file, name)}"
        if name not in names:
            raise UserError(f"{place}: {UnknownName('action', name, sorted(names))}")
        if not isinstance(value, str) or not _are_keys(value):
            raise UserError(
                f'{place}: {name} wants keys such as "x" or "ctrl+x f5", not {value!r}'
            )
    table = tuple(_with(key, own.get(key.name)) for key in SHIPPED)
    _refuse_clashes(file, table, own)
    return table


def _are_keys(value: str) -> bool:
    words = value.split()
    return bool(words) and all(_KEY.fullmatch(word) for word in words)


def _with(key: Key, own: str | None) -> Key:
    """A key of the table on the keys of the user, its hint too."""
    if own is None:
        return key
    keys = " ".join(own.split())
    word = key.hint.partition(" ")[2]
    moved = replace(key, keys=keys)
    return replace(moved, hint=f"{moved.shown.split()[0]} {word}" if word else "")


def _refuse_clashes(file: Path, table: Sequence[Key], own: Iterable[str]) -> None:
    """Raises UserError for a key of the user's that has two meanings in one place."""
    for scope in scopes():
        places = {scope, *(() if scope in _BESIDE_FORMS else _GENERAL)}
        here = [key for key in table if key.scope in places]
        times = Counter(word for key in here for word in key.keys.split())
        for key in here:
            taken = [word for word in key.keys.split() if times[word] > 1]
            if taken and key.name in own:
                rival = next(k for k in here if k is not key and taken[0] in k.keys.split())
                raise UserError(
                    f"{file}:{_line_of(file, key.name)}: {taken[0]!r} is both {key.name} "
                    f"and {rival.name or rival.about} in {scope}; take another key"
                )


def _line_of(file: Path, name: str) -> int:
    """The line in which an entry of `[keys]` stands, that of the table where it is not found."""
    inside = False
    begin = 1
    for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
        text = line.strip()
        if text.startswith("["):
            inside = text.replace(" ", "").startswith("[keys]")
            begin = number if inside else begin
        elif inside and text.partition("=")[0].strip().strip("\"'") == name:
            return number
    return begin
