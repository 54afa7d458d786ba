"""What a study has just measured, and how long it will still take at its pace so far."""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING

from engine.monitor.study_status import FINISHED
from tui.text.formatting import duration, number, short_writer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.records import Measurement, RunRow
    from engine.domain.specs.study import StudySpec
    from engine.monitor import Reader
    from engine.monitor.study_status import StudyStatus

_MEASURED = re.compile(r"measured (\d{1,9}) of (\d{1,9})")


class StudyProgress:
    """Follows one study; measuring is timed from the first look at it."""

    def __init__(self, reader: Reader, study: int) -> None:
        self._reader = reader
        self._study = study
        self._known = dict.fromkeys(reader.measurements(study))
        self._began: tuple[float, int, int] | None = None

    def describe(self, status: StudyStatus, now: float) -> str:
        """`last: reevo (run 5) on taillard-15x15 1478.15, about 12 s left`; `now` in Unix seconds.

        Empty while nothing is known.
        """
        news = self._news() if count_measured(status) else ""
        return ", ".join(filter(None, (news, self.left(status, now))))

    def left(self, status: StudyStatus, now: float) -> str:
        """`about 12 s left`, `about 12 s left to search`; empty while nothing is known."""
        measured = count_measured(status)
        if measured is not None:
            return _about(self._measuring(*measured, now))
        left = _about(searching(status.row.spec, self._reader.study_runs(self._study)))
        return left and f"{left} to search"

    def _news(self) -> str:
        """The latest measurement since the look before; best known values do not count."""
        found = [m for m in self._reader.measurements(self._study) if m.kind != "reference"]
        fresh = [m for m in found if m not in self._known]
        self._known.update(dict.fromkeys(fresh))
        return f"last: {_name(fresh[-1])}" if fresh else ""

    def _measuring(self, done: int, todo: int, now: float) -> float | None:
        if self._began is None or self._began[2] != todo or self._began[1] > done:
            self._began = (now, done, todo)
        time, first, _ = self._began
        return (now - time) * (todo - done) / (done - first) if done > first else None


def count_measured(status: StudyStatus) -> tuple[int, int] | None:
    """How many measurements were taken, and of how many; None where none is being taken."""
    found = _MEASURED.search(status.row.reason)
    return (int(found[1]), int(found[2])) if found else None


def searching(spec: StudySpec, runs: Mapping[int, RunRow]) -> float | None:
    """Seconds that the runs still take, `runs` by place; None before one has finished."""
    wanted = spec.runs()
    took = {place: run.seconds for place, run in runs.items() if run.state in FINISHED}
    if not took:
        return None
    left = []
    for place, one in enumerate(wanted):
        if place in runs and runs[place].state not in ("starting", "running"):
            continue
        alike = [took[k] for k in took if wanted[k].problem == one.problem] or [*took.values()]
        spent = runs[place].seconds if place in runs else 0.0
        left.append(max(0.0, median(alike) - spent))
    return max(sum(left) / spec.side_by_side, max(left)) if left else 0.0


def _about(seconds: float | None) -> str:
    return f"about {duration(seconds)} left" if seconds and seconds >= 1 else ""


def _name(found: Measurement) -> str:
    who = f"{found.method} (run {found.run})" if found.method else short_writer(found.solver)
    return f"{who} on {found.set} {number(found.mean)}"
