"""Sizes of fields and places of choices, from states that can be worked out by hand."""

from __future__ import annotations

import pytest

from engine.diagnosis.field_profile import FieldReader, draw_profile, profiled, thin_out
from engine.diagnosis.sampling import Sample
from engine.domain.values import ChoiceProfile, Span
from problems.base import Decision
from teachers.base import Verdict
from tests.toy.problem import Instance, Toy

THREE = Instance("three", durations=(2, 5, 9), weights=(1, 1, 4))


def profile(*preferred: int) -> ChoiceProfile:
    """Of a program that picks the items 1, 0 and 2, and a teacher that prefers others."""
    states = Toy().seek(THREE, (1, 0, 2), (0, 1))
    decisions = (
        Decision(0, 0, states[0], (0, 1, 2), 1),
        Decision(0, 1, states[1], (0, 2), 0),
    )
    sampled = Sample(decisions, (3, 3), 1)
    verdicts = [Verdict(action, None) for action in preferred]
    return draw_profile(sampled, FieldReader(Toy(), decisions), verdicts or None)


def test_a_field_is_told_by_its_sizes_and_the_places_of_choices_in_each_third() -> None:
    found = profile(2, 2)
    assert (found.steps, found.actions) == (3, 3)
    fields = {field.name: field.phases for field in found.fields}
    assert fields["duration"] == (Span(2, 9, 7, 0.5, 1.0), Span(2, 9, 7, 0.0, 1.0), None)
    assert fields["weight"] == (Span(1, 4, 3, 0.25, 1.0), Span(1, 4, 3, 0.0, 1.0), None)
    assert fields["left"] == (Span(3, 3, 0, None, None), Span(2, 2, 0, None, None), None)


def test_without_a_teacher_no_place_is_preferred() -> None:
    assert {field.name: field.phases[0] for field in profile().fields}["duration"] == Span(
        2, 9, 7, 0.5, None
    )


@pytest.mark.parametrize(
    ("states", "looked_at"),
    [(0, 0), (1, 1), (2, 2), (192, 192), (193, 97), (384, 192), (512, 171)],
)
def test_a_profile_looks_at_every_state_up_to_192_and_then_at_an_even_share(
    states: int, looked_at: int
) -> None:
    sampled = Sample((Decision(0, 0, None, (0, 1), 0),) * states, (9,) * states, 0)
    assert len(profiled(sampled)) == looked_at


def test_of_many_actions_an_even_share_is_looked_at_and_the_chosen_one() -> None:
    decision = Decision(0, 0, None, tuple(range(10, 20)), 13)
    assert thin_out(decision, 10) == [*range(10, 20)]
    assert thin_out(decision, 5) == [10, 12, 13, 14, 16, 18]
    assert thin_out(decision, 3, also=(19,)) == [10, 13, 14, 18, 19]
