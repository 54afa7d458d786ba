"""THE LOOP (paper, Algorithm 1). Read this first.

A generation: pick parents, reflect, ask for children, evaluate them, let the teacher comment,
retain. Methods differ only in the data of `engine.search.methods`; everything outside this
process's memory is behind `Environment`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from engine.domain.concurrency import together
from engine.domain.program import make_program
from engine.domain.rng import derive_seed, new_rng
from engine.domain.search_state import BriefRow, SearchState, alive
from engine.domain.values import Candidate, Recipe
from engine.search.environment import calls_left
from engine.search.offspring import assess, find_twin, make_children, name_candidate
from engine.search.selection import Draw

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.values import Brief
    from engine.search.environment import Environment
    from engine.search.methods.types import Step


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How a search ended, with its last pool and the program it returns."""

    status: Literal["done", "budget"]
    pool: SearchState
    best: Candidate | None


async def search(desk: Environment, start: SearchState | None = None) -> SearchResult:
    """Run until the settings are met, or the budget is spent; `start` continues from a pool."""
    pool = start or await evaluate_seeds(desk)
    status: Literal["done", "budget"] = "done"
    while not is_done(desk, pool):
        if calls_left(desk, pool.generation + 1) == 0:
            status = "budget"
            break
        pool = await run_generation(desk, pool, pool.generation + 1)
    winner = desk.method.winner(pool.population, desk.settings) if pool.population else None
    return SearchResult(status, pool, winner)


def is_done(desk: Environment, pool: SearchState) -> bool:
    """Whether a search has all the calls or children that were set, or else its generations."""
    settings = desk.settings
    goals = ((settings.calls, desk.calls_made()), (settings.total_children, pool.children))
    reached = [made >= goal for goal, made in goals if goal]
    return any(reached) if reached else pool.generation >= settings.generations


async def evaluate_seeds(desk: Environment) -> SearchState:
    """Generation 0: the problem's seed programs, evaluated and commented on."""
    desk.open(0)
    sown = [
        Candidate(name_candidate(slot), make_program(rule.idea, rule.code or ""), "seed", 0, slot)
        for slot, rule in enumerate(desk.seeds())
    ]
    tried = await together(assess(desk, candidate) for candidate in sown)
    return select_survivors(desk, add_children(SearchState(0, (), ()), (), tried), 0)


async def run_generation(desk: Environment, pool: SearchState, generation: int) -> SearchState:
    """One generation: every step's children, then retention."""
    desk.open(generation)
    briefs: list[Brief | None] = []
    for step in desk.method.steps:
        recipes = await plan_step(desk, step, pool, generation, first_slot=len(briefs))
        if recipes:
            briefs += [recipe.brief for recipe in recipes]
            desk.briefs(generation, briefs)
            pool = add_children(pool, recipes, await make_children(desk, pool, recipes))
    return select_survivors(desk, pool, generation)


async def plan_step(
    desk: Environment, step: Step, pool: SearchState, generation: int, first_slot: int
) -> tuple[Recipe, ...]:
    """What a step's slots will be asked for: as many as may be, reflected upon."""
    count, total = step.children or desk.settings.children, desk.settings.total_children
    if total:
        count = min(count, max(0, total - pool.children))
    reflected, rest = step.reflect.afford(count, calls_left(desk, generation))
    recipes = draw_parents(
        desk, step, pool, generation, range(first_slot, first_slot + reflected + rest)
    )
    if not reflected:
        return recipes
    thought = await step.reflect.ask(desk, pool, recipes[:reflected])
    return (*thought, *recipes[reflected:])


def draw_parents(
    desk: Environment, step: Step, pool: SearchState, generation: int, slots: range
) -> tuple[Recipe, ...]:
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


def _pick(desk: Environment, name: str, pool: SearchState, generation: int, slot: int) -> Recipe:
    operator = desk.method.operator(name)
    throw = new_rng(desk.seed, "parents", generation, slot)
    population = pool.population
    if operator.unequal and not _differ(population):
        population = look_back(pool)
        desk.note("no-pair", generation, slot, "all cost the same: earlier programs join in")
    drawn: list[Candidate] = []
    for sampler in operator.parents:
        drawn.append(sampler(Draw(population, drawn, desk.settings, throw)))
    return Recipe(
        generation,
        slot,
        name,
        tuple(drawn),
        draw=derive_seed(desk.seed, "write", generation, slot),
    )


def look_back(pool: SearchState) -> tuple[Candidate, ...]:
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


def add_children(
    pool: SearchState, recipes: Sequence[Recipe], children: Sequence[Candidate]
) -> SearchState:
    """The pool with a step's briefs and children, as the next step sees it; twins are named."""
    seen = list(pool.seen)
    for child in children:
        twin = None if child.failure else find_twin(child, seen)
        seen.append(replace(child, failure=twin, cost=None) if twin else child)
    population = (*pool.population, *alive(seen[len(pool.seen) :]))
    briefs = [BriefRow(r.generation, r.slot, r.brief) for r in recipes if r.brief is not None]
    return SearchState(pool.generation, population, tuple(seen), (*pool.briefs, *briefs))


def select_survivors(desk: Environment, pool: SearchState, generation: int) -> SearchState:
    """Record a generation's candidates in slot order, retain, close it."""
    for candidate in pool.seen:
        if candidate.generation == generation:
            desk.record(candidate)
    survivors = desk.method.retain(pool.population, desk.settings)
    desk.close(generation, survivors)
    return replace(pool, generation=generation, population=survivors)
