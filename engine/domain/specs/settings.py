"""Settings: every number the paper leaves open has a name, a default and one place.

Order of precedence: option on the command line, preset, environment (`PRECEPTOR_*`),
`preceptor.toml`, default. What is typed goes before what lies around.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, TypedDict, get_args

import problems
from engine.domain.names import ON_END, split_names
from engine.domain.specs.endpoint import Endpoint
from engine.domain.specs.method_definition import Definition
from engine.domain.text.plain_text import one_line
from engine.domain.text.toml_table import parse_toml, read_table
from engine.domain.values import Align
from problems import ProblemRef
from problems.errors import UnknownName, UserError

FILE = Path("preceptor.toml")
"""Where a user's settings and language models are."""

VARIABLE = "PRECEPTOR_"
"""How names of our variables in the environment begin."""

KEY = "_KEY"
"""How the name of a variable may end that holds a user's key (`api_key_env`)."""

VARIABLES = (
    *("PRECEPTOR_DB", "PRECEPTOR_DATA", "PRECEPTOR_TEACHERS", "PRECEPTOR_READ_ONLY"),
    *("PRECEPTOR_UI_HZ", ON_END, "PRECEPTOR_JOB", "PRECEPTOR_STATUS"),
)
"""Those that are no settings: places, the screens, what follows a job and what that is told."""

Start = Literal["seeds", "contract"]
"""Where generation 0 comes from: the problem's seed programs, or a writer that sees no program."""

PromptTeacher = Literal["always", "helpful"]
"""When prompts tell what the teacher says: in any generation, or where its advice has helped."""

WritersBy = Literal["operator", "bandit"]
"""How several writers share a run: one an operator, or drawn by what their children gained."""

LOCAL = "local"
"""The word for evaluating programs on this machine, in processes of the engine's."""

DASK = "dask:"
"""What the address of a Dask scheduler follows, whose workers evaluate programs."""

PRESETS: dict[str, dict[str, str]] = {
    "paper": {"population": "10", "generations": "5", "children": "5", "align": "agreement"},
}
"""Settings that the paper fixes; everything else keeps its default."""


@dataclass(frozen=True, slots=True)
class Settings:
    """One run's named settings (design 3). Empty text and 0 mean: the problem's own default.

    What each means is said in `MEANINGS`. A search ends after `generations`, or exactly with
    `calls` or `total_children`; of these two the one that is reached first ends it, as done. A
    cap (`Caps`) may be raised later and ends a run as budget; these are part of what the run is.
    """

    population: int = 10
    generations: int = 5
    children: int = 5
    calls: int = 0
    total_children: int = 0
    patience: int = 0
    operators: str = ""
    writers: WritersBy = "operator"
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
    tune_child_seconds: float = -1.0
    design: str = ""
    selection: str = ""
    cascade: float = 4.0
    decision_ms: float = 0.1
    eval_seconds: float = 240.0
    memory_mb: int = 2048
    prompts: str = ""
    prompt_code: int = 16_000
    prompt_teacher: str = ""
    llm_concurrency: int = 4
    eval_concurrency: int = 0
    executor: str = LOCAL
    outage_seconds: float = 21_600.0

    def __post_init__(self) -> None:
        """Refuse values outside their range. Raises UserError that names the setting."""
        for name, low in _LEAST.items():
            if getattr(self, name) < low:
                raise UserError(f"option {option_name(name)} must be at least {low}")
        if not 0 <= self.lambda_ < 1:
            raise UserError("option lambda must be at least 0 and below 1")
        if self.align not in CHOICES["align"]:
            raise UnknownName("alignment", self.align, CHOICES["align"])
        if self.writers not in CHOICES["writers"]:
            raise UnknownName("writers", self.writers, CHOICES["writers"])
        if self.start not in CHOICES["start"]:
            raise UnknownName("start", self.start, CHOICES["start"])
        if self.prompt_teacher and self.prompt_teacher not in CHOICES["prompt_teacher"]:
            raise UnknownName("prompt_teacher", self.prompt_teacher, CHOICES["prompt_teacher"])
        kind, _, place = self.executor.partition("://")
        if self.executor != LOCAL and not (kind.startswith(DASK) and place):
            raise UserError(
                f"option executor is {LOCAL} or {DASK}ADDRESS, such as {DASK}tcp://127.0.0.1:8786"
            )


CHOICES: dict[str, tuple[str, ...]] = {
    "align": get_args(Align),
    "writers": get_args(WritersBy),
    "start": get_args(Start),
    "prompt_teacher": get_args(PromptTeacher),
}
"""The words that a setting takes, where only these are valid."""


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
    "tune_child_seconds": -1,
    "cascade": 0,
    "decision_ms": 0,
    "eval_seconds": 1,
    "memory_mb": 128,
    "prompt_code": 0,
    "llm_concurrency": 1,
    "eval_concurrency": 0,
    "outage_seconds": 0,
}

MEANINGS = {
    "population": "programs that survive a generation",
    "generations": "rounds of the search",
    "children": "programs asked for in a generation",
    "calls": (
        "end after exactly so many calls to the writers, repairs and reflections included, in the "
        "place of generations; 0: off"
    ),
    "total_children": (
        "end after exactly so many children, in the place of generations; seeds and first "
        "programs are no children and do not count; 0: off"
    ),
    "patience": "end after so many generations in a row without a better program; 0: off",
    "operators": "operators that make children by turns, such as s,p,m,tune",
    "writers": (
        "how several writers (--llm A,B) share the children: by operator, in turn, or drawn by a "
        "bandit on what their children gained over their parents"
    ),
    "start": (
        "first programs: the problem's seeds, or as many as the population has members that a "
        "writer makes of the contract; their calls count"
    ),
    "top_k": "members of a ranking among which parents are drawn",
    "lambda": "weight of the alignment rank against that of the cost",
    "states": "states of a program on which the teacher is asked",
    "phases": "parts of a rollout, one state is taken of each",
    "sampling_seed": "draws the states, the same for every candidate",
    "cases": (
        "states that are kept of a program with what the teacher prefers; prompts show the most "
        "telling few"
    ),
    "align": "what of the teacher's verdict counts beside the cost",
    "advice": (
        "disagreements with the teacher that are checked for every program it comments on; -1: as "
        "many as the method's own"
    ),
    "teacher_every": "generations from one question to the teacher to the next",
    "islands": "islands, where parents are drawn from islands",
    "island_generations": "generations after which the worse half of the islands begins anew",
    "tune_seconds": (
        "CPU seconds that operator tune searches over constants, reckoned from its parent's"
    ),
    "tune_rollouts": (
        "solved instances that a search over constants takes, in the place of seconds"
    ),
    "tune_child_seconds": (
        "CPU seconds that every child is tuned before it is judged; -1: the method's own, where "
        "rules are compiled"
    ),
    "design": "the instance set that programs are evaluated on",
    "selection": "the set on which the winner is chosen; none: nowhere",
    "cascade": (
        "standard errors behind the worst survivor at which a child's evaluation stops; 0: never"
    ),
    "decision_ms": (
        "CPU milliseconds that a rule may take for a decision, averaged over the design set, "
        "where rules are compiled; 0: as long as eval_seconds allows"
    ),
    "eval_seconds": "CPU seconds that a program may take on a set, at most",
    "memory_mb": "memory that a program may take",
    "prompts": "folder of prompts of one's own: preceptor prompts export DIR",
    "prompt_code": (
        "characters of the best program's code in a prompt, and of all others' together"
    ),
    "prompt_teacher": (
        "when prompts tell what the teacher says: always, or until the best program beats it or "
        "its checked advice saves nothing"
    ),
    "llm_concurrency": "requests to language models at once",
    "eval_concurrency": "programs that are evaluated at once",
    "executor": (
        "where programs are evaluated: local, or dask:ADDRESS of a Dask scheduler, whose workers "
        "do it"
    ),
    "outage_seconds": (
        "how long calls wait for a language model that is down, and evaluations for a worker of "
        "a cluster without any, before the run pauses"
    ),
}
"""What each setting is for, in the words of `preceptor settings`."""

NO_SELECTION = "none"
"""The word for a run that returns the best on its design set."""

GOALS = ("calls", "total_children")
"""Settings that end a run instead of generations."""

RESULT_NEUTRAL = ("llm_concurrency", "eval_concurrency", "executor", "outage_seconds")
"""Settings that change how long a run takes and nothing else."""


@dataclass(frozen=True, slots=True)
class Caps:
    """What a run may spend; None is no cap. They may be raised when a run is resumed.

    `seconds` are those that the run is at work, its pauses not counted.
    """

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None


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

    `writer` may name several, with commas between them. `endpoints` are the language
    models that `writer` and `analyzer` name (`writer_config`), `definition` is the method where a
    file of the user's defines it (`method_file.load_method`),
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
    def writers(self) -> tuple[str, ...]:
        """Who writes programs: one, or several that share the children."""
        return split_names(self.writer)

    @property
    def reflector(self) -> str:
        """Who reflects: the analyzer, where none is named the first writer."""
        return self.analyzer or self.writers[0]

    @property
    def label(self) -> str:
        """What tables and screens call it, in one line: its arm in a study, else its method."""
        return one_line(self.arm or self.method)


class SettingsFile(TypedDict, total=False):
    """The tables of `preceptor.toml`: settings by option, language models by name, own keys."""

    settings: dict[str, Any]
    writers: dict[str, dict[str, Any]]
    keys: dict[str, Any]


def read_file(file: Path = FILE) -> SettingsFile:
    """A settings file; empty where there is none.

    Raises UnknownName for a table that has no meaning, and UserError.
    """
    found = parse_toml(file) if file.is_file() else {}
    tables = SettingsFile.__annotations__
    for key in found.keys() - tables.keys():
        if key in option_names():
            raise UserError(f"{file}: {key} is a setting; it belongs below a line [settings]")
        raise UnknownName(f"table of {file}", key, tables)
    return read_table(str(file), found, SettingsFile)


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
        "analyzer": spec.reflector,
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
    calls: int = 0,
) -> tuple[ProblemRef, Settings]:
    """Settings of a run from all their sources, and the problem with its own options.

    `options` are `KEY=VALUE` words; `tsp.nint=true` goes to the problem named tsp. `calls` is
    where the run ends unless a source other than a preset says where.
    Raises UnknownName for an unknown key or preset and UserError for a value that does not fit.
    """
    own, general = _part(problem, split_options(options))
    _refuse_unplaced(problem, general)
    sources = _sources(general, preset, environment, file)
    merged = {key: value for source in sources for key, value in source.values.items()}
    settings = amend(Settings(), merged)
    asked = [source.values for source in sources if source.name != f"preset {preset}"]
    _refuse_idle(settings, asked)
    if not any(goal in values for values in asked for goal in ("generations", *GOALS)):
        settings = replace(settings, calls=settings.calls or calls)
    return ProblemRef(problem, tuple(sorted(own.items()))), settings


def _refuse_idle(settings: Settings, asked: Sequence[Mapping[str, str]]) -> None:
    """Raises UserError for generations that are asked for beside the goal that ends the run.

    `asked` are sources, the one that counts most the last: a goal of one further on stands for
    another end than generations asked for before.
    """
    named = [place for place, values in enumerate(asked) if "generations" in values]
    later = asked[named[-1] + 1 :] if named else asked
    goals = {goal for goal in GOALS if getattr(settings, goal)}
    if named and not any(goals & values.keys() for values in later):
        refuse_generations(settings)


def refuse_generations(settings: Settings) -> None:
    """Raise UserError where the settings have another goal than generations."""
    for goal in GOALS:
        if count := getattr(settings, goal):
            raise UserError(
                f"option generations does nothing beside {goal}={count}, which ends the run; "
                f"leave one out, or say {goal}=0"
            )


@dataclass(frozen=True, slots=True)
class KnownSetting:
    """A setting as a user may look it up: its value now, and `source`, which says so.

    `kind` are the values that it takes, in words.
    """

    name: str
    value: object
    source: str
    default: object
    kind: str
    meaning: str


def list_settings(
    options: Iterable[str] = (),
    preset: str | None = None,
    environment: Mapping[str, str] = os.environ,
    file: Path = FILE,
) -> tuple[KnownSetting, ...]:
    """Every setting with the value that a run would have here. Raises what `resolve` does."""
    words = split_options(options)
    sources = _sources(words, preset, environment, file)
    now = amend(Settings(), {k: v for source in sources for k, v in source.values.items()})
    said = {key: source.name for source in sources for key in source.values}
    return tuple(
        KnownSetting(
            option_name(known.name),
            getattr(now, known.name),
            said.get(option_name(known.name), "default"),
            known.default,
            _describe_kind(known.name, known.default),
            MEANINGS[option_name(known.name)],
        )
        for known in fields(Settings)
    )


def _describe_kind(name: str, default: object) -> str:
    """The values that a setting takes, in words."""
    if name in CHOICES:
        return ", ".join(CHOICES[name])
    if name == "lambda_":
        return "a number from 0, below 1"
    word = {int: "a whole number", float: "a number"}.get(type(default), "text")
    return f"{word} from {_LEAST[name]}" if name in _LEAST else word


@dataclass(frozen=True, slots=True)
class _Source:
    """Where settings come from, as a user knows it, and those that it names."""

    name: str
    values: Mapping[str, str]


def _sources(
    typed: Mapping[str, str], preset: str | None, environment: Mapping[str, str], file: Path
) -> tuple[_Source, ...]:
    """All sources of settings, the one that counts most the last.

    Raises UnknownName for a preset, UserError for a file.
    """
    if preset is not None and preset not in PRESETS:
        raise UnknownName("preset", preset, PRESETS)
    in_file = {key: str(value) for key, value in read_file(file).get("settings", {}).items()}
    return (
        _Source(str(file), in_file),
        _Source("environment", _from_environment(environment)),
        _Source(f"preset {preset}", PRESETS[preset] if preset else {}),
        _Source("--option", typed),
    )


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


def kind_words(problem: str, kind: str | None) -> tuple[str, ...]:
    """The kind of a problem's programs as a `KEY=VALUE` word; none without one."""
    return (f"{Path(problem).stem}.kind={kind}",) if kind else ()


def _refuse_unplaced(problem: str, pairs: Mapping[str, str]) -> None:
    """Raises UserError for an option of the problem without the problem's name before it."""
    for key in pairs.keys() - set(option_names()):
        if key in problems.option_names(problem):
            raise UserError(f"{key} is an option of {problem}: --option {problem}.{key}=VALUE")


def _part(problem: str, pairs: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    prefix = f"{Path(problem).stem}."
    own = {k.removeprefix(prefix): v for k, v in pairs.items() if k.startswith(prefix)}
    return own, {k: v for k, v in pairs.items() if not k.startswith(prefix)}


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Settings by `PRECEPTOR_KEY`. Raises UnknownName for a variable that has no meaning."""
    names = {f"{VARIABLE}{option.upper()}": option for option in option_names()}
    ours = [key for key in environment if key.startswith(VARIABLE)]
    for key in ours:
        if key not in names and key not in VARIABLES and not key.endswith(KEY):
            raise UnknownName("variable", key, (*names, *VARIABLES))
    return {names[key]: environment[key] for key in ours if key in names}
