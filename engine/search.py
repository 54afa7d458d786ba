"""THE LOOP (paper, Algorithm 1). Read this first.

A generation: pick parents, reflect, ask for children, evaluate them, let the teacher comment,
retain. Methods differ only in the data of `engine.methods`; everything outside this process's
memory is behind `Desk`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from engine import operators
from engine.breed import breed, find_twin, name_candidate, together, try_out
from engine.desk import Pool, alive, calls_left
from engine.dice import dice, draw_seed
from engine.programs import make_program
from engine.types import Candidate, Recipe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.desk import Desk
    from engine.methods import Step
    from engine.types import Brief


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a search ended, with its last pool and the program it returns."""

    status: Literal["done", "budget"]
    pool: Pool
    best: Candidate | None


async def search(desk: Desk, start: Pool | None = None) -> Outcome:
    """Run until the settings are met, or the budget is spent; `start` continues from a pool."""
    pool = start or await plant(desk)
    status: Literal["done", "budget"] = "done"
    while not is_done(desk, pool):
        if calls_left(desk, pool.generation + 1) == 0:
            status = "budget"
            break
        pool = await advance(desk, pool, pool.generation + 1)
    winner = desk.method.winner(pool.population, desk.settings) if pool.population else None
    return Outcome(status, pool, winner)


def is_done(desk: Desk, pool: Pool) -> bool:
    """Whether a search has all the calls or children that were set, or else its generations."""
    settings = desk.settings
    goals = ((settings.calls, desk.calls_made()), (settings.total_children, pool.children))
    reached = [made >= goal for goal, made in goals if goal]
    return any(reached) if reached else pool.generation >= settings.generations


async def plant(desk: Desk) -> Pool:
    """Generation 0: the problem's seed programs, evaluated and commented on."""
    desk.open(0)
    empty = Pool(0, (), ())
    sown = [
        Candidate(name_candidate(slot), make_program(rule.idea, rule.code or ""), "seed", 0, slot)
        for slot, rule in enumerate(desk.seeds())
    ]
    tried = await together(try_out(desk, candidate) for candidate in sown)
    return settle(desk, empty, 0, tried)


async def advance(desk: Desk, pool: Pool, generation: int) -> Pool:
    """One generation: every step's children, then retention."""
    desk.open(generation)
    children: tuple[Candidate, ...] = ()
    briefs: list[Brief | None] = []
    for step in desk.method.steps:
        parents = replace(pool, population=(*pool.population, *alive(children)))
        left = calls_left(desk, generation)
        reflected, rest = step.reflect.afford(_wanted(desk, step, pool, len(children)), left)
        recipes = plan(desk, step, parents, generation, len(children), reflected + rest)
        if reflected:
            thought = await step.reflect.ask(desk, parents, recipes[:reflected])
            recipes = (*thought, *recipes[reflected:])
        if recipes:
            briefs += [recipe.brief for recipe in recipes]
            desk.briefs(generation, briefs)
            children += await breed(desk, parents, recipes)
    return settle(desk, pool, generation, children)


def _wanted(desk: Desk, step: Step, pool: Pool, made: int) -> int:
    """How many children a step is to ask for, when its generation has asked for `made`."""
    count, total = step.children or desk.settings.children, desk.settings.total_children
    return min(count, max(0, total - pool.children - made)) if total else count


def plan(
    desk: Desk, step: Step, pool: Pool, generation: int, first_slot: int, count: int
) -> tuple[Recipe, ...]:
    """Operators and parents of a step's slots."""
    cycle = desk.settings.operators.split(",") if desk.settings.operators else step.operators
    return number_variants(
        tuple(
            _pick(desk, cycle[k % len(cycle)], pool, generation, first_slot + k)
            for k in range(count)
        )
    )


def number_variants(recipes: tuple[Recipe, ...]) -> tuple[Recipe, ...]:
    """Count the slots that ask the same of the same parents, so that they can be told apart."""
    tasks = [(recipe.operator, *(p.id for p in recipe.parents)) for recipe in recipes]
    return tuple(
        replace(recipe, variant=tasks[: k + 1].count(task), variants=tasks.count(task))
        for k, (recipe, task) in enumerate(zip(recipes, tasks, strict=True))
    )


def _pick(desk: Desk, name: str, pool: Pool, generation: int, slot: int) -> Recipe:
    throw = dice(desk.seed, "parents", generation, slot)
    drawn: list[Candidate] = []
    for sampler in operators.find(name).parents:
        drawn.append(sampler(pool.population, drawn, desk.settings, throw))
    return Recipe(
        generation, slot, name, tuple(drawn), draw=draw_seed(desk.seed, "write", generation, slot)
    )


def settle(desk: Desk, pool: Pool, generation: int, children: Sequence[Candidate]) -> Pool:
    """Name twins in slot order, record every child, retain, close the generation."""
    seen = list(pool.seen)
    for child in children:
        twin = None if child.failure else find_twin(child, seen)
        final = replace(child, failure=twin, cost=None) if twin else child
        desk.record(final)
        seen.append(final)
    merged = (*pool.population, *alive(seen[len(pool.seen) :]))
    survivors = desk.method.retain(merged, desk.settings)
    desk.close(generation, survivors)
    return Pool(generation, survivors, tuple(seen))
