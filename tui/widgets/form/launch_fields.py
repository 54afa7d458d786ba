"""What the launch form asks for: a run request, and the words of `preceptor run` that say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import problems
import teachers
from engine.domain.names import ROLLOUT
from problems.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.api.resolve import RunRequest


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


def _methods() -> tuple[str, ...]:
    from engine.api.resolve import method_names  # it takes the engine's modules to load

    return method_names()


def _writers() -> tuple[str, ...]:
    from engine.api.resolve import writer_names

    return writer_names()


FIELDS = (
    LaunchField(
        "problem", "jssp", "", "a problem's name, or the folder of your own", problems.names
    ),
    LaunchField("method", "ours", "ours", "the search method", _methods),
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
        lambda: ("", *teachers.names(), ROLLOUT),
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


def build_request(values: Mapping[str, str]) -> RunRequest:
    """The run that the fields ask for; empty ones are not set. Raises UserError for no number."""
    from engine.api.resolve import RunRequest
    from engine.domain.specs.settings import Caps

    told = {field.name: values[field.name].strip() or None for field in FIELDS}
    generations = told["generations"]
    return RunRequest(
        told["problem"] or "",
        method=told["method"],
        seed=_whole("seed", told["seed"]),
        writer=told["writer"],
        teacher=told["teacher"],
        options=(
            *([f"generations={generations}"] if generations else []),
            *(told["options"] or "").split(),
        ),
        caps=Caps(calls=_whole("max calls", told["max calls"])),
    )


def _whole(name: str, text: str | None) -> int | None:
    if text is None or text.isdecimal():
        return None if text is None else int(text)
    raise UserError(f"{name} is a whole number from 0 on, not {text!r}")
