"""What the launch form asks for: the words of `preceptor run`, field by field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import problems
import teachers
from engine.runtime.writers.writer_config import names as writer_names
from engine.search.methods.methods import METHODS
from problems.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class LaunchField:
    """One thing to ask for.

    `begin` is what stands there at first, `blank` what an empty field means, `about` what may be
    typed; `known` lists values to step through, none for a number.
    """

    name: str
    begin: str
    blank: str
    about: str
    known: Callable[[], tuple[str, ...]] | None = None


def _writers() -> tuple[str, ...]:
    """What is wrong with a settings file is told by the forecast, which reads it too."""
    try:
        return ("builtin", *writer_names())
    except UserError:
        return ("builtin",)


FIELDS = (
    LaunchField(
        "problem", "jssp", "", "a problem's name, or the folder of your own", problems.names
    ),
    LaunchField("method", "ours", "ours", "how is searched", lambda: tuple(METHODS)),
    LaunchField(
        "writer",
        "builtin",
        "builtin",
        "builtin needs no model; or openai:MODEL, replay:RUN, FILE.py:CLASS",
        _writers,
    ),
    LaunchField(
        "teacher",
        "",
        "the problem's own",
        "who comments on decisions; or program:FILE.py",
        lambda: ("", *teachers.names()),
    ),
    LaunchField("seed", "0", "0", "seeds every draw of the search"),
    LaunchField("generations", "", "5", "how often the population is renewed"),
    LaunchField("max calls", "", "no cap", "writer calls at most"),
    LaunchField("options", "", "none", "KEY=VALUE, divided by blanks: population=20 children=8"),
)

_FLAGS = {
    "method": "--method",
    "writer": "--llm",
    "teacher": "--teacher",
    "seed": "--seed",
    "max calls": "--max-calls",
}


def typed_words(values: Mapping[str, str]) -> tuple[str, ...]:
    """What to type behind `preceptor run`; fields that say nothing new are left out."""
    told = {field.name: values[field.name].strip() for field in FIELDS}
    typed = [told["problem"]]
    for field in FIELDS:
        value = told[field.name]
        if field.name in _FLAGS and value not in ("", field.blank):
            typed += [_FLAGS[field.name], value]
    options = told["options"].split()
    if told["generations"]:
        options.insert(0, f"generations={told['generations']}")
    for option in options:
        typed += ["--option", option]
    return tuple(typed)
