"""The places of the analyzer's prompt: the whole population and the slots to write briefs for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.domain.values import Candidate, Recipe
from engine.search.prompts import verdicts
from engine.search.prompts.context import PromptContext
from engine.search.prompts.design import describe_design
from engine.search.prompts.formatting import cut, share_room
from engine.search.prompts.history import list_newest
from engine.search.prompts.programs import (
    code_length,
    list_population,
    results,
    show_program,
    show_variant,
    show_with_results,
)
from engine.search.prompts.revision import show_attempts, show_fields
from engine.search.prompts.states import show_partings
from problems.base import Contract

IDEA = 400
"""Characters of the idea of a program whose code is not shown."""


def fill(
    recipes: Sequence[Recipe],
    titles: Mapping[str, str],
    contract: Contract,
    background: PromptContext,
) -> dict[str, str]:
    """Every place of the prompt that `render` does not fill.

    `titles` are those of the recipes' operators.
    """
    shown = list({p.id: p for recipe in recipes for p in recipe.parents}.values())
    best = background.best or shown[0]
    teacher = _describe_teacher(recipes, contract, background)
    parted = [program for program in shown if background.parting(program)][:1]
    return {
        "design": describe_design(contract, background),
        "population": list_population(background.population, background.seconds),
        "ranking": list_population(background.population),
        "attempts": show_attempts(list_newest(background.seen)),
        "slots": "\n".join(
            f"- slot {r.slot + 1}: {_short(r)}, {titles[r.operator]}" for r in recipes
        ),
        "programs": _programs(best, shown, background),
        "revised": "\n\n".join(show_with_results(program) for program in shown),
        "scale": show_fields(best, background),
        "shown": "",
        "states": show_partings(parted, background),
        "teacher": teacher,
        "relation": teacher,
        "headings": "\n".join(f"Slot {r.slot + 1} ({_short(r)}): ..." for r in recipes),
    }


def _short(recipe: Recipe) -> str:
    return f"{recipe.operator} of {' with '.join(parent.id for parent in recipe.parents)}"


def _programs(best: Candidate, revised: Sequence[Candidate], background: PromptContext) -> str:
    """The best program whole, then those that are revised.

    What these have in common with the best is not said again; they share the room that it
    leaves, half of all at least.
    """
    others = {c.id: c for c in revised if c.id != best.id}
    whole = show_program(best, background.code)
    left = max(background.code - len(best.program.code), background.code // 2)
    rooms = share_room([code_length(c, best) for c in others.values()], left)
    seconds = background.seconds
    shown = [
        f"{show_variant(c, best, room)}\n{results(c, seconds)}."
        for c, room in zip(others.values(), rooms, strict=True)
    ]
    known = {best.id, *others}
    others_left = [c for c in background.population if c.id not in known]
    rest = [f"- {c.id}: {cut(c.program.idea, IDEA)}" for c in others_left]
    ideas = ["### Ideas of the others\n" + "\n".join(rest)] if rest else []
    times = background.tell_besides()
    ended = [*shown, *ideas, *filter(None, [times])]
    return "\n\n".join([f"{whole}\n{results(best, seconds)}, the best so far.", *ended])


def _describe_teacher(
    recipes: Sequence[Recipe], contract: Contract, background: PromptContext
) -> str:
    """What it says of every survivor and parent, with cases of each program that is revised.

    In the wording of `preceptor`, which says more of each, of parents alone.
    """
    shown = {p.id: p for recipe in recipes for p in recipe.parents}
    fuller = background.wording == "preceptor"
    everyone = [*(() if fuller else background.population), *shown.values()]
    programs = list({program.id: program for program in everyone}.values())
    revised = list({r.parents[0].id: r.parents[0] for r in recipes if r.parents}.values())
    found = verdicts.relate_agreement(background.seen)
    remark = "\n".join(filter(None, [found, verdicts.BRIEFS]))
    generation = recipes[0].generation
    return verdicts.describe(programs, revised, contract, background, generation, remark)
