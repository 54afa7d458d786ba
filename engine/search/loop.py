"""THE LOOP (paper, Algorithm 1). Read this first.

A generation: draw parents, reflect on them, ask for children, evaluate and diagnose those, select
the survivors. After the last one the winner is chosen among the best. Methods differ only in the
data of `engine.search.methods`; everything outside this process's memory is behind `Environment`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Literal

from engine.domain.concurrency import together
from engine.domain.program import make_program
from engine.domain.rng import derive_seed, new_rng
from engine.domain.search_state import BriefRow, SearchState, alive, without_verdicts
from engine.domain.values import Brief, Candidate, Recipe
from engine.search.budget_plan import first_calls, share_out, step_operators
from engine.search.environment import Environment, calls_left
from engine.search.judging.final_selection import choose_winner
from engine.search.methods.operators import FIRST
from engine.search.methods.types import Retain, Step
from engine.search.offspring import (
    ask_teacher,
    assess,
    diagnose,
    find_twin,
    is_repeated,
    is_teacher_active,
    name_candidate,
    renew,
)
from engine.search.reflection import reflect
from engine.search.selection import Draw, predicts_cost
from engine.search.teacher_choice import use_teacher
from engine.search.tuning.children import breed

STUCK = 5
"""Children in a row that are programs seen before, after which the built-in writer is stuck."""

NOTHING_NEW = (
    "every child is a program seen before: the built-in writer finds nothing more to vary here; "
    "a language model can (--llm SPEC)"
)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How a search ended, its last state, and the program that it returns."""

    status: Literal["done", "budget"]
    state: SearchState
    best: Candidate | None


async def search(environment: Environment, start: SearchState | None = None) -> SearchResult:
    """Search until the goal is met or the budget is spent; `start` is a state to continue from."""
    state = start or await evaluate_first(environment)
    status: Literal["done", "budget"] = "done"
    while not is_done(environment, state):
        if calls_left(environment, state.generation + 1) == 0:
            status = "budget"
            break
        state = await run_generation(environment, state, state.generation + 1)
    if reason := reason_to_give_up(environment, state):
        environment.note("patience", state.generation, None, reason)
    best = await choose_winner(environment, state.population) if state.population else None
    return SearchResult(status, state, best)


def is_done(environment: Environment, state: SearchState) -> bool:
    """Whether the goal is met: the calls or the children that were set, else the generations.

    Or whether patience is at its end, or the built-in writer at that of its ideas.
    """
    settings = environment.settings
    if reason_to_give_up(environment, state):
        return True
    goals = ((settings.calls, environment.calls_made()), (settings.total_children, state.children))
    reached = [made >= goal for goal, made in goals if goal]
    return any(reached) if reached else state.generation >= settings.generations


def reason_to_give_up(environment: Environment, state: SearchState) -> str:
    """Why continuing is in vain: too long without a better program, or nothing new; else empty."""
    if is_stuck(environment, state):
        return NOTHING_NEW
    idle = count_idle(state)
    is_over = 0 < environment.settings.patience <= idle
    unit = "generation" if idle == 1 else "generations"
    return f"no better program in {idle} {unit}" if is_over else ""


def is_stuck(environment: Environment, state: SearchState) -> bool:
    """Whether the last generations of the built-in writer gave programs seen before, and no other.

    Of a language model that may still change.
    """
    if not environment.builtin:
        return False
    generations = [c.generation for c in state.seen if c.generation and not is_repeated(c)]
    last = max(generations, default=0)
    return sum(c.generation > last for c in state.seen) >= STUCK


def count_idle(state: SearchState) -> int:
    """How many generations the program of lowest cost has gone without a better one."""
    costs = [(c.cost, c.generation) for c in alive(state.seen) if c.cost is not None]
    return state.generation - min(costs)[1] if costs else 0


async def evaluate_first(environment: Environment) -> SearchState:
    """Generation 0: the problem's seed programs, or what a writer makes of the contract alone."""
    environment.open(0)
    empty = SearchState(0, (), ())
    if environment.settings.start == "seeds":
        first: Sequence[Candidate] = await together(
            assess(environment, seed) for seed in _seeds(environment)
        )
    else:
        first = await _write_first(environment, empty)
    state = await ask_teacher(environment, add_children(empty, (), first), 0)
    return select_survivors(environment, state, 0)


def _seeds(environment: Environment) -> list[Candidate]:
    return [
        Candidate(name_candidate(slot), make_program(rule.idea, rule.code or ""), "seed", 0, slot)
        for slot, rule in enumerate(environment.seeds())
    ]


async def _write_first(environment: Environment, empty: SearchState) -> tuple[Candidate, ...]:
    """As many first programs as the population has members and calls are left."""
    count = first_calls(environment.settings)
    left = calls_left(environment, 0)
    slots = range(count if left is None else min(count, left))
    recipes = tuple(
        _draw_recipe(environment, FIRST, empty, 0, slot, frozenset()) for slot in slots
    )
    return await breed(environment, empty, recipes) if recipes else ()


async def run_generation(
    environment: Environment, state: SearchState, generation: int
) -> SearchState:
    """One generation: the children of every step in turn, then survival."""
    environment.open(generation)
    state = await complete_diagnoses(environment, state, generation)
    state, told = use_teacher(environment, state, generation)
    briefs: list[Brief | None] = []
    for step in environment.method.steps:
        recipes = await plan_step(environment, step, state, generation, len(briefs), told)
        if recipes:
            new = [recipe.brief for recipe in recipes]
            briefs += new
            if any(new):
                environment.briefs(generation, briefs)
            shown = state if told else state.without_verdicts()
            state = add_children(state, recipes, await breed(environment, shown, recipes))
    state = await ask_teacher(environment, state, generation)
    return select_survivors(environment, state, generation)


async def complete_diagnoses(
    environment: Environment, state: SearchState, generation: int
) -> SearchState:
    """What the teacher says of survivors born while it was not asked (Algorithm 1, line 4)."""
    owed = [c for c in state.population if not is_teacher_active(environment, c.generation)]
    owed = [c for c in owed if c.diagnostics is None]
    if not owed or not is_teacher_active(environment, generation):
        return state
    done = await together(diagnose(environment, candidate) for candidate in owed)
    for candidate in done:
        environment.record(candidate)
    return renew(state, done)


async def plan_step(
    environment: Environment,
    step: Step,
    state: SearchState,
    generation: int,
    first_slot: int,
    told: bool,
) -> tuple[Recipe, ...]:
    """What the slots of a step are asked to make: as many as may be, with their briefs.

    Parents are drawn with all that is known of them; what the teacher says goes further only where
    it is `told`.
    """
    left = calls_left(environment, generation)
    method = environment.method
    share = share_out(
        step, environment.settings, state.children, left, method.callless, method.unbriefed
    )
    slots = range(first_slot, first_slot + share.children)
    recipes = draw_parents(environment, step, state, generation, slots)
    if not told:
        recipes = tuple(replace(r, parents=without_verdicts(r.parents)) for r in recipes)
        state = state.without_verdicts()
    guided = tuple(r for r in recipes[: share.reflected] if r.operator not in method.unbriefed)
    briefed = {r.slot: r for r in await reflect(environment, state, step.reflect, guided)}
    return tuple(briefed.get(recipe.slot, recipe) for recipe in recipes)


def draw_parents(
    environment: Environment, step: Step, state: SearchState, generation: int, slots: range
) -> tuple[Recipe, ...]:
    """The operators of a step's slots, in turn, and the parents that each one draws.

    While no program is alive, writers are asked for a first one; while there is one alone, the
    operators that take several parents are left out.
    """
    recipes: list[Recipe] = []
    operators = step_operators(step, environment.settings, generation)
    if not state.population:
        text = "no program is alive: writers are asked for a first one"
        environment.note("no-program", generation, None, text)
        callless = environment.method.callless
        operators = tuple(name if name in callless else FIRST for name in operators)
    elif len(alive(state.seen)) == 1:  # it is not fused with itself
        method = environment.method
        lone = tuple(name for name in operators if len(method.operator(name).parents) < 2)
        operators = lone or operators
    for slot, name in zip(slots, cycle(operators)):
        used = frozenset(p.id for r in recipes if r.operator == name for p in r.parents[:1])
        recipes.append(_draw_recipe(environment, name, state, generation, slot, used))
    return tuple(recipes)


def _draw_recipe(
    environment: Environment,
    name: str,
    state: SearchState,
    generation: int,
    slot: int,
    used: frozenset[str],
) -> Recipe:
    operator = environment.method.operator(name)
    rng = new_rng(environment.seed, "parents", generation, slot)
    population = state.population
    if operator.unequal and not _costs_differ(population):
        population = look_back(state)
        text = "all cost the same: earlier programs join in"
        environment.note("no-pair", generation, slot, text)
    parents: list[Candidate] = []
    place = (generation, slot, environment.method.samplers)
    for sampler in operator.parents:
        draw = Draw(population, parents, environment.settings, rng, used, state.seen, *place)
        found = sampler(draw)
        if found is not None:
            parents.append(found)
    seed = derive_seed(environment.seed, "write", generation, slot)
    return Recipe(generation, slot, name, tuple(parents), draw=seed)


def look_back(state: SearchState) -> tuple[Candidate, ...]:
    """The population joined by earlier generations, the latest first, until two costs differ."""
    members = {member.id: member for member in state.population}
    for generation in range(state.generation, -1, -1):
        if _costs_differ(members.values()):
            break
        earlier = (c for c in alive(state.seen) if c.generation == generation)
        members.update((candidate.id, candidate) for candidate in earlier)
    return tuple(members.values())


def _costs_differ(candidates: Iterable[Candidate]) -> bool:
    return len({candidate.cost for candidate in candidates}) > 1


def add_children(
    state: SearchState, recipes: Sequence[Recipe], children: Sequence[Candidate]
) -> SearchState:
    """The state that the next step sees: with a step's briefs and children, twins found out."""
    seen = list(state.seen)
    for child in children:
        twin = None if child.failure else find_twin(child, seen)
        seen.append(replace(child, failure=twin, cost=None) if twin else child)
    population = (*state.population, *alive(seen[len(state.seen) :]))
    new = [BriefRow(r.generation, r.slot, r.brief) for r in recipes if r.brief is not None]
    briefs = (*state.briefs, *new)
    return replace(state, population=population, seen=tuple(seen), briefs=briefs)


def select_survivors(environment: Environment, state: SearchState, generation: int) -> SearchState:
    """Record a generation's candidates in slot order, select the survivors, close it."""
    for candidate in state.seen:
        if candidate.generation == generation:
            environment.record(candidate)
    retain = choose_retention(environment, state, generation)
    survivors = retain(state.population, environment.settings)
    environment.close(generation, survivors)
    return replace(state, generation=generation, population=survivors)


def choose_retention(environment: Environment, state: SearchState, generation: int) -> Retain:
    """The method's retention; its other one, if it has any, while agreement predicts no cost."""
    method = environment.method
    if method.otherwise is None:
        return method.retain
    align = environment.settings.align
    before = [candidate for candidate in state.seen if candidate.generation < generation]
    predicts = predicts_cost(state.seen, align)
    if predicts != predicts_cost(before, align):
        verb = "goes with cost now and counts" if predicts else "goes with cost no more: no say"
        environment.note("second-axis", generation, None, f"{align} {verb} in who survives")
    return method.retain if predicts else method.otherwise
