"""Agreement, value, percentile and cases, on states sampled alike for every candidate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

import problems
from engine.diagnosis.diagnostics import diagnose
from engine.diagnosis.sampling import Sample, plan_sampling, sample
from engine.domain.values import Diagnostics
from problems.base import Decision, Problem, rollout
from teachers.base import Verdict, verdict


@pytest.fixture
def toy() -> Problem:
    """The smallest problem there is."""
    return problems.load("tests/toy")


def _decision(chosen: int, actions: tuple[int, ...] = (0, 1, 2, 3)) -> Decision:
    toy = problems.load("tests/toy")
    return Decision(0, 0, toy.start(toy.load("design")[0]), actions, chosen)


def _diagnose(chosen: int, scores: tuple[float, ...]) -> tuple[float, float | None, float | None]:
    toy = problems.load("tests/toy")
    decision = _decision(chosen)
    sampled = Sample((decision,), (10,), 0)
    found = diagnose(toy, sampled, [verdict(decision.actions, scores)], cases=0)
    assert found is not None
    return found.agreement, found.value, found.percentile


def test_the_teachers_choice_has_value_and_percentile_one() -> None:
    assert _diagnose(2, (0.0, 1.0, 4.0, 2.0)) == (1.0, 1.0, 1.0)


def test_the_worst_choice_has_value_and_percentile_zero() -> None:
    assert _diagnose(0, (0.0, 1.0, 4.0, 2.0)) == (0.0, 0.0, 0.0)


def test_value_is_the_normalised_score_and_equals_count_half_in_percentile() -> None:
    agreement, value, percentile = _diagnose(1, (0.0, 1.0, 4.0, 1.0))
    assert (agreement, value) == (0.0, 0.25)
    assert percentile == pytest.approx((1 + 0.5) / 3)


def test_at_zero_range_the_value_is_one_and_the_lowest_action_is_preferred() -> None:
    agreement, value, _ = _diagnose(0, (2.0, 2.0, 2.0, 2.0))
    assert (agreement, value) == (1.0, 1.0)
    assert _diagnose(1, (2.0, 2.0, 2.0, 2.0))[0] == 0.0


def test_scores_within_a_millionth_of_the_range_are_ties_for_the_lowest_action() -> None:
    assert verdict((4, 7, 9), (0.0, 1.0 - 1e-8, 1.0)).preferred == 7
    assert verdict((4, 7, 9), (0.0, 1.0 - 1e-4, 1.0)).preferred == 9


def test_not_finite_scores_never_count_as_disagreement() -> None:
    toy = problems.load("tests/toy")
    sampled = Sample((_decision(0),), (10,), 0)
    broken = verdict((0, 1, 2, 3), (0.0, math.nan, 1.0, 2.0))
    assert broken.preferred is None
    assert diagnose(toy, sampled, [broken], cases=0) is None


def test_a_teacher_without_scores_gives_agreement_alone() -> None:
    toy = problems.load("tests/toy")
    sampled = Sample((_decision(3),), (10,), 0)
    found = diagnose(toy, sampled, [Verdict(3, None)], cases=0)
    assert found is not None
    assert (found.agreement, found.value, found.percentile) == (1.0, None, None)


def test_a_teacher_that_scores_only_some_states_gives_agreement_alone() -> None:
    toy = problems.load("tests/toy")
    decisions = (_decision(3), _decision(2), _decision(1))
    tied, alone = Verdict(0, (1.0, 1.0, 0.0, 0.0)), Verdict(2, (0.0, 0.0, 1.0, 0.0))
    sampled = Sample(decisions, (10,) * 3, 0)
    found = diagnose(toy, sampled, [Verdict(3, None), alone, tied], cases=8)
    assert found is not None
    assert found.agreement == pytest.approx(2 / 3)
    assert (found.value, found.percentile) == (None, None)
    assert (found.states, found.tied) == (3, 1)
    assert sorted(case.regret for case in found.cases) == [0.0, 0.0, 0.0]


def test_every_candidate_is_sampled_at_the_same_slots(toy: Problem) -> None:
    instances = toy.load("design")
    sampling = plan_sampling(len(instances), states=32)
    forward = [tuple(range(10))] * len(instances)
    backward = [tuple(range(9, -1, -1))] * len(instances)
    one, other = (sample(toy, instances, rollouts, sampling) for rollouts in (forward, backward))
    assert [(d.instance, d.step) for d in one.decisions] == [
        (d.instance, d.step) for d in other.decisions
    ]
    assert len(one.decisions) == 32
    assert {d.instance for d in one.decisions} == set(range(8))


def test_no_state_with_a_single_action_is_sampled_and_empty_slots_are_counted(
    toy: Problem,
) -> None:
    instances = toy.load("design")
    sampling = plan_sampling(len(instances), states=80)
    found = sample(toy, instances, [tuple(range(10))] * 8, sampling)
    assert all(len(d.actions) > 1 for d in found.decisions)
    # 10 phases over 10 steps: the bin of the last step holds nothing but a forced move
    assert (len(found.decisions), found.dropped) == (72, 8)


def test_cases_hold_the_largest_regrets_from_different_instances_and_a_few_agreements(
    toy: Problem,
) -> None:
    instances = toy.load("design")
    sampling = plan_sampling(len(instances), states=32)
    sampled = sample(toy, instances, [tuple(range(10))] * 8, sampling)
    verdicts = [
        verdict(d.actions, [float(-abs(a - d.actions[i % 2 * -1])) for a in d.actions])
        for i, d in enumerate(sampled.decisions)
    ]
    found = diagnose(toy, sampled, verdicts, cases=8)
    assert found is not None
    apart = [case for case in found.cases if case.chosen != case.preferred]
    assert (len(found.cases), len(apart)) == (8, 6)
    assert len({case.instance for case in apart}) > 3
    assert {name for name, _ in found.cases[0].chosen_fields} == {
        name for name, _ in found.cases[0].preferred_fields
    }


def test_chance_and_standard_error_stand_beside_agreement(toy: Problem) -> None:
    decisions = (_decision(0), _decision(1, (0, 1)))
    verdicts = [verdict((0, 1, 2, 3), (1.0, 0.0, 0.0, 0.0)), verdict((0, 1), (1.0, 0.0))]
    found = diagnose(toy, Sample(decisions, (10, 10), 0), verdicts, cases=0)
    assert found is not None
    assert found.agreement == 0.5
    assert found.chance == pytest.approx((1 / 4 + 1 / 2) / 2)
    assert found.stderr == pytest.approx(math.sqrt(0.25 / 2))


def _walk(toy: Problem, prefer: int, order: Sequence[int] = tuple(range(10))) -> Diagnostics:
    """All states of eight rollouts, with a teacher that always wants the first or the last."""
    instances = toy.load("design")
    sampled = sample(toy, instances, [order] * 8, plan_sampling(len(instances), states=80))
    verdicts = [
        verdict(d.actions, [float(a == d.actions[prefer]) + 0.01 * a for a in d.actions])
        for d in sampled.decisions
    ]
    found = diagnose(toy, sampled, verdicts, cases=8)
    assert found is not None
    return found


def test_a_disagreement_shows_its_alternatives_the_teachers_best_first(toy: Problem) -> None:
    found = _walk(toy, -1)
    apart = [case for case in found.cases if case.chosen != case.preferred]
    assert apart
    for case in apart:
        actions = [other.action for other in case.alternatives]
        scores = [other.score or 0.0 for other in case.alternatives]
        assert {case.chosen, case.preferred} <= set(actions)
        assert scores == sorted(scores, reverse=True) and scores[0] == 1.0
        chosen = case.alternatives[actions.index(case.chosen)]
        assert chosen.values == tuple(value for _, value in case.chosen_fields)


def test_a_state_of_many_actions_shows_ten_of_them_and_both_choices() -> None:
    shop = problems.load("jssp")
    state = shop.start(shop.load("random-20x5")[0])
    decision = Decision(0, 0, state, tuple(range(20)), 3)
    scores = tuple(float(action == 7) for action in range(20))
    found = diagnose(shop, Sample((decision,), (10,), 0), [Verdict(7, scores)], cases=4)
    assert found is not None
    actions = [other.action for other in found.cases[0].alternatives]
    assert len(actions) == len(set(actions)) == 10
    assert {3, 7} <= set(actions)


def test_no_case_comes_from_the_end_of_a_rollout(toy: Problem) -> None:
    late = replace(_decision(1), step=95)
    early = replace(_decision(1), step=5)
    verdicts = [Verdict(0, None), Verdict(0, None)]
    found = diagnose(toy, Sample((late, early), (100, 100), 0), verdicts, cases=8)
    assert found is not None
    assert [case.step for case in found.cases] == [5]


def test_programs_that_act_differently_show_different_states(toy: Problem) -> None:
    shown = {
        tuple((case.instance, case.step) for case in _walk(toy, -1, order).cases)
        for order in [(0, 1, 2, *range(3, 10)), (0, 2, 1, *range(3, 10)), (1, 0, *range(2, 10))]
    }
    assert len(shown) > 1


def test_a_profile_tells_sizes_and_where_choices_lie(toy: Problem) -> None:
    profile = _walk(toy, -1).profile
    assert profile is not None
    assert (profile.steps, profile.actions) == (10, 10)
    fields = {field.name: field.phases for field in profile.fields}
    assert len(fields["duration"]) == 3
    for span in fields["duration"]:
        assert span is not None and 1 <= span.low <= span.high <= 20
        assert 0 < span.spread <= span.high - span.low
    left = fields["left"][0]
    assert left is not None and (left.spread, left.chosen, left.preferred) == (0, None, None)


def test_ids_have_no_profile() -> None:
    shop = problems.load("jssp")
    instances = shop.load("random-6x6")[:2]
    rollouts = [rollout(shop, lambda feature, state: 0, one).actions for one in instances]
    sampled = sample(shop, instances, rollouts, plan_sampling(2, states=12))
    verdicts = [verdict(d.actions, [float(a) for a in d.actions]) for d in sampled.decisions]
    found = diagnose(shop, sampled, verdicts, cases=4)
    assert found is not None and found.profile is not None
    assert not {"job_id", "machine_id"} & {field.name for field in found.profile.fields}


def test_how_a_rollout_opens_is_not_sampled_where_the_problem_says_so() -> None:
    routes = problems.load("cvrp")
    instances = routes.load("random-20")[:2]
    rollouts = [[*range(1, 4)]] * 2
    found = sample(routes, instances, rollouts, plan_sampling(2, states=6))
    assert {d.step for d in found.decisions} == {1, 2}
    assert found.dropped == 2
