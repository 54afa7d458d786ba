"""The places of the analyzer's prompt: the whole population and the slots to write briefs for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.search.prompts.field_ranges import summarise_design
from engine.search.prompts.formatting import section
from engine.search.prompts.history import list_newest
from engine.search.prompts.programs import (
    list_population,
    rank,
    relate_agreement,
    show_program,
    show_with_results,
)
from engine.search.prompts.revision import attempts, scale, states
from engine.search.prompts.states import tabulate_states

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.domain.values import Candidate, Recipe
    from engine.search.prompts.context import PromptContext
    from problems.base import Contract

BEST = 3
"""The best programs are shown with their code even if they are not revised."""

CODE = 7_000
"""Characters of all programs' code together."""

TABLES = 2
"""States shown, each of another of the programs that are revised."""


def fill(
    recipes: Sequence[Recipe],
    titles: Mapping[str, str],
    contract: Contract,
    background: PromptContext,
    draw: int,
) -> dict[str, str]:
    """Every place of the prompt that `render` does not fill.

    `titles` are those of the recipes' operators; `draw` picks the states.
    """
    revised = list({p.id: p for recipe in recipes for p in recipe.parents}.values())
    best = rank(background.seen)[:1] or revised[:1]
    design = summarise_design(best[0], contract.answer, background.seconds, background.reference)
    return {
        "design": section("The design instances", design),
        "relation": relate_agreement(background.seen),
        "population": list_population(background.population),
        "attempts": attempts(list_newest(background.seen)),
        "slots": "\n".join(f"- slot {r.slot + 1}: {_task(r, titles)}" for r in recipes),
        "programs": _programs(revised, background),
        "scale": scale(best[0], background),
        "states": _states(revised, background, draw),
        "headings": "\n".join(_headings(recipes, titles)),
    }


def _task(recipe: Recipe, titles: Mapping[str, str]) -> str:
    parents = " with ".join(parent.id for parent in recipe.parents)
    variant = f", variant {recipe.variant} of {recipe.variants}" if recipe.variants > 1 else ""
    return f"{recipe.operator} ({titles[recipe.operator]}) of {parents}{variant}"


def _programs(revised: Sequence[Candidate], background: PromptContext) -> str:
    """Those that are revised, then the best of the others."""
    ids = {candidate.id for candidate in revised}
    best = [c for c in rank(background.seen)[:BEST] if c.id not in ids]
    room = CODE // (len(revised) + len(best))
    shown = "\n\n".join(show_with_results(candidate, room) for candidate in revised)
    return f"{shown}\n\n" + section(
        "The best of the others", "\n\n".join(show_program(candidate, room) for candidate in best)
    )


def _states(revised: Sequence[Candidate], background: PromptContext, draw: int) -> str:
    start = draw % len(revised)
    tables = []
    for candidate in [*revised[start:], *revised[:start]][:TABLES]:
        others = [c for c in background.population if c.id != candidate.id]
        tables.append(tabulate_states(candidate, others, 1, draw))
    return states("Telling states of the programs to revise", tables)


def _headings(recipes: Sequence[Recipe], titles: Mapping[str, str]) -> list[str]:
    lines = []
    for name in dict.fromkeys(recipe.operator for recipe in recipes):
        lines.append(f"## {name}  ({titles[name]})")
        lines += [f"Slot {recipe.slot + 1}: ..." for recipe in recipes if recipe.operator == name]
    return lines
