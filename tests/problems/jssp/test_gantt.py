"""Schedules as text pictures."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from problems.jssp.instances import Instance
from problems.jssp.problem import Jssp
from problems.jssp.state import IDLE
from tests.problems.shops import shops

PROBLEM = Jssp()
HEAD = 6
"""Cells before the line of a machine."""


def lines(picture: str) -> list[str]:
    """The lines of the machines, one cell a span of time."""
    return [line[HEAD:] for line in picture.splitlines() if line.startswith("m")]


@given(shops(), st.randoms(use_true_random=False))
def test_what_is_placed_keeps_its_place_in_pictures_that_are_drawn_alike(
    instance: Instance, dice: random.Random
) -> None:
    states = [PROBLEM.start(instance)]
    while actions := PROBLEM.actions(states[-1]):
        states.append(PROBLEM.step(states[-1], dice.choice(actions)))
    earlier, later = sorted(dice.sample(range(len(states)), 2))
    before, after = PROBLEM.draw_alike((states[earlier], states[later]))
    assert after == PROBLEM.draw(states[later])
    for old, new in zip(lines(before), lines(after), strict=True):
        assert all(one in (IDLE, other) for one, other in zip(old, new, strict=True))


def test_no_state_is_no_picture() -> None:
    assert PROBLEM.draw_alike(()) == ()
