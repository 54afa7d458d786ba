"""From recipes to children: ask, parse, repair once, evaluate, diagnose.

A child is always a candidate: with a cost, or with the failure that ended it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.domain.checkpoint import Checkpoint
from engine.domain.concurrency import together
from engine.domain.rng import derive_seed
from engine.domain.search_state import SearchState
from engine.domain.text.plain_text import clean_reply
from engine.domain.values import Candidate, Failure, Message, Program, Recipe, Reply, Request
from engine.search import prompts
from engine.search.budget_plan import first_calls, generation_children
from engine.search.environment import Environment, calls_left
from engine.search.judging.cascade import set_checkpoint
from engine.search.prompts.context import gather_context, pair_with_best
from engine.search.reply_parser import parse_reply
from problems.base import count_decisions

TOLD = 200
"""Characters of a refusal that are kept of a child that it cost."""


async def make_children(
    environment: Environment, state: SearchState, recipes: tuple[Recipe, ...]
) -> tuple[Candidate, ...]:
    """A child for every recipe: one call each, then one repair where that may help.

    Repairs are granted in slot order after all first answers are in, so that what the budget
    cuts off never depends on which call came back first.
    """
    first = await together(ask_for_child(environment, state, recipe) for recipe in recipes)
    left = calls_left(environment, recipes[0].generation)
    broken = [k for k, child in enumerate(first) if child.failure and child.failure.repairable]
    granted = broken if left is None else broken[:left]
    repaired = await together(repair(environment, state, recipes[k], first[k]) for k in granted)
    by_slot = dict(zip(granted, repaired, strict=True))
    return tuple(by_slot.get(k, child) for k, child in enumerate(first))


async def ask_for_child(environment: Environment, state: SearchState, recipe: Recipe) -> Candidate:
    """One slot's first call."""
    request = await program_request(environment, state, recipe)
    reply = await environment.ask("program", recipe.generation, recipe.slot, 0, request)
    return await candidate_from_reply(environment, state, recipe, reply)


async def repair(
    environment: Environment, state: SearchState, recipe: Recipe, broken: Candidate
) -> Candidate:
    """One slot's only repair: the raw answer and the exact error go back."""
    assert broken.failure is not None
    request = await program_request(environment, state, recipe)
    asked = await environment.ask("program", recipe.generation, recipe.slot, 0, request)
    text = environment.method.prompt("repair")
    error = broken.failure.message
    complaint = prompts.render("repair", environment.contract, text=text, error=error)
    messages = (*request.messages, Message("assistant", asked.text), *complaint)
    draw = derive_seed(environment.seed, "write", recipe.generation, recipe.slot, 1)
    again = replace(request, role="repair", messages=messages, draw=draw)
    reply = await environment.ask("program", recipe.generation, recipe.slot, 1, again)
    return await candidate_from_reply(environment, state, recipe, reply)


async def program_request(environment: Environment, state: SearchState, recipe: Recipe) -> Request:
    """The question that a recipe amounts to."""
    pairs = list[tuple[Candidate, Candidate]]()
    if environment.contract.whole or _needs_facts(environment):
        both = recipe.parents[:2]
        pairs = [both] if len(both) == 2 else pair_with_best(both, state)
    messages = prompts.render(
        recipe.operator,
        environment.contract,
        recipe,
        state.failure_examples(),
        environment.method.operator(recipe.operator).prompt,
        await gather_context(environment, state, pairs),
    )
    return Request("program", recipe.operator, messages, (recipe,), (), recipe.draw)


async def candidate_from_reply(
    environment: Environment, state: SearchState, recipe: Recipe, reply: Reply
) -> Candidate:
    """Turn a reply into a candidate with a cost and diagnostics, or with a failure."""
    blank = replace(begin_child(environment, recipe), writer=reply.writer)
    if reply.finish == "content_filter":
        told = clean_reply(reply.text).strip()[:TOLD]
        return replace(
            blank, failure=Failure("provider", told or "the provider refused to answer")
        )
    # In a thread: a hostile reply costs a second, and the event loop has calls to answer.
    program = await asyncio.to_thread(parse_reply, reply.text, environment.contract, reply.finish)
    if isinstance(program, Failure):
        return replace(blank, failure=program)
    child = replace(blank, program=program)
    twin = find_twin(child, state.seen)
    if twin:
        return replace(child, failure=twin)
    return await assess(environment, child, state.seen, set_checkpoint(environment, state))


def _needs_facts(environment: Environment) -> bool:
    """Whether a prompt shows what programs do in states, and programs visit any."""
    named = prompts.need_facts(environment.method, environment.settings.operators)
    return named and not environment.contract.whole


def begin_child(environment: Environment, recipe: Recipe) -> Candidate:
    """The candidate of a slot, before it has a program."""
    number = _count_before(environment, recipe.generation) + recipe.slot
    return Candidate(
        name_candidate(number),
        Program("", "", ""),
        recipe.operator,
        recipe.generation,
        recipe.slot,
        tuple(parent.id for parent in recipe.parents),
    )


def _count_before(environment: Environment, generation: int) -> int:
    """How many candidates full generations hold before this one."""
    if generation == 0:
        return 0
    first = first_calls(environment.settings) or len(environment.seeds())
    each = generation_children(environment.method, environment.settings)
    return first + (generation - 1) * each


async def assess(
    environment: Environment,
    candidate: Candidate,
    older: Sequence[Candidate] = (),
    checkpoint: Checkpoint | None = None,
) -> Candidate:
    """Evaluate a program; where it is new, look at its rollouts and ask the method's teacher."""
    evaluation = await environment.evaluate(candidate, checkpoint)
    assessed = replace(
        candidate,
        cost=evaluation.cost,
        costs=evaluation.costs,
        behaviour=evaluation.behaviour,
        failure=evaluation.failure,
        cpu=evaluation.cpu,
        decisions=count_decisions(environment.contract, evaluation.actions),
    )
    twin = find_twin(assessed, older)
    if assessed.failure or twin:
        return replace(assessed, failure=assessed.failure or twin)
    if _needs_facts(environment):
        assessed = replace(assessed, facts=await environment.observe(assessed, evaluation))
    if not is_teacher_active(environment, candidate.generation):
        return assessed
    if environment.method.consult == "survivors":
        return assessed
    return replace(assessed, diagnostics=await environment.diagnose(assessed, evaluation))


async def ask_teacher(
    environment: Environment, state: SearchState, generation: int
) -> SearchState:
    """The state with diagnostics of the newcomers that survive by cost.

    Where the teacher was asked about every program, or is not asked at all, it stays as it is.
    """
    method = environment.method
    if method.consult == "all" or not is_teacher_active(environment, generation):
        return state
    likely = (method.otherwise or method.retain)(state.population, environment.settings)
    new = [c for c in likely if c.generation == generation and c.diagnostics is None]
    return renew(state, await together(diagnose(environment, c) for c in new))


def renew(state: SearchState, candidates: Iterable[Candidate]) -> SearchState:
    """The state with what is known by now of some of its candidates."""
    known = {candidate.id: candidate for candidate in candidates}
    return replace(
        state,
        population=tuple(known.get(c.id, c) for c in state.population),
        seen=tuple(known.get(c.id, c) for c in state.seen),
    )


async def diagnose(environment: Environment, candidate: Candidate) -> Candidate:
    """A candidate that has been evaluated, with what the teacher says of it."""
    evaluation = await environment.evaluate(candidate)
    return replace(candidate, diagnostics=await environment.diagnose(candidate, evaluation))


SAME = "the same program as"
"""How the failure of a child begins whose code an older one has."""


def find_twin(child: Candidate, older: Iterable[Candidate]) -> Failure | None:
    """Why a child is a duplicate: an older one has its code, or acts the same everywhere."""
    for other in older:
        if other.program.hash and other.program.hash == child.program.hash:
            return Failure("duplicate", f"{SAME} {other.id}")
        if other.behaviour and other.behaviour == child.behaviour:
            return Failure("duplicate", f"takes the same actions as {other.id} everywhere")
    return None


def is_repeated(child: Candidate) -> bool:
    """Whether a child is an older program to the letter."""
    failure = child.failure
    return failure is not None and failure.kind == "duplicate" and failure.message.startswith(SAME)


def is_teacher_active(environment: Environment, generation: int) -> bool:
    """Whether the teacher is asked in a generation."""
    return environment.method.teacher and generation % environment.settings.teacher_every == 0


def name_candidate(number: int) -> str:
    """The id of a run's candidate, counted from 0 in order of generation and slot."""
    return f"p{number:04d}"
