"""Spans of time as people type them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.text.figures import read_time_span, write_time_span
from problems.errors import UserError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("30m", 1800), ("1h30m", 5400), ("1.5h", 5400)],
)
def test_a_time_is_read_as_people_write_it(text: str, seconds: float) -> None:
    assert read_time_span(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "h", "soon", "-3m", "30m1h", "1h30", "1d", "٣m", "nan", "9" * 400]
)
def test_anything_else_is_refused_in_words(text: str) -> None:
    with pytest.raises(UserError, match="a time is written 90s, 30m or 1h30m, not"):
        read_time_span(text)


def test_a_number_without_a_unit_is_refused() -> None:
    """It counted minutes, and nothing said so."""
    with pytest.raises(UserError, match="a time has a unit: 5m or 5s, not '5'"):
        read_time_span("5")


def test_a_time_beyond_every_calendar_is_refused() -> None:
    with pytest.raises(UserError, match="at most 100 years"):
        read_time_span("99999999999999999999h")


@given(st.text(max_size=40))
def test_no_text_does_worse(text: str) -> None:
    with suppress(UserError):
        assert read_time_span(text) >= 0


@given(st.integers(0, 10**7))
def test_what_is_written_is_read_again(seconds: int) -> None:
    assert read_time_span(write_time_span(seconds)) == seconds
