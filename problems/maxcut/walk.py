"""The fast walks: a program on a whole instance, and the best cut of an action list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from problems.base import Decision
from problems.errors import InvalidAction
from problems.maxcut.instances import Instance, as_spins
from problems.maxcut.profile import WalkProfile
from problems.maxcut.state import State, require_vertex, start


def rollout(
    walk: Callable[..., tuple[tuple[int, ...], float]],
    function: Callable[..., object],
    graph: object,
    instance: Instance,
    profile: WalkProfile,
    forced: Sequence[int] = (),
) -> list[int]:
    """The actions of the plain rollout, by a walk of `standalone` on a graph as it takes it."""
    flips = profile.flips(instance.size)
    taken = list[int]()
    for number in range(profile.attempts):
        first = start(instance, profile, number)
        given = forced[number * flips : (number + 1) * flips]
        read = partial(require_vertex, instance)
        at = (as_spins(first.sides), float(first.cut), flips)
        taken += walk(function, graph, *at, given, read)[0]
    return taken


def replay(instance: Instance, profile: WalkProfile, actions: Sequence[int]) -> int:
    """The best cut on the way. Raises InvalidAction as the plain replay does."""
    length = profile.flips(instance.size)
    if len(actions) != profile.attempts * length:
        raise InvalidAction(f"{instance.name}: {len(actions)} actions do not fit the profile")
    cuts = list[int]()
    for attempt in range(profile.attempts):
        first = start(instance, profile, attempt)
        sides, cut = bytearray(first.sides), first.cut
        cuts.append(cut)
        for step, action in enumerate(actions[attempt * length : (attempt + 1) * length]):
            vertex = require_vertex(instance, step, action)
            cut += instance.gain(sides, vertex)
            sides[vertex] ^= 1
            cuts.append(cut)
    return max(cuts)


def seek(
    instance: Instance, profile: WalkProfile, actions: Sequence[int], steps: Sequence[int]
) -> list[State]:
    """The states before these steps, which ascend; `actions` are flips of a walk."""
    length = profile.flips(instance.size)
    states = list[State]()
    record: int | None = None
    for attempt in range(profile.attempts):
        first = attempt * length
        wanted = [step - first for step in steps if first <= step < first + length]
        flips = tuple(actions[first : first + length])
        passed, record = _seek(instance, profile, attempt, flips, wanted, record)
        states += passed
    return states


def _seek(
    instance: Instance,
    profile: WalkProfile,
    attempt: int,
    flips: tuple[int, ...],
    steps: Sequence[int],
    record: int | None,
) -> tuple[list[State], int]:
    """The states before these steps of one attempt, and the best cut after it.

    `record` is the best of earlier attempts, None before the first.
    """
    first = start(instance, profile, attempt)
    sides = bytearray(first.sides)
    cut = best = first.cut
    best_sides = first.sides
    record = cut if record is None else max(record, cut)
    states = list[State]()
    before = 0
    for step in (*steps, len(flips)):
        for vertex in flips[before:step]:
            cut += instance.gain(sides, vertex)
            sides[vertex] ^= 1
            if cut > best:
                best = cut
                best_sides = bytes(sides)
        before = step
        record = max(record, best)
        at = (attempt, bytes(sides), cut, flips[:step], best, best_sides, record)
        states.append(State(instance, profile, *at))
    return states[:-1], record


def same_later(
    instance: Instance, actions: Sequence[int], decisions: Sequence[Decision]
) -> list[frozenset[int]]:
    """By decision: the vertices that its attempt flips later, and none of their neighbours before.

    `actions` are all flips of a walk. The flip then changes the cut by as much.
    """
    found = []
    for decision in decisions:
        left = decision.state.max_steps - decision.state.step
        later = actions[decision.step : decision.step + left]
        found.append(frozenset(_first_flips(instance, later) - {decision.chosen}))
    return found


def _first_flips(instance: Instance, flips: Sequence[int]) -> set[int]:
    """The vertices that are flipped before any of their neighbours."""
    touched: set[int] = set()
    first = set()
    for vertex in flips:
        if vertex not in touched:
            first.add(vertex)
        touched.update(instance.neighbours[vertex])
    return first
