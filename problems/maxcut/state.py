"""A walk over bipartitions and its exact rules; every faster way is measured against it."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, replace
from functools import lru_cache

from problems.errors import InvalidAction
from problems.maxcut.instances import Instance, Sides
from problems.maxcut.profile import WalkProfile
from problems.shared.programs import as_index


@dataclass(frozen=True, slots=True)
class State:
    """A bipartition on a walk.

    `sides[v]` is 0 where vertex `v` has the spin +1, and 1 for -1; `flips` are the vertices
    flipped in this attempt, in order. `best_cut`, first reached at `best_sides`, is the best of
    this attempt, its start included, and `record` the best of all attempts so far.
    """

    instance: Instance
    profile: WalkProfile
    attempt: int
    sides: bytes
    cut: int
    flips: tuple[int, ...]
    best_cut: int
    best_sides: bytes
    record: int

    @property
    def step(self) -> int:
        """Number of flips in this attempt so far."""
        return len(self.flips)

    @property
    def max_steps(self) -> int:
        """Number of flips of an attempt."""
        return self.profile.flips(self.instance.size)

    @property
    def finished(self) -> bool:
        """Whether the last attempt is over; the others end in the start of the next."""
        return self.step == self.max_steps

    @property
    def last_flips(self) -> tuple[int | None, ...]:
        """The step of this attempt at which each vertex was flipped last, None for never."""
        steps = {vertex: step for step, vertex in enumerate(self.flips)}
        return tuple(map(steps.get, range(self.instance.size)))


@lru_cache(maxsize=256)
def start(instance: Instance, profile: WalkProfile, attempt: int = 0) -> State:
    """The first state of an attempt, as if there had been none before."""
    sides = profile.start(instance, attempt)
    cut = instance.cut(sides)
    return State(instance, profile, attempt, sides, cut, (), cut, sides, cut)


def flip(state: State, action: object) -> State:
    """Flip the spin of a vertex; after its last flip an attempt gives way to the next one.

    Raises InvalidAction for what is no vertex.
    """
    if state.finished:
        raise InvalidAction(f"{state.instance.name}: the walk is over after {state.step} flips")
    vertex = require_vertex(state.instance, state.step, action)
    sides = bytearray(state.sides)
    sides[vertex] ^= 1
    cut = state.cut + state.instance.gain(state.sides, vertex)
    flipped = replace(state, sides=bytes(sides), cut=cut, flips=(*state.flips, vertex))
    if cut > state.best_cut:
        record = max(cut, state.record)
        flipped = replace(flipped, best_cut=cut, best_sides=flipped.sides, record=record)
    return _next_attempt(flipped) if flipped.finished else flipped


def _next_attempt(state: State) -> State:
    """The start of the next attempt; the same state when it was the last one."""
    if state.attempt + 1 == state.profile.attempts:
        return state
    following = start(state.instance, state.profile, state.attempt + 1)
    return replace(following, record=max(state.record, following.cut))


def require_vertex(instance: Instance, step: int, action: object) -> int:
    """An action as a plain int, NumPy's too. Raises InvalidAction for what is no vertex."""
    vertex = as_index(action)
    if 0 <= vertex < instance.size:
        return vertex
    shown = reprlib.repr(action)
    most = instance.size - 1
    raise InvalidAction(
        f"{instance.name}, step {step}: {shown} is no vertex to flip (0 to {most})"
    )


WIDTH = 80
HEIGHT = 22
GAINS = "AB"
"""The sides of a vertex whose flip raises the cut."""
REST = "ab"
"""The sides of all others."""


def picture(state: State) -> str:
    """A state on a walk, as `draw_sides` draws it."""
    walk = f"step {state.step} of {state.max_steps}, "
    return draw_sides(state.instance, state.sides, walk, f", best {state.best_cut}")


def draw_sides(instance: Instance, sides: Sides, before: str = "", after: str = "") -> str:
    """One letter a vertex, row by row: its side, a capital where a flip raises the cut.

    `before` and `after` stand around the cut in the line above.
    """
    gains = [instance.gain(sides, vertex) for vertex in range(instance.size)]
    signs = "".join(
        (GAINS if gain > 0 else REST)[side] for gain, side in zip(gains, sides, strict=True)
    )
    head = f"{before}cut {instance.cut(sides)}{after}; a, b sides, capital: a flip gains"
    rows = [signs[first : first + WIDTH] for first in range(0, len(signs), WIDTH)]
    hidden = len(signs) - WIDTH * HEIGHT
    more = [f"and {hidden} vertices more"] if hidden > 0 else []
    return "\n".join([head, *rows[:HEIGHT], *more])
