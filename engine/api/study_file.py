"""A study as a TOML file (examples: `studies/`), read into a `StudySpec` or refused in a line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from engine.domain.specs.method_definition import Definition
from engine.domain.specs.settings import Caps, amend, resolve
from engine.domain.specs.study import PATIENCE, READ_OFF, StudySpec, Task
from engine.domain.text.toml_table import parse_toml, read_table
from engine.search.methods.method_file import SUFFIX, read_definition
from engine.search.methods.methods import find
from problems.errors import UnknownName, UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

CALLS = 30
"""Calls of a run unless the study's settings say otherwise (paper, "LLM budget")."""


@dataclass(frozen=True, slots=True)
class StudyFile:
    """What the file of a study may hold, besides a table for each of its problems."""

    problems: Annotated[tuple[str, ...], Meta(min_length=1)]
    methods: tuple[str, ...] = ()
    seeds: Annotated[tuple[int, ...], Meta(min_length=1)] = (0, 1, 2)
    writer: str = "builtin"
    analyzer: str = ""
    preset: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    max_tokens: Annotated[int, Meta(ge=0)] | None = None
    max_usd: Annotated[float, Meta(ge=0)] | None = None
    at_once: Annotated[int, Meta(ge=1)] = 4
    measure_seconds: Annotated[float, Meta(ge=1)] = PATIENCE


@dataclass(frozen=True, slots=True)
class ProblemTable:
    """What the table of one problem may hold."""

    teacher: str = ""
    sets: tuple[str, ...] = ()
    solvers: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)


def read_study(file: Path) -> StudySpec:
    """The study that a file describes; names of teachers, sets and writers are not looked up.

    Raises UnknownName for an unknown key, method or setting, UserError for whatever else does not
    fit.
    """
    study, tables = _read_tables(file)
    words = study.methods or ("ours",)
    _refuse_sourceless(file, words)
    methods = [read_definition(Path(w)) if w.endswith(SUFFIX) else find(w) for w in words]
    names = tuple(method.name for method in methods)
    _refuse_doubles(f"{file}: methods", names)
    return StudySpec(
        name=file.stem,
        tasks=tuple(_task(study, name, tables) for name in study.problems),
        methods=names,
        seeds=study.seeds,
        writer=study.writer,
        analyzer=study.analyzer,
        caps=Caps(tokens=study.max_tokens, usd=study.max_usd),
        at_once=study.at_once,
        measure_seconds=study.measure_seconds,
        definitions=tuple(method for method in methods if isinstance(method, Definition)),
        without_teacher=tuple(method.name for method in methods if not method.teacher),
    )


def _read_tables(file: Path) -> tuple[StudyFile, dict[str, ProblemTable]]:
    """What a file says, and the tables of its problems by what they are called there."""
    whole = parse_toml(file)
    known = {entry.name for entry in fields(StudyFile)}
    study = read_table(str(file), {k: v for k, v in whole.items() if k in known}, StudyFile)
    shorts = [_short(problem) for problem in study.problems]
    for key in whole:
        if key not in (*known, *shorts):
            raise UnknownName(f"key of {file}", key, (*known, *shorts))
    tables = {
        short: read_table(f"{file}: [{short}]", whole.get(short, {}), ProblemTable)
        for short in shorts
    }
    _refuse_doubles(f"{file}: problems", study.problems)
    _refuse_doubles(f"{file}: seeds", study.seeds)
    for short, table in tables.items():
        _refuse_doubles(f"{file}: [{short}]: sets", table.sets)
        _refuse_doubles(f"{file}: [{short}]: solvers", table.solvers)
    return study, tables


def _task(study: StudyFile, problem: str, tables: Mapping[str, ProblemTable]) -> Task:
    own = tables[_short(problem)]
    others = tables.keys() - {_short(problem)}
    pairs = (
        f"{key}={value}"
        for key, value in (_flatten(study.settings) | _flatten(own.settings)).items()
        if key.partition(".")[0] not in others
    )
    ref, settings = resolve(problem, pairs, study.preset or None)
    if not settings.calls and not settings.total_children:
        settings = amend(settings, {"calls": str(CALLS)})
    return Task(ref, own.teacher, settings, own.sets, own.solvers)


def _refuse_sourceless(file: Path, words: Sequence[str]) -> None:
    """A method that is read off another's runs needs those."""
    for word in words:
        source = READ_OFF.get(word, word)
        if source not in words:
            raise UserError(
                f"{file}: {word} is read off the runs of {source}; add {source} to methods"
            )


def _refuse_doubles(name: str, items: Iterable[object]) -> None:
    item, count = max(Counter(items).items(), key=lambda pair: pair[1], default=("", 0))
    if count > 1:
        raise UserError(f"{name} names {item} twice")


def _flatten(settings: Mapping[str, Any]) -> dict[str, str]:
    """A table `settings` as options; a table inside it holds a problem's own."""
    found: dict[str, str] = {}
    for key, value in settings.items():
        inner = value.items() if isinstance(value, dict) else [("", value)]
        found |= {f"{key}.{name}" if name else key: str(item) for name, item in inner}
    return found


def _short(problem: str) -> str:
    """What the table of a problem is called: its name, or that of its folder or file."""
    return Path(problem).stem
