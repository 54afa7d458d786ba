"""What prompts look up in a long history is found once a state, and is what it always was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.values import Candidate
from engine.search.prompts.programs import find_best, find_leaders, once_a_state, rank
from tests.engine.builders import candidate

COSTS = st.lists(st.none() | st.integers(0, 9).map(float), max_size=12)


def history(costs: Sequence[float | None]) -> tuple[Candidate, ...]:
    """Programs of these costs, two a generation, in order."""
    return tuple(
        replace(candidate(slot, cost, generation=slot // 2), slot=slot % 2)
        for slot, cost in enumerate(costs)
    )


@given(COSTS)
def test_the_best_of_any_time_is_a_leader(costs: list[float | None]) -> None:
    seen = history(costs)
    leaders = find_leaders(seen)
    for generation in range(8):
        older = [one for one in seen if one.generation < generation]
        led = [one for one in leaders if one.generation < generation]
        assert led[-1:] == rank(older)[:1]
    assert find_best(seen) == next(iter(rank(seen)), None)
    assert find_best(list(reversed(seen))) == find_best(seen)


def test_what_was_found_in_a_history_is_found_again_only_in_another() -> None:
    asked: list[int] = []

    @once_a_state
    def count(seen: Sequence[Candidate]) -> int:
        asked.append(len(seen))
        return len(seen)

    long = history([1.0, 2.0])
    assert [count(long), count(long), count(long[:1]), count(long)] == [2, 2, 1, 2]
    assert asked == [2, 1, 2]
    growing = list(long)
    assert count(growing) == 2
    growing.append(long[0])
    assert count(growing) == 3
