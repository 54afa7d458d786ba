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
from engine.search.budget_plan import share_out
from engine.search.environment import calls_left
from engine.search.offspring import assess, find_twin, make_children, name_candidate
from engine.search.reflection import reflect
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
    state: SearchState
    best: Candidate | None


async def search(environment: Environment, start: SearchState | None = None) -> SearchResult:
    """Run until the settings are met, or the budget is spent; `start` continues from a pool."""
    state = start or await evaluate_seeds(environment)
    status: Literal["done", "budget"] = "done"
    while not is_done(environment, state):
        if calls_left(environment, state.generation + 1) == 0:
            status = "budget"
            break
        state = await run_generation(environment, state, state.generation + 1)
    winner = (
        environment.method.winner(state.population, environment.settings)
        if state.population
        else None
    )
    return SearchResult(status, state, winner)


def is_done(environment: Environment, state: SearchState) -> bool:
    """Whether a search has all the calls or children that were set, or else its generations."""
    settings = environment.settings
    goals = ((settings.calls, environment.calls_made()), (settings.total_children, state.children))
    reached = [made >= goal for goal, made in goals if goal]
    return any(reached) if reached else state.generation >= settings.generations


async def evaluate_seeds(environment: Environment) -> SearchState:
    """Generation 0: the problem's seed programs, evaluated and commented on."""
    environment.open(0)
    sown = [
        Candidate(name_candidate(slot), make_program(rule.idea, rule.code or ""), "seed", 0, slot)
        for slot, rule in enumerate(environment.seeds())
    ]
    tried = await together(assess(environment, candidate) for candidate in sown)
    return select_survivors(environment, add_children(SearchState(0, (), ()), (), tried), 0)


async def run_generation(
    environment: Environment, state: SearchState, generation: int
) -> SearchState:
    """One generation: every step's children, then retention."""
    environment.open(generation)
    briefs: list[Brief | None] = []
    for step in environment.method.steps:
        recipes = await plan_step(environment, step, state, generation, first_slot=len(briefs))
        if recipes:
            briefs += [recipe.brief for recipe in recipes]
            environment.briefs(generation, briefs)
            state = add_children(state, recipes, await make_children(environment, state, recipes))
    return select_survivors(environment, state, generation)


async def plan_step(
    environment: Environment, step: Step, state: SearchState, generation: int, first_slot: int
) -> tuple[Recipe, ...]:
    """What a step's slots will be asked for: as many as may be, reflected upon."""
    left = calls_left(environment, generation)
    share = share_out(step, environment.settings, state.children, left)
    slots = range(first_slot, first_slot + share.children)
    recipes = draw_parents(environment, step, state, generation, slots)
    thought = await reflect(environment, state, step.reflect, recipes[: share.reflected])
    return (*thought, *recipes[share.reflected :])


def draw_parents(
    environment: Environment, step: Step, state: SearchState, generation: int, slots: range
) -> tuple[Recipe, ...]:
    """Operators and parents of a step's slots."""
    cycle = (
        environment.settings.operators.split(",")
        if environment.settings.operators
        else step.operators
    )
    picked = (
        _pick(environment, cycle[k % len(cycle)], state, generation, slot)
        for k, slot in enumerate(slots)
    )
    return number_variants(tuple(picked))


def number_variants(recipes: tuple[Recipe, ...]) -> tuple[Recipe, ...]:
    """Count the slots that ask the same of the same parents, so that they can be told apart."""
    tasks = [(recipe.operator, *(p.id for p in recipe.parents)) for recipe in recipes]
    return tuple(
        replace(recipe, variant=tasks[: k + 1].count(task), variants=tasks.count(task))
        for k, (recipe, task) in enumerate(zip(recipes, tasks, strict=True))
    )


def _pick(
    environment: Environment, name: str, state: SearchState, generation: int, slot: int
) -> Recipe:
    operator = environment.method.operator(name)
    rng = new_rng(environment.seed, "parents", generation, slot)
    population = state.population
    if operator.unequal and not _differ(population):
        population = look_back(state)
        environment.note(
            "no-pair", generation, slot, "all cost the same: earlier programs join in"
        )
    drawn: list[Candidate] = []
    for sampler in operator.parents:
        drawn.append(sampler(Draw(population, drawn, environment.settings, rng)))
    return Recipe(
        generation,
        slot,
        name,
        tuple(drawn),
        draw=derive_seed(environment.seed, "write", generation, slot),
    )


def look_back(state: SearchState) -> tuple[Candidate, ...]:
    """The population joined by earlier generations, the latest first, until two costs differ."""
    members = {member.id: member for member in state.population}
    for generation in range(state.generation, -1, -1):
        if _differ(members.values()):
            break
        earlier = (c for c in alive(state.seen) if c.generation == generation)
        members.update((candidate.id, candidate) for candidate in earlier)
    return tuple(members.values())


def _differ(candidates: Iterable[Candidate]) -> bool:
    return len({candidate.cost for candidate in candidates}) > 1


def add_children(
    state: SearchState, recipes: Sequence[Recipe], children: Sequence[Candidate]
) -> SearchState:
    """The pool with a step's briefs and children, as the next step sees it; twins are named."""
    seen = list(state.seen)
    for child in children:
        twin = None if child.failure else find_twin(child, seen)
        seen.append(replace(child, failure=twin, cost=None) if twin else child)
    population = (*state.population, *alive(seen[len(state.seen) :]))
    briefs = [BriefRow(r.generation, r.slot, r.brief) for r in recipes if r.brief is not None]
    return SearchState(state.generation, population, tuple(seen), (*state.briefs, *briefs))


def select_survivors(environment: Environment, state: SearchState, generation: int) -> SearchState:
    """Record a generation's candidates in slot order, retain, close it."""
    for candidate in state.seen:
        if candidate.generation == generation:
            environment.record(candidate)
    survivors = environment.method.retain(state.population, environment.settings)
    environment.close(generation, survivors)
    return replace(state, generation=generation, population=survivors)
