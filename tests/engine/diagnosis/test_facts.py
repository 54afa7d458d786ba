"""What a program did, told from its rollouts alone: habits, unusual choices, partings."""

from __future__ import annotations

import pytest

import problems
from engine.diagnosis.diagnostics import diagnose
from engine.diagnosis.facts import ROWS, Observation, find_habit, observe
from engine.diagnosis.partings import find_parting
from engine.diagnosis.placebo import shuffle_scores
from engine.diagnosis.sampling import Sample, plan_sampling, sample
from engine.domain.values import ChoiceProfile, Evaluation, FieldProfile, Span
from problems.base import Function, Problem, rollout
from teachers.base import Verdict, verdict


def shortest(item: object, state: object) -> float:
    """Short items first, but the heaviest of all at once."""
    return 100.0 if item.weight > 18 else -item.duration  # type: ignore[attr-defined]


@pytest.fixture
def toy() -> Problem:
    """The smallest problem there is."""
    return problems.load("tests/toy")


def solved(problem: Problem, function: Function = shortest) -> Evaluation:
    """A program on the design set."""
    runs = [rollout(problem, function, instance) for instance in problem.load("design")]
    costs = tuple(run.cost for run in runs)
    return Evaluation(sum(costs) / len(costs), costs, tuple(run.actions for run in runs), None, 0)


def sampled(problem: Problem, evaluation: Evaluation) -> Sample:
    """Many of its states."""
    instances = problem.load("design")
    return sample(problem, instances, evaluation.actions, plan_sampling(len(instances), 64))


def seen(problem: Problem, scenes: int = 6) -> Observation:
    """The facts of `shortest`."""
    found = observe(problem, sampled(problem, solved(problem)), scenes)
    assert found is not None
    return found


def test_a_profile_without_a_teacher_holds_the_programs_choices_alone(toy: Problem) -> None:
    fields = {field.name: field for field in seen(toy).facts.profile.fields}
    spans = [span for span in fields["duration"].phases if span]
    assert spans and all(span.chosen is not None and span.chosen < 0.3 for span in spans)
    everything = [span for field in fields.values() for span in field.phases if span]
    assert all(span.preferred is None for span in everything)


def test_the_habit_is_the_field_whose_choices_lie_nearest_to_an_end(toy: Problem) -> None:
    habit = find_habit(seen(toy).facts.profile)
    assert (habit.field, habit.low) == ("duration", True)
    far = FieldProfile("size", (Span(0, 1, 1, 0.9),) * 3)
    near = FieldProfile("age", (Span(0, 1, 1, 0.4),) * 3)
    assert find_habit(ChoiceProfile(9, 9, (near, far))).field == "size"
    assert not find_habit(ChoiceProfile(9, 9, (near, far))).low
    assert find_habit(ChoiceProfile(9, 9, ())).field == ""


def test_scenes_are_unusual_choices_among_those_that_the_habit_puts_first(toy: Problem) -> None:
    facts = seen(toy).facts
    assert 0 < len(facts.scenes) <= 6
    place = facts.scenes[0].names.index("duration")
    for scene in facts.scenes:
        column = [row.values[place] for row in scene.rows]
        assert column == sorted(column) and len(scene.rows) <= ROWS
        assert scene.chosen in [row.action for row in scene.rows] and scene.by == "duration"
    own = [
        next(row.values[place] for row in scene.rows if row.action == scene.chosen)
        > min(row.values[place] for row in scene.rows)
        for scene in facts.scenes
    ]
    assert any(own)


def test_facts_are_the_same_whatever_a_teacher_says(toy: Problem) -> None:
    evaluation = solved(toy)
    states = sampled(toy, evaluation)
    found = observe(toy, states, 6)
    verdicts = [verdict(d.actions, [float(a) for a in d.actions]) for d in states.decisions]
    shuffled = shuffle_scores(states.decisions, verdicts, 0)
    one = diagnose(toy, states, verdicts, 8, found)
    other = diagnose(toy, states, shuffled, 8, found)
    assert one is not None and other is not None and one != other
    assert observe(toy, states, 6) == found


def test_without_a_state_with_a_choice_there_are_no_facts(toy: Problem) -> None:
    assert observe(toy, Sample((), (), 3), 6) is None


def test_no_scenes_are_shown_where_none_are_wanted(toy: Problem) -> None:
    assert seen(toy, 0).facts.scenes == ()


def test_two_programs_part_in_a_state_that_both_have_seen(toy: Problem) -> None:
    ours = solved(toy, lambda item, state: -item.duration)
    theirs = solved(toy, lambda item, state: item.weight / item.duration)
    found = find_parting(toy, toy.load("design"), ours, theirs, seen(toy).facts)
    assert found is not None
    scene = found.scene
    own, other = ours.actions[scene.instance], theirs.actions[scene.instance]
    assert own[: scene.step] == other[: scene.step]
    assert (scene.chosen, found.other) == (own[scene.step], other[scene.step])
    assert {scene.chosen, found.other} <= {row.action for row in scene.rows}
    assert found.costs == (ours.costs[scene.instance], theirs.costs[scene.instance])
    assert found.costs[0] > found.costs[1]


def test_a_program_that_nowhere_loses_parts_from_none(toy: Problem) -> None:
    best = solved(toy, lambda item, state: item.weight / item.duration)
    assert find_parting(toy, toy.load("design"), best, solved(toy)) is None
    assert find_parting(toy, toy.load("design"), best, best) is None


def test_shuffled_scores_are_those_of_the_state_in_another_order(toy: Problem) -> None:
    decisions = sampled(toy, solved(toy)).decisions
    verdicts = [verdict(d.actions, [float(a) for a in d.actions]) for d in decisions]
    shuffled = shuffle_scores(decisions, verdicts, 0)
    assert shuffled == shuffle_scores(decisions, verdicts, 0)
    assert shuffled != shuffle_scores(decisions, verdicts, 1)
    for old, new in zip(verdicts, shuffled, strict=True):
        assert old.scores is not None and new.scores is not None
        assert sorted(old.scores) == sorted(new.scores)
    alike = sum(a.preferred == b.preferred for a, b in zip(verdicts, shuffled, strict=True))
    assert alike < len(verdicts) / 2


def test_what_says_nothing_stays_so_when_it_is_shuffled(toy: Problem) -> None:
    decision = sampled(toy, solved(toy)).decisions[0]
    (broken,) = shuffle_scores((decision,), [Verdict(None, None)], 0)
    (unscored,) = shuffle_scores((decision,), [Verdict(decision.actions[0], None)], 0)
    assert broken == Verdict(None, None)
    assert unscored.scores is None and unscored.preferred in decision.actions
