"""Plots as files, PNG and SVG: search dynamics, Pareto fronts, agreement against cost.

They need matplotlib, which is imported only when one is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.report.curves import CLOCKS
from problems.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from engine.report.curves import Series

    Draw = Callable[[Any, Sequence[Series]], None]

FORMS = ("png", "svg")
MARKERS = "os^Dv<>PX*"


def draw_all(series: Sequence[Series], title: str, folder: Path) -> list[Path]:
    """Draw every plot that the series of one problem have data for; returns the files.

    Raises WorldError without matplotlib.
    """
    taught = [one for one in series if one.points]
    plots: list[tuple[str, Draw, Sequence[Series]]] = [("dynamics", _draw_dynamics, series)]
    if taught:
        plots += [("pareto", _draw_fronts, taught), ("agreement", _draw_agreement, taught)]
    folder.mkdir(parents=True, exist_ok=True)
    return [
        file
        for name, draw, drawn in plots
        for file in _draw(draw, drawn, title, folder / f"{title}-{name}")
    ]


def _draw(draw: Draw, series: Sequence[Series], title: str, place: Path) -> list[Path]:
    """One figure in every form; equal data give equal files."""
    figure = _open_figure(len(CLOCKS) if draw is _draw_dynamics else 1)
    draw(figure, series)
    figure.suptitle(title)
    files = [place.with_name(f"{place.name}.{form}") for form in FORMS]
    for file in files:
        metadata = {"Date": None} if file.suffix == ".svg" else {}
        figure.savefig(file, dpi=150, metadata=metadata)
    return files


def _open_figure(panels: int) -> Any:
    """An empty figure with so many panels side by side. Raises WorldError without matplotlib."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure  # no pyplot: it looks for a screen
    except ModuleNotFoundError:
        raise WorldError(
            "plots need matplotlib: install Preceptor with its extra export"
        ) from None
    mpl.rcParams["svg.hashsalt"] = "preceptor"
    figure = Figure(figsize=(1.5 + 4.5 * panels, 4.2), layout="constrained")
    figure.subplots(1, panels)
    return figure


def _draw_dynamics(figure: Any, series: Sequence[Series]) -> None:
    """The lowest cost so far, mean over seeds, from the lowest to the highest shaded."""
    for clock, axes in zip(CLOCKS, figure.axes, strict=True):
        for one, marker in zip(series, _markers(len(series)), strict=True):
            moments = one.dynamics[clock]
            times = [m.time for m in moments]
            means = [m.mean for m in moments]
            (line,) = axes.step(times, means, where="post", marker=marker, label=one.name)
            low = [m.low for m in moments]
            high = [m.high for m in moments]
            axes.fill_between(times, low, high, step="post", alpha=0.15, color=line.get_color())
        axes.set_xlabel(f"{clock}s" if clock != "generation" else clock)
        axes.set_ylabel("best cost so far")
    figure.axes[0].xaxis.get_major_locator().set_params(integer=True)
    figure.axes[0].legend()


def _draw_fronts(figure: Any, series: Sequence[Series]) -> None:
    """The front of every final population, a line a run."""
    (axes,) = figure.axes
    for one, marker in zip(series, _markers(len(series)), strict=True):
        color = axes.plot([], [], marker=marker, label=one.name)[0].get_color()
        for front in one.fronts:
            costs, agreements = _columns(front)
            axes.step(costs, agreements, where="post", marker=marker, color=color, alpha=0.7)
    _name_axes(axes)


def _draw_agreement(figure: Any, series: Sequence[Series]) -> None:
    """Every program of the runs, a dot each."""
    (axes,) = figure.axes
    for one, marker in zip(series, _markers(len(series)), strict=True):
        axes.scatter(*_columns(one.points), marker=marker, s=18, alpha=0.6, label=one.name)
    _name_axes(axes)


def _name_axes(axes: Any) -> None:
    axes.set_xlabel("cost")
    axes.set_ylabel("agreement with the teacher")
    axes.legend()


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [cost for cost, _ in points], [agreement for _, agreement in points]


def _markers(count: int) -> list[str]:
    """A sign for every series, so that none is known by its colour alone."""
    return [MARKERS[index % len(MARKERS)] for index in range(count)]
