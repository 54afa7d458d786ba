"""The fast walk of a program that is shown edges and gains, which are kept up flip by flip."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from problems.maxcut.sets.data import as_spins
from problems.maxcut.sets.edges import build_edges
from problems.maxcut.state import require_vertex
from problems.maxcut.walk import roll_out

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from problems.maxcut.profile import WalkProfile
    from problems.maxcut.sets.data import Instance
    from problems.maxcut.sets.edges import Edges
    from problems.maxcut.state import State


def rollout(
    function: Callable[..., object],
    instance: Instance,
    profile: WalkProfile,
    forced: Sequence[int] = (),
) -> list[int]:
    """The actions of the plain rollout; a flip costs what its edges and the arrays shown cost."""
    attempt = partial(_attempt, function, instance, build_edges(instance))
    return roll_out(attempt, instance, profile, forced)


def _attempt(
    function: Callable[..., object],
    instance: Instance,
    graph: Edges,
    first: State,
    forced: Sequence[int],
) -> list[int]:
    """The flips of one attempt, the forced ones first."""
    import numpy as np

    spins = as_spins(first.sides)
    gains = graph.gains(spins)
    last = np.full(instance.size, -1)
    counts = np.zeros(instance.size, dtype=np.int64)
    cut = best = float(first.cut)
    max_steps = first.max_steps
    shown = graph.starts, graph.neighbours, graph.weights
    flips = list[int]()
    for step in range(max_steps):
        if step < len(forced):
            answer: object = forced[step]
        else:
            known = last.copy(), counts.copy(), cut, best, step, max_steps
            try:
                answer = function(spins.copy(), gains.copy(), *shown, *known)
            except Exception as error:
                error.add_note(f"step {step}")
                raise
        vertex = require_vertex(instance, step, answer)
        cut += float(gains[vertex])
        best = max(best, cut)
        graph.flip(spins, gains, vertex)
        last[vertex] = step
        counts[vertex] += 1
        flips.append(vertex)
    return flips
