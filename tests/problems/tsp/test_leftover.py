"""What a tour leaves to gain is what the moves really save."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given

from problems.shared.tours import or_opt
from problems.tsp.leftover import leftover
from problems.tsp.sets.data import build_matrix
from tests.problems.tours import plane, planes

if TYPE_CHECKING:
    from problems.tsp.sets.data import Instance

CROSSED = plane((0, 0), (4, 3), (4, 0), (0, 3))


def test_a_crossing_is_found_and_a_tour_without_leaves_nothing() -> None:
    assert leftover(CROSSED, [1, 2])["2-opt would still save (%)"] == 100 * (16 - 14) / 16
    assert set(leftover(CROSSED, [2, 1]).values()) == {0.0}


def test_a_node_out_of_its_way_is_moved() -> None:
    detour = plane((0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (0, 1))
    tour = or_opt(build_matrix(detour), [0, 2, 3, 1, 4, 5])
    assert detour.length(tour) < detour.length([0, 2, 3, 1, 4, 5])


@given(planes())
def test_moved_stretches_make_a_tour_that_is_no_longer(instance: Instance) -> None:
    tour = or_opt(build_matrix(instance), range(instance.size))
    assert sorted(tour) == list(range(instance.size))
    assert instance.length(tour) <= instance.length(range(instance.size)) + 1e-9
    shares = leftover(instance, range(1, instance.size - 1))
    assert all(0 <= share <= 100 for share in shares.values())
