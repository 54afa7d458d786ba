"""What is thought over before children are written: nothing, or the analyzer's briefs.

Parents are picked before reflecting, so every kind of reflection has one signature: recipes in,
the same recipes out, each with a brief or none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine import prompts
from engine.dice import draw_seed
from engine.operators import find
from engine.types import Brief, Request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from engine.desk import Desk, Pool
    from engine.types import Candidate, Recipe

Recipes = tuple["Recipe", ...]

ANALYZER = "analyzer"

_HEADING = re.compile(r"^\s*(?:#+|\*\*)\s*\(?([a-z][a-z0-9_]*)\)?\b.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reflection:
    """A way to reflect: how many calls it makes for a number of recipes, and the asking."""

    calls: Callable[[int], int]
    ask: Callable[[Desk, Pool, Recipes], Awaitable[Recipes]]

    def afford(self, count: int, left: int | None) -> tuple[int, int]:
        """How many of `count` children the calls left pay for: with reflection, and without.

        Calls go to the reflection, then to slots in order. A lone last call buys a child without
        one, so that every method spends a budget exactly.
        """
        if left is None:
            return count, 0
        reflected = max(n for n in range(count + 1) if n + self.calls(n) <= left)
        spare = left - reflected - self.calls(reflected)
        return reflected, min(spare, count - reflected, 1)


async def _stay_silent(desk: Desk, pool: Pool, recipes: Recipes) -> Recipes:
    return recipes


async def _ask_analyzer(desk: Desk, pool: Pool, recipes: Recipes) -> Recipes:
    """One call a generation (paper, "Teacher-guided Reflection and Revision")."""
    generation = recipes[0].generation
    if generation % desk.settings.teacher_every:
        return recipes
    reply = await desk.ask(ANALYZER, generation, 0, 0, analyzer_request(desk, pool, recipes))
    briefs = parse_briefs(reply.text, sorted({recipe.operator for recipe in recipes}))
    for recipe in recipes:
        if recipe.operator not in briefs:
            desk.note("no-brief", generation, recipe.slot, f"no section for {recipe.operator}")
    return tuple(
        replace(recipe, brief=Brief(briefs[recipe.operator], recipe.operator))
        if recipe.operator in briefs
        else recipe
        for recipe in recipes
    )


SILENT = Reflection(lambda recipes: 0, _stay_silent)
ASK_ANALYZER = Reflection(lambda recipes: min(recipes, 1), _ask_analyzer)


def analyzer_request(desk: Desk, pool: Pool, recipes: Recipes) -> Request:
    """Population statistics, telling cases of the chosen parents, and the contract."""
    generation = recipes[0].generation
    headings = [f"## {name}  ({find(name).title})" for name in _names(recipes)]
    messages = prompts.render(
        ANALYZER,
        desk.contract,
        lessons=pool.lessons(),
        population="\n".join(_line(candidate) for candidate in pool.population),
        slots="\n\n".join(_slots(recipes)),
        headings="\n".join(headings),
    )
    draw = draw_seed(desk.seed, ANALYZER, generation)
    return Request(ANALYZER, ANALYZER, messages, recipes, pool.population, draw)


def parse_briefs(text: str, operators: Sequence[str]) -> dict[str, str]:
    """The text under each operator's heading; operators without a section are left out."""
    marks = [m for m in _HEADING.finditer(text) if m.group(1) in operators]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    bodies = {
        mark.group(1): text[mark.end() : end].strip()
        for mark, end in zip(marks, ends, strict=True)
    }
    return {operator: body for operator, body in bodies.items() if body}


def _names(recipes: Recipes) -> list[str]:
    return list(dict.fromkeys(recipe.operator for recipe in recipes))


def _line(candidate: Candidate) -> str:
    d = candidate.diagnostics
    said = "no diagnostics" if d is None else prompts.describe_diagnostics(d)
    return (
        f"- {candidate.id} ({candidate.operator}): cost {prompts.number(candidate.cost)}, {said}"
    )


def _slots(recipes: Recipes) -> list[str]:
    parents = {parent.id: parent for recipe in recipes for parent in recipe.parents}
    modes = [
        f"- {recipe.operator} ({find(recipe.operator).title}): "
        f"{' with '.join(parent.id for parent in recipe.parents)}"
        for recipe in recipes
    ]
    shown = [
        "\n".join([prompts.describe(parent), *prompts.describe_cases(parent, few=9)])
        for parent in parents.values()
    ]
    return ["\n".join(modes), *shown]
