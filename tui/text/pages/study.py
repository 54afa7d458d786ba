"""A study: what it would do, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.names import short_name
from engine.domain.records import BEST_KNOWN
from tui.text.formatting import duration, number, short_writer, short_writers, table
from tui.text.pages.runs import format_study, run_facts, table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.api.forecast import StudyForecast
    from engine.domain.records import Measurement
    from engine.monitor.run_result import RunResult
    from engine.monitor.study_status import StudyResult

_COLUMNS = ("run", "status", "problem", "method", "seed", "best", "agree", "calls", "CPU s")


def page_study_forecast(found: StudyForecast) -> str:
    """What a study would do: its runs, their budgets, where winners are measured."""
    spec = found.spec
    lines = [
        f"{spec.name}: {len(spec.runs())} runs, {spec.at_once} at once",
        f"methods: {', '.join(spec.methods)}; seeds: {', '.join(map(str, spec.seeds))}",
        f"writer: {_format_writer(found)}",
    ]
    for task, sets, missing in zip(spec.tasks, found.sets, found.missing, strict=True):
        settings = task.settings
        budget = [f"{settings.calls} calls"] if settings.calls else []
        budget += [f"{settings.total_children} children"] if settings.total_children else []
        teacher = f", teacher {short_writer(task.teacher)}" if task.teacher else ""
        lines.append(f"{short_name(task.problem.name)}: {' and '.join(budget)} per run{teacher}")
        lines.append(f"  measured on {', '.join(sets) or 'nothing'}")
        if missing:
            lines.append(f"  not imported: {', '.join(missing)} (see: preceptor data --help)")
    return "\n".join(lines)


def page_outcome(outcome: StudyResult) -> str:
    """The study in a line, its runs, and mean objectives on every set."""
    status = outcome.study
    lines = [f"{format_study(status)}, {duration(status.row.seconds)}"]
    lines += [table_of(_COLUMNS, [_facts(result) for result in outcome.results])]
    lines += [page_means(outcome.measurements)] if outcome.measurements else []
    return "\n\n".join(lines)


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


def _facts(result: RunResult) -> dict[str, str]:
    totals = result.totals
    return {**run_facts(result), "calls": str(totals.calls), "CPU s": f"{totals.cpu:.1f}"}


def _column(found: Measurement) -> str:
    return found.method or short_writer(found.solver)


def _mean(means: Iterable[float | None]) -> float | None:
    """Mean over the runs of a method, None when one of them lacks an instance."""
    values = list(means)
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _format_writer(found: StudyForecast) -> str:
    spec = found.spec
    names = short_writers(spec.writer, spec.analyzer)
    if found.expected.calls == 0:
        return f"{names}, no language model, no cost"
    return f"{names}, {found.cost}"
