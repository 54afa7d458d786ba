"""What a walk leaves to gain: flips that would still raise its best cut, and when it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.maxcut.sets.data import adjacency, as_spins

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.maxcut.profile import WalkProfile
    from problems.maxcut.sets.data import Instance


def leftover(
    instance: Instance, profile: WalkProfile, actions: Sequence[int]
) -> Mapping[str, float]:
    """Of the best cut of all attempts; `actions` are a whole rollout."""
    import numpy as np

    sides, step = _find_best(instance, profile, actions)
    spins = as_spins(sides)
    weights = adjacency(instance)
    gains = spins * (weights @ spins)
    pairs = gains[:, None] + gains - 2 * weights * np.outer(spins, spins)
    np.fill_diagonal(pairs, 0)
    flips = profile.flips(instance.size)
    return {
        "vertices whose flip would raise the best cut": int((gains > 0).sum()),
        "the best two flips together would raise it by": max(0.0, float(pairs.max(initial=0))),
        "flips of the walk before it was reached (%)": 100 * step / flips if flips else 0.0,
    }


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
