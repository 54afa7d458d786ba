"""Quality for time: who is best among the quick ones, and how a time is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.records import PacedProgram
from engine.monitor.pace import PACES, best_by_pace, best_under, read_pace
from problems.errors import UserError

SLOW = PacedProgram("p0003", 10.0, 5e-3)
MIDDLE = PacedProgram("p0002", 20.0, 5e-4)
QUICK = PacedProgram("p0001", 30.0, 5e-5)
ALL = (QUICK, MIDDLE, SLOW)

PROGRAMS = st.lists(
    st.builds(
        PacedProgram,
        st.integers(0, 99).map("p{:04d}".format),
        st.floats(0, 100),
        st.floats(1e-6, 1),
    ),
    unique_by=lambda one: one.id,
)


def test_every_time_has_the_best_of_those_that_take_at_most_as_long() -> None:
    found = best_by_pace(ALL, None)
    assert [(one.limit, one.program) for one in found] == [*zip(PACES, ALL, strict=True)]
    assert [one.limit for one in best_by_pace([MIDDLE], None)] == [1e-3, 1e-2]


def test_the_winner_stands_wherever_it_is_quick_enough() -> None:
    found = best_by_pace(ALL, MIDDLE.id)
    assert [one.program for one in found] == [QUICK, MIDDLE, MIDDLE]


def test_of_equals_the_quickest_is_the_best() -> None:
    twin = PacedProgram("p0000", MIDDLE.cost, MIDDLE.pace / 2)
    assert best_under([MIDDLE, twin], 1.0) == twin


@given(PROGRAMS, st.integers(0, 99).map("p{:04d}".format))
def test_nobody_quick_enough_is_better_but_for_the_winner(
    programs: list[PacedProgram], winner: str
) -> None:
    for one in best_by_pace(programs, winner):
        assert one.program.pace <= one.limit
        quick = [program for program in programs if program.pace <= one.limit]
        assert one.program.id == winner or all(p.cost >= one.program.cost for p in quick)
        assert one.program.id == winner or winner not in [program.id for program in quick]


@pytest.mark.parametrize(
    ("word", "seconds"),
    [
        ("1ms", 1e-3),
        ("0.1 ms", 1e-4),
        (" 500US ", 5e-4),
        ("2s", 2.0),
        (".5s", 0.5),
        ("3.ms", 3e-3),
    ],
)
def test_a_time_is_a_number_and_a_unit(word: str, seconds: float) -> None:
    assert read_pace(word) == pytest.approx(seconds)


@given(st.text(max_size=12) | st.from_regex(r"-?[0-9.e]+ ?(us|ms|s|m)\n?", fullmatch=True))
def test_any_other_word_is_refused(word: str) -> None:
    try:
        assert 0 < read_pace(word) < 1e10
    except UserError as refusal:
        assert "1ms" in str(refusal)
