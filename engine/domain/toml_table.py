"""A TOML file of the user's as a page: values asked for by key and kind, refused in one line."""

from __future__ import annotations

import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any, Self

from problems.errors import UnknownName, UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def parse(file: Path) -> dict[str, Any]:
    """The table that a file holds. Raises UserError."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: {error}") from error


class TomlTable:
    """A table called `name`; what does not fit raises UserError that names it and the key."""

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self.name, self.table = name, table

    def page(self, key: str) -> Self:
        """The table of that key, empty where there is none."""
        table = self.table.get(key, {})
        if not isinstance(table, dict):
            raise UserError(f"{self.name}: {key} is a table, written [{key}]")
        return type(self)(f"{self.name}: [{key}]", table)

    def pages(self, key: str) -> list[Self]:
        """The tables written [[key]], in their order."""
        tables = self.table.get(key, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise UserError(f"{self.name}: {key} are tables, each written [[{key}]]")
        names = (f"{self.name}: [[{key}]] {k}" for k in range(1, len(tables) + 1))
        return [type(self)(name, table) for name, table in zip(names, tables, strict=True)]

    def words(self, key: str, *, twice: bool = False) -> tuple[str, ...]:
        """A list of words, empty where there is none; each once, unless it may come `twice`."""
        words = self.table.get(key, [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise UserError(f'{self.name}: {key} is a list of words, e.g. {key} = ["..."]')
        if not twice:
            self.refuse_doubles(key, words)
        return tuple(words)

    def truth(self, key: str, usual: bool) -> bool:
        """True or false."""
        truth = self.table.get(key, usual)
        if not isinstance(truth, bool):
            raise UserError(f"{self.name}: {key} is true or false")
        return truth

    def word(self, key: str, usual: str = "") -> str:
        """One word."""
        word = self.table.get(key, usual)
        if not isinstance(word, str):
            raise UserError(f"{self.name}: {key} is a word in quotes, not {word!r}")
        return word

    def number(self, key: str, least: int = 0) -> int | None:
        """A whole number, None where there is none."""
        number = self.table.get(key)
        if number is not None and (type(number) is not int or number < least):
            raise UserError(f"{self.name}: {key} is a whole number from {least} on")
        return number

    def amount(self, key: str, least: float = 0.0) -> float | None:
        """A number, None where there is none."""
        amount = self.table.get(key)
        if amount is None:
            return None
        if isinstance(amount, bool) or not isinstance(amount, int | float) or amount < least:
            raise UserError(f"{self.name}: {key} is a number from {least:g} on")
        return float(amount)

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Raise UnknownName for a key that means nothing here."""
        for key in self.table:
            if key not in known:
                raise UnknownName(f"key of {self.name}", key, known)

    def refuse_doubles(self, key: str, items: Iterable[object]) -> None:
        """Raise UserError where a list names something twice."""
        item, count = max(Counter(items).items(), key=lambda pair: pair[1], default=("", 0))
        if count > 1:
            raise UserError(f"{self.name}: {key} names {item} twice")
