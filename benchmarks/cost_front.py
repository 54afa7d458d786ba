"""Quality for time: what programs, classical rules and teachers reach in how much time a decision.

    python -m benchmarks.cost_front PROBLEM SET SOLVER ... --db FILE [--draw front.svg]

SOLVERs are those of `preceptor bench --solver`, `run:N` and files; the classical rules are always
among them. A line each: mean objective, CPU milliseconds a decision, then the best under 0.01, 0.1
and 1 ms. `--draw` plots one against the other, and joins those that nobody beats in both.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import preceptor
from engine.report.axes import MARKERS, draw_front

LIMITS = (0.01, 0.1, 1.0)


@dataclass(frozen=True)
class Point:
    """A solver on the set: mean objective, milliseconds a decision."""

    name: str
    kind: str
    mean: float
    pace: float


def measure(problem: str, set: str, solvers: Sequence[str], db: Path) -> list[Point]:
    """All solvers that solve the whole set, the quickest first."""
    rules = preceptor.bench(problem, (), [set], store=db)
    named = preceptor.bench(problem, solvers, [set], store=db) if solvers else ()
    found = []
    for row in (row for table in (*rules, *named) for row in table.rows):
        costs = [cost for cost in row.costs if cost is not None]
        if row.pace is not None and len(costs) == len(row.costs):
            found.append(Point(row.solver, row.kind, fmean(costs), 1000 * row.pace))
    return sorted(found, key=lambda point: point.pace)


def lowest(points: Sequence[Point], limit: float, sign: int) -> Point | None:
    """The best heuristic within so many milliseconds a decision."""
    quick = [point for point in points if point.pace <= limit and point.kind != "teacher"]
    return min(quick, key=lambda point: sign * point.mean, default=None)


def draw(points: Sequence[Point], file: Path, title: str, sign: int) -> None:
    """Draw objective against time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.75, 3.6), layout="constrained")
    axes = figure.subplots()
    looks = {"rule": "classical rules", "program": "found by search", "teacher": "teachers"}
    for (kind, label), marker in zip(looks.items(), "s^o", strict=True):
        here = [point for point in points if point.kind == kind]
        axes.scatter([p.pace for p in here], [p.mean for p in here], marker=marker, label=label)
    front: list[Point] = []
    for point in points:
        if not front or sign * point.mean < sign * front[-1].mean:
            front.append(point)
    draw_front(axes, tuple((p.pace, p.mean) for p in front), MARKERS[0], label="front")
    axes.set_xscale("log")
    axes.set_xlabel("CPU milliseconds a decision")
    axes.set_ylabel("mean objective")
    axes.set_title(title)
    axes.legend()
    figure.savefig(file)


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem")
    parser.add_argument("set")
    parser.add_argument("solvers", nargs="*")
    parser.add_argument("--db", type=Path, default=Path("runs.db"))
    parser.add_argument("--maximise", action="store_true")
    parser.add_argument("--draw", type=Path)
    given = parser.parse_args()
    sign = -1 if given.maximise else 1
    points = measure(given.problem, given.set, given.solvers, given.db)
    for point in points:
        print(f"{point.kind:8} {point.name:40} {point.mean:10.6g} {point.pace:.3g} ms")
    for limit in LIMITS:
        best = lowest(points, limit, sign)
        told = "nobody" if best is None else f"{best.name} {best.mean:.6g}"
        print(f"under {limit:g} ms: {told}")
    if given.draw:
        draw(points, given.draw, f"{given.problem}, {given.set}", sign)


if __name__ == "__main__":
    main()
