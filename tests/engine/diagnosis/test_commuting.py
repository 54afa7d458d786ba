"""A disagreement is real where the program does not do the same later, to the same effect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import problems
from engine.diagnosis.diagnostics import diagnose, find_same_later, leave_out
from engine.diagnosis.sampling import Sample, plan_sampling, sample
from engine.domain.values import Diagnostics
from problems.base import Decision
from problems.jssp.problem import Jssp
from teachers.base import Verdict, verdict
from tests.problems.shops import shop

SHOPS = (shop("0:3 1:2", "1:4 0:1", "0:5"), shop("0:1", "1:1", "0:2"))
ROLLOUTS = ((0, 1, 2, 0, 1), (0, 1, 2))
SAMPLED = sample(Jssp(), SHOPS, ROLLOUTS, plan_sampling(2, states=10))
LATER = find_same_later(Jssp(), SHOPS, ROLLOUTS, SAMPLED.decisions)


def asked(wanted: int, checks: int = 0) -> Diagnostics:
    """What a teacher says that always wants one job most and a higher number more."""
    verdicts = [
        verdict(d.actions, [100.0 if action == wanted else action for action in d.actions])
        for d in SAMPLED.decisions
    ]
    found = diagnose(Jssp(), SAMPLED, verdicts, 8, checks=checks, later=LATER)
    assert found is not None
    return found


def test_every_decision_has_what_comes_later_by_its_own_instance() -> None:
    assert LATER is not None
    found = {
        (d.instance, d.step): set(later) for d, later in zip(SAMPLED.decisions, LATER, strict=True)
    }
    assert found[0, 0] == {1}
    assert found[0, 1] == {2}
    assert found[1, 0] == {1}


def test_a_problem_that_knows_nothing_of_it_has_no_real_figures() -> None:
    toy = problems.load("tests/toy")
    instances = toy.load("design")
    rollouts = [tuple(range(10))] * len(instances)
    sampled = sample(toy, instances, rollouts, plan_sampling(len(instances), states=8))
    assert find_same_later(toy, instances, rollouts, sampled.decisions) is None
    verdicts = [verdict(d.actions, [0.0] * len(d.actions)) for d in sampled.decisions]
    found = diagnose(toy, sampled, verdicts, 4)
    assert found is not None
    assert found.real is None
    assert found.real_agreement is None


def test_what_comes_later_to_the_same_effect_counts_as_agreement() -> None:
    found = asked(wanted=1)
    assert found.real is not None
    assert found.real.agreement > found.agreement
    assert found.real.chance > found.chance
    assert found.real.value is not None and found.value is not None
    assert found.real.value > found.value
    assert found.real_agreement == found.real.agreement


def test_cases_are_real_disagreements_while_there_are_any() -> None:
    apart = [case for case in asked(wanted=1).cases if case.chosen != case.preferred]
    assert apart and not any(case.later for case in apart)


def test_only_real_disagreements_are_checked() -> None:
    checked = [case for case in asked(1, checks=9).cases if case.chosen != case.preferred]
    assert {case.later for case in checked} == {False}


def left(chosen: int, said: Verdict, *later: int) -> tuple[tuple[int, ...], int | None]:
    """The actions that are left of four, and what is preferred of them."""
    decision = Decision(0, 0, None, (0, 1, 2, 3), chosen)
    asked_of, answer = leave_out(decision, said, frozenset(later))
    return asked_of.actions, answer.preferred


def test_what_comes_later_is_no_alternative_to_the_choice() -> None:
    scored = Verdict(3, (0.0, 5.0, 2.0, 9.0))
    assert left(0, scored) == ((0, 1, 2, 3), 3)
    assert left(0, scored, 3) == ((0, 1, 2), 1)
    assert left(1, scored, 3) == ((0, 1, 2), 1)
    assert left(0, scored, 1, 2, 3) == ((0,), 0)


def test_a_choice_as_good_as_the_best_is_no_disagreement() -> None:
    tied = Verdict(1, (0.0, 9.0, 9.0, 9.0))
    assert left(2, tied) == ((0, 1, 2, 3), 2)
    assert left(0, tied) == ((0, 1, 2, 3), 1)


def test_where_all_scores_are_equal_every_choice_is_as_good_as_the_best() -> None:
    equal = verdict((0, 1, 2, 3), (5.0, 5.0, 5.0, 5.0))
    assert equal.preferred == 0
    assert left(2, equal) == ((0, 1, 2, 3), 2)
    assert left(2, equal, 0) == ((1, 2, 3), 2)


def test_a_teacher_without_scores_says_nothing_against_what_comes_later() -> None:
    assert left(0, Verdict(3, None), 1) == ((0, 2, 3), 3)
    assert left(0, Verdict(3, None), 3) == ((0, 1, 2), 0)


@given(
    scores=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=6),
    named=st.booleans(),
    draw=st.data(),
)
def test_figures_of_real_disagreements_are_figures(
    scores: list[float], named: bool, draw: st.DataObject
) -> None:
    actions = tuple(range(len(scores)))
    chosen = draw.draw(st.sampled_from(actions))
    later = draw.draw(st.frozensets(st.sampled_from(actions))) - {chosen}
    found = verdict(actions, scores)
    asked_of = Verdict(found.preferred, None) if named else found
    toy = problems.load("tests/toy")
    state = toy.start(toy.load("design")[0])
    decision = Decision(0, 0, state, actions, chosen)
    figures = diagnose(toy, Sample((decision,), (10,), 0), [asked_of], 0, later=[later])
    assert figures is not None
    real = figures.real
    assert real is not None
    assert real.agreement >= figures.agreement
    assert real.chance == pytest.approx(1 / (len(actions) - len(later)))
    assert (real.value is None) == (real.percentile is None) == named
    assert all(0 <= figure <= 1 for figure in (real.value, real.percentile) if figure is not None)
