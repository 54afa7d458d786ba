"""What a tour leaves to gain: what the classical moves would still save."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.shared.tours import or_opt, share_saved, two_opt
from problems.tsp.sets.data import matrix
from problems.tsp.state import START

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.tsp.sets.data import Instance


def leftover(instance: Instance, actions: Sequence[int]) -> Mapping[str, float]:
    """Shares of the tour's length, in per cent; `actions` are a whole rollout."""
    left = set(range(instance.size)).difference(actions, [START])
    tour = [START, *actions, *sorted(left)]
    distances = matrix(instance)
    own = instance.length(tour)
    return {
        "2-opt would still save (%)": share_saved(own, instance.length(two_opt(distances, tour))),
        "moving stretches of 1 to 3 nodes, each once, would save (%)": share_saved(
            own, instance.length(or_opt(distances, tour))
        ),
    }
