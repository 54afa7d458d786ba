"""A study: what it would do, how far it is, and its results."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import TYPE_CHECKING

from engine.domain.names import NOTHING, command, log_path, short_name
from engine.domain.records import BEST_KNOWN, Measurement, RunRow
from engine.domain.specs.study import StudySpec, warn_of_overlap
from engine.domain.status import Job
from engine.domain.text.figures import write_time_span
from engine.monitor import Reader
from engine.monitor.run_result import RunResult
from engine.monitor.study_status import FINISHED, StudyResult, StudyStatus
from engine.report.grid import show
from tui.text.formatting import duration, fit_table, number, short_writer, short_writers, table
from tui.text.pages.run import format_study, run_facts, table_of

if TYPE_CHECKING:
    from engine.api.forecast import StudyForecast
    from engine.report.layouts import SolverDetail
    from engine.report.tables import ResultTable


_GIVING_WAY = ("±", "%", "Holm p", "runs")
"""Columns of the held-out table that a narrow place goes without, the last of them first."""

SHORTEST = 20
"""Cells of a note's line at least."""

_MEMBER_COLUMNS = ("run", "status", "problem", "method", "seed", "best", "agree", "calls", "CPU s")


def page_study_forecast(found: StudyForecast) -> str:
    """What a study would do: its runs, their budgets, where winners are measured."""
    spec = found.spec
    lines = [
        f"{spec.name}: {len(spec.runs())} runs, {spec.side_by_side} at once",
        f"methods: {', '.join(spec.methods)}; seeds: {', '.join(map(str, spec.seeds))}",
        f"writer: {_format_writer(found)}",
        *_format_budget(found),
    ]
    for task, sets, missing in zip(spec.tasks, found.sets, found.missing, strict=True):
        settings = task.settings
        budget = [f"{settings.calls} calls"] if settings.calls else []
        budget += [f"{settings.total_children} children"] if settings.total_children else []
        if not budget:
            count = settings.generations
            budget = [f"{count} generation{'' if count == 1 else 's'}"]
        teacher = f", teacher {short_writers(*task.teachers)}" if task.teachers else ""
        lines.append(f"{short_name(task.problem.name)}: {' and '.join(budget)} per run{teacher}")
        lines.append(f"  measured on {', '.join(sets) or 'nothing'}")
        first = next(one for one in found.plan.firsts if one.spec.problem == task.problem)
        overlap = warn_of_overlap(sets, first.design_set, first.selection_set)
        lines += [f"  {warning}" for warning in overlap]
        if missing:
            lines.append(f"  not imported: {', '.join(missing)} (see: preceptor data --help)")
    return "\n".join(lines)


def page_outcome(outcome: StudyResult) -> str:
    """The study in a line, its runs, and mean objectives on every set."""
    status = outcome.study
    lines = [f"{format_study(status)}, {duration(status.row.seconds)}"]
    lines += [table_of(_MEMBER_COLUMNS, [_member_facts(result) for result in outcome.results])]
    lines += [page_means(outcome.measurements)] if outcome.measurements else []
    return "\n\n".join(lines)


def advise_study(now: StudyStatus, db: Path) -> str | None:
    """What to do about a study that did not finish; None for one that did."""
    job = Job("study", now.row.number)
    if now.status == "done":
        return None
    lost = now.status in ("interrupted", "failed")
    where = f" (its log: {log_path(db, job)})" if lost else ""
    gone = "its engine was killed" if now.status == "interrupted" else ""
    reason = "".join(f": {why}" for why in (gone or now.row.reason,) if why)
    resume = command(f"resume study:{job.number}", db)
    return f"{job} is {now.status}{reason}{where}; go on with: {resume}"


def page_means(found: Sequence[Measurement]) -> str:
    """Mean objectives: a line for each set, a column for each method, teacher, best known."""
    columns = dict.fromkeys(_column(m) for m in found if m.kind in ("program", "teacher"))
    names = [*columns, *([BEST_KNOWN] if any(m.kind == "reference" for m in found) else [])]
    places = dict.fromkeys((m.problem, m.set) for m in found)
    rows = []
    for problem, name in places:
        here = [m for m in found if (m.problem, m.set) == (problem, name)]
        cells = (_mean(m.mean for m in here if _column(m) == column) for column in names)
        rows.append((problem, name, *map(number, cells)))
    return "mean objectives\n" + table(("problem", "set", *names), rows)


def page_held_out(tables: Sequence[ResultTable], width: int) -> str:
    """What everybody reached, set by set, with intervals and the paper's figures.

    Columns that do not fit `width` cells give way, never those of the mean, the interval and the
    paper; notes are broken between words.
    """
    from engine.report.layouts import itemise  # it takes the engine's reports to load

    parts = []
    for found in tables:
        better = "lower" if found.minimised else "higher"
        parts.append(f"{found.shape.objective} ({better} is better), {found.shape.title}")
        details = list(itemise(found))
        for name in dict.fromkeys(one.set for one in details):
            here = [one for one in details if one.set == name]
            parts.append(_page_set(here, found, width))
        notes = (note.replace("bold:", "★:") for note in found.notes)
        parts.append("\n".join(fill(note, max(width, SHORTEST)) for note in notes))
    return "\n\n".join(parts)


def _page_set(details: Sequence[SolverDetail], found: ResultTable, width: int) -> str:
    """One set: a line for each solver, the best first; `★` for those that lead."""
    first = details[0]
    label = "" if first.paper_set == first.set else f" (the paper's {first.paper_set})"
    title = f"{first.set}{label}, {first.instances} instances"
    facts = [_detail_facts(one, found) for one in details]
    rows = [[*one.values()] for one in facts]
    return f"{title}\n{fit_table([*facts[0]], rows, width, _GIVING_WAY)}"


def _detail_facts(one: SolverDetail, found: ResultTable) -> dict[str, str]:
    """One solver on one set in words, by column."""
    decimals = found.shape.decimals
    interval = NOTHING
    if one.low is not None:
        interval = _format_interval(one.low, one.low if one.high is None else one.high, decimals)
    return {
        "": "★" if found.is_leading(one.set, one.solver) else "",
        "solver": one.solver,
        "runs": str(one.runs),
        "mean": f"{one.unsolved} unsolved" if one.mean is None else show(one.mean, decimals),
        "±": show(one.deviation, decimals),
        f"minus {found.baseline}": show(one.minus_ours, decimals, "+"),
        "95 % interval": interval,
        "%": show(one.percent, 2, "+"),
        "Holm p": show(one.p_holm, 4),
        "paper": show(one.paper, decimals),
    }


def _format_interval(low: float, high: float, decimals: int) -> str:
    """`-1 to +94`: with so many decimals; where 0 are asked, its half has two digits."""
    half = (high - low) / 2
    fine = max(0, 1 - math.floor(math.log10(half))) if half > 0 else 6
    shown = decimals or fine
    return f"{low:+,.{shown}f} to {high:+,.{shown}f}"


def _member_facts(result: RunResult) -> dict[str, str]:
    totals = result.totals
    return {**run_facts(result), "calls": str(totals.calls), "CPU s": f"{totals.cpu:.1f}"}


def _column(found: Measurement) -> str:
    return found.method or short_writer(found.solver)


def _mean(means: Iterable[float | None]) -> float | None:
    """Mean over the runs of a method, None when one of them lacks an instance."""
    values = list(means)
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _format_budget(found: StudyForecast) -> list[str]:
    """What all runs may spend together, if that is limited, and their calls under way."""
    caps = found.spec.budget
    parts = [
        f"{caps.calls:,} calls" if caps.calls is not None else "",
        f"{caps.tokens:,} tokens" if caps.tokens is not None else "",
        f"${caps.usd:,.2f}" if caps.usd is not None else "",
        write_time_span(caps.seconds) if caps.seconds is not None else "",
    ]
    told = ", ".join(filter(None, parts))
    lines = [f"all runs together: at most {told}, then the study pauses"] if told else []
    if found.expected.calls:
        slots = max(task.settings.llm_concurrency for task in found.spec.tasks)
        lines.append(f"calls under way at once, of all runs: {slots}")
    return lines


def _format_writer(found: StudyForecast) -> str:
    spec = found.spec
    names = short_writers(spec.writer, spec.analyzer)
    if found.expected.calls == 0:
        return f"{names}, no language model, no cost"
    return f"{names}, {found.cost}"


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
        return f"last: {_name_measurement(fresh[-1])}" if fresh else ""

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


def _name_measurement(found: Measurement) -> str:
    who = f"{found.method} (run {found.run})" if found.method else short_writer(found.solver)
    return f"{who} on {found.set} {number(found.mean)}"
