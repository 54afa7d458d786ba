"""What forms ask for, and the words of the command line that say the same."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import problems
import teachers
from engine.domain.names import AUTO, ROLLOUT
from problems.errors import UserError
from problems.sets.library import holdings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.api.resolve import Answering, RunRequest
    from engine.domain.specs.settings import Caps

    Words = tuple[str, ...]


def _plain(value: str) -> Words:
    return (value,)


@dataclass(frozen=True, slots=True)
class FormField:
    """One thing to ask for.

    `begin` is what stands there at first, `blank` what an empty field means, `about` what may be
    typed; `known` lists values to step through, none for a number. `words` says a value on the
    command line.
    """

    name: str
    begin: str
    blank: str
    about: str
    known: Callable[[], tuple[str, ...]] | None = None
    words: Callable[[str], Words] = _plain

    @property
    def required(self) -> bool:
        """Whether the command cannot do without it."""
        return self.words is _plain and not self.blank


def behind(flag: str) -> Callable[[str], Words]:
    """The words of a value behind a flag."""
    return lambda value: (flag, value)


def each_behind(flag: str) -> Callable[[str], Words]:
    """The words of several values, divided by blanks, each behind a flag."""
    return lambda values: tuple(word for value in split(values) for word in (flag, value))


def setting(name: str) -> Callable[[str], Words]:
    """The words of a setting."""
    return lambda value: ("--option", f"{name}={value}")


def switch(flag: str) -> Callable[[str], Words]:
    """The flag itself, for `yes`."""
    return lambda value: (flag,) if value == "yes" else ()


def split(text: str) -> list[str]:
    """Values divided by blanks; one that holds blanks stands in quotes, as in a shell."""
    try:
        return shlex.split(text)
    except ValueError:  # a quote that is still open
        return text.split()


def begin_with(fields: Sequence[FormField], **begins: str) -> tuple[FormField, ...]:
    """The fields with other values at first, by their names (`_` for a blank)."""
    told = {name.replace("_", " "): value for name, value in begins.items()}
    return tuple(replace(field, begin=told.get(field.name, field.begin)) for field in fields)


def typed_words(fields: Sequence[FormField], values: Mapping[str, str]) -> Words:
    """What to type behind the command; fields that say nothing new are left out.

    A required one that is empty stands there by its name, as in the help of the command.
    """
    typed: list[str] = []
    for field in fields:
        value = values[field.name].strip()
        if field.required:
            typed.append(value or field.name.upper())
        elif value not in ("", field.blank):
            typed += field.words(value)
    return tuple(typed)


def _methods() -> tuple[str, ...]:
    from engine.api.resolve import method_names  # it takes the engine's modules to load

    return method_names()


def _writers() -> tuple[str, ...]:
    from engine.api.resolve import writer_names

    return writer_names()


def _analyzers() -> tuple[str, ...]:
    return ("", *_writers())


def _teachers() -> tuple[str, ...]:
    return ("", *teachers.names(), ROLLOUT, AUTO)


_WRITERS = "builtin needs no model; or openai:MODEL, replay:RUN, FILE.py:CLASS; several as A,B"
_OPTIONS = FormField(
    "options",
    "",
    "none",
    "KEY=VALUE, divided by blanks: population=20 children=8",
    words=each_behind("--option"),
)
_CAPS = (
    FormField("max calls", "", "no cap", "writer calls at most", words=behind("--max-calls")),
    FormField("max tokens", "", "no cap", "tokens at most", words=behind("--max-tokens")),
    FormField("max usd", "", "no cap", "US dollars at most", words=behind("--max-usd")),
    FormField("max time", "", "no cap", "time at work: 30m, 1h30m", words=behind("--max-time")),
)

RUN = (
    FormField(
        "problem", "jssp", "", "a problem's name, or the folder of your own", problems.names
    ),
    FormField(
        "method", "preceptor", "preceptor", "the search method", _methods, behind("--method")
    ),
    FormField("writer", "builtin", "builtin", _WRITERS, _writers, behind("--llm")),
    FormField(
        "teacher",
        "",
        "the problem's own",
        "who comments on decisions; or program:FILE.py; several as A,B",
        _teachers,
        behind("--teacher"),
    ),
    FormField(
        "seed",
        "0",
        "0",
        "seeds every draw of the search; several, divided by blanks, are as many runs",
        words=behind("--seed"),
    ),
    FormField(
        "generations", "", "5", "how often the population is renewed", words=setting("generations")
    ),
    FormField(
        "analyzer", "", "the writer", "who writes briefs", _analyzers, behind("--analyzer-llm")
    ),
    FormField(
        "design", "", "the problem's", "the set that is searched on", words=behind("--design")
    ),
    FormField(
        "kind",
        "",
        "the problem's own",
        "rule: programs decide step by step; whole: they return a whole solution",
        lambda: ("", "rule", "whole"),
        behind("--kind"),
    ),
    FormField("preset", "", "none", "settings by name", lambda: ("", "paper"), behind("--preset")),
    FormField(
        "start",
        "",
        "the seeds alone",
        "programs to start from, too: FILE.py, run:N/ID, or a run's number for its survivors",
        words=each_behind("--start"),
    ),
    *_CAPS,
    _OPTIONS,
)
"""A new run."""

RESUME = (
    *_CAPS,
    FormField(
        "generations", "", "as they are", "how many it shall have", words=setting("generations")
    ),
    FormField(
        "fork",
        "no",
        "no",
        "yes: as another run, from the last closed generation; others may answer it then",
        lambda: ("no", "yes"),
        switch("--fork"),
    ),
    FormField("writer", "", "the same", _WRITERS, _analyzers, behind("--llm")),
    FormField(
        "analyzer", "", "the same", "who writes briefs", _analyzers, behind("--analyzer-llm")
    ),
    FormField(
        "teacher", "", "the same", "who comments on decisions", _teachers, behind("--teacher")
    ),
    _OPTIONS,
)
"""A run that goes on with more, or as another."""


def list_measure_fields(problem: str) -> dict[str, tuple[FormField, ...]]:
    """What `bench`, `tune` and `diagnose` ask for, by their names, for a problem."""

    def sets() -> tuple[str, ...]:
        return ("", *(one.name for one in holdings() if one.problem == problem))

    whose = FormField("problem", problem, "", "a problem's name, or the folder of your own")
    program = FormField("program", "", "", "a file, run:N or run:N/ID")
    measured = FormField("sets", "", "the design set", "instance sets", sets, each_behind("--set"))
    return {
        "bench": (
            whose,
            replace(program, words=each_behind("--program")),
            measured,
            FormField("solvers", "", "none", "classical rules", words=each_behind("--solver")),
            FormField("teachers", "", "none", "teachers", _teachers, each_behind("--teacher")),
            _OPTIONS,
        ),
        "tune": (
            whose,
            program,
            FormField("output", "tuned.py", "", "the new file", words=behind("--output")),
            replace(measured, blank="none", about="sets to measure before and after"),
            FormField("seconds", "30", "30", "CPU seconds to search", words=behind("--seconds")),
            FormField("seed", "0", "0", "the seed of the search", words=behind("--seed")),
            _OPTIONS,
        ),
        "diagnose": (
            whose,
            replace(program, words=behind("--program")),
            FormField(
                "teacher", "", "the problem's own", "who comments", _teachers, behind("--teacher")
            ),
            replace(measured, name="set", about="the set", words=behind("--set")),
            _OPTIONS,
        ),
    }


def build_requests(values: Mapping[str, str]) -> tuple[RunRequest, ...]:
    """The runs that the fields of `RUN` ask for, one a seed; empty ones are not set.

    Raises UserError for what is no number.
    """
    seeds = [_whole("seed", seed) for seed in values["seed"].split()] or [None]
    return tuple(_build_request(values, seed) for seed in seeds)


def _build_request(values: Mapping[str, str], seed: int | None) -> RunRequest:
    from engine.api.resolve import RunRequest
    from engine.domain.specs.settings import kind_words

    told: dict[str, str | None] = {}
    for field in RUN:  # what says nothing new is left out, as of the command
        value = values[field.name].strip()
        told[field.name] = value if value not in ("", field.blank) else None
    return RunRequest(
        told["problem"] or "",
        method=told["method"],
        seed=seed,
        writer=told["writer"],
        analyzer=told["analyzer"],
        teacher=told["teacher"],
        design=told["design"],
        preset=told["preset"],
        options=(*read_options(values), *kind_words(told["problem"] or "", told["kind"])),
        caps=read_caps(values),
        start=tuple(split(told["start"] or "")),
    )


def read_options(values: Mapping[str, str]) -> Words:
    """Settings as `KEY=VALUE`, the generations first."""
    generations = values["generations"].strip()
    return (*([f"generations={generations}"] if generations else []), *split(values["options"]))


def read_caps(values: Mapping[str, str]) -> Caps:
    """The caps; None where a field is empty. Raises UserError for what is no number."""
    from engine.domain.specs.settings import Caps
    from engine.domain.text.time_span import read_time_span

    told = {field.name: values[field.name].strip() or None for field in _CAPS}
    time = told["max time"]
    return Caps(
        _whole("max calls", told["max calls"]),
        _whole("max tokens", told["max tokens"]),
        _amount("max usd", told["max usd"]),
        None if time is None else read_time_span(time),
    )


def read_answering(values: Mapping[str, str]) -> Answering:
    """Who answers a run that goes on as another."""
    from engine.api.resolve import Answering

    return Answering(*(values[name].strip() for name in ("writer", "analyzer", "teacher")))


def _whole(name: str, text: str | None) -> int | None:
    if text is None or (text.isascii() and text.isdecimal() and len(text) < 19):
        return None if text is None else int(text)
    raise UserError(f"{name} is a whole number from 0 on, not {text!r}")


def _amount(name: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if 0 <= amount < float("inf"):
        return amount
    raise UserError(f"{name} is a number from 0 on, not {text!r}")
