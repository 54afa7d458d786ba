"""Plots as files, PNG, SVG and PDF: search dynamics, agreement and time against cost.

They need matplotlib, which is imported only when one is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.monitor.timeline import CLOCKS, Clock
from engine.report.axes import (
    BEST,
    LABELS,
    columns,
    draw_front,
    draw_steps,
    load_matplotlib,
    markers,
    name_axes,
)
from engine.report.curves import Series

Draw = Callable[[Any, Sequence[Series]], None]

FORMS = ("png", "svg", "pdf")
NAMELESS = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""Metadata by form: nothing that differs between equal plots."""

COLUMN = 3.25
PAGE = 6.75
"""Inches of a column of print, and of a page of two."""

LINE = 0.17
"""Inches of a line of a legend."""

STYLE: Any = {
    "svg.hashsalt": "preceptor",
    "font.size": 8.0,
    "legend.fontsize": 7.0,
    "lines.markersize": 3.5,
    "lines.linewidth": 1.2,
}


def draw_all(
    series: Sequence[Series], title: str, folder: Path, best_known: float | None = None
) -> list[Path]:
    """Draw every plot that the series of one problem have data for; returns the files.

    `best_known` is the mean best known cost of the design set. Raises UserError without
    matplotlib.
    """
    taught = [one for one in series if one.points]
    timed = [one for one in series if any(one.paces)]

    def draw_dynamics(figure: Any, drawn: Sequence[Series]) -> None:
        _draw_dynamics(figure, drawn, best_known)

    plots: list[tuple[str, Draw, Sequence[Series]]] = [("dynamics", draw_dynamics, series)]
    if taught:
        plots += [("pareto", _draw_fronts, taught), ("agreement", _draw_agreement, taught)]
    if timed:
        plots.append(("pace", _draw_paces, timed))
    folder.mkdir(parents=True, exist_ok=True)
    return [
        file
        for name, draw, drawn in plots
        for file in _draw(draw, drawn, title, folder / f"{title}-{name}")
    ]


def _draw(draw: Draw, series: Sequence[Series], title: str, place: Path) -> list[Path]:
    """One figure in every form; equal data give equal files. Raises UserError."""
    mpl = load_matplotlib()
    files = [place.with_name(f"{place.name}.{form}") for form in FORMS]
    with mpl.rc_context(STYLE):
        dynamic = place.name.endswith("dynamics")
        figure = _open_figure(len(_clocks(series)) if dynamic else 1)
        draw(figure, series)
        figure.suptitle(title)
        for file, form in zip(files, FORMS, strict=True):
            figure.savefig(file, dpi=300, metadata=NAMELESS[form])
    return files


def _clocks(series: Sequence[Series]) -> tuple[Clock, ...]:
    """What the dynamics are drawn over: dollars where any were paid."""
    paid = any(moment.time for one in series for moment in one.dynamics["dollar"])
    return CLOCKS if paid else CLOCKS[:-1]


def _open_figure(panels: int) -> Any:
    """An empty figure with so many panels side by side, as wide as print has it."""
    from matplotlib.figure import Figure  # no pyplot: it looks for a screen

    size = (PAGE, 2.6) if panels > 1 else (COLUMN, 2.8)
    figure = Figure(figsize=size, layout="constrained")
    figure.subplots(1, panels, sharey=True)
    return figure


def _draw_dynamics(figure: Any, series: Sequence[Series], best_known: float | None) -> None:
    """The lowest cost so far, mean over seeds, from the lowest to the highest shaded."""
    for clock, axes in zip(_clocks(series), figure.axes, strict=True):
        for one, marker in zip(series, markers(len(series)), strict=True):
            draw_steps(axes, one.dynamics[clock], marker, one.name)
        axes.set_xlabel(LABELS[clock], wrap=True)
        _draw_landmarks(axes, series, best_known)
    figure.axes[0].set_ylabel(BEST)
    figure.axes[0].xaxis.get_major_locator().set_params(integer=True)
    _add_legend(figure, 5)


def _add_legend(figure: Any, columns: int) -> None:
    """The legend below the panels, where it hides nothing: so many names a line."""
    handles, names = figure.axes[0].get_legend_handles_labels()
    lines = math.ceil(len(names) / columns)
    figure.set_figheight(figure.get_figheight() + LINE * lines)
    figure.legend(handles, names, loc="outside lower center", ncols=columns)


def _draw_landmarks(axes: Any, series: Sequence[Series], best_known: float | None) -> None:
    """Lines at the best seed, where all searches begin, and at the best known cost."""
    starts = [moments[0].mean for one in series if (moments := one.dynamics["generation"])]
    if starts:
        axes.axhline(max(starts), color="0.5", linestyle=":", linewidth=1, label="best seed")
    if best_known is not None:
        axes.axhline(best_known, color="0.2", linestyle="--", linewidth=1, label="best known")


def _draw_fronts(figure: Any, series: Sequence[Series]) -> None:
    """The front of every final population, a line a run."""
    (axes,) = figure.axes
    for one, marker in zip(series, markers(len(series)), strict=True):
        color = axes.plot([], [], marker=marker, label=one.name)[0].get_color()
        for front in one.fronts:
            draw_front(axes, front, marker, color=color, alpha=0.7)
    name_axes(axes)


def _draw_paces(figure: Any, series: Sequence[Series]) -> None:
    """Quality for time: the best cost that each run reached within a time, a line a run."""
    (axes,) = figure.axes
    for one, marker in zip(series, markers(len(series)), strict=True):
        color = axes.plot([], [], marker=marker, label=one.name)[0].get_color()
        for front in one.paces:
            costs, times = columns(front)
            axes.step(times, costs, where="pre", marker=marker, color=color, alpha=0.7)
    axes.set_xscale("log")
    axes.xaxis.set_minor_formatter("")  # between powers of ten names run into each other
    axes.set_xlabel("CPU milliseconds a decision")
    axes.set_ylabel("cost (lower is better)")
    _add_legend(figure, 3)


def _draw_agreement(figure: Any, series: Sequence[Series]) -> None:
    """Every program of the runs, a dot each."""
    (axes,) = figure.axes
    for one, marker in zip(series, markers(len(series)), strict=True):
        axes.scatter(*columns(one.points), marker=marker, s=18, alpha=0.6, label=one.name)
    name_axes(axes)
