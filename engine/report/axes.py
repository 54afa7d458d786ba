"""Plots on axes, for scripts and notebooks: `preceptor.plot`.

`curve` shows how a search went, `front` its costs against agreement, `heldout` what methods reach
on other instances. Each draws on the axes that it is given, else on a new figure, returns them and
shows nothing. They need matplotlib: `pip install 'preceptor[export]'`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from engine.domain.records import RunRow
from engine.domain.status import Job
from engine.monitor.run_result import natural_objective
from engine.monitor.timeline import Clock
from engine.report.curves import Moment, Points, as_points, envelope, nondominated, trace
from engine.report.statistics import half_interval, spread
from engine.store.reader import Reader
from problems.errors import UnknownName, UserError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["curve", "front", "heldout"]

LABELS: dict[Clock, str] = {
    "generation": "generation",
    "call": "calls",
    "second": "seconds of work (what was known before takes none)",
    "dollar": "dollars",
}
BEST = "best cost so far (lower is better)"
MARKERS = "os^Dv<>PX*"


class Handle(Protocol):
    """A `Run` or a `Study`."""

    @property
    def store(self) -> Path:
        """The file that it is in."""

    @property
    def job(self) -> Job:
        """What it is, and its number."""

    def table(self, of: Literal["held-out"]) -> list[dict[str, Any]]:
        """What was measured of it."""


def curve(runs: Handle | Iterable[Handle], by: Clock = "call", ax: Axes | None = None) -> Axes:
    """Draw the lowest cost so far, a line a run; `runs` is a run, a study, or several of them.

    Costs are minimised means on the design set. They are drawn over `call`s, `second`s in which an
    engine was at work, `dollar`s or `generation`s. A run without a cost has no line. Raises
    UnknownName for another clock, UserError without matplotlib. Example:
    `preceptor.plot.curve(run, by="second").set_title("mine")`
    """
    if by not in LABELS:
        raise UnknownName("clock", by, LABELS)
    found = _list_runs(runs)
    axes = _open(ax)
    for (store, row), marker in zip(found, markers(len(found)), strict=True):
        with Reader(store) as reader:
            moments = envelope([trace(reader, row.number, by)])
        name = f"run {row.number}: {row.spec.label}, seed {row.spec.seed}"
        draw_steps(axes, _corners(moments), marker, name)
    axes.set_xlabel(LABELS[by])
    axes.set_ylabel(BEST)
    if len(found) > 1:
        axes.legend()
    return axes


def front(run: Handle, ax: Axes | None = None) -> Axes:
    """Draw every program of a run: its cost against its agreement with the teacher (0 to 1).

    Those that no other beats in one without being worse in the other are joined: the Pareto
    front. Raises UserError for a run without a teacher, a study, and without matplotlib.
    """
    if run.job.kind == "study":
        raise UserError(f"{run.job} has a front for each run: give one of its runs")
    with Reader(run.store) as reader:
        teacher = reader.run(run.job.number).spec.teacher
        points = as_points(reader.outlines(run.job.number))
    if not (teacher or points):
        raise UserError(f"{run.job} has no teacher that its programs could agree with")
    axes = _open(ax)
    axes.scatter(*columns(points), s=18, color="0.6", label="programs")
    draw_front(axes, nondominated(points), MARKERS[0], label="Pareto front")
    name_axes(axes)
    return axes


def heldout(runs: Handle | Iterable[Handle], ax: Axes | None = None, set: str = "") -> Axes:
    """Draw what methods reach on a held-out set: a dot a run, their mean and its 95 % interval.

    `runs` is a study, a run or several of them, `set` the first by name that they were measured
    on. A figure is a mean objective over the instances, in the natural sense; a run that left an
    instance unsolved has none. The interval is Student's over runs, from two on. Of a study the
    mean of the best known objectives is shown, too. Raises UserError where nothing was measured,
    and without matplotlib, UnknownName for a set that was not.
    """
    found = [(one.store, row) for one in _several(runs) for row in one.table("held-out")]
    programs = [(store, row) for store, row in found if row["kind"] == "program"]
    if not programs:
        raise UserError("nothing was measured on held-out sets; a study measures its winners")
    named = [(store, row) for store, row in programs if set in ("", row["set"])]
    if not named:
        raise UnknownName("measured set", set, {row["set"] for _, row in programs})
    store, first = named[0]
    with Reader(store) as reader:
        better = _better(reader.run(first["run"]))
    place = (first["problem"], first["set"])
    here = [row for _, row in found if (row["problem"], row["set"]) == place]
    axes = _open(ax)
    _draw_methods(axes, [row for row in here if row["kind"] == "program"])
    for row in here:
        if row["kind"] == "reference" and row["mean"] is not None:
            axes.axvline(row["mean"], color="0.2", linestyle="--", linewidth=1, label="best known")
    axes.set_xlabel(f"mean objective on {first['set']} ({better} is better)")
    axes.legend()
    return axes


def load_matplotlib() -> Any:
    """The package. Raises UserError where it is not installed."""
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        raise UserError("plots need matplotlib: pip install 'preceptor[export]'") from None
    return mpl


def draw_steps(axes: Axes, moments: Sequence[Moment], marker: str, label: str) -> None:
    """The mean of the lowest costs so far of some runs, from the lowest to the highest shaded."""
    times = [m.time for m in moments]
    means = [m.mean for m in moments]
    (line,) = axes.step(times, means, where="post", marker=marker, label=label)
    low = [m.low for m in moments]
    high = [m.high for m in moments]
    axes.fill_between(times, low, high, step="post", alpha=0.15, color=line.get_color())


def draw_front(axes: Axes, points: Points, marker: str, **how: Any) -> None:
    """A Pareto front, joined by steps: what it dominates lies below and to the right."""
    axes.step(*columns(points), where="post", marker=marker, **how)


def name_axes(axes: Axes) -> None:
    """Those of cost and agreement."""
    axes.set_xlabel("cost (lower is better)")
    axes.set_ylabel("agreement (0 to 1, higher is closer)")
    axes.legend()


def columns(points: Points) -> tuple[list[float], list[float]]:
    """The first figures of points, and the second ones."""
    return [first for first, _ in points], [second for _, second in points]


def markers(count: int) -> list[str]:
    """A sign for every series, so that none is known by its colour alone."""
    return [MARKERS[index % len(MARKERS)] for index in range(count)]


def _several(runs: Handle | Iterable[Handle]) -> list[Handle]:
    return list(runs) if isinstance(runs, Iterable) else [runs]


def _list_runs(runs: Handle | Iterable[Handle]) -> list[tuple[Path, RunRow]]:
    """The runs that are meant, each with its store. Raises UnknownName."""
    found: list[tuple[Path, RunRow]] = []
    for one in _several(runs):
        with Reader(one.store) as reader:
            row = reader.job(one.job)
            if isinstance(row, RunRow):
                found.append((one.store, row))
            else:
                found += [(one.store, each) for each in reader.study_runs(row.number).values()]
    return found


def _corners(moments: Sequence[Moment]) -> list[Moment]:
    """Those at which the line goes down, the first and the last."""
    before = [None, *(moment.mean for moment in moments)]
    ends = moments[-1:]
    return [m for m, b in zip(moments, before, strict=False) if m.mean != b or m in ends]


def _open(ax: Axes | None) -> Axes:
    """The axes that are given, else those of a new figure. Raises UserError."""
    load_matplotlib()
    if ax is None:
        from matplotlib import pyplot  # a notebook shows what it has made

        _, ax = pyplot.subplots(layout="constrained")
    return ax


def _draw_methods(axes: Axes, rows: Sequence[dict[str, Any]]) -> None:
    """A line for each method: its runs, and their mean with its interval."""
    methods: dict[str, list[float | None]] = {}
    for row in rows:
        methods.setdefault(row["method"], []).append(row["mean"])
    known = [[mean for mean in means if mean is not None] for means in methods.values()]
    runs = [(mean, place) for place, means in enumerate(known) for mean in means]
    axes.plot(*columns(tuple(runs)), "o", color="0.6", label="a run")
    means, halves = zip(*map(_average, known), strict=True)
    axes.errorbar(
        means,
        range(len(known)),
        xerr=halves,
        fmt=MARKERS[3],
        color="C0",
        capsize=4,
        label="their mean and its 95 % interval",
    )
    counts = [
        f"{name} ({len(solved)} of {len(every)} runs)"
        for (name, every), solved in zip(methods.items(), known, strict=True)
    ]
    axes.set_yticks(range(len(counts)), counts)
    axes.set_ylim(len(counts) - 0.5, -0.5)


def _average(means: Sequence[float]) -> tuple[float, float]:
    """The mean of some runs and half of its interval, nan where there is none."""
    over = spread(means)
    return (math.nan, math.nan) if over is None else (over.mean, half_interval(over))


def _better(row: RunRow) -> str:
    """Whether lower or higher objectives are better; a guess where the problem is not here."""
    none, some = natural_objective(row, 0.0), natural_objective(row, 1.0)
    return "higher" if none is not None and some is not None and some < none else "lower"
