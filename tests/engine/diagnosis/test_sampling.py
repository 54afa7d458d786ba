"""How many states of which rollouts a teacher is asked about, and which steps they are."""

from __future__ import annotations

import pytest

import problems
from engine.diagnosis.sampling import Sampling, plan_sampling, sample
from tests.toy.problem import State, Toy

TOY = problems.load("tests/toy")
IN_ORDER = [tuple(range(10))] * 8


def slots(problem: object, sampling: Sampling) -> list[tuple[int, int]]:
    """Instance and step of what is sampled from eight walks of ten steps."""
    found = sample(problem, TOY.load("design"), IN_ORDER, sampling)  # type: ignore[arg-type]
    return [(decision.instance, decision.step) for decision in found.decisions]


@pytest.mark.parametrize(
    ("states", "instances", "phases"), [(32, 8, 4), (8, 8, 1), (8, 64, 1), (20, 8, 2), (4, 0, 4)]
)
def test_every_instance_has_as_many_phases_as_fit(
    states: int, instances: int, phases: int
) -> None:
    assert plan_sampling(instances, states).phases == phases


@pytest.mark.parametrize(
    ("states", "phases", "asked", "found"),
    [(10, 3, 3, 9), (3, 1, 3, 3), (1, 2, 1, 2), (99, 2, 8, 16)],
)
def test_no_more_rollouts_are_looked_into_than_states_are_wanted(
    states: int, phases: int, asked: int, found: int
) -> None:
    places = slots(TOY, Sampling(states, phases, seed=0, cases=0))
    assert {instance for instance, _ in places} == {*range(asked)}
    assert len(places) == found


def test_the_steps_are_the_drawn_ones() -> None:
    # floor(10 u) of u = .844, .757, .420, .258, .511, .404, .783, .303
    steps = [step for _, step in slots(TOY, Sampling(8, 1, seed=0, cases=0))]
    assert steps == [8, 7, 4, 2, 5, 4, 7, 3]
    # floor(5 (phase + u)) of the first four
    assert slots(TOY, Sampling(4, 2, seed=0, cases=0)) == [(0, 4), (0, 8), (1, 2), (1, 6)]


class Corridor(Toy):
    """The toy with a single action at some steps."""

    forced: frozenset[int]

    def __init__(self, *forced: int) -> None:
        """No choice at the steps `forced`."""
        super().__init__()
        object.__setattr__(self, "forced", frozenset(forced))

    def actions(self, state: State) -> tuple[int, ...]:
        """The items not yet picked, or the first of them alone."""
        found = super().actions(state)
        return found[:1] if len(state.picked) in self.forced else found


def test_a_step_without_a_choice_gives_way_to_the_nearest_later_then_earlier_one() -> None:
    once = Sampling(1, 1, seed=2, cases=0)  # draws step 9 of u = .956
    middle = Sampling(1, 1, seed=4, cases=0)  # draws step 2 of u = .236
    assert slots(Corridor(), middle) == [(0, 2)]
    assert slots(Corridor(2), middle) == [(0, 3)]
    assert slots(Corridor(2, 3, 4), middle) == [(0, 5)]
    assert slots(Corridor(*range(2, 10)), middle) == [(0, 1)]
    assert slots(Corridor(), once) == [(0, 8)]
    assert slots(Corridor(*range(10)), once) == []


def test_a_walk_without_a_step_has_nothing_to_sample() -> None:
    found = sample(TOY, TOY.load("design"), [(), *IN_ORDER[1:]], Sampling(16, 2, 0, 12))
    assert {decision.instance for decision in found.decisions} == set(range(1, 8))
    assert (len(found.decisions), found.dropped) == (14, 2)
