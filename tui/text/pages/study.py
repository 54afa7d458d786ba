"""A study as text and as JSON: what it would do, how it stands, what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.domain.names import short_name
from engine.domain.records import BEST_KNOWN
from engine.runtime.writers.estimate import describe
from tui.text.formatting import duration, number, share, short_writer, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.api.book_study import StudyForecast
    from engine.domain.records import Measurement
    from engine.monitor.run_result import RunResult
    from engine.monitor.study_status import StudyResult

    Document = dict[str, Any]

_RUNS = ("run", "status", "problem", "method", "seed", "best cost", "agreement", "calls", "CPU s")


def page_study_forecast(found: StudyForecast) -> str:
    """What a study would do: its runs, what they ask for, where winners are measured."""
    spec = found.spec
    lines = [
        f"{spec.name}: {len(spec.runs())} runs, {spec.at_once} at once",
        f"methods: {', '.join(spec.methods)}; seeds: {', '.join(map(str, spec.seeds))}",
        f"writer: {_format_writer(found)}",
    ]
    for task, sets, missing in zip(spec.tasks, found.sets, found.missing, strict=True):
        settings, name = task.settings, short_name(task.problem.name)
        budget = [f"{settings.calls} calls"] if settings.calls else []
        budget += [f"{settings.total_children} children"] if settings.total_children else []
        teacher = f", teacher {short_writer(task.teacher)}" if task.teacher else ""
        lines.append(f"{name}: {' and '.join(budget)} a run{teacher}")
        lines.append(f"  measured on {', '.join(sets) or 'nothing'}")
        if missing:
            lines.append(f"  not imported: {', '.join(missing)} (see: preceptor data --help)")
    return "\n".join(lines)


def page_outcome(outcome: StudyResult) -> str:
    """The study in a line, its runs, and mean objectives on every set."""
    status = outcome.study
    head = f"study {status.row.number} {status.row.name} {status.status}"
    lines = [f"{head}: {status.progress}, {duration(status.row.seconds)}"]
    lines += [table(_RUNS, [_run_cells(result) for result in outcome.results])]
    lines += [page_means(outcome.measurements)] if outcome.measurements else []
    return "\n\n".join(lines)


def page_means(found: Sequence[Measurement]) -> str:
    """Mean objectives: a line a set, a column a method (over its runs), teacher, best known."""
    columns = dict.fromkeys(_column(m) for m in found if m.kind in ("program", "teacher"))
    names = [*columns, *([BEST_KNOWN] if any(m.kind == "reference" for m in found) else [])]
    places = dict.fromkeys((m.problem, m.set) for m in found)
    rows = []
    for problem, name in places:
        here = [m for m in found if (m.problem, m.set) == (problem, name)]
        cells = (_mean(m.mean for m in here if _column(m) == column) for column in names)
        rows.append((problem, name, *map(number, cells)))
    return "mean objectives\n" + table(("problem", "set", *names), rows)


def _run_cells(result: RunResult) -> tuple[str, ...]:
    row, best = result.row, result.best
    return (
        str(row.number),
        result.status,
        short_name(row.spec.problem.name),
        row.spec.method,
        str(row.spec.seed),
        number(best.cost if best else None),
        share(best.agreement if best else None),
        str(result.totals.calls),
        f"{result.totals.cpu:.1f}",
    )


def _column(found: Measurement) -> str:
    return found.method or short_writer(found.solver)


def _mean(means: Iterable[float | None]) -> float | None:
    """Mean over the runs of a method, None when one of them lacks an instance."""
    values = list(means)
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _format_writer(found: StudyForecast) -> str:
    spec = found.spec
    names = dict.fromkeys(filter(None, map(short_writer, (spec.writer, spec.analyzer))))
    told = " and ".join(names)
    if found.expected.calls == 0:
        return f"{told}, no language model, no cost"
    return f"{told}, {describe(found.expected, found.caps)}"
