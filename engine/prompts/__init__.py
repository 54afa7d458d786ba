"""The prompt files, one per operator and role, and how a question is rendered into one.

A file holds `$name` places: contract, parents, programs, brief, lessons, population, slots,
reply, answer, error. What a place has nothing for leaves no trace in the text.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from engine.types import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.types import Candidate, Case, Diagnostics, Failure, Recipe
    from problems.base import Contract


def render(
    name: str,
    contract: Contract,
    recipe: Recipe | None = None,
    lessons: Sequence[Failure] = (),
    **places: str,
) -> tuple[Message, ...]:
    """The messages of one question; equal inputs give equal text, without clock or chance."""
    values = {
        "contract": contract.text(),
        "signature": contract.signature(),
        "reply": _read("reply").substitute(signature=contract.signature()).strip(),
        "lessons": _section("Failures of earlier programs, to avoid", _lessons(lessons)),
        **({} if recipe is None else _recipe_places(recipe)),
        **places,
    }
    text = _read(name).substitute(values)
    return (Message("user", _collapse(text)),)


@cache
def _read(name: str) -> Template:
    return Template(files(__package__).joinpath(f"{name}.md").read_text("utf-8"))


def _recipe_places(recipe: Recipe) -> dict[str, str]:
    cases = [c for parent in recipe.parents[:1] for c in describe_cases(parent, few=4)]
    return {
        "parents": "\n\n".join(describe(parent) for parent in recipe.parents),
        "programs": "\n\n".join(_program(parent) for parent in recipe.parents),
        "brief": _section("The analyst's brief", recipe.brief.text if recipe.brief else ""),
        "cases": _section("Telling states of the first program", "\n".join(cases)),
    }


def describe(candidate: Candidate) -> str:
    """A program with its cost and what the teacher says of it."""
    facts = [f"mean cost on the design set {number(candidate.cost)} (lower is better)"]
    if candidate.diagnostics is not None:
        facts.append(describe_diagnostics(candidate.diagnostics))
    return f"{_program(candidate)}\n{'; '.join(facts)}."


def describe_diagnostics(d: Diagnostics) -> str:
    """Agreement beside chance and standard error, value and percentile where there are any."""
    facts = [
        f"agreement with the teacher {d.agreement:.3f} ± {d.stderr:.3f} (chance {d.chance:.3f})"
    ]
    if d.value is not None and d.percentile is not None:
        facts.append(f"teacher value {d.value:.3f}, percentile {d.percentile:.3f}")
    return ", ".join(facts)


def describe_cases(candidate: Candidate, few: int) -> list[str]:
    """One line a case: `field chosen|preferred` for the fields that differ."""
    cases = [] if candidate.diagnostics is None else candidate.diagnostics.cases
    apart = [case for case in cases if case.chosen != case.preferred][:few]
    return [_case(case) for case in apart]


def _case(case: Case) -> str:
    preferred = dict(case.preferred_fields)
    fields = ", ".join(
        f"{name} {number(value)}|{number(preferred[name])}"
        for name, value in case.chosen_fields
        if value != preferred[name]
    )
    return (
        f"- {100 * case.phase:.0f} % of the way, {case.actions} actions, teacher's loss "
        f"{case.regret:.2f}; program's choice|teacher's choice: {fields}"
    )


def _program(candidate: Candidate) -> str:
    program = candidate.program
    return f"### Program {candidate.id}\nIdea: {program.idea}\n```python\n{program.code}```"


def number(value: float | None) -> str:
    """A number in at most six significant digits, the same on every machine."""
    return "none" if value is None else f"{value:.6g}"


def _lessons(lessons: Sequence[Failure]) -> str:
    return "\n".join(f"- {failure.kind}: {failure.message}" for failure in lessons)


def _section(title: str, body: str) -> str:
    return f"## {title}\n{body}" if body else ""


def _collapse(text: str) -> str:
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip() + "\n"
