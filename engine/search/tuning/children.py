"""Children that a search over constants makes, and children that it touches up.

tune      a parent's constants, tuned; the child is judged on instances it was not tuned on
child     a new child's constants, before it is judged, where the setting wants it
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.domain.concurrency import together
from engine.domain.program import make_program
from engine.domain.rng import derive_seed
from engine.domain.search_state import SearchState
from engine.domain.tuning import Purpose
from engine.domain.values import Candidate, Failure, Recipe
from engine.search.budget_plan import generation_calls
from engine.search.environment import Environment
from engine.search.methods.methods import child_seconds
from engine.search.offspring import assess, begin_child, make_children
from engine.search.tuning.budget import count_rollouts, split
from engine.search.tuning.calibrate import Calibration, Place, calibrate, judge


async def breed(
    environment: Environment, state: SearchState, recipes: tuple[Recipe, ...]
) -> tuple[Candidate, ...]:
    """A child for every recipe, in their order: written, or made by a search over constants.

    A search that found no program worth its time makes none, in a run in which others make some.
    """
    callless = environment.method.callless
    asked = tuple(recipe for recipe in recipes if recipe.operator not in callless)
    children = [*(await make_children(environment, state, asked) if asked else ())]
    if _child_seconds(environment):
        children = await together(touch_up(environment, state, child) for child in children)
    searched = [recipe for recipe in recipes if recipe.operator in callless]
    if generation_calls(environment.method, environment.settings):
        searched = [recipe for recipe in searched if _is_worth(environment, recipe)]
    children += await together(tune(environment, state, recipe) for recipe in searched)
    return tuple(sorted(children, key=lambda child: child.slot))


def _is_worth(environment: Environment, recipe: Recipe) -> bool:
    """Whether a program was found to tune; an event says where none was."""
    if not recipe.parents:
        text = "no program has constants that its time allows to tune: the slot is left out"
        environment.note("no-tuning", recipe.generation, recipe.slot, text)
    return bool(recipe.parents)


async def tune(environment: Environment, state: SearchState, recipe: Recipe) -> Candidate:
    """A recipe's only parent with tuned constants, or why there is nothing better."""
    if not recipe.parents:
        failure = Failure("no gain", "no program has constants that its time allows to tune")
        return replace(begin_child(environment, recipe), failure=failure)
    parent = recipe.parents[0]
    place = (recipe.generation, recipe.slot)
    seconds = environment.settings.tune_seconds
    found = await _calibrate(environment, parent, "tune", place, seconds)
    child = begin_child(environment, recipe)
    return await _take_over(environment, state.seen, child, parent, found)


def _child_seconds(environment: Environment) -> float:
    return child_seconds(environment.method, environment.settings, environment.compiles)


async def touch_up(environment: Environment, state: SearchState, child: Candidate) -> Candidate:
    """A child with tuned constants where those are better, else the child as it is."""
    if child.failure is not None:
        return child
    seconds = _child_seconds(environment)
    place = (child.generation, child.slot)
    found = await _calibrate(environment, child, "child", place, seconds)
    tuned = await _take_over(environment, state.seen, child, child, found)
    if not tuned.failure:
        return tuned
    again = await assess(environment, child, state.seen)  # what is on record of it is its own
    return replace(again, tuning=tuned.tuning)


async def _calibrate(
    environment: Environment,
    parent: Candidate,
    purpose: Purpose,
    place: tuple[int, int],
    seconds: float,
) -> Calibration:
    """The constants of an evaluated program, tuned at a place of the run."""
    half = len(split(len(parent.costs)).tuned)
    budget = environment.settings.tune_rollouts or count_rollouts(seconds, parent, half)
    seed = derive_seed(environment.seed, purpose, *place)
    return await calibrate(environment, parent, Place(purpose, *place, seed), budget)


async def _take_over(
    environment: Environment,
    seen: Sequence[Candidate],
    child: Candidate,
    parent: Candidate,
    found: Calibration,
) -> Candidate:
    """The child with the program that was found, if it is better where it was not tuned."""
    if found.code is not None:
        program = make_program(parent.program.idea, found.code)
        child = replace(child, program=program)
        evaluation = await environment.evaluate(child)
        found = judge(found, parent, evaluation.costs)
    child = replace(child, tuning=found.tuning)
    if found.tuning is not None:
        environment.tuned(child.generation, child.slot, found.tuning)
    if found.code is None:
        return replace(child, failure=Failure("no gain", found.reason))
    assessed = await assess(environment, child, seen)
    failure = assessed.failure and replace(assessed.failure, repairable=False)
    return replace(assessed, failure=failure)
