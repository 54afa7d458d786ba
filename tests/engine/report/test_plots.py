"""Plots are files of both forms, the same for the same runs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.monitor.timeline import CLOCKS
from engine.report.curves import Moment, Series, nondominated
from engine.report.plots import FORMS, draw_all
from problems.errors import UserError

MOMENTS = (Moment(0.0, 9.0, 8.0, 10.0), Moment(5.0, 6.0, 5.0, 7.0))
POINTS = ((9.0, 0.4), (5.0, 0.2), (7.0, 0.3), (8.0, 0.1))
SERIES = (
    Series("ours", dict.fromkeys(CLOCKS, MOMENTS), POINTS, (nondominated(POINTS),)),
    Series("eoh", dict.fromkeys(CLOCKS, MOMENTS), (), ((),), (((5.0, 0.2), (9.0, 0.01)),)),
)


def test_a_front_keeps_what_no_other_point_dominates() -> None:
    assert nondominated(POINTS) == ((5.0, 0.2), (7.0, 0.3), (9.0, 0.4))


def test_every_plot_is_drawn_in_every_form_and_equal_runs_give_equal_files(
    tmp_path: Path,
) -> None:
    pytest.importorskip("matplotlib")
    files = draw_all(SERIES, "toy", tmp_path / "plots", 4.5)
    assert [file.name for file in files] == [
        f"toy-{name}.{form}"
        for name in ("dynamics", "pareto", "agreement", "pace")
        for form in ("png", "svg", "pdf")
    ]
    assert all(file.stat().st_size > 1000 for file in files)
    again = draw_all(SERIES, "toy", tmp_path / "again", 4.5)
    assert [file.read_bytes() for file in files] == [file.read_bytes() for file in again]


def test_runs_without_a_teacher_have_no_plot_of_agreement(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = draw_all(SERIES[1:], "toy", tmp_path)
    drawn = [f"toy-{name}.{form}" for name in ("dynamics", "pace") for form in FORMS]
    assert [file.name for file in files] == drawn


def test_without_matplotlib_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UserError, match=r"pip install 'preceptor\[export\]'"):
        draw_all(SERIES, "toy", tmp_path)
