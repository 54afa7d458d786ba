"""The places of the operators' prompts: parents, their rank, what was tried, states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.search.prompts.field_ranges import explain_fields, summarise_design, tabulate_fields
from engine.search.prompts.formatting import section
from engine.search.prompts.history import list_attempts
from engine.search.prompts.programs import (
    compare_with_best,
    cost_difference,
    list_leaders,
    relate_agreement,
    show_program,
    show_with_results,
)
from engine.search.prompts.states import tabulate_states

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.domain.values import Candidate, Recipe
    from engine.search.prompts.context import PromptContext
    from problems.base import Contract

TABLES = 2
"""States shown of a recipe's parents."""

STATES = (
    "Rows are candidates of one state, sorted by the teacher's score (1 its best); PROGRAM marks "
    "what the program chose, TEACHER what the teacher prefers.\n\n"
)

TEACHER = (
    "A learned policy, the teacher, commented on the states. It is no oracle: lower cost is the "
    "aim, agreement is a hint at what the cost alone does not show."
)

ADVICE = (
    "A brief is advice: where the states or the attempts contradict it, keep what it looks at and "
    "do with it what they support."
)

ROUTES = (
    "make the change that the evidence supports best",
    "leave the most obvious change to the others and make one of another kind",
    "make a change that none of the attempts resembles",
)

OF_PARENTS = (
    "parents",
    "programs",
    "design",
    "standing",
    "second",
    "brief",
    "attempts",
    "states",
    "scale",
    "variant",
    "aim",
)
"""Places that have nothing to say of a recipe without parents."""


def fill(recipe: Recipe, contract: Contract, background: PromptContext) -> dict[str, str]:
    """Every place that an operator's prompt may have; without parents, what needs none."""
    leaders = list_leaders(background.seen, background.reference)
    if not recipe.parents:
        return {**dict.fromkeys(OF_PARENTS, ""), "leaders": leaders}
    first = recipe.parents[0]
    others = [c for c in background.population if c.id != first.id]
    diagnosed = any(parent.diagnostics for parent in recipe.parents)
    design = summarise_design(first, contract.answer, background.seconds, background.reference)
    return {
        "leaders": leaders,
        "parents": "\n\n".join(show_with_results(parent) for parent in recipe.parents),
        "programs": "\n\n".join(show_program(parent) for parent in recipe.parents),
        "design": section("The design instances", design),
        "standing": compare_with_best(recipe.parents, background.seen),
        "second": _second(recipe.parents),
        "brief": section("Brief", f"{recipe.brief.text}\n\n{ADVICE}" if recipe.brief else ""),
        "attempts": attempts(list_attempts(recipe.parents, background.seen)),
        "states": _parents_states(recipe, others),
        "scale": scale(first, background),
        "variant": _variant(recipe),
        "aim": f"{TEACHER} {relate_agreement(background.seen)}".strip() if diagnosed else "",
    }


def attempts(lines: str) -> str:
    """The section on what was tried, with the words that explain its figures."""
    return section(
        "What was tried before, newest first",
        lines
        and "Differences are paired over the design instances, with their standard error: below 0 "
        f"the child is better, within two standard errors nothing is shown.\n{lines}",
    )


def scale(candidate: Candidate, background: PromptContext) -> str:
    """The section on the sizes of fields."""
    rows = tabulate_fields(candidate, background.seen)
    trends = rows.partition("\n")[0].endswith("| cost")
    return section(
        "Sizes of the fields, and which are chosen", rows and f"{explain_fields(trends)}\n{rows}"
    )


def states(title: str, tables: Iterable[str]) -> str:
    """The section on states, with the words that explain their tables; empty ones are left out."""
    body = "\n\n".join(filter(None, tables))
    return section(title, body and STATES + body)


def _parents_states(recipe: Recipe, others: list[Candidate]) -> str:
    few = TABLES if len(recipe.parents) == 1 else 1
    tables = (tabulate_states(parent, others, few, recipe.draw) for parent in recipe.parents)
    return states("Telling states", tables)


def _second(parents: tuple[Candidate, ...]) -> str:
    """What a second parent is there for."""
    if len(parents) < 2:
        return ""
    first, second = parents[:2]
    gap = cost_difference(second, first)
    cost = f" Its cost is {gap} instances." if gap else ""
    if second.diagnostics is None:
        return f"{first.id} is the base; {second.id} is there for what {first.id} lacks.{cost}"
    return (
        f"{first.id} is the base, picked for its cost. {second.id} was picked for its agreement "
        f"with a learned policy, the teacher, not for its strength: it is there for what it sees "
        f"that {first.id} does not.{cost}"
    )


def _variant(recipe: Recipe) -> str:
    """Words that keep slots with the same task from writing the same program."""
    if recipe.variants < 2 or recipe.brief:  # briefs of one task differ by themselves
        return ""
    route = ROUTES[(recipe.variant - 1) % len(ROUTES)]
    return (
        f"This is variant {recipe.variant} of {recipe.variants}: others get the same program and "
        f"the same task and do not see your answer. As number {recipe.variant}, {route}."
    )
