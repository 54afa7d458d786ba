"""A study as a TOML file (examples: `studies/`), read into a `StudySpec` or refused in a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from engine.domain.specs.endpoint import Amount
from engine.domain.specs.method_definition import Definition
from engine.domain.specs.settings import (
    RESULT_NEUTRAL,
    Caps,
    Settings,
    amend,
    refuse_generations,
    resolve,
)
from engine.domain.specs.study import PATIENCE, READ_OFF, Arm, StudySpec, Task
from engine.domain.text.figures import read_time_span
from engine.domain.text.toml_table import parse_toml, read_table
from engine.search.methods.method_file import SUFFIX, read_definition
from engine.search.methods.methods import find
from engine.search.methods.types import Method
from problems.errors import UnknownName, UserError

SHARED = ("design", "eval_seconds", "decision_ms", "memory_mb", *RESULT_NEUTRAL)
"""Settings of the processes that all runs of a problem share, and of what they are compared on."""

CALLS = 30
"""Calls of a run unless the study's settings say when it ends (paper, "LLM budget")."""


@dataclass(frozen=True, slots=True)
class ArmTable:
    """What the table of one arm, `[arms.NAME]`, may hold."""

    method: str
    teacher: str = ""
    writer: str = ""
    analyzer: str = ""
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BudgetTable:
    """What `[budget]` may hold: what all runs of the study may spend together."""

    calls: Annotated[int, Meta(ge=0)] | None = None
    tokens: Annotated[int, Meta(ge=0)] | None = None
    usd: Amount | None = None
    time: str | None = None


@dataclass(frozen=True, slots=True)
class StudyFile:
    """What the file of a study may hold, besides a table for each of its problems."""

    problems: Annotated[tuple[str, ...], Meta(min_length=1)]
    methods: tuple[str, ...] = ()
    seeds: Annotated[tuple[Annotated[int, Meta(ge=0)], ...], Meta(min_length=1)] = (0, 1, 2)
    writer: str = "builtin"
    analyzer: str = ""
    preset: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    arms: dict[str, ArmTable] = field(default_factory=dict)
    max_tokens: Annotated[int, Meta(ge=0)] | None = None
    max_usd: Amount | None = None
    max_time: str | None = None
    budget: BudgetTable = field(default_factory=BudgetTable)
    at_once: Annotated[int, Meta(ge=1)] | None = None
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
    words = study.methods or (() if study.arms else ("ours",))
    _refuse_sourceless(file, words)
    methods = [_read_method(word) for word in words]
    arms = [_read_arm(file, name, table) for name, table in study.arms.items()]
    names = (*(method.name for method in methods), *study.arms)
    _refuse_doubles(f"{file}: methods and arms", names)
    methods += [method for _, method in arms]
    defined = [method for method in methods if isinstance(method, Definition)]
    return StudySpec(
        name=file.stem,
        tasks=tuple(_task(study, name, tables) for name in study.problems),
        methods=names,
        seeds=study.seeds,
        writer=study.writer,
        analyzer=study.analyzer,
        caps=Caps(
            tokens=study.max_tokens,
            usd=study.max_usd,
            seconds=_seconds(f"{file}: max_time", study.max_time),
        ),
        budget=Caps(
            study.budget.calls,
            study.budget.tokens,
            study.budget.usd,
            _seconds(f"{file}: [budget]: time", study.budget.time),
        ),
        at_once=study.at_once or 0,
        measure_seconds=study.measure_seconds,
        definitions=tuple({method.name: method for method in defined}.values()),
        without_teacher=tuple(dict.fromkeys(m.name for m in methods if not m.teacher)),
        arms=tuple(arm for arm, _ in arms),
    )


def _seconds(place: str, text: str | None) -> float | None:
    """Those of a time span that is written at a place. Raises UserError."""
    try:
        return None if text is None else read_time_span(text)
    except UserError as error:
        raise UserError(f"{place}: {error}") from error


def _read_method(word: str) -> Definition | Method:
    return read_definition(Path(word)) if word.endswith(SUFFIX) else find(word)


def _read_arm(file: Path, name: str, table: ArmTable) -> tuple[Arm, Definition | Method]:
    """An arm and its method. Raises UserError for a setting that all runs of a study share."""
    method = _read_method(table.method)
    if method.name in READ_OFF:
        raise UserError(f"{file}: [arms.{name}]: {method.name} has no runs of its own")
    if table.teacher and not method.teacher:
        raise UserError(f"{file}: [arms.{name}]: method {method.name} does not use a teacher")
    settings = _flatten(table.settings)
    for key in settings:
        if key in SHARED or "." in key:
            raise UserError(f"{file}: [arms.{name}]: {key} is the same for all arms of a study")
    amend(Settings(), settings)
    arm = Arm(
        name, method.name, table.teacher, table.writer, table.analyzer, tuple(settings.items())
    )
    return arm, method


def _read_tables(file: Path) -> tuple[StudyFile, dict[str, ProblemTable]]:
    """What a file says, and the tables of its problems by what they are called there."""
    whole = parse_toml(file)
    known = {entry.name for entry in fields(StudyFile)}
    study = read_table(str(file), {k: v for k, v in whole.items() if k in known}, StudyFile)
    shorts = [_short(problem) for problem in study.problems]
    for key in whole:
        if key == "name":
            raise UserError(f"{file}: a study is called by its file's name, {file.stem}")
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
    ref, settings = resolve(problem, pairs, study.preset or None, calls=CALLS)
    for arm in study.arms.values():
        if "generations" in arm.settings:
            refuse_generations(amend(settings, _flatten(arm.settings)))
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
