"""Charts of letters: one a series, a star where several meet."""

from __future__ import annotations

from engine.monitor.timeline import CLOCKS
from engine.report.curves import Moment, Series
from tui.text.chart import GUTTER, chart_dynamics, chart_points


def series(*costs: float) -> Series:
    """A search whose best costs, generation by generation, are these."""
    moments = tuple(Moment(float(time), cost, cost, cost) for time, cost in enumerate(costs))
    return Series("", dict.fromkeys(CLOCKS, moments), (), ())


def test_lines_hold_until_the_next_step_and_meet_in_a_star() -> None:
    drawn = chart_dynamics({"A": series(9, 5), "B": series(9, 9)}, "call", GUTTER + 11, 5)
    title, *rows, edge, foot = drawn.splitlines()
    assert title == "best cost so far, by call"
    assert [row[GUTTER:] for row in rows] == ["**********B", "", "", "", "          A"]
    assert edge.endswith("└" + "─" * 11)
    assert foot.split() == ["0.0", "1.0"]


def test_a_front_is_drawn_by_its_letter_with_better_agreement_higher() -> None:
    one = Series("", {}, (), (((10.0, 0.2), (20.0, 0.4)),))
    rows = chart_points({"C": one}, GUTTER + 20, 6).splitlines()[1:7]
    assert [row[GUTTER:].strip() for row in rows] == ["C", "", "", "", "", "C"]
    assert rows[0].index("C") > rows[5].index("C")


def test_runs_without_anything_to_draw_have_no_chart() -> None:
    assert chart_dynamics({"A": series()}, "second", 40, 5) == ""
    assert chart_points({"A": series(1)}, 40, 5) == ""
