"""Advice is judged by what comes of it: costs after forced choices, beside the program's own."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

import problems
from engine.diagnosis.advice import list_prefixes, summarise, weigh_advice
from engine.diagnosis.diagnostics import diagnose
from engine.diagnosis.sampling import plan_sampling, sample
from engine.domain.values import Case, Diagnostics, Prefix
from problems.base import rollout
from teachers.base import verdict
from tests.engine.builders import diagnostics

TOY = problems.load("tests/toy")
DESIGN = TOY.load("design")
IN_ORDER = [tuple(range(10))] * len(DESIGN)
AGREED = Case(0, 3, 0.3, 4, 2, 2, 0.0, (), ())

COSTS = st.none() | st.floats(-1e9, 1e9)


def case(instance: int, step: int = 2, regret: float = 0.5) -> Case:
    """A disagreement: the program took item 2 at step 2, the teacher prefers 7."""
    return Case(instance, step, 0.2, 8, step, 7, regret, (), ())


def weighed(*reached: float | None, cases: int = 12) -> Diagnostics:
    """What came of disagreements on instances that the program solves at a cost of 100."""
    asked = replace(diagnostics(0.5), cases=(*map(case, range(len(reached))), AGREED))
    return weigh_advice(asked, [100.0] * len(reached), reached, cases)


def asked(checks: int) -> Diagnostics:
    """What a teacher that always wants the last item says of a program that takes the first."""
    sampled = sample(TOY, DESIGN, IN_ORDER, plan_sampling(len(DESIGN), states=80))
    verdicts = [verdict(d.actions, [float(a) for a in d.actions]) for d in sampled.decisions]
    found = diagnose(TOY, sampled, verdicts, 8, checks=checks)
    assert found is not None
    return found


def test_the_teachers_choice_is_forced_after_the_programs_own_actions() -> None:
    rollouts = [tuple(range(10)), tuple(range(9, -1, -1))]
    cases = [case(0, step=2), AGREED, case(1, step=0)]
    assert list_prefixes(cases, rollouts) == (Prefix(0, (0, 1, 7)), Prefix(1, (7,)))


def test_a_choice_helps_harms_or_changes_nothing() -> None:
    found = weighed(90.0, 120.0, 100.0, 100.0 + 1e-10).advice
    assert found is not None
    assert (found.checked, found.helped, found.harmed, found.unchanged) == (4, 1, 1, 2)
    assert found.gain == pytest.approx((0.1 - 0.2) / 4)
    deviation = math.sqrt(((0.1 + 0.025) ** 2 + (0.2 - 0.025) ** 2 + 2 * 0.025**2) / 3)
    assert found.stderr == pytest.approx(deviation / 2)


def test_of_costs_below_zero_the_lower_is_the_gain_too() -> None:
    found = weigh_advice(replace(diagnostics(0.5), cases=(case(0),)), [-50.0], [-60.0], 12)
    assert found.cases[0].gain == pytest.approx(0.2)
    assert found.advice is not None
    assert (found.advice.helped, found.advice.stderr) == (1, None)


def test_the_cases_that_help_most_are_kept_and_agreements_stay() -> None:
    found = weighed(99.0, 120.0, None, 80.0, 100.0, cases=4)
    assert [case.instance for case in found.cases] == [3, 0, 4, 0]
    assert [case.costs for case in found.cases] == [(100, 80), (100, 99), (100, 100), None]
    assert found.cases[-1] == AGREED


def test_a_program_that_failed_everywhere_has_no_advice() -> None:
    found = weighed(None, None)
    assert found.advice is None
    assert found.signal("advice") is None
    assert {case.gain for case in found.cases} == {None}


def test_by_advice_the_program_that_has_less_to_gain_stands_higher() -> None:
    good = weighed(100.0, 100.0, 101.0).signal("advice")
    bad = weighed(90.0, 90.0, 90.0).signal("advice")
    assert good is not None and bad is not None
    assert good > bad


@given(costs=st.lists(st.tuples(COSTS, COSTS), max_size=8), cases=st.integers(0, 6))
def test_whatever_costs_come_back_every_check_is_counted_once(
    costs: list[tuple[float | None, float | None]], cases: int
) -> None:
    before = replace(diagnostics(0.5), cases=tuple(map(case, range(len(costs)))))
    found = weigh_advice(before, [own for own, _ in costs], [cost for _, cost in costs], cases)
    known = sum(None not in pair for pair in costs)
    assert (found.advice.checked if found.advice else 0) == known
    assert len(found.cases) == min(len(costs), cases - cases // 4)
    gains = [case.gain for case in found.cases if case.gain is not None]
    assert gains == sorted(gains, reverse=True)
    if found.advice:
        assert min(found.advice.helped, found.advice.harmed, found.advice.unchanged) >= 0


def test_no_gains_are_no_advice() -> None:
    assert summarise([]) is None


def test_an_instance_that_costs_next_to_nothing_does_not_outweigh_the_others() -> None:
    """Ratios of single instances would say that the advice costs 49.5 % more."""
    found = summarise([(100.0, 98.0), (100.0, 98.0), (1.0, 3.0)])
    assert found is not None
    assert (found.helped, found.harmed) == (2, 1)
    assert found.gain == pytest.approx(2 / 201)
    rest = [2 - 100 * found.gain, 2 - 100 * found.gain, -2 - found.gain]
    assert found.stderr == pytest.approx(stdev(rest) / 67 / 3**0.5)
    assert found.outcome.startswith("saves 0.995 ± ")


def test_costs_of_nothing_at_all_are_saved_in_their_own_unit() -> None:
    found = summarise([(0.0, 0.0), (0.0, 1.0)])
    assert found is not None
    assert (found.helped, found.harmed, found.gain) == (0, 1, -0.5)
    assert found.outcome == "costs 50.000 ± 50.000 % more"


def test_disagreements_to_check_are_drawn_one_an_instance_first() -> None:
    found = asked(checks=10)
    apart = [case for case in found.cases if case.chosen != case.preferred]
    assert len(apart) == 10
    assert {case.instance for case in apart[:8]} == set(range(8))
    assert len({(case.instance, case.step) for case in apart}) == 10
    assert asked(checks=10) == found
    assert asked(checks=0).cases != found.cases


def test_a_checked_case_tells_what_the_plain_walk_finds() -> None:
    found = asked(checks=8)
    own = [
        TOY.replay(instance, actions) for instance, actions in zip(DESIGN, IN_ORDER, strict=True)
    ]

    def first(item: object, state: object) -> float:
        return 0.0

    prefixes = list_prefixes(found.cases, IN_ORDER)
    reached = [rollout(TOY, first, DESIGN[p.instance], p.actions).cost for p in prefixes]
    checked = weigh_advice(found, own, reached, 12)
    for one in (case for case in checked.cases if case.costs):
        taken = [*range(one.step), one.preferred]
        taken += [item for item in range(10) if item not in taken]
        instance = DESIGN[one.instance]
        assert one.costs == (own[one.instance], TOY.replay(instance, taken))
