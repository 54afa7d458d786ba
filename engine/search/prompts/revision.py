"""The places of the operators' prompts: parents, their rank, what was tried, states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.search.prompts import verdicts
from engine.search.prompts.design import describe_design
from engine.search.prompts.field_ranges import tabulate_fields
from engine.search.prompts.formatting import section
from engine.search.prompts.history import list_attempts
from engine.search.prompts.leftover import show_leftover
from engine.search.prompts.programs import (
    compare_with_best,
    cost_difference,
    list_leaders,
    show_code,
    show_program,
    show_versions,
    show_with_results,
    tell_larger,
)
from engine.search.prompts.states import pick_scenes, tabulate_parting, tabulate_scene

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from engine.domain.values import Candidate, Recipe
    from engine.search.prompts.context import PromptContext
    from problems.base import Contract

TABLES = 2
"""States shown of a recipe's first parent."""

EVIDENCE = ("attempts", "states")
"""Places by which a brief can be judged."""

ADVICE = (
    "A brief is advice: where {evidence} contradict it, keep what it looks at and do with it what "
    "they support."
)

STEPWISE = {
    "m": "Where the two part, above, ask\nwhat the better choice saw.",
    "p": "A term that differs between the candidates of one state by far less than the largest "
    "one never decides,\none that differs by far more always does: either is the usual fault.",
}
PLANNED = {
    "m": "Where the table above shows one ahead, ask what its plan does there.",
    "p": "Of a plan, these are its starts, rounds and neighbours: the table above shows what they "
    "leave to gain.",
}
"""Where a fusion and a calibration look first, by operator: at single steps, or at whole plans."""

WORDS = {"attempts": "the attempts", "states": "the states"}

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
    if not recipe.parents:
        design = describe_design(contract, background) if "design" in named else ""
        return {**dict.fromkeys(OF_PARENTS, ""), "design": design, "leaders": leaders}
    first = recipe.parents[0]
    seconds = background.seconds
    scenes = _scenes(recipe, background)
    shown = {
        "attempts": show_attempts(list_attempts(recipe.parents, background.seen)),
        "states": show_states([first], background, scenes),
    }
    teacher = _teacher(recipe, background, scenes)
    return {
        **shown,
        "leaders": leaders,
        "parents": "\n\n".join(
            show_with_results(p, seconds, background.speed(p)) for p in recipe.parents
        ),
        "programs": "\n\n".join(show_program(parent) for parent in recipe.parents),
        "design": describe_design(contract, background),
        "standing": _standing(recipe.parents, background),
        "second": _second(recipe.parents),
        "brief": _brief(recipe, [place for place in EVIDENCE if place in named and shown[place]]),
        "reflection": section("Reflection", recipe.brief.text if recipe.brief else ""),
        "code": show_code(first),
        "partner_code": show_code(recipe.parents[1]) if len(recipe.parents) > 1 else "",
        "scored": "\n\n".join(show_with_results(parent) for parent in recipe.parents),
        "versions": show_versions(recipe.parents),
        "scale": show_scale(recipe.parents, background),
        "hint": (PLANNED if background.planned else STEPWISE).get(recipe.operator, ""),
        "variant": _variant(recipe),
        "teacher": teacher,
        "aim": teacher,
    }


def _standing(parents: Sequence[Candidate], background: PromptContext) -> str:
    room = background.code
    best = background.best
    speed = "" if best is None else background.speed(best)
    place = compare_with_best(parents, background.seen, background.seconds, room, speed)
    times = tell_larger(background.larger, background.timed)
    return "\n\n".join(filter(None, (times, place)))


def show_attempts(lines: str) -> str:
    """The section on what was tried."""
    return section("What was tried before, newest first", lines)


def show_fields(candidate: Candidate, background: PromptContext) -> str:
    """The section on the sizes of fields."""
    title = f"The fields of {candidate.id}"
    return section(title, tabulate_fields(candidate, background.seen))


def show_scale(programs: Sequence[Candidate], background: PromptContext) -> str:
    """The sizes of the fields of the first program; of programs that plan, what they leave."""
    if background.planned:
        return show_leftover(programs, background)
    return show_fields(programs[0], background)


def show_states(
    programs: Iterable[Candidate],
    background: PromptContext,
    scenes: Sequence[tuple[Candidate, int]],
) -> str:
    """The section on states: where programs part from better ones, then scenes by number."""
    tables = []
    for program in programs:
        found = background.parting(program)
        if found is not None:
            tables.append(tabulate_parting(program, *found))
    for program, k in scenes:
        if program.facts is not None:
            scene = program.facts.scenes[k]
            tables.append(tabulate_scene(program, scene, background.others(program)))
    return section("States", "\n\n".join(tables))


def _scenes(recipe: Recipe, background: PromptContext) -> list[tuple[Candidate, int]]:
    """Scenes of the first parent, fewer where it is shown how it parts from another.

    Once programs plan, single states say nothing, and none is shown.
    """
    if background.planned:
        return []
    first = recipe.parents[0]
    few = TABLES - (background.parting(first) is not None)
    scenes = pick_scenes(first, background.others(first), few, recipe.draw)
    return [(first, k) for k in scenes]


def _teacher(
    recipe: Recipe, background: PromptContext, scenes: Sequence[tuple[Candidate, int]]
) -> str:
    remark = ""
    if recipe.operator in background.by_agreement and len(recipe.parents) > 1:
        first, second = recipe.parents[:2]
        remark = f"{second.id} was picked for its agreement, {first.id} for its cost."
    return verdicts.tell(
        recipe.parents,
        background.seen,
        scenes,
        background.landmarks,
        remark,
        by_field=not background.planned,
    )


def _brief(recipe: Recipe, evidence: Sequence[str]) -> str:
    """The brief, and how far it holds where the page has what to judge it by."""
    if recipe.brief is None:
        return ""
    words = " or ".join(WORDS[place] for place in evidence)
    advice = ADVICE.format(evidence=words) if words else ""
    return section("Brief", f"{recipe.brief.text}\n\n{advice}".strip())


def _second(parents: tuple[Candidate, ...]) -> str:
    """What a second parent is there for."""
    if len(parents) < 2:
        return ""
    first, second = parents[:2]
    gap = cost_difference(second, first)
    cost = f" Its cost is {gap} instances." if gap else ""
    return f"{first.id} is the base; {second.id} is there for what {first.id} lacks.{cost}"


def _variant(recipe: Recipe) -> str:
    """Words that keep slots with the same task from writing the same program."""
    if recipe.variants < 2 or recipe.brief:  # briefs of one task differ by themselves
        return ""
    route = ROUTES[(recipe.variant - 1) % len(ROUTES)]
    return (
        f"This is variant {recipe.variant} of {recipe.variants}: others get the same program and "
        f"the same task and do not see your answer. As number {recipe.variant}, {route}."
    )
