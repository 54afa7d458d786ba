"""Runs and their programs as pages: one run, all runs of a store, one program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

import problems
from engine.domain.names import NOTHING, name_variant
from engine.domain.records import Exchange
from engine.domain.text.figures import dollars
from engine.domain.values import Candidate, Case
from engine.monitor.run_result import RunResult
from engine.monitor.run_summary import (
    RunEntry,
    RunSummary,
    Yield,
    planned_generations,
)
from engine.monitor.study_status import StudyStatus
from tui.text.formatting import (
    BROAD,
    fit_table,
    format_advice,
    format_outcome,
    format_pace,
    format_preferences,
    format_real,
    milliseconds,
    moment,
    number,
    share,
    short_writer,
    table,
)
from tui.text.pages.measures import format_case, page_constants
from tui.text.pages.result import format_title, format_totals, page_best, page_quick
from tui.text.settings import format_settings, page_settings
from tui.text.streams import line_width

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
_LESS = ("ms", "agreement", "real", "value", "selection", "gen", "± se", "chance", "percentile")
"""Columns of the population that a narrow place goes without, the last of them first."""

YIELDS = ("children", "valid", "kept", "best cost", "gained", "calls", "tokens", "$", "$ a point")
"""What became of children, behind what they are told apart by."""
_LESS_OF_YIELDS = ("$", "$ a point", "calls", "children", "best cost", "kept", "valid")
"""Those that a narrow place goes without, the last first, and any place where they are empty."""


def page_run(summary: RunSummary, settings: bool = False) -> str:
    """A run, its result first; all `settings` where asked for, else those that were changed."""
    result = summary.result
    cells = [_cells(candidate) for candidate in result.population]
    population = fit_table(_POPULATION, cells, line_width(), _LESS)
    spec = result.row.spec
    every = (
        f"{format_settings(spec)}\n(all of them: preceptor show {result.row.number} --settings)"
    )
    sections = [
        _page_run_head(summary),
        page_best(result) or "no best program yet",
        page_quick(result),
        f"population after generation {summary.generation}\n{population}",
        *_page_all_yields(summary, summary.yields, line_width()),
        _page_failures(summary.failures),
        page_settings(spec) if settings else every,
    ]
    return "\n\n".join(section for section in sections if section)


def _page_run_head(summary: RunSummary) -> str:
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


def _cells(candidate: Candidate) -> tuple[str, ...]:
    d = candidate.diagnostics
    figures: list[float | None] = [None] * 6
    if d is not None:
        figures = [d.agreement, d.stderr, d.chance, d.real_agreement, d.value, d.percentile]
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


def page_yields(head: str, yields: Sequence[Yield], width: int | None = None) -> str:
    """What became of children, a row for each that they are told apart by."""
    names = [short_writer(one.name) if head == "writer" else one.name for one in yields]
    rows = [(name, *yield_cells(one)) for name, one in zip(names, yields, strict=True)]
    return fit_table((head, *YIELDS), rows, width, _LESS_OF_YIELDS)


def page_spending(summary: RunSummary, width: int, last_gain: str) -> str:
    """What a run paid, and for which gains, by generation, by operator, by writer."""
    head = "\n".join(filter(None, (format_totals(summary.result), last_gain)))
    tables = _page_all_yields(summary, (*summary.yields, *_count_rest(summary)), width)
    foot = "gained: by how much children lowered the lowest cost when they came"
    return "\n\n".join(filter(None, (head, *tables, foot)))


def _page_all_yields(
    summary: RunSummary, operators: Sequence[Yield], width: int | None
) -> tuple[str, str, str]:
    """By generation, by operator, and by writer where there are several."""
    writers = summary.writers if len(summary.writers) > 1 else ()
    return (
        page_yields("generation", summary.generations, width),
        page_yields("operator", operators, width),
        page_yields("writer", writers, width) if writers else "",
    )


def _count_rest(summary: RunSummary) -> tuple[Yield, ...]:
    """The calls for no child of an operator: analyses, reflections, children that never came."""
    calls, tokens, usd = (
        sum(getattr(one, field) for one in summary.generations)
        - sum(getattr(one, field) for one in summary.yields)
        for field in ("calls", "tokens", "usd")
    )
    return (Yield("other calls", 0, 0, 0, None, 0.0, calls, tokens, usd),) if calls else ()


def yield_cells(one: Yield) -> tuple[str, ...]:
    """A row under the heads `YIELDS`."""
    counts = (one.children, one.valid, one.kept)
    return (
        *map(str, counts),
        number(one.best),
        f"{one.gained:.4g}" if one.gained else NOTHING,
        str(one.calls) if one.calls else NOTHING,
        str(one.tokens) if one.tokens else NOTHING,
        dollars(one.usd) if one.usd else NOTHING,
        dollars(one.usd / one.gained) if one.usd and one.gained else NOTHING,
    )


def _page_failures(failures: Sequence[tuple[str, int]]) -> str:
    rows = [(kind, str(count)) for kind, count in failures]
    return table(("failure", "number"), rows) if rows else ""


_RUN_COLUMNS = (
    "run",
    "status",
    "problem",
    "method",
    "seed",
    "gen",
    "best",
    "selection",
    "agree",
    "calls",
    "started",
)
_HEADS = {"best": "best cost", "agree": "agreement"}
"""Columns that have room for a longer head on a page."""

_GIVING_WAY = ("tags", "name", "selection", "agree", "gen", "started")
"""Columns that go where there is no room, the last first."""


def page_runs(entries: Sequence[RunEntry], studies: Sequence[StudyStatus] = ()) -> str:
    """A line for each study, then one for each run, in the order given."""
    lines = [format_study(status) for status in studies]
    columns: tuple[str, ...] = ("study", *_RUN_COLUMNS) if studies else _RUN_COLUMNS
    labelled = [entry.row.label for entry in entries]
    columns += ("name",) if any(label.name for label in labelled) else ()
    columns += ("tags",) if any(label.tags for label in labelled) else ()
    facts = [{**entry_facts(entry), "calls": str(entry.calls)} for entry in entries]
    listed = table_of(columns, facts)
    return "\n".join([*lines, "", listed] if studies else [listed])


def table_of(columns: Sequence[str], facts: Sequence[Mapping[str, str]]) -> str:
    """A table of some facts of runs, by the names of the columns; in a terminal it fits."""
    width = line_width()
    heads = _HEADS if width is None or width >= BROAD else {}
    head = [heads.get(name, name) for name in columns]
    rows = [[one[name] for name in columns] for one in facts]
    if width is None:
        return table(head, rows)
    return fit_table(head, rows, width, [heads.get(name, name) for name in _GIVING_WAY])


def run_facts(run: RunEntry | RunResult) -> dict[str, str]:
    """A run in words, by column."""
    row = run.row
    best = run.best
    return {
        "run": str(row.number),
        "status": run.status,
        "problem": name_variant(row.spec.problem, short=True),
        "method": row.spec.label,
        "seed": str(row.spec.seed),
        "best": number(best.cost if best else None),
        "selection": number(best.selection_cost if best else None),
        "agree": share(best.agreement if best else None),
        "started": moment(row.created),
        "name": row.label.name,
        "tags": " ".join(row.label.tags),
    }


def entry_facts(entry: RunEntry) -> dict[str, str]:
    """The same with the study it belongs to and the generation it has reached."""
    study = NOTHING if entry.study is None else str(entry.study)
    return {**run_facts(entry), "study": study, "gen": entry.reached}


def format_study(status: StudyStatus) -> str:
    """A study in one line."""
    row = status.row
    return f"study {row.number} {row.name} {status.status}: {status.progress}"


WIDTH = 99
INDENT = "    "


def page_program(
    candidate: Candidate,
    parents: Sequence[Candidate],
    exchanges: Sequence[Exchange],
    speed: str = "",
) -> str:
    """Everything that is known of a program; `exchanges` are the calls that made it.

    `speed` says whether it is compiled.
    """
    sections = [
        _page_program_head(candidate, parents, speed),
        candidate.program.code.rstrip(),
        page_constants(candidate.tuning.constants) if candidate.tuning else "",
        _page_diagnostics(candidate),
        *(_page_exchange(exchange) for exchange in exchanges),
    ]
    return "\n\n".join(section for section in sections if section)


def _page_program_head(candidate: Candidate, parents: Sequence[Candidate], speed: str) -> str:
    writer = f", written by {short_writer(candidate.writer)}" if candidate.writer else ""
    lines = [
        f"{candidate.id}: operator {candidate.operator}, generation {candidate.generation}, "
        f"slot {candidate.slot}{writer}",
        format_outcome(candidate),
        *filter(None, [format_pace(candidate), speed]),
        *(f"parent {parent.id}: {format_outcome(parent)}" for parent in parents),
    ]
    if candidate.program.idea:
        lines.append(candidate.program.idea)
    return "\n".join(lines)


def _page_diagnostics(candidate: Candidate) -> str:
    d = candidate.diagnostics
    if d is None:
        return ""
    figures = f"{format_preferences(d)} ({d.tied} tied, {d.dropped} dropped)"
    more = filter(None, [format_real(d), format_advice(d.advice)])
    return "\n".join([figures, *more, *map(_format_case, d.cases)])


def _format_case(case: Case) -> str:
    """The program's and the teacher's choice; below, the fields in which they differ."""
    preferred = dict(case.preferred_fields)
    fields = ", ".join(
        f"{name} {number(value)} | {number(preferred.get(name))}"
        for name, value in case.chosen_fields
        if value != preferred.get(name)
    )
    return "\n".join(
        [format_case(case), *wrap(fields, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)]
    )


def _page_exchange(exchange: Exchange) -> str:
    call = exchange.call
    asked = "\n\n".join(f"[{m.role}]\n{m.content.rstrip()}" for m in exchange.request.messages)
    answer = call.error or NOTHING if call.reply is None else call.reply.text.rstrip()
    rule = "-" * 20
    title = f"{rule} prompt ({exchange.request.role}, attempt {call.key.attempt}) {rule}"
    return f"{title}\n{asked}\n\n{rule} reply {rule}\n{answer}"
