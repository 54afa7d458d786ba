"""How many children, calls and generations a method makes: one arithmetic for all who count.

Nothing here counts repairs: a call that a repair takes is one that no child gets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.domain.specs.settings import Settings
from engine.search.methods.types import Method, Step


@dataclass(frozen=True, slots=True)
class Share:
    """How many children a step may have: after its reflection, and without one."""

    reflected: int
    plain: int

    @property
    def children(self) -> int:
        """All of them."""
        return self.reflected + self.plain


def step_children(step: Step, settings: Settings) -> int:
    """Children of a step in a full generation."""
    return step.children or settings.children


def step_operators(step: Step, settings: Settings, generation: int = 1) -> tuple[str, ...]:
    """The operators that its slots take in turn: those of the setting, where it names any.

    A rolling step has only operators that ask a writer, so that its calls are the same in every
    generation.
    """
    if settings.operators:
        return tuple(settings.operators.split(","))
    if not step.rolling:
        return step.operators
    first = (generation - 1) * step_children(step, settings) % len(step.operators)
    return step.operators[first:] + step.operators[:first]


def asked_children(
    step: Step, settings: Settings, count: int, callless: frozenset[str] = frozenset()
) -> int:
    """How many of a step's first `count` children a writer is asked for."""
    operators = step_operators(step, settings)
    return sum(operators[k % len(operators)] not in callless for k in range(count))


def reflection_calls(step: Step, children: int) -> int:
    """Calls of a step's reflection upon so many children: one a pair, or one for all."""
    if step.reflect == "short-term":
        return children
    return 0 if step.reflect == "none" else min(children, 1)


def generation_children(method: Method, settings: Settings) -> int:
    """Children of a full generation."""
    return sum(step_children(step, settings) for step in method.steps)


def generation_calls(method: Method, settings: Settings) -> int:
    """Calls of a full generation: for its children and for its reflections."""
    return sum(
        step_asked(step, method, settings) + step_reflections(step, method, settings)
        for step in method.steps
    )


def step_asked(step: Step, method: Method, settings: Settings) -> int:
    """Children of a step in a full generation that a writer is asked for."""
    return asked_children(step, settings, step_children(step, settings), method.callless)


def step_reflections(step: Step, method: Method, settings: Settings) -> int:
    """Calls of a step's reflection in a full generation."""
    children = step_children(step, settings)
    return reflection_calls(step, asked_children(step, settings, children, method.unbriefed))


def first_calls(settings: Settings) -> int:
    """Calls of generation 0: none where it is the problem's seed programs."""
    if settings.start == "seeds":
        return 0
    return min(settings.population, settings.calls or settings.population)


def planned_generations(method: Method, settings: Settings) -> int:
    """How many generations a run opens after the first programs."""
    if settings.calls and settings.calls == first_calls(settings):
        return 0
    ends = (
        (max(0, settings.calls - first_calls(settings)), generation_calls(method, settings)),
        (settings.total_children, generation_children(method, settings)),
    )
    goals = (math.ceil(end / each) for end, each in ends if end and each)
    return min(goals, default=settings.generations)


def planned_calls(method: Method, settings: Settings) -> int:
    """Calls of a whole run."""
    calls = planned_generations(method, settings) * generation_calls(method, settings)
    calls += first_calls(settings)
    return min(calls, settings.calls or calls)


def calls_left(made: int, *limits: int | None) -> int | None:
    """Calls that may still be made under limits on all of them, None: any number."""
    return min((max(0, limit - made) for limit in limits if limit is not None), default=None)


def share_out(
    step: Step,
    settings: Settings,
    children: int,
    left: int | None,
    callless: frozenset[str] = frozenset(),
    unbriefed: frozenset[str] = frozenset(),
) -> Share:
    """How many children a step may have when a run has `children`, and calls are `left`.

    Calls go to the reflection, then to slots in order; slots of `callless` operators take none,
    those of `unbriefed` ones no reflection. A lone last call buys a child without a reflection, so
    that every method spends a budget exactly.
    """
    count = step_children(step, settings)
    if settings.total_children:
        count = min(count, max(0, settings.total_children - children))
    if left is None:
        return Share(count, 0)

    def calls(slots: int, reflected: int) -> int:
        asked = asked_children(step, settings, slots, callless)
        thought = asked_children(step, settings, reflected, callless | unbriefed)
        return asked + reflection_calls(step, thought)

    reflected = max(n for n in range(count + 1) if calls(n, n) <= left)
    whole = max(n for n in range(reflected, count + 1) if calls(n, reflected) <= left)
    return Share(reflected, whole - reflected)


def share_calls(step: Step, method: Method, settings: Settings, share: Share) -> int:
    """Calls that a step's share takes."""
    asked = asked_children(step, settings, share.children, method.callless)
    thought = asked_children(step, settings, share.reflected, method.unbriefed)
    return asked + reflection_calls(step, thought)


def next_children(method: Method, settings: Settings, children: int, left: int | None) -> int:
    """How many the next generation has when a run has `children`, and calls are `left`."""
    total = children
    for step in method.steps:
        share = share_out(step, settings, total, left, method.callless, method.unbriefed)
        total += share.children
        if left is not None:
            left -= share_calls(step, method, settings, share)
    return total - children
