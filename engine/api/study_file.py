"""A study as a TOML file (examples: `studies/`), read into a `StudySpec` or refused in a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.specs.settings import Caps, amend, resolve
from engine.domain.specs.study import PATIENCE, READ_OFF, StudySpec, Task
from engine.domain.toml_table import TomlTable, parse
from engine.search.methods.method_file import SUFFIX, read_definition
from engine.search.methods.methods import find
from problems.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.domain.specs.method_definition import Definition

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
    return _StudyPage(str(file), parse(file)).study(file.stem)


class _StudyPage(TomlTable):
    """A study, or the table of one of its problems."""

    def study(self, name: str) -> StudySpec:
        """The whole file."""
        problems = self.words("problems")
        if not problems:
            raise UserError(f'{self.name}: problems names none, e.g. problems = ["jssp"]')
        self.refuse_unknown((*TOP, *map(_short, problems)))
        words = self.words("methods") or ("ours",)
        own = {word: read_definition(Path(word)) for word in words if word.endswith(SUFFIX)}
        return StudySpec(
            name=name,
            tasks=tuple(self._task(problem, problems) for problem in problems),
            methods=self._methods(words, own),
            seeds=self._seeds(),
            writer=self.word("writer", "builtin"),
            analyzer=self.word("analyzer"),
            caps=Caps(tokens=self.number("max_tokens"), usd=self.amount("max_usd")),
            at_once=self.number("at_once", 1) or 4,
            measure_seconds=self.amount("measure_seconds", 1.0) or PATIENCE,
            definitions=tuple(own.values()),
            without_teacher=tuple(
                own[word].name if word in own else word
                for word in words
                if not (own[word] if word in own else find(word)).teacher
            ),
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

    def _methods(self, words: tuple[str, ...], own: Mapping[str, Definition]) -> tuple[str, ...]:
        for word in words:
            source = READ_OFF.get(word, word)
            if word not in own:
                find(word)
            if source not in words:
                raise UserError(
                    f"{self.name}: {word} is read off the runs of {source}; "
                    f"add {source} to methods"
                )
        names = [own[word].name if word in own else word for word in words]
        self.refuse_doubles("methods", names)
        return tuple(names)

    def _seeds(self) -> tuple[int, ...]:
        seeds = self.table.get("seeds", [0, 1, 2])
        whole = isinstance(seeds, list) and all(type(seed) is int for seed in seeds)
        if not whole or not seeds:
            raise UserError(f"{self.name}: seeds is a list of whole numbers, e.g. [0, 1, 2]")
        self.refuse_doubles("seeds", seeds)
        return tuple(seeds)

    def settings(self) -> dict[str, str]:
        """The table `settings` as options; a table inside it holds a problem's own."""
        found: dict[str, str] = {}
        for key, value in self.page("settings").table.items():
            inner = value.items() if isinstance(value, dict) else [("", value)]
            found |= {f"{key}.{name}" if name else key: str(item) for name, item in inner}
        return found


def _short(problem: str) -> str:
    """What the table of a problem is called: its name, or that of its folder or file."""
    return Path(problem).stem
