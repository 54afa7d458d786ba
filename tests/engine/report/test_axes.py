"""Plots on axes: what they draw, how it is labelled, and what cannot be drawn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import preceptor
from engine.api.run import Run
from engine.api.study import Study
from engine.domain.records import Measurement
from engine.store.store import Store
from problems.errors import UnknownName, UserError
from tests.engine.small_study import STUDY, build

BEST = "best cost so far (lower is better)"


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """The small study."""
    build(tmp_path / "runs.db")
    return Study(tmp_path / "runs.db", STUDY)


@pytest.fixture
def ax() -> Any:
    """Axes of a figure of one's own."""
    figure = pytest.importorskip("matplotlib.figure").Figure()
    return figure.subplots()


def points(line: Any) -> list[tuple[float, float]]:
    """What a line goes through."""
    return [(float(x), float(y)) for x, y in line.get_xydata()]


def dots(collection: Any) -> Any:
    """Where the dots of a collection are."""
    return collection.get_offsets().tolist()


def legend(ax: Any) -> list[str]:
    """The texts of its legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize(
    ("by", "label", "line"),
    [
        ("call", "calls", [(0.0, 9.0), (1.0, 7.5), (2.0, 7.5)]),
        ("dollar", "dollars", [(0.0, 9.0), (0.25, 7.5), (0.5, 7.5)]),
        ("generation", "generation", [(0.0, 9.0), (1.0, 7.5)]),
    ],
)
def test_a_curve_is_the_lowest_cost_so_far(
    study: Study, ax: Any, by: Any, label: str, line: list[tuple[float, float]]
) -> None:
    assert preceptor.plot.curve(study.runs[0], by, ax) is ax
    (drawn,) = ax.lines
    assert points(drawn) == line
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_legend()) == (label, BEST, None)


def test_several_runs_have_a_line_each_and_a_legend(study: Study, ax: Any) -> None:
    preceptor.plot.curve(study.runs[:2], ax=ax)
    assert legend(ax) == ["run 1: ours, seed 3", "run 2: ours, seed 4"]
    assert [len(points(line)) for line in ax.lines] == [3, 0]
    preceptor.plot.curve(study, "second", ax)
    assert ax.get_xlabel().startswith("seconds")
    assert len(ax.lines) == 2 + 4


def test_a_front_joins_what_no_program_beats(study: Study, ax: Any) -> None:
    assert preceptor.plot.front(study.runs[0], ax) is ax
    (front,) = ax.lines
    assert points(front) == [(7.5, 0.5)]
    assert dots(ax.collections[0]) == [[9.0, 0.25], [7.5, 0.5], [8.0, 0.25]]
    assert legend(ax) == ["programs", "Pareto front"]
    assert "lower" in ax.get_xlabel() and "higher" in ax.get_ylabel()


def test_methods_have_runs_a_mean_and_an_interval(study: Study, ax: Any) -> None:
    assert preceptor.plot.heldout(study, ax) is ax
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [
        "eoh (1 of 2 runs)",
        "ours (2 of 2 runs)",
    ]
    runs, *_, known = ax.lines
    assert points(runs) == [(7.0, 0.0), (6.0, 1.0), (6.5, 1.0)]
    means, _, (bars,) = ax.containers[0]
    assert points(means) == [(7.0, 0.0), (6.25, 1.0)]
    (low, _), (high, _) = bars.get_segments()[-1]
    assert (low, high) == (pytest.approx(6.25 - 3.1766, abs=1e-3), pytest.approx(9.4266, abs=1e-3))
    assert known.get_xdata() == [5.0, 5.0]
    assert ax.get_xlabel() == "mean objective on far (lower is better)"
    assert set(legend(ax)) == {"a run", "their mean and its 95 % interval", "best known"}


def test_the_direction_is_that_of_the_objective(tmp_path: Path, ax: Any) -> None:
    build(tmp_path / "cuts.db", "maxcut")
    preceptor.plot.heldout(Study(tmp_path / "cuts.db", STUDY), ax)
    assert ax.get_xlabel() == "mean objective on far (higher is better)"


def test_another_set_is_drawn_where_it_is_named(study: Study, ax: Any) -> None:
    with Store(study.store) as store:
        near = Measurement("toy", "near", "h", "program", (2.0,), 0.5, "", (), 2, "ours")
        store.study_log.record_measurement(STUDY, "near", near)
    preceptor.plot.heldout(study.runs, ax, "near")
    assert points(ax.lines[0]) == [(2.0, 0.0)]
    with pytest.raises(UnknownName, match="unknown measured set 'nearer'; did you mean 'near'"):
        preceptor.plot.heldout(study, ax, "nearer")


def test_a_figure_of_its_own_is_made_where_no_axes_are_given(study: Study) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    made = preceptor.plot.curve(study.runs[0])
    assert made.figure is pyplot.gcf()
    pyplot.close(made.figure)


def test_what_is_not_there_cannot_be_drawn(study: Study, ax: Any) -> None:
    with pytest.raises(UnknownName, match="unknown clock 'hour'"):
        preceptor.plot.curve(study, "hour", ax)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="unknown run '9'"):
        preceptor.plot.curve(Run(study.store, 9), ax=ax)
    with pytest.raises(UnknownName, match="unknown study '9'"):
        preceptor.plot.curve([study, Study(study.store, 9)], ax=ax)
    with pytest.raises(UserError, match="run 3 has no teacher"):
        preceptor.plot.front(study.runs[2], ax)
    with pytest.raises(UserError, match="study 1 has a front for each run"):
        preceptor.plot.front(study, ax)
    with pytest.raises(UserError, match="nothing was measured"):
        preceptor.plot.heldout([], ax)
    assert not ax.lines


def test_without_matplotlib_one_line_says_what_to_install(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (preceptor.plot.curve, preceptor.plot.heldout):
        with pytest.raises(UserError, match=r"pip install 'preceptor\[export\]'"):
            draw(study)
