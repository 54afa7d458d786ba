"""A study as a TOML file (examples: `studies/`), read into a `StudySpec` or refused in a line."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.config import Caps, amend, resolve
from engine.methods import find
from engine.study import PATIENCE, READ_OFF, StudySpec, Task
from problems.errors import UnknownName, UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CALLS = 30
"""Calls of a run unless the study's settings say otherwise (paper, "LLM budget")."""

TOP = (
    *("problems", "methods", "seeds", "writer", "analyzer", "preset", "settings"),
    *("max_tokens", "max_usd", "at_once", "measure_seconds"),
)
OWN = ("teacher", "sets", "solvers", "settings")
"""What the table of one problem may hold."""


def read_study(file: Path) -> StudySpec:
    """The study that a file describes; names of teachers, sets and writers are not looked up.

    Raises UnknownName for an unknown key, method or setting, UserError for whatever else does not
    fit.
    """
    return _Page(str(file), _parse(file)).study(file.stem)


def _parse(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: {error}") from error


class _Page:
    """A table of a file, whose values are asked for by key and kind."""

    def __init__(self, name: str, table: Mapping[str, Any]) -> None:
        self._name, self._table = name, table

    def study(self, name: str) -> StudySpec:
        """The whole file."""
        problems = self.words("problems")
        if not problems:
            raise UserError(f'{self._name}: problems names none, e.g. problems = ["jssp"]')
        self.refuse_unknown((*TOP, *map(_short, problems)))
        return StudySpec(
            name=name,
            tasks=tuple(self._task(problem, problems) for problem in problems),
            methods=self._methods(),
            seeds=self._seeds(),
            writer=self.word("writer", "builtin"),
            analyzer=self.word("analyzer"),
            caps=Caps(tokens=self.number("max_tokens"), usd=self.amount("max_usd")),
            at_once=self.number("at_once", 1) or 4,
            measure_seconds=self.amount("measure_seconds", 1.0) or PATIENCE,
        )

    def _task(self, problem: str, problems: Iterable[str]) -> Task:
        own = self.page(_short(problem))
        own.refuse_unknown(OWN)
        others = {_short(other) for other in problems} - {_short(problem)}
        options = {
            key: value
            for key, value in (self.settings() | own.settings()).items()
            if key.partition(".")[0] not in others
        }
        pairs = (f"{key}={value}" for key, value in options.items())
        ref, settings = resolve(problem, pairs, self.word("preset") or None)
        if not settings.calls and not settings.total_children:
            settings = amend(settings, {"calls": str(CALLS)})
        return Task(ref, own.word("teacher"), settings, own.words("sets"), own.words("solvers"))

    def _methods(self) -> tuple[str, ...]:
        methods = self.words("methods") or ("ours",)
        for method in methods:
            find(method)
            source = READ_OFF.get(method, method)
            if source not in methods:
                raise UserError(
                    f"{self._name}: {method} is read off the runs of {source}; "
                    f"add {source} to methods"
                )
        return methods

    def _seeds(self) -> tuple[int, ...]:
        seeds = self._table.get("seeds", [0, 1, 2])
        whole = isinstance(seeds, list) and all(type(seed) is int for seed in seeds)
        if not whole or not seeds:
            raise UserError(f"{self._name}: seeds is a list of whole numbers, e.g. [0, 1, 2]")
        self._refuse_doubles("seeds", seeds)
        return tuple(seeds)

    def settings(self) -> dict[str, str]:
        """The table `settings` as options; a table inside it holds a problem's own."""
        found: dict[str, str] = {}
        for key, value in self.page("settings")._table.items():
            inner = value.items() if isinstance(value, dict) else [("", value)]
            found |= {f"{key}.{name}" if name else key: str(item) for name, item in inner}
        return found

    def page(self, key: str) -> _Page:
        """The table of that key, empty where there is none."""
        table = self._table.get(key, {})
        if not isinstance(table, dict):
            raise UserError(f"{self._name}: {key} is a table, written [{key}]")
        return _Page(f"{self._name}: [{key}]", table)

    def words(self, key: str) -> tuple[str, ...]:
        """A list of words, empty where there is none."""
        words = self._table.get(key, [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise UserError(f'{self._name}: {key} is a list of words, e.g. {key} = ["..."]')
        self._refuse_doubles(key, words)
        return tuple(words)

    def word(self, key: str, usual: str = "") -> str:
        """One word."""
        word = self._table.get(key, usual)
        if not isinstance(word, str):
            raise UserError(f"{self._name}: {key} is a word in quotes, not {word!r}")
        return word

    def number(self, key: str, least: int = 0) -> int | None:
        """A whole number, None where there is none."""
        number = self._table.get(key)
        if number is not None and (type(number) is not int or number < least):
            raise UserError(f"{self._name}: {key} is a whole number from {least} on")
        return number

    def amount(self, key: str, least: float = 0.0) -> float | None:
        """A number, None where there is none."""
        amount = self._table.get(key)
        if amount is None:
            return None
        if isinstance(amount, bool) or not isinstance(amount, int | float) or amount < least:
            raise UserError(f"{self._name}: {key} is a number from {least:g} on")
        return float(amount)

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """Raise UnknownName for a key that means nothing here."""
        for key in self._table:
            if key not in known:
                raise UnknownName(f"key of {self._name}", key, known)

    def _refuse_doubles(self, key: str, items: Iterable[object]) -> None:
        item, count = max(Counter(items).items(), key=lambda pair: pair[1], default=("", 0))
        if count > 1:
            raise UserError(f"{self._name}: {key} names {item} twice")


def _short(problem: str) -> str:
    """What the table of a problem is called: its name, or that of its folder or file."""
    return Path(problem).stem
