"""Settings: every number the paper leaves open has a name, a default and one place.

Order of precedence: option on the command line, environment (`PRECEPTOR_*`), `preceptor.toml`,
preset, default.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from engine.domain.specs.endpoint import Endpoint  # noqa: TC001 (the same)
from engine.domain.specs.method_definition import Definition  # noqa: TC001 (the codec reads annotations at run time)
from engine.domain.text.toml_table import parse_toml, read_table
from engine.domain.values import Align
from problems import ProblemRef
from problems.errors import UnknownName, UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FILE = Path("preceptor.toml")
"""Where a user's settings and language models are."""

Start = Literal["seeds", "contract"]
"""Where generation 0 comes from: the problem's seed programs, or a writer that sees no program."""

PRESETS: dict[str, dict[str, str]] = {
    "paper": {"population": "10", "generations": "5", "children": "5", "align": "agreement"},
}
"""Settings that the paper fixes; everything else keeps its default."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One run's named settings (design 3). Empty text and 0 mean: the problem's own default.

    With `start` contract a writer is asked for the first programs, as many as the population has
    members; these calls count, and the programs are no children.

    `selection` is the set on which the winner is chosen, `none` for nowhere. `cascade` are the
    standard errors behind the worst survivor at which a child's evaluation stops, 0 for never.
    `advice` are the disagreements with the teacher that are checked for every program it comments
    on, -1: as many as the method's own.

    A search ends after `generations`. Where `calls` or `total_children` is set, generations open
    until exactly so many calls are made (repairs and reflections included) or children asked for,
    the last one partly; such a run ends as done, and `generations` counts for nothing. Of both,
    the one that is reached first ends it. A cap (`Caps`) may be raised later and ends a run as
    budget; these two are part of what the run is. Where `patience` is not 0, so many generations
    in a row without a better program end a search as well. `prompt_code` are the characters that a
    prompt may spend on the best program's code, and the analyzer's on that of all others.

    Parents drawn by `island` come from one of `islands`, whose worse half begins anew after every
    `island_generations`.

    Operator tune searches over constants for `tune_seconds` CPU seconds, reckoned from those of
    the parent's evaluation. So is every child tuned, before it is judged, for
    `tune_child_seconds`, and the program that a run returns, at its end, for
    `tune_winner_seconds`; 0: it is not. Where `tune_rollouts` is not 0, each of these takes so
    many solved instances instead.
    """

    population: int = 10
    generations: int = 5
    children: int = 5
    calls: int = 0
    total_children: int = 0
    patience: int = 0
    operators: str = ""
    start: Start = "seeds"
    top_k: int = 5
    lambda_: float = 0.5
    states: int = 0
    phases: int = 0
    sampling_seed: int = 0
    cases: int = 12
    align: Align = "agreement"
    advice: int = -1
    teacher_every: int = 1
    islands: int = 10
    island_generations: int = 10
    tune_seconds: float = 8.0
    tune_rollouts: int = 0
    tune_child_seconds: float = 0.0
    tune_winner_seconds: float = 0.0
    design: str = ""
    selection: str = ""
    cascade: float = 4.0
    eval_seconds: float = 240.0
    memory_mb: int = 2048
    prompts: str = ""
    prompt_code: int = 16_000
    llm_concurrency: int = 4
    eval_concurrency: int = 0

    def __post_init__(self) -> None:
        """Refuse values outside their range. Raises UserError that names the setting."""
        for name, low in _LEAST.items():
            if getattr(self, name) < low:
                raise UserError(f"option {option_name(name)} must be at least {low}")
        if not 0 <= self.lambda_ < 1:
            raise UserError("option lambda must be at least 0 and below 1")
        if self.align not in get_args(Align):
            raise UnknownName("alignment", self.align, get_args(Align))
        if self.start not in get_args(Start):
            raise UnknownName("start", self.start, get_args(Start))


_LEAST = {
    "population": 2,
    "generations": 0,
    "children": 1,
    "calls": 0,
    "total_children": 0,
    "patience": 0,
    "top_k": 1,
    "states": 0,
    "phases": 0,
    "cases": 0,
    "advice": -1,
    "teacher_every": 1,
    "islands": 1,
    "island_generations": 1,
    "tune_seconds": 0,
    "tune_rollouts": 0,
    "tune_child_seconds": 0,
    "tune_winner_seconds": 0,
    "cascade": 0,
    "eval_seconds": 1,
    "memory_mb": 128,
    "prompt_code": 0,
    "llm_concurrency": 1,
    "eval_concurrency": 0,
}

NO_SELECTION = "none"
"""The word for a run that returns the best on its design set."""

RESULT_NEUTRAL = ("llm_concurrency", "eval_concurrency")
"""Settings that change how long a run takes and nothing else."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What a run may spend; None is no cap. They may be raised when a run is resumed."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class ExtraSeed:
    """A program that joins the seeds of a problem in one run; `name` is what was typed.

    `name` of a survivor of a run is `run:N/ID`.
    """

    name: str
    idea: str
    code: str


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Everything that a run is a function of, besides code versions and replies.

    `endpoints` are the language models that `writer` and `analyzer` name (`writer_config`),
    `definition` is the method where a file of the user's defines it (`method_file.load_method`),
    `prompts` are the texts of a folder of the user's (`prompts.custom.load_prompts`), while
    `extra_seeds` join the problem's seeds (`program_file.read_extra_seeds`). `arm` is what a study
    calls the run where its method alone does not tell it apart.
    """

    problem: ProblemRef
    method: str = "ours"
    seed: int = 0
    writer: str = "builtin"
    analyzer: str = ""
    teacher: str = ""
    settings: Settings = Settings()
    caps: Caps = Caps()
    endpoints: tuple[Endpoint, ...] = ()
    definition: Definition | None = None
    prompts: tuple[tuple[str, str], ...] = ()
    arm: str = ""
    extra_seeds: tuple[ExtraSeed, ...] = ()

    @property
    def label(self) -> str:
        """What tables and screens call it: its arm in a study, else its method."""
        return self.arm or self.method


class SettingsFile(TypedDict, total=False):
    """The parts of `preceptor.toml`: settings by option, language models by name."""

    settings: dict[str, Any]
    writers: dict[str, dict[str, Any]]


def read_file(file: Path = FILE) -> SettingsFile:
    """A settings file; empty where there is none. Raises UserError."""
    return read_table(str(file), parse_toml(file) if file.is_file() else {}, SettingsFile)


def option_name(field: str) -> str:
    """The word a user types for a settings field (`lambda_` is a Python necessity)."""
    return field.rstrip("_")


def option_names() -> tuple[str, ...]:
    """All words that `--option` accepts."""
    return tuple(option_name(field.name) for field in fields(Settings))


def describe_settings(spec: RunSpec) -> dict[str, Any]:
    """Everything that was asked for: names, caps, every named setting, the problem's options."""
    return {
        "problem": spec.problem.name,
        "method": spec.method,
        "seed": spec.seed,
        "writer": spec.writer,
        "analyzer": spec.analyzer or spec.writer,
        "teacher": spec.teacher or None,
        "extra_seeds": [program.name for program in spec.extra_seeds],
        "caps": asdict(spec.caps),
        "options": {option_name(name): value for name, value in asdict(spec.settings).items()},
        "problem_options": dict(spec.problem.options),
    }


def resolve(
    problem: str,
    options: Iterable[str] = (),
    preset: str | None = None,
    environment: Mapping[str, str] = os.environ,
    file: Path = FILE,
) -> tuple[ProblemRef, Settings]:
    """Settings of a run from all their sources, and the problem with its own options.

    `options` are `KEY=VALUE` words; `jssp.state=wide` goes to the problem named jssp.
    Raises UnknownName for an unknown key or preset and UserError for a value that does not fit.
    """
    if preset is not None and preset not in PRESETS:
        raise UnknownName("preset", preset, PRESETS)
    typed = split_options(options)
    own, general = _part(problem, typed)
    merged = {
        **(PRESETS[preset] if preset else {}),
        **{key: str(value) for key, value in read_file(file).get("settings", {}).items()},
        **_from_environment(environment),
        **general,
    }
    return ProblemRef(problem, tuple(sorted(own.items()))), amend(Settings(), merged)


def amend(settings: Settings, values: Mapping[str, str]) -> Settings:
    """Settings with some values, given as text, replaced. Raises UnknownName and UserError."""
    by_option = {option_name(field.name): field.name for field in fields(Settings)}
    changes: dict[str, Any] = {}
    for key, text in values.items():
        if key not in by_option:
            raise UnknownName("option", key, by_option)
        changes[by_option[key]] = _convert(key, text, getattr(settings, by_option[key]))
    return replace(settings, **changes)


def _convert(key: str, text: str, like: object) -> object:
    kind = {int: int, float: float}.get(type(like), str)
    try:
        return kind(text)
    except ValueError:
        word = "a whole number" if kind is int else "a number"
        raise UserError(f"option {key} takes {word}, not {text!r}") from None


def split_options(options: Iterable[str]) -> dict[str, str]:
    """`KEY=VALUE` words by their keys. Raises UserError for another word."""
    pairs = {}
    for option in options:
        key, equals, value = option.partition("=")
        if not equals:
            raise UserError(f"an option is written KEY=VALUE, not {option!r}")
        pairs[key.strip()] = value.strip()
    return pairs


def _part(problem: str, pairs: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    prefix = f"{Path(problem).stem}."
    own = {k.removeprefix(prefix): v for k, v in pairs.items() if k.startswith(prefix)}
    return own, {k: v for k, v in pairs.items() if not k.startswith(prefix)}


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    names = {f"PRECEPTOR_{option.upper()}": option for option in option_names()}
    return {names[key]: value for key, value in environment.items() if key in names}
