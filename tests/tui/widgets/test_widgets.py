"""The parts of the panes that are plain functions: axes, plots, comparisons, filters, copying."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.domain.text.plain_text import clean
from engine.monitor.history import Change
from engine.monitor.teacher_standing import TeacherStanding
from tests.engine.builders import candidate
from tui.app.app import copy_sequence, fits_clipboard, through_tmux
from tui.screens.panes import shape_for
from tui.text.chart import Axis, fence, fit, label
from tui.text.formatting import clock
from tui.widgets.code import (
    ComparisonRow,
    compare_lines,
    count_changes,
    find_edits,
    highlight_lines,
    number_lines,
    pair_lines,
)
from tui.widgets.exchange import _format_message, embolden
from tui.widgets.plot import Frame, Line, Point, draw, merge
from tui.widgets.progress import bar, describe_change, describe_teacher
from tui.widgets.table import Column, Filter, fit_columns


def frame(width: int = 40, height: int = 12) -> Frame:
    """A plot of costs 0..10 and agreements 0..1."""
    return Frame(width, height, Axis(0.0, 10.0), Axis(0.0, 1.0), "cost", "agreement")


def lines_of(*points: Point) -> list[str]:
    """The plot of some points as plain lines."""
    return ["".join(text for text, _ in line) for line in draw(frame(), points)]


def test_an_axis_stays_while_it_holds_the_values() -> None:
    first = fit([10.0, 20.0])
    assert fit([11.0, 19.0], first) is first


@pytest.mark.parametrize("values", [[9.0, 20.0], [10.0, 21.0], [14.0, 15.0]])
def test_an_axis_is_fitted_anew_when_a_value_leaves_it_or_it_is_far_too_large(
    values: list[float],
) -> None:
    first = fit([10.0, 20.0])
    again = fit(values, first)
    assert again is not first
    assert again.holds(min(values))
    assert again.holds(max(values))


@pytest.mark.parametrize(
    ("values", "far"), [([1.0, 2.0, 3.0, 4.0, 50.0], [50.0]), ([1.0, 9.0], []), ([5.0] * 4, [])]
)
def test_what_is_far_from_the_rest_lies_beyond_the_fence(
    values: list[float], far: list[float]
) -> None:
    assert [value for value in values if value > fence(values)] == far


def test_one_value_has_an_axis_too() -> None:
    assert fit([1500.0]).holds(1500.0)
    assert fit([0.0]).span > 0


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]), (1556.0, 1643.0, [1560, 1580, 1600, 1620, 1640])],
)
def test_ticks_are_round(low: float, high: float, ticks: list[float]) -> None:
    found = Axis(low, high).ticks(6)
    assert found == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("value", "span", "text"), [(1600.0, 80.0, "1600"), (0.5, 0.2, "0.50"), (0.512, 0.04, "0.512")]
)
def test_labels_have_the_decimals_that_the_range_needs(
    value: float, span: float, text: str
) -> None:
    assert label(value, span) == text


def test_zooming_keeps_the_point_it_is_about() -> None:
    zoomed = Axis(0.0, 10.0).zoomed(2.0, 0.5)
    assert zoomed == Axis(1.0, 6.0)
    assert (2.0 - zoomed.low) / zoomed.span == pytest.approx(0.2)


def test_a_plot_fills_its_frame_exactly() -> None:
    lines = lines_of()
    assert len(lines) == 12
    assert {len(line) for line in lines} == {40}


def test_the_selected_program_is_drawn_over_the_others() -> None:
    here = [Point("1.0", "a", 5.0, 0.5, role) for role in ("dot", "selected", "front")]
    text = "\n".join(lines_of(*here))
    assert "◆" in text
    assert "●" not in text


def test_two_programs_in_one_cell_are_two_dots() -> None:
    near = [Point("1.0", "a", 5.0, 0.51, "dot"), Point("1.1", "b", 5.0, 0.55, "dot")]
    one, two = ("".join(lines_of(*near[:k])) for k in (1, 2))
    dots = [bin(ord(c) - 0x2800).count("1") for c in one + two if 0x2800 < ord(c) < 0x2900]
    assert dots == [1, 2]


def test_programs_outside_the_axes_are_left_out() -> None:
    assert lines_of(Point("1.0", "a", 50.0, 0.5, "front")) == lines_of()


def test_a_line_steps_down_where_its_value_changes_and_ends() -> None:
    line = Line(((0.0, 0.9), (5.0, 0.1)), 8.0, "━", "best", joined=True)
    text = ["".join(run for run, _ in line) for line in draw(frame(), [], [line])]
    columns = [row[8:] for row in text]
    assert columns[1].rstrip() == "━" * 16 + "┓"
    assert columns[5].rstrip() == " " * 16 + "┃"
    assert columns[9].rstrip() == " " * 16 + "┗" + "━" * 9


STEPS = st.lists(st.tuples(st.floats(-2, 12), st.floats(-1, 2)), max_size=8).map(sorted)


@given(STEPS, st.floats(-2, 20), st.booleans())
def test_any_line_keeps_within_the_frame(
    steps: list[tuple[float, float]], end: float, joined: bool
) -> None:
    text = draw(frame(), [], [Line(steps, end, "╌", "best", joined)])
    assert {len("".join(run for run, _ in line)) for line in text} == {40}


def test_blanks_join_the_run_before_them() -> None:
    assert merge([("●", "front"), (" ", "plain"), ("x", "front")]) == [("● x", "front")]


def test_lines_most_alike_stand_beside_each_other() -> None:
    old = ["    idle = a - b", "    slack = slack + idle", "    return 0.8 * rest - 0.5 * time"]
    assert pair_lines(old, ["    return 0.5 * rest - 0.7 * time"]) == [
        (0, None),
        (1, None),
        (2, 0),
    ]


def test_lines_without_a_like_stand_side_by_side_as_they_come() -> None:
    assert pair_lines(["aaaa", "bbbb"], ["1111"]) == [(0, 0), (1, None)]


def test_a_comparison_holds_every_line_of_both_sides() -> None:
    old, new = ["a", "b", "c", "d"], ["a", "x", "c", "e", "f"]
    rows = compare_lines(old, new)
    assert [row.left for row in rows if row.left is not None] == [0, 1, 2, 3]
    assert [row.right for row in rows if row.right is not None] == [0, 1, 2, 3, 4]
    assert count_changes(rows) == (3, 2)


def test_long_equal_stretches_are_folded_but_for_some_lines_near_the_change() -> None:
    same = [f"line {k}" for k in range(20)]
    rows = compare_lines([*same, "old"], [*same, "new"])
    assert rows[0] == ComparisonRow(None, None, folded=17)
    assert rows[1:4] == [ComparisonRow(17, 17), ComparisonRow(18, 18), ComparisonRow(19, 19)]


def test_equal_programs_are_shown_whole() -> None:
    same = [f"line {k}" for k in range(20)]
    assert compare_lines(same, same) == [ComparisonRow(k, k) for k in range(20)]


def test_the_words_that_were_edited_are_marked() -> None:
    left, right = find_edits("return 0.8 * rest", "return 0.5 * rest")
    assert [
        ("return 0.8 * rest"[a:b], "return 0.5 * rest"[c:d])
        for (a, b), (c, d) in zip(left, right, strict=True)
    ] == [("8", "5")]


def test_lines_with_little_in_common_are_not_marked_word_by_word() -> None:
    assert find_edits("abc def", "123 456 789 000") == ([], [])


def test_long_lines_of_code_go_on_below() -> None:
    text = str(number_lines("x = 1\ny = 'aaaaaaaaaaaaaaaaaaaa'\n", 20))
    assert text.splitlines() == ["   1   x = 1", "   2   y = 'aaaaaaaa", "   ↪   aaaaaaaaaaaa'"]


def test_a_long_line_breaks_between_words() -> None:
    code = "total = feature.processing_time + feature.remaining_work"
    pieces = [line[7:] for line in str(number_lines(code, 40)).splitlines()]
    assert pieces == ["total = feature.processing_time ", "+ feature.remaining_work"]
    assert "".join(pieces) == code


def test_a_name_that_a_line_holds_is_never_cut() -> None:
    code = "    rest = flow_due_date_per_remaining_work * flow_due_date_per_remaining_work"
    pieces = [line[7:] for line in str(number_lines(code, 45)).splitlines()]
    name = "flow_due_date_per_remaining_work"
    assert pieces == ["    rest = ", f"{name} * ", name]


@given(st.text(alphabet="a'\"#\n\r\t\f\u2028\\漢", max_size=200))
def test_highlighted_lines_are_the_lines_of_the_code(code: str) -> None:
    lines = highlight_lines(code)
    assert len(lines) == len(code.splitlines())
    if "\r" not in code:
        assert [line.plain for line in lines] == [*code.splitlines()]


@given(st.text(alphabet="ab_. (漢\u0301", max_size=200), st.integers(8, 60))
def test_broken_lines_hold_the_whole_code(code: str, width: int) -> None:
    pieces = [line[7:] for line in str(number_lines(code, width)).split("\n")]
    assert "".join(pieces) == code


@given(st.text(), st.integers(1, 80))
def test_no_prompt_or_reply_breaks_its_pane(text: str, width: int) -> None:
    for received in (text, f"```python\n{text}", f"# {text}\n```\n{text}\n```\n**{text}**"):
        told = str(_format_message(received, width))
        assert clean(told) == told


def test_a_prompt_is_shown_as_what_it_is() -> None:
    told = _format_message("# Task\nWrite **one** rule:\n```python\nx = 1\n```\nthanks", 40)
    assert str(told) == "Task\nWrite one rule:\n   1   x = 1\nthanks"
    assert "bold" in [span.style for span in told.spans]


def test_columns_give_way_by_rank() -> None:
    columns = (Column("a", 5), Column("b", 5, rank=1), Column("c", 5, rank=2))
    names = [[one.name for one in fit_columns(columns, width)] for width in (15, 14, 9, 1)]
    assert names == [["a", "b", "c"], ["a", "b"], ["a"], ["a"]]


def test_a_models_text_is_emboldened_and_never_taken_for_markup() -> None:
    content = embolden("[red]a[/] **b** c")
    assert str(content) == "[red]a[/] b c"
    assert [(span.start, span.end) for span in content.spans] == [(10, 11)]


@pytest.mark.parametrize(
    ("typed", "accepted"),
    [
        ("", True),
        ("timeout", True),
        ("TIMEOUT", True),
        ("status:timeout", True),
        ("stat:timeout", True),
        ("op:timeout", False),
        ("!timeout", False),
        ("!kept", True),
        ("!", True),
        ("op:s timeout", True),
        ("op:s kept", False),
        ("a:b", False),
    ],
)
def test_a_filter_wants_every_word_somewhere_or_in_its_field(typed: str, accepted: bool) -> None:
    assert Filter(typed).accepts({"op": "s", "status": "✗ timeout"}) is accepted


def test_a_text_is_copied_through_tmux_whole() -> None:
    sequence = through_tmux(copy_sequence("für x"))
    assert sequence.startswith("\x1bPtmux;\x1b\x1b]52;c;")
    assert sequence.endswith("\x07\x1b\\")
    payload = sequence.removeprefix("\x1bPtmux;\x1b\x1b]52;c;").removesuffix("\x07\x1b\\")
    assert base64.b64decode(payload).decode() == "für x"


@pytest.mark.parametrize(("length", "fits"), [(56_244, True), (56_250, False)])
def test_what_terminals_may_drop_is_not_copied(length: int, fits: bool) -> None:
    assert fits_clipboard("x" * length) is fits


@pytest.mark.parametrize(
    ("size", "shape"),
    [
        ((59, 24), "tiny"),
        ((80, 15), "tiny"),
        ((60, 16), "single"),
        ((109, 60), "single"),
        ((110, 30), "columns"),
        ((160, 39), "columns"),
        ((150, 40), "wide"),
    ],
)
def test_the_shape_follows_the_size(size: tuple[int, int], shape: str) -> None:
    from textual.geometry import Size

    assert shape_for(Size(*size)) == shape


def test_cells_are_cut_and_filled_to_their_column() -> None:
    assert Column("cost", 6, right=True).fit("1.5") == "   1.5"
    assert Column("status", 6).fit("evaluation") == " eval…"
    assert Column("name", 6).fit("漢字e\u0301") == " 漢字e\u0301"
    assert Column("name", 5).fit("漢字漢字") == " 漢 …"


@given(st.text(max_size=12), st.integers(2, 9), st.booleans())
def test_a_cell_of_any_text_is_as_wide_as_its_column(text: str, width: int, right: bool) -> None:
    assert cell_len(Column("", width, right).fit(text)) == width


@pytest.mark.parametrize(("done", "text"), [(0, "░░░░"), (1, "██░░"), (2, "████"), (3, "████")])
def test_a_bar_is_filled_by_its_share(done: int, text: str) -> None:
    assert bar(done, 2, 4) == text


@pytest.mark.parametrize(("seconds", "text"), [(4, "0:04"), (243, "4:03"), (7500, "2:05:00")])
def test_a_clock_is_short(seconds: float, text: str) -> None:
    assert clock(seconds) == text


def changed(cost: float = 3.0) -> Change:
    """A child that is better than its parent on every instance."""
    old = candidate(1, 5.0, costs=(4.0, 6.0))
    new = candidate(2, cost, generation=2, costs=(cost - 1, cost + 1.5), parents=("p0001",))
    return Change.of(2, new, old)


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (99, "★ p0002 best, since gen 2, by seed of p0001, cost 3, 1.75 ± 0.25 below p0001, "
             "better on 2 of 2"),
        (70, "★ p0002 best, since gen 2, by seed of p0001, 1.75 ± 0.25 below p0001"),
        (50, "★ p0002 best, since gen 2, 1.75 ± 0.25 below p0001"),
        (20, "★ p0002 best, since gen 2"),
    ],
)  # fmt: skip
def test_what_changed_leaves_out_what_matters_least(width: int, text: str) -> None:
    assert describe_change(changed(), width) == text


def test_a_difference_within_its_noise_is_called_so() -> None:
    assert "(within its noise)" in describe_change(changed(4.8), 200)


@given(st.text(), st.text(), st.lists(st.text(), max_size=3), st.text(), st.integers(0, 300))
def test_what_changed_is_plain_and_fits_whatever_a_file_says(
    id: str, operator: str, parents: list[str], chosen_on: str, width: int
) -> None:
    change = changed()
    new = replace(change.new, id=id, operator=operator, parents=tuple(parents))
    told = describe_change(replace(change, new=new, chosen_on=chosen_on), width)
    assert clean(told) == told
    assert cell_len(told) <= width or told.startswith(f"★ {clean(id)} best, ")


@given(st.text(), st.none() | st.floats(), st.lists(st.text(), max_size=3))
def test_what_is_told_of_a_teacher_is_one_line_each_whatever_was_recorded(
    name: str, cost: float | None, words: list[str]
) -> None:
    for part in describe_teacher(TeacherStanding(name, cost, None, None), words, 1.0):
        assert clean(part) == part
        assert len(part.splitlines()) <= 1
