"""What a schedule leaves to gain is what an exchange really saves, and never below the bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from problems.jssp.leftover import leftover, traits
from problems.jssp.simulator import replay
from tests.problems.shops import shop, shops

if TYPE_CHECKING:
    from problems.jssp.sets.data import Instance

ABOVE, IDLE, EXCHANGE = range(3)

TWO = shop("0:1 1:9", "0:9 1:9")
"""Johnson's rule puts the first job first: 19 instead of 28."""


def test_an_exchange_on_the_critical_path_is_found() -> None:
    wrong = list(leftover(TWO, [1, 0, 0, 1]).values())
    assert replay(TWO, [1, 0, 0, 1]) == 28
    assert wrong[EXCHANGE] == 100 * (28 - 19) / 28
    assert wrong[ABOVE] == 100 * (28 - 19) / 19


def test_an_optimal_schedule_leaves_nothing() -> None:
    best = list(leftover(TWO, [0, 0, 1, 1]).values())
    assert best[ABOVE] == best[EXCHANGE] == 0


def test_operations_without_a_duration_end_a_critical_path() -> None:
    turned = shop("1:1 0:0 0:0")  # the last operation stands before the second on machine 0
    assert list(leftover(turned, [0, 0, 0]).values()) == [0, 0, 0]


def test_traits_tell_where_the_bound_comes_from() -> None:
    assert traits(TWO) == {"longest job over busiest machine": 18 / 19}


@given(shops(), st.randoms(use_true_random=False))
def test_of_any_schedule_no_figure_is_out_of_range(instance: Instance, rng: object) -> None:
    actions = [job for job, row in enumerate(instance.durations) for _ in row]
    rng.shuffle(actions)  # type: ignore[attr-defined]
    above, idle, exchange = leftover(instance, actions).values()
    assert above >= 0
    assert 0 <= idle <= 100
    assert 0 <= exchange <= 100
