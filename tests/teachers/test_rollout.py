"""Greedy rollouts of a teacher, and its figures measured again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import problems
from problems.base import Decision
from problems.errors import TeacherUnavailable, UnknownName
from teachers.base import Verdict
from teachers.rollout import rollouts
from teachers.training.measure import at_hand, measure
from teachers.verify import Figure, verify


class Lowest:
    """Prefers the lowest job; silent on instances of a given number of jobs."""

    name, problem, fingerprint = "lowest", "jssp", "v1"

    def __init__(self, silent: int = 0) -> None:
        self.silent, self.batches = silent, list[int]()

    def verdicts(self, decisions: Sequence[Decision]) -> list[Verdict]:
        """Counts its batches."""
        self.batches.append(len(decisions))
        return [Verdict(self._preferred(decision), None) for decision in decisions]

    def _preferred(self, decision: Decision) -> int | None:
        return None if decision.state.instance.jobs == self.silent else decision.actions[0]


def test_a_rollout_follows_the_preferred_actions_to_the_end() -> None:
    problem = problems.load("jssp")
    (instance,) = problem.load("random-3x2")[:1]
    (found,) = rollouts(Lowest(), problem, [instance])
    assert found is not None and found.actions == (0, 0, 1, 1, 2, 2)
    assert found.cost == problem.replay(instance, found.actions)


def test_instances_walk_in_lockstep_with_one_query_a_step() -> None:
    problem, teacher = problems.load("jssp"), Lowest()
    rollouts(teacher, problem, [*problem.load("random-3x2")[:2], *problem.load("random-2x2")[:1]])
    assert teacher.batches == [3, 3, 3, 3, 2, 2]


def test_an_instance_without_preference_has_no_rollout_and_holds_up_no_other() -> None:
    problem = problems.load("jssp")
    mixed = [problem.load("random-3x2")[0], problem.load("random-2x2")[0]]
    silent, other = rollouts(Lowest(silent=3), problem, mixed)
    assert silent is None and other is not None


def test_no_instances_have_no_rollouts() -> None:
    assert rollouts(Lowest(), problems.load("jssp"), []) == []


def test_a_figure_without_preference_is_no_figure() -> None:
    with pytest.raises(TeacherUnavailable, match="not finite on random-3x2"):
        measure(Lowest(silent=3), problems.load("jssp"), ["random-3x2"], lambda progress: None)


def test_a_measured_figure_is_the_mean_cost_of_the_set() -> None:
    problem, teacher = problems.load("jssp"), Lowest()
    costs = [
        found.cost for found in rollouts(teacher, problem, problem.load("random-2x2")) if found
    ]
    found = measure(teacher, problem, ["random-2x2"], lambda progress: None)
    assert found == {"random-2x2": sum(costs) / 100}


def test_figures_agree_to_the_second_digit() -> None:
    assert Figure("set", 1951.73, 1951.7301).equal
    assert not Figure("set", 1951.73, 1951.74).equal
    assert Figure("set", 1951.73, None).equal is None


def test_sets_that_are_not_imported_are_left_out() -> None:
    assert at_hand(problems.load("jssp"), ["random-2x2", "no-such-set"]) == ["random-2x2"]


def test_an_unknown_teacher_has_no_figures() -> None:
    with pytest.raises(UnknownName):
        verify("no-such-teacher", lambda progress: None)
