"""Where two programs part: late on the way, on an instance where the first loses much."""

from __future__ import annotations

import problems
from engine.diagnosis.partings import find_parting
from engine.domain.values import ChoiceProfile, Evaluation, Facts, FieldProfile, Parting, Span

TOY = problems.load("tests/toy")
INSTANCES = TOY.load("design")
IN_ORDER = tuple(range(10))
OTHERWISE = {
    0: (1, 0, 2, 3, 4, 5, 6, 7, 8, 9),
    1: (0, 2, 1, 3, 4, 5, 6, 7, 8, 9),
    5: (0, 1, 2, 3, 4, 6, 5, 7, 8, 9),
    7: (0, 1, 2, 3, 4, 5, 6, 8, 7, 9),
}
"""Walks that leave the one in order at a step."""

LONG_FIRST = Facts(ChoiceProfile(10, 10, (FieldProfile("duration", (Span(1, 9, 8, 1.0),) * 3),)))


def parting(*pairs: tuple[float, int], facts: Facts | None = None) -> Parting | None:
    """Of a program that walks in order, by instance: what it loses, where the other leaves it."""
    ours, theirs = [100.0 + loss for loss, _ in pairs], [100.0] * len(pairs)
    walks = tuple(OTHERWISE[step] for _, step in pairs)
    one = Evaluation(0.0, tuple(ours), (IN_ORDER,) * len(pairs), None, 0.0)
    other = Evaluation(0.0, tuple(theirs), walks, None, 0.0)
    return find_parting(TOY, INSTANCES, one, other, facts)


def test_of_the_third_of_largest_losses_the_latest_parting_is_shown() -> None:
    found = parting((5, 7), (90, 1), (-30, 7), (80, 5), (1, 7), (2, 7), (3, 7))
    assert found is not None  # 6 losses: the 2 largest are those of instances 1 and 3
    assert (found.scene.instance, found.scene.step) == (3, 5)
    assert (found.scene.chosen, found.other, found.costs) == (5, 6, (180.0, 100.0))


def test_of_partings_as_late_that_on_the_first_instance_is_shown() -> None:
    found = parting(*[(40, 5)] * 6)
    assert found is not None and found.scene.instance == 0


def test_a_single_loss_is_looked_at_and_no_loss_is_no_parting() -> None:
    found = parting((-1, 7), (2, 1))
    assert found is not None and (found.scene.instance, found.scene.step) == (1, 1)
    assert parting((-1, 7), (0, 1)) is None


def test_of_less_than_six_losses_the_largest_alone_is_looked_at() -> None:
    found = parting((70, 7), (90, 1), (80, 5))
    assert found is not None and (found.scene.instance, found.scene.step) == (1, 1)


def test_a_program_that_was_stopped_and_a_shorter_walk_are_compared_as_far_as_they_go() -> None:
    one = Evaluation(0.0, (109.0, 200.0), (IN_ORDER, IN_ORDER), None, 0.0)
    stopped = Evaluation(0.0, (100.0,), (OTHERWISE[5][:8],), None, 0.0)
    found = find_parting(TOY, INSTANCES, one, stopped)
    assert found is not None and (found.scene.instance, found.scene.step) == (0, 5)


def test_the_programs_habit_orders_the_actions_of_the_scene() -> None:
    plain, told = parting((9, 1)), parting((9, 1), facts=LONG_FIRST)
    assert plain is not None and told is not None
    assert (plain.scene.by, told.scene.by) == ("", "duration")
    assert [row.action for row in plain.scene.rows] == [1, 2, 3, 4, 5, 6]
    durations = [row.values[told.scene.names.index("duration")] for row in told.scene.rows]
    assert durations == sorted(durations, reverse=True)
    assert max(durations) == max(INSTANCES[0].durations[1:])
