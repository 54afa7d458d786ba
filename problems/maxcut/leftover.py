"""What a walk leaves to gain: flips that would still raise its best cut, and when it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.maxcut.sets.data import as_spins
from problems.maxcut.sets.edges import edges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from problems.maxcut.profile import WalkProfile
    from problems.maxcut.sets.data import Instance
    from problems.maxcut.sets.edges import Edges


def leftover(
    instance: Instance, profile: WalkProfile, actions: Sequence[int]
) -> Mapping[str, float]:
    """Of the best cut of all attempts; `actions` are a whole rollout."""
    sides, step = _find_best(instance, profile, actions)
    spins = as_spins(sides)
    graph = edges(instance)
    gains = graph.gains(spins)
    flips = profile.flips(instance.size)
    return {
        "vertices whose flip would raise the best cut": int((gains > 0).sum()),
        "the best two flips together would raise it by": _best_pair(graph, spins, gains),
        "flips of the walk before it was reached (%)": 100 * step / flips if flips else 0.0,
    }


def _best_pair(graph: Edges, spins: NDArray[np.float64], gains: NDArray[np.float64]) -> float:
    """What the best two flips gain together, neighbours or not; 0 where all pairs lose."""
    import numpy as np

    owners = np.arange(len(gains)).repeat(np.diff(graph.starts))
    ends = graph.neighbours
    joined = gains[owners] + gains[ends] - 2 * graph.weights * spins[owners] * spins[ends]
    best = max(0.0, float(joined.max(initial=0)))
    order = (-gains).argsort(kind="stable")
    for place, vertex in enumerate(order[:-1]):
        if gains[vertex] + gains[order[place + 1]] <= best:
            break
        near = ends[graph.starts[vertex] : graph.starts[vertex + 1]]
        others = order[place + 1 : place + 2 + len(near)]
        apart = others[~np.isin(others, near)]
        if len(apart):
            best = max(best, float(gains[vertex] + gains[apart[0]]))
    return best


def traits(instance: Instance) -> Mapping[str, float]:
    """How many edges a vertex has in the mean, and the share of negative weights."""
    weights = [weight for row in instance.weights for weight in row]
    negative = sum(weight < 0 for weight in weights)
    return {
        "edges a vertex": len(weights) / instance.size,
        "share of negative weights": negative / len(weights) if weights else 0.0,
    }


def _find_best(
    instance: Instance, profile: WalkProfile, actions: Sequence[int]
) -> tuple[bytes, int]:
    """The sides of the best cut of a walk, and after how many flips of its attempt it came."""
    flips = profile.flips(instance.size)
    found = []
    for attempt in range(profile.attempts):
        sides = bytearray(profile.start(instance, attempt))
        cut = instance.cut(sides)
        best = (cut, bytes(sides), 0)
        own = actions[attempt * flips : (attempt + 1) * flips]
        for step, vertex in enumerate(own, start=1):
            cut += instance.gain(sides, vertex)
            sides[vertex] ^= 1
            if cut > best[0]:
                best = (cut, bytes(sides), step)
        found.append(best)
    _, sides_found, step = max(found, key=lambda one: one[0])
    return sides_found, step
