"""Teacher `rollout` prefers what ends best when a program goes on from there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import problems
from engine.diagnosis.diagnostics import diagnose
from engine.diagnosis.facts import Observation, observe
from engine.diagnosis.rollout_teacher import (
    STATES,
    TRIED,
    list_trials,
    narrow,
    rate,
)
from engine.diagnosis.sampling import Sample, plan_sampling, sample
from problems import ProblemRef
from problems.base import Decision, rollout

TOY = problems.load("tests/toy")
DESIGN = TOY.load("design")
IN_ORDER = [tuple(range(10))] * len(DESIGN)


def first(item: object, state: object) -> float:
    """A program that takes the first item that is left."""
    return 0.0


def smith(item: Any, state: Any) -> float:
    """The best rule there is."""
    return float(item.weight / item.duration)


@cache
def asked(states: int = 32) -> tuple[Sample, Observation]:
    """The states of the program that takes items in order, and what is tried there."""
    sampled = sample(TOY, DESIGN, IN_ORDER, plan_sampling(len(DESIGN), states))
    seen = observe(TOY, sampled, 6)
    assert seen is not None
    return narrow(TOY, sampled, seen)


def costs(guide: Any) -> list[float]:
    """What the guide reaches after every trial."""
    trials = list_trials(asked()[0], IN_ORDER)
    return [rollout(TOY, guide, DESIGN[p.instance], p.actions).cost for p in trials]


def decision(chosen: int) -> Decision:
    """Three actions at the beginning."""
    return Decision(0, 0, TOY.start(DESIGN[0]), (0, 1, 2), chosen)


def verdict_of(chosen: int, *reached: float | None) -> tuple[int | None, Sequence[float] | None]:
    (found,) = rate(Sample((decision(chosen),), (10,), 0), reached)
    return found.preferred, found.scores


def test_every_action_of_every_state_is_tried_after_the_programs_own() -> None:
    sampled, _ = asked()
    trials = list_trials(sampled, IN_ORDER)
    assert len(trials) == sum(len(d.actions) for d in sampled.decisions)
    for trial in trials:
        assert trial.actions[:-1] == tuple(range(len(trial.actions) - 1))


def test_the_preferred_action_ends_best() -> None:
    sampled, _ = asked()
    reached = iter(costs(smith))
    for decision, found in zip(sampled.decisions, rate(sampled, costs(smith)), strict=True):
        by_action = {action: next(reached) for action in decision.actions}
        assert found.preferred is not None
        assert by_action[found.preferred] == min(by_action.values())


def test_of_actions_that_end_alike_the_programs_own_is_preferred() -> None:
    assert verdict_of(2, 5.0, 4.0, 4.0) == (2, (-5.0, -4.0, -4.0))
    assert verdict_of(0, 5.0, 4.0, 4.0) == (1, (-5.0, -4.0, -4.0))


def test_an_action_after_which_the_program_fails_is_as_bad_as_the_worst() -> None:
    assert verdict_of(0, None, 4.0, 6.0) == (1, (-6.0, -4.0, -6.0))
    assert verdict_of(0, None, None, None) == (None, None)


@given(st.lists(st.none() | st.floats(-1e12, 1e12), min_size=3, max_size=3), st.integers(0, 2))
def test_whatever_costs_come_back_the_best_is_preferred(
    reached: list[float | None], chosen: int
) -> None:
    known = [cost for cost in reached if cost is not None]
    preferred, _ = verdict_of(chosen, *reached)
    assert (preferred is None) == (not known)
    if preferred is not None:
        cost = reached[preferred]
        margin = 1e-6 * (max(known) - min(known)) * 1.01
        assert (max(known) if cost is None else cost) <= min(known) + margin


def test_its_diagnostics_are_those_of_any_teacher() -> None:
    sampled, seen = asked()
    found = diagnose(TOY, sampled, rate(sampled, costs(smith)), 8, seen)
    assert found is not None
    assert found.value is not None
    assert found.states == len(sampled.decisions)


def test_states_in_which_nothing_came_of_any_action_are_left_out() -> None:
    sampled, seen = asked()
    known = sum(len(d.actions) for d in sampled.decisions[:7])
    late = [None] * (len(costs(smith)) - known)
    found = diagnose(TOY, sampled, rate(sampled, [*costs(smith)[:known], *late]), 8, seen)
    assert found is not None
    assert found.states == 7
    assert found.dropped == sampled.dropped + len(sampled.decisions) - 7
    nothing = rate(sampled, [None] * len(costs(smith)))
    assert diagnose(TOY, sampled, nothing, 8, seen) is None


@pytest.mark.parametrize("name", ["tsp", "maxcut"])
def test_of_many_states_and_actions_some_are_tried(name: str) -> None:
    problem = problems.load(ProblemRef(name))
    instances = problem.load(problem.design)[:2]
    space: dict[str, Any] = {}
    exec(problem.seeds()[0].code or "", space)
    walks = [
        rollout(problem, space[problem.contract.function], instance).actions
        for instance in instances
    ]
    sampled = sample(problem, instances, walks, plan_sampling(2, 400))
    seen = observe(problem, sampled, 6)
    assert seen is not None
    found, observed = narrow(problem, sampled, seen)
    assert len(found.decisions) <= STATES + 6
    full = {(d.instance, d.step): d for d in sampled.decisions}
    for decision in found.decisions:
        assert decision.chosen in decision.actions
        assert set(decision.actions) <= set(full[decision.instance, decision.step].actions)
        assert len(decision.actions) <= TRIED + 2
    for place, scene in zip(observed.places, observed.facts.scenes, strict=True):
        assert {row.action for row in scene.rows} <= set(found.decisions[place].actions)
