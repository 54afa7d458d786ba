"""How values read on a terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.names import command, short_name
from engine.domain.text.figures import digits, dollars
from engine.domain.values import Case, RealFigures
from tests.engine.builders import diagnostics
from tui.text.formatting import age, duration, fit_table, format_real, short_writer, table
from tui.text.pages.measures import format_case
from tui.text.pages.study import _format_interval


def test_numbers_stand_to_the_right_and_words_to_the_left() -> None:
    rows = [("ours", "9.5", "0/5"), ("eoh", "-", "12/5")]
    assert table(("method", "cost", "gen"), rows).splitlines() == [
        "method  cost   gen",
        "ours     9.5   0/5",
        "eoh        -  12/5",
    ]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (243, "4 min 3 s"), (7500, "2 h 5 min")],
)
def test_a_duration_is_told_in_its_two_largest_units(seconds: float, told: str) -> None:
    assert duration(seconds) == told


def test_a_command_names_the_store_unless_it_is_the_usual_one() -> None:
    assert command("watch 3", Path("runs.db")) == "preceptor watch 3"
    assert command("watch 3", Path("a/b.db")) == "preceptor watch 3 --db a/b.db"
    assert command("watch 3", Path("a b/y z.db")) == "preceptor watch 3 --db 'a b/y z.db'"


@pytest.mark.parametrize(
    ("value", "told"),
    [(99.6, "100"), (1234.5, "1200"), (0.041, "0.041"), (-9.96, "-10"), (1e20, "1e+20")],
)
def test_a_figure_of_two_digits_is_no_power_of_ten(value: float, told: str) -> None:
    assert digits(value, 2) == told


def test_files_are_told_without_their_folders() -> None:
    assert short_name("/home/me/knapsack") == "knapsack"
    assert short_name("jssp") == "jssp"
    assert short_writer("/home/me/mine.py:Writer") == "mine.py:Writer"
    assert short_writer("openai:meta/llama") == "openai:meta/llama"


def test_real_agreement_has_its_error_and_chance_and_is_silent_where_it_is_unknown() -> None:
    found = diagnostics(0.13)
    assert format_real(found) == ""
    real = RealFigures(0.83, 0.6, 0.006, None, 0.9)
    assert format_real(replace(found, real=real)) == (
        "real agreement 0.830 ± 0.006 (chance 0.600), value -, percentile 0.900"
    )


def test_a_disagreement_that_is_none_is_said_to_be_one() -> None:
    case = Case(3, 17, 0.5, 8, 2, 7, 0.25, (), ())
    assert "the teacher 7, regret 0.250" in format_case(case)
    later = replace(case, later=True)
    assert "the teacher 7 (which comes later to the same effect), regret" in format_case(later)


@given(st.text(), st.text())
def test_whatever_a_name_is_it_adds_no_row_to_a_table(head: str, name: str) -> None:
    lines = table((head, "cost"), [(name, "1"), ("x", "2")]).split("\n")
    assert len(lines) == 3
    assert lines[2].startswith("x ")
    assert "\r" not in "".join(lines)


@given(
    st.lists(st.tuples(st.text("ab 1.", max_size=30), st.text("cd -", max_size=30)), max_size=4),
    st.integers(1, 60),
)
def test_a_table_is_fitted_to_a_line_and_loses_no_letter(
    rows: list[tuple[str, str]], width: int
) -> None:
    """A terminal would break it anywhere: `Q from 30 t` and `o 80`."""
    wide = table(("name", "what it is about"), rows)
    fitted = table(("name", "what it is about"), rows, width)
    assert sorted("".join(fitted.split())) == sorted("".join(wide.split()))
    parts = [re.findall(r"-*[^\s-]+-*|-+", cell) for row in rows for cell in row]
    least = max(map(len, ("about", *(part for found in parts for part in found))))
    assert max(map(len, fitted.split("\n"))) <= max(width, 1 + 2 * least)


def test_words_that_do_not_fit_go_on_below() -> None:
    rows = [("design", "256", "by turns Q from 30 to 80"), ("b", "1", "x")]
    assert table(("set", "size", "about"), rows, 30).splitlines() == [
        "set     size  about",
        "design   256  by turns Q from",
        "              30 to 80",
        "b          1  x",
    ]


def test_dates_give_way_at_hyphens_and_numbers_never() -> None:
    rows = [("interrupted", "-1855.12", "2026-11-22 13:53")]
    assert table(("status", "best cost", "started"), rows, 28).splitlines() == [
        "status          best started",
        "                cost",
        "interrupted -1855.12 2026-",
        "                     11-22",
        "                     13:53",
    ]


def test_small_sums_have_three_digits_and_larger_ones_cents() -> None:
    assert [dollars(usd) for usd in (0.0, 0.00213, 0.2841, 1.5, 1234.5)] == [
        *("$0.00", "$0.00213", "$0.284", "$1.50", "$1,234.50"),
    ]


def test_an_age_has_one_unit() -> None:
    assert [age(seconds) for seconds in (5, 720, 3 * 3600, 8 * 86400)] == [
        "<1m",
        "12m",
        "3h",
        "8d",
    ]


def test_half_an_interval_has_two_digits() -> None:
    assert _format_interval(-0.878268, 94.4183, 0) == "-1 to +94"
    assert _format_interval(0.012345, 0.067891, 0) == "+0.012 to +0.068"


def test_a_table_gives_up_columns_before_it_breaks_words() -> None:
    head = ("run", "status", "agree", "started")
    rows = [("1", "done", "-", "2026-11-27 14:01"), ("2", "paused", "-", "2026-11-27 14:02")]
    less = ("agree", "started")
    assert fit_table(head, rows, 40, less).split("\n") == [
        "run  status  started",
        "  1  done    2026-11-27 14:01",
        "  2  paused  2026-11-27 14:02",
    ]
    assert fit_table(head, rows, 20, less).split("\n")[1:] == ["  1  done", "  2  paused"]
