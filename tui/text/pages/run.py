"""One run as a page: settings, totals, population, failures, yield of the operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import problems
from engine.domain.names import NOTHING
from engine.monitor.run_summary import planned_generations
from tui.text.formatting import milliseconds, moment, number, share, short_writer, table
from tui.text.pages.result import format_title, format_totals, page_best, page_quick
from tui.text.settings import page_settings
from tui.text.streams import line_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Candidate, Diagnostics
    from engine.monitor.run_summary import OperatorYield, RunSummary, WriterYield

_POPULATION = (
    "program",
    "operator",
    "gen",
    "cost",
    "selection",
    "ms",
    "agreement",
    "± se",
    "chance",
    "real",
    "value",
    "percentile",
    "parents",
)
YIELDS = ("operator", "children", "valid", "kept", "best cost")
"""What became of an operator's children."""


def page_run(summary: RunSummary) -> str:
    """Everything about a run but its programs' code; of that, the best one's."""
    result = summary.result
    sections = [
        _page_head(summary),
        page_settings(result.row.spec),
        f"population after generation {summary.generation}\n{_page_population(result.population)}",
        table(YIELDS, [yield_cells(one) for one in summary.yields]),
        _page_writers(summary.writers),
        _page_failures(summary.failures),
        page_quick(result),
        page_best(result) or "no best program yet",
    ]
    return "\n\n".join(section for section in sections if section)


def _page_head(summary: RunSummary) -> str:
    row = summary.result.row
    closed = NOTHING if summary.generation is None else summary.generation
    generations = planned_generations(row, summary.generation)
    lines = [
        format_title(summary.result),
        f"started {moment(row.created)}, generation {closed} of {generations}",
        format_totals(summary.result),
    ]
    if gone := problems.explain_gone(row.spec.problem):
        lines.append(gone)
    if row.label.tags:
        lines.append(f"tags: {', '.join(row.label.tags)}")
    if row.label.note:
        lines.append(f"note: {row.label.note}")
    if row.forked_from is not None:
        lines.append(f"forked from run {row.forked_from}")
    if row.reason:
        lines.append(f"reason: {row.reason}")
    return "\n".join(lines)


def _page_population(population: Sequence[Candidate]) -> str:
    return table(_POPULATION, [_cells(candidate) for candidate in population], line_width())


def _cells(candidate: Candidate) -> tuple[str, ...]:
    d = candidate.diagnostics
    figures = [None] * 6 if d is None else _figures(d)
    return (
        candidate.id,
        candidate.operator,
        str(candidate.generation),
        number(candidate.cost),
        number(candidate.selection_cost),
        milliseconds(candidate.pace),
        *map(share, figures),
        " ".join(candidate.parents) or NOTHING,
    )


def _figures(d: Diagnostics) -> list[float | None]:
    """A teacher's figures, in the order of the columns."""
    return [d.agreement, d.stderr, d.chance, d.real_agreement, d.value, d.percentile]


def yield_cells(one: OperatorYield) -> tuple[str, ...]:
    """A row under the heads `YIELDS`."""
    counts = (one.children, one.valid, one.kept)
    return (one.operator, *map(str, counts), number(one.best))


def _page_writers(yields: Sequence[WriterYield]) -> str:
    """What came of each of several writers."""
    if len(yields) < 2:
        return ""
    rows = [
        (
            short_writer(one.writer),
            *map(str, (one.children, one.valid, one.kept)),
            number(one.best),
        )
        for one in yields
    ]
    return table(("writer", *YIELDS[1:]), rows)


def _page_failures(failures: Sequence[tuple[str, int]]) -> str:
    rows = [(kind, str(count)) for kind, count in failures]
    return table(("failure", "number"), rows) if rows else ""
