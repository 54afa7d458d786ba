"""Teachers: their weights, their figures, and the progress of a training."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

import teachers
from engine.domain.names import NOTHING
from engine.domain.text.plain_text import clean
from teachers.weights import SHIPPED, Header, header_files, read_header
from tui.text.chart import chart_steps
from tui.text.formatting import duration, join, number, table

if TYPE_CHECKING:
    from teachers.verify import Figure


EQUAL = {True: "yes", False: "NO", None: "set not imported"}
TEACHERS_HEAD = ("teacher", "problem", "weights", "set", "mean cost")


def page_teachers(found: Mapping[str, Header | None]) -> str:
    """A line for each teacher and set that it was measured on; a dash for what is unknown."""
    rows = [
        (name, problem_of(name, header) or NOTHING, weights_of(name, header), set_name, cost)
        for name, header in found.items()
        for set_name, cost in _figures(header)
    ]
    return table(TEACHERS_HEAD, rows)


def page_figures(name: str, figures: Sequence[Figure]) -> str:
    """Recorded and found, a line for each set."""
    if not figures:
        return f"{name}: weights intact, no figure recorded"
    rows = [
        (one.instances, number(one.recorded), number(one.found), EQUAL[one.equal])
        for one in figures
    ]
    return f"{name}\n{table(('set', 'recorded', 'found', 'equal'), rows)}"


def _figures(header: Header | None) -> list[tuple[str, str]]:
    if header is None or not header.measured:
        return [(NOTHING, NOTHING)]
    return [(set_name, number(cost)) for set_name, cost in header.measured.items()]


def tell_best_rule(header: Header) -> str:
    """How a policy stands to the best rule where it was validated; empty where that is unknown."""
    if not (rule := header.origin.get("best_rule")):
        return ""
    ((where, cost),) = header.validation.items()
    best = f"the best rule, {rule['name']}, {number(rule['cost'])}"
    return f"{where}: {header.name} {number(cost)}; {best}"


def problem_of(name: str, header: Header | None) -> str | None:
    """The problem that a teacher is for, None for an unknown one without weights."""
    return header.problem if header else (teachers.trained() | teachers.EXACT).get(name)


def weights_of(name: str, header: Header | None) -> str:
    """`shipped` weights, the user's `own` in any folder, or `none`."""
    if header is None:
        return "none"
    file = header_files().get(name)
    shipped = file is not None and file.parent == SHIPPED and read_header(file) == header
    return "shipped" if shipped else "own"


MOST = 5000
"""Points of the curve that are kept."""

LARGEST = 1e15
"""Figures from here on are no costs, shares or seconds of a training."""


@dataclass(slots=True)
class TrainingCurve:
    """What a training has said so far.

    `about` is its last word, `points` are shares done and costs on the validation set.
    """

    title: str = "validation"
    about: str = "no validation yet"
    points: list[tuple[float, float]] = field(default_factory=list)

    def read(self, line: str) -> str:
        """Take a line of `teachers train --json`; returns it in words, or as it is."""
        found = _parse_progress(line)
        if found is None:
            return line
        words = _describe_progress(found)
        cost = _figure(found, "cost")
        done = _figure(found, "done")
        if cost is not None and done is not None and len(self.points) < MOST:
            self.points.append((done, cost))
        self.about = words
        return words

    def page(self, width: int, height: int) -> str:
        """The curve for a width in cells, and the last word below it."""
        return clean("\n\n".join(filter(None, (self.chart(width, height), self.about))))

    def chart(self, width: int, height: int) -> str:
        """The curve alone; empty below two points."""
        steps = tuple(sorted(dict(self.points).items()))  # the last word on a share counts
        return chart_steps(steps, "validation cost by share of the training", width, height)


def _parse_progress(line: str) -> dict[str, Any] | None:
    """The progress that a line tells of, None for any other line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_progress = isinstance(found, dict) and found.get("event") == "training-progress"
    return found if is_progress else None


def _figure(found: dict[str, Any], name: str) -> float | None:
    """A finite number of a progress, None where there is none."""
    value = found.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        figure = float(value)
    except OverflowError:
        return None
    return figure if isfinite(figure) and abs(figure) < LARGEST else None


def _describe_progress(found: dict[str, Any]) -> str:
    """A progress in one line."""
    done = _figure(found, "done")
    left = _figure(found, "left")
    figures = ((name, _figure(found, name)) for name in ("loss", "cost", "best"))
    return join(
        f"{found.get('stage') or 'training'}{'' if done is None else f' {done:.0%}'}",
        *(f"{name} {number(value)}" for name, value in figures if value is not None),
        "" if left is None else f"{duration(max(0.0, left))} left",
    )
