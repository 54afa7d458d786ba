"""Every program is asked about the same states: what it would do there is compared."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import problems
from engine.diagnosis.diagnostics import diagnose
from engine.diagnosis.sampling import plan_sampling, sample
from engine.diagnosis.shared_states import (
    FIGURES,
    choose_as_answered,
    list_questions,
    mix_rollouts,
    with_figures,
)
from engine.domain.values import RealFigures
from teachers.base import verdict
from tests.engine.builders import diagnostics

TOY = problems.load("tests/toy")
DESIGN = TOY.load("design")
IN_ORDER = tuple(tuple(range(10)) for _ in DESIGN)
SAMPLED = sample(TOY, DESIGN, IN_ORDER, plan_sampling(len(DESIGN), states=32))
OWN_WORDS = [[IN_ORDER[q.instance][k] for k in q.steps] for q in list_questions(SAMPLED, IN_ORDER)]


def test_programs_take_turns_and_each_turn_begins_one_further_on() -> None:
    rollouts = [tuple((program, instance) for instance in range(7)) for program in range(3)]
    mixed = mix_rollouts(rollouts)
    assert [program for program, _ in mixed] == [0, 1, 2, 1, 2, 0, 2]
    assert [instance for _, instance in mixed] == [*range(7)]
    assert mix_rollouts([]) == ()


def test_a_question_leads_to_every_sampled_state_of_its_instance() -> None:
    questions = list_questions(SAMPLED, IN_ORDER)
    asked = [(q.instance, step) for q in questions for step in q.steps]
    assert asked == [(d.instance, d.step) for d in SAMPLED.decisions]
    assert all(q.actions == IN_ORDER[q.instance][: q.steps[-1] + 1] for q in questions)


def test_the_program_that_walked_there_answers_with_its_own_choices() -> None:
    found, kept = choose_as_answered(SAMPLED, OWN_WORDS)
    assert found == SAMPLED
    assert kept == [*range(len(SAMPLED.decisions))]


@given(
    st.lists(
        st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(0, 9), max_size=5),
        min_size=len(OWN_WORDS),
        max_size=len(OWN_WORDS),
    )
)
def test_no_answer_that_is_not_feasible_counts(answers: list[list[int]]) -> None:
    found, kept = choose_as_answered(SAMPLED, answers)
    assert len(found.decisions) == len(kept) == len(found.lengths)
    assert len(kept) + found.dropped == len(SAMPLED.decisions) + SAMPLED.dropped
    assert all(decision.chosen in decision.actions for decision in found.decisions)
    for k, decision in zip(kept, found.decisions, strict=True):
        assert replace(decision, chosen=SAMPLED.decisions[k].chosen) == SAMPLED.decisions[k]


def test_figures_are_those_of_the_answers_and_all_else_stays_the_programs_own() -> None:
    backwards = [
        [max(d.actions) for d in SAMPLED.decisions if d.instance == q.instance]
        for q in list_questions(SAMPLED, IN_ORDER)
    ]
    found, kept = choose_as_answered(SAMPLED, backwards)
    verdicts = [verdict(d.actions, [*map(float, d.actions)]) for d in SAMPLED.decisions]
    shared = diagnose(TOY, found, [verdicts[k] for k in kept], 0)
    assert shared is not None
    own = replace(diagnostics(0.25), real=RealFigures(0.5, 0.5, 0.1, None, None))
    marked = with_figures(own, shared)
    assert marked.agreement == 1.0
    assert marked.states == len(SAMPLED.decisions)
    kept_fields = {name: getattr(own, name) for name in FIGURES}
    assert replace(marked, **kept_fields) == own


@pytest.mark.parametrize("answers", [[()] * len(OWN_WORDS), [(99,) * 4] * len(OWN_WORDS)])
def test_a_program_without_an_answer_has_no_figures(answers: list[tuple[int, ...]]) -> None:
    found, kept = choose_as_answered(SAMPLED, answers)
    assert kept == []
    assert diagnose(TOY, found, [], 0) is None
