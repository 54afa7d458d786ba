"""What a walk leaves to gain is counted at its best cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from problems.maxcut.leftover import leftover, traits
from problems.maxcut.profile import WalkProfile
from tests.problems.partitions import graph, graphs

if TYPE_CHECKING:
    from problems.maxcut.sets.data import Instance

EQUAL = WalkProfile(steps=2, per_vertex=False, equal=True)
PATH = graph(4, (0, 1, 1), (1, 2, 1), (2, 3, 1))


def test_flips_that_raise_the_best_cut_are_counted() -> None:
    flipped, pair, step = leftover(PATH, EQUAL, [1, 1]).values()
    assert (flipped, pair, step) == (1, 0.0, 50.0)  # vertex 3 goes over
    assert list(leftover(PATH, EQUAL, [1, 3]).values()) == [0, 0.0, 100.0]


def test_traits_tell_of_edges_and_signs() -> None:
    assert traits(graph(2, (0, 1, -1))) == {"edges a vertex": 1.0, "share of negative weights": 1}


@given(graphs(), st.data())
def test_pairs_of_flips_raise_the_cut_by_what_is_told(
    instance: Instance, data: st.DataObject
) -> None:
    vertex = st.integers(0, instance.size - 1)
    actions = data.draw(st.lists(vertex, min_size=2, max_size=2))
    sides = bytearray(instance.size)
    cuts = [(0, bytes(sides))]
    for action in actions:
        sides[action] ^= 1
        cuts.append((instance.cut(sides), bytes(sides)))
    best, reached = max(cuts, key=lambda one: one[0])
    trials = [0]
    for one in range(instance.size):
        for other in range(one):
            both = bytearray(reached)
            both[one] ^= 1
            both[other] ^= 1
            trials.append(instance.cut(both) - best)
    assert list(leftover(instance, EQUAL, actions).values())[1] == max(trials)
