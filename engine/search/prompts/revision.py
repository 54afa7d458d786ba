"""The places of the operators' prompts: parents, their rank, what was tried, states."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.domain.values import Candidate, Recipe
from engine.search.prompts import verdicts
from engine.search.prompts.context import PromptContext
from engine.search.prompts.design import describe_design
from engine.search.prompts.formatting import section
from engine.search.prompts.history import list_attempts
from engine.search.prompts.programs import (
    compare_with_best,
    cost_difference,
    list_leaders,
    show_code,
    show_program,
    show_versions,
    show_with_results,
)
from engine.search.prompts.states import show_partings, tabulate_fields
from problems.base import Contract

OF_PARENTS = (
    "parents",
    "programs",
    "design",
    "standing",
    "second",
    "brief",
    "reflection",
    "code",
    "partner_code",
    "scored",
    "versions",
    "attempts",
    "states",
    "scale",
    "teacher",
    "variant",
    "hint",
    "aim",
)
"""Places that have nothing to say of a recipe without parents."""


def fill(
    recipe: Recipe, contract: Contract, background: PromptContext, named: Collection[str]
) -> dict[str, str]:
    """Every place that an operator's prompt may have; `named` are those that its text has."""
    leaders = list_leaders(background.seen, background.reference)
    design = describe_design(contract, background) if "design" in named else ""
    if not recipe.parents:
        return {**dict.fromkeys(OF_PARENTS, ""), "design": design, "leaders": leaders}
    parents = recipe.parents
    first = parents[0]
    teacher = _describe_teacher(recipe, contract, background)
    return {
        "leaders": leaders,
        "parents": "\n\n".join(show_with_results(p, background.seconds) for p in parents),
        "programs": "\n\n".join(show_program(parent) for parent in parents),
        "design": design,
        "standing": _standing(parents, background),
        "second": _second(parents),
        "brief": section("Brief", recipe.brief.text if recipe.brief else ""),
        "reflection": section("Reflection", recipe.brief.text if recipe.brief else ""),
        "code": show_code(first),
        "partner_code": show_code(parents[1]) if len(parents) > 1 else "",
        "scored": "\n\n".join(show_with_results(parent) for parent in parents),
        "versions": show_versions(parents),
        "attempts": show_attempts(list_attempts(parents, background.seen)),
        "states": show_partings([first], background),
        "scale": show_fields(first, background),
        "variant": "",
        "teacher": teacher,
        "aim": teacher,
        "hint": "",
    }


def _standing(parents: Sequence[Candidate], background: PromptContext) -> str:
    room = background.code
    place = compare_with_best(parents, background.seen, background.seconds, room)
    times = background.tell_besides()
    return "\n\n".join(filter(None, (times, place)))


def show_attempts(lines: str) -> str:
    """The section on what was tried."""
    return section("What was tried before, newest first", lines)


def show_fields(candidate: Candidate, background: PromptContext) -> str:
    """The section on the sizes of fields."""
    title = f"The fields of {candidate.id}"
    return section(title, tabulate_fields(candidate, background.seen))


def _describe_teacher(recipe: Recipe, contract: Contract, background: PromptContext) -> str:
    """What it says of the parents, with the cases of the first."""
    parents = recipe.parents
    remark = verdicts.REMARKS.get(recipe.operator, "")
    if recipe.operator in background.by_agreement and len(parents) > 1:
        remark = verdicts.name_partner(parents)
    revised = parents[:1]
    return verdicts.describe(parents, revised, contract, background, recipe.generation, remark)


def _second(parents: tuple[Candidate, ...]) -> str:
    """What a second parent is there for."""
    if len(parents) < 2:
        return ""
    first, second = parents[:2]
    gap = cost_difference(second, first)
    cost = f" Its cost is {gap} instances." if gap else ""
    return f"{first.id} is the base; {second.id} is there for what {first.id} lacks.{cost}"
