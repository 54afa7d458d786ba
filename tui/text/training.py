"""The progress of a teacher's training: its lines of JSON as words and as a curve."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from engine.domain.text.plain_text import clean
from tui.text.chart import chart_steps
from tui.text.formatting import duration, join, number

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
        found = _parse(line)
        if found is None:
            return line
        words = _tell(found)
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


def _parse(line: str) -> dict[str, Any] | None:
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


def _tell(found: dict[str, Any]) -> str:
    """A progress in one line."""
    done = _figure(found, "done")
    left = _figure(found, "left")
    figures = ((name, _figure(found, name)) for name in ("loss", "cost", "best"))
    return join(
        f"{found.get('stage') or 'training'}{'' if done is None else f' {done:.0%}'}",
        *(f"{name} {number(value)}" for name, value in figures if value is not None),
        "" if left is None else f"{duration(max(0.0, left))} left",
    )
