"""Which states a writer is shown: the telling disagreements, a few agreements, from everywhere."""

from __future__ import annotations

from collections.abc import Sequence

import problems
from engine.diagnosis.cases import choose_cases, draw_disagreements
from engine.diagnosis.sampling import Sample
from problems.base import Decision
from teachers.base import Verdict

TOY = problems.load("tests/toy")
STATE = TOY.start(TOY.load("design")[0])
LATER_BEST = Verdict(9, None)
"""A teacher without scores that prefers the last item."""


def losing(instance: int, step: int, regret: float, chosen: int = 0) -> tuple[Decision, Verdict]:
    """A choice between four items that loses so much of the teacher's score; 0 is its own."""
    scores = [0.0, 0.0, 0.0, 1.0]
    scores[chosen] = 1 - regret
    preferred = 3 if regret else chosen
    return Decision(instance, step, STATE, (0, 1, 2, 3), chosen), Verdict(preferred, (*scores,))


def found(rows: Sequence[tuple[Decision, Verdict]], count: int) -> list[tuple[int, float]]:
    """Instance and regret of the cases chosen from rollouts of 100 steps."""
    decisions, verdicts = zip(*rows, strict=True)
    sampled = Sample(decisions, (100,) * len(decisions), 0)
    cases = choose_cases(TOY, sampled, verdicts, count)
    return [(case.instance, round(case.regret, 6)) for case in cases]


def forty(program: int) -> list[tuple[Decision, Verdict]]:
    """Disagreements of regrets 1/40 to 40/40 on as many instances; each program chooses its own.

    Instance k has the regret (k + 1) / 40.
    """
    return [losing(k, 30 * (k % 3), (k + 1) / 40, chosen=program >> k & 1) for k in range(40)]


def test_cases_come_from_the_sixteen_largest_of_forty_regrets_and_all_of_them_get_their_turn() -> (
    None
):
    shown = [case for program in range(60) for case in found(forty(program), count=4)]
    assert {instance for instance, _ in shown} == {*range(24, 40)}
    assert {regret for _, regret in shown} == {k / 40 for k in range(25, 41)}


def test_all_disagreements_are_shown_where_there_is_room() -> None:
    rows = [losing(k, 10 * k, regret) for k, regret in enumerate((0.2, 1.0, 0.6))]
    assert sorted(found(rows, count=8)) == [(0, 0.2), (1, 1.0), (2, 0.6)]


def test_a_quarter_of_the_cases_are_agreements_and_stand_last() -> None:
    rows = [losing(k, 10, 0.5 if k < 20 else 0.0) for k in range(40)]
    regrets = [regret for _, regret in found(rows, count=8)]
    assert regrets == [0.5] * 6 + [0.0] * 2


def test_which_agreements_are_shown_differs_from_program_to_program() -> None:
    shown = set()
    for program in range(60):
        rows = [losing(k, 10, 0.0, chosen=program >> k & 1) for k in range(6)]
        (case,) = found(rows, count=4)
        shown.add(case)
    assert shown == {(k, 0.0) for k in range(6)}


def test_cases_come_from_the_thirds_of_a_rollout_by_turns() -> None:
    rows = [losing(k, step, 0.5) for k, step in enumerate([5] * 9 + [50, 90])]
    steps = [{9: 50, 10: 90}.get(instance, 5) for instance, _ in found(rows, count=6)]
    assert steps == [5, 50, 90, 5, 5]


def test_no_instance_is_shown_twice_while_another_is_left() -> None:
    rows = [losing(instance, 10, 0.5) for instance in (0, 0, 0, 1, 2)]
    assert sorted(instance for instance, _ in found(rows, count=4)[:3]) == [0, 1, 2]


def test_without_scores_every_other_choice_is_as_bad() -> None:
    rows = [(Decision(k, 10, STATE, (0, 9), 9 * (k > 0)), LATER_BEST) for k in range(3)]
    assert [regret for _, regret in found(rows, count=8)] == [1.0, 0.0, 0.0]


def test_disagreements_to_be_tried_out_are_drawn_whatever_their_regret() -> None:
    drawn = set()
    for program in range(60):
        decisions, verdicts = zip(*forty(program), strict=True)
        sampled = Sample(decisions, (100,) * 40, 0)
        cases = draw_disagreements(TOY, sampled, verdicts, 4)
        assert len({case.instance for case in cases}) == 4
        drawn |= {case.instance for case in cases}
    assert drawn == {*range(40)}


def test_a_case_shows_what_competes_with_both_choices() -> None:
    shop = problems.load("jssp")
    instance = shop.load("random-20x5")[0]
    machines = [instance.machines[job][0] for job in range(20)]
    assert [job for job in range(20) if machines[job] == 1] == [2, 8, 18]
    assert [job for job in range(20) if machines[job] == 4] == [13, 17]
    decision = Decision(0, 0, shop.start(instance), tuple(range(20)), 8)
    scores = tuple(float(-abs(job - 13)) for job in range(20))
    (case,) = choose_cases(shop, Sample((decision,), (10,), 0), [Verdict(13, scores)], 4)
    shown = {row.action: row.rival for row in case.alternatives if row.rival}
    assert shown == dict.fromkeys((17, 18, 2), "same machine_id")


def test_without_ids_that_choices_share_the_rival_is_who_ranks_first() -> None:
    tour = problems.load("tsp")
    state = tour.start(tour.load("design-64")[0])
    near, *_, far = sorted(state.unvisited, key=lambda n: state.instance.distance(0, n))
    decision = Decision(0, 0, state, state.unvisited, far)
    agreed = choose_cases(tour, Sample((decision,), (49,), 0), [Verdict(far, None)], 4)
    assert [row.action for row in agreed[0].alternatives if row.rival == "rank 0"] == [near]
    nearest = Decision(0, 0, state, state.unvisited, near)
    apart = choose_cases(tour, Sample((nearest,), (49,), 0), [Verdict(far, None)], 4)
    assert not any(row.rival for row in apart[0].alternatives)
