"""THE LOOP (paper, Algorithm 1). Read this first.

A generation: pick parents, reflect, ask for children, evaluate them, let the teacher comment,
retain. Methods differ only in the data of `engine.search.methods`; everything outside this
process's memory is behind `Desk`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from engine.domain.concurrency import together
from engine.domain.program import make_program
from engine.domain.rng import dice, draw_seed
from engine.domain.search_state import BriefRow, Pool, alive
from engine.domain.values import Candidate, Recipe
from engine.search.environment import calls_left
from engine.search.offspring import breed, find_twin, name_candidate, try_out
from engine.search.selection import Draw

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.values import Brief
    from engine.search.environment import Desk
    from engine.search.methods.types import Step


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
    sown = [
        Candidate(name_candidate(slot), make_program(rule.idea, rule.code or ""), "seed", 0, slot)
        for slot, rule in enumerate(desk.seeds())
    ]
    tried = await together(try_out(desk, candidate) for candidate in sown)
    return settle(desk, grow(Pool(0, (), ()), (), tried), 0)


async def advance(desk: Desk, pool: Pool, generation: int) -> Pool:
    """One generation: every step's children, then retention."""
    desk.open(generation)
    briefs: list[Brief | None] = []
    for step in desk.method.steps:
        recipes = await think(desk, step, pool, generation, first_slot=len(briefs))
        if recipes:
            briefs += [recipe.brief for recipe in recipes]
            desk.briefs(generation, briefs)
            pool = grow(pool, recipes, await breed(desk, pool, recipes))
    return settle(desk, pool, generation)


async def think(
    desk: Desk, step: Step, pool: Pool, generation: int, first_slot: int
) -> tuple[Recipe, ...]:
    """What a step's slots will be asked for: as many as may be, reflected upon."""
    count, total = step.children or desk.settings.children, desk.settings.total_children
    if total:
        count = min(count, max(0, total - pool.children))
    reflected, rest = step.reflect.afford(count, calls_left(desk, generation))
    recipes = plan(desk, step, pool, generation, range(first_slot, first_slot + reflected + rest))
    if not reflected:
        return recipes
    thought = await step.reflect.ask(desk, pool, recipes[:reflected])
    return (*thought, *recipes[reflected:])


def plan(desk: Desk, step: Step, pool: Pool, generation: int, slots: range) -> tuple[Recipe, ...]:
    """Operators and parents of a step's slots."""
    cycle = desk.settings.operators.split(",") if desk.settings.operators else step.operators
    picked = (
        _pick(desk, cycle[k % len(cycle)], pool, generation, slot) for k, slot in enumerate(slots)
    )
    return number_variants(tuple(picked))


def number_variants(recipes: tuple[Recipe, ...]) -> tuple[Recipe, ...]:
    """Count the slots that ask the same of the same parents, so that they can be told apart."""
    tasks = [(recipe.operator, *(p.id for p in recipe.parents)) for recipe in recipes]
    return tuple(
        replace(recipe, variant=tasks[: k + 1].count(task), variants=tasks.count(task))
        for k, (recipe, task) in enumerate(zip(recipes, tasks, strict=True))
    )


def _pick(desk: Desk, name: str, pool: Pool, generation: int, slot: int) -> Recipe:
    operator = desk.method.operator(name)
    throw = dice(desk.seed, "parents", generation, slot)
    population = pool.population
    if operator.unequal and not _differ(population):
        population = look_back(pool)
        desk.note("no-pair", generation, slot, "all cost the same: earlier programs join in")
    drawn: list[Candidate] = []
    for sampler in operator.parents:
        drawn.append(sampler(Draw(population, drawn, desk.settings, throw)))
    return Recipe(
        generation, slot, name, tuple(drawn), draw=draw_seed(desk.seed, "write", generation, slot)
    )


def look_back(pool: Pool) -> tuple[Candidate, ...]:
    """The population joined by earlier generations, the latest first, until two costs differ."""
    members = {member.id: member for member in pool.population}
    for generation in range(pool.generation, -1, -1):
        if _differ(members.values()):
            break
        earlier = (c for c in alive(pool.seen) if c.generation == generation)
        members.update((candidate.id, candidate) for candidate in earlier)
    return tuple(members.values())


def _differ(candidates: Iterable[Candidate]) -> bool:
    return len({candidate.cost for candidate in candidates}) > 1


def grow(pool: Pool, recipes: Sequence[Recipe], children: Sequence[Candidate]) -> Pool:
    """The pool with a step's briefs and children, as the next step sees it; twins are named."""
    seen = list(pool.seen)
    for child in children:
        twin = None if child.failure else find_twin(child, seen)
        seen.append(replace(child, failure=twin, cost=None) if twin else child)
    population = (*pool.population, *alive(seen[len(pool.seen) :]))
    briefs = [BriefRow(r.generation, r.slot, r.brief) for r in recipes if r.brief is not None]
    return Pool(pool.generation, population, tuple(seen), (*pool.briefs, *briefs))


def settle(desk: Desk, pool: Pool, generation: int) -> Pool:
    """Record a generation's candidates in slot order, retain, close it."""
    for candidate in pool.seen:
        if candidate.generation == generation:
            desk.record(candidate)
    survivors = desk.method.retain(pool.population, desk.settings)
    desk.close(generation, survivors)
    return replace(pool, generation=generation, population=survivors)
