"""The result of a run: its best program, and what to type next."""

from __future__ import annotations

import shlex
from pathlib import Path

from engine.domain.names import command, log_path, short_name
from engine.domain.records import Totals
from engine.domain.status import Job
from engine.domain.text.plain_text import one_line
from engine.domain.values import Candidate
from engine.monitor.pace import is_near_limit
from engine.monitor.run_result import (
    EXIT_CODES,
    RunResult,
    name_design,
    split_selection_name,
)
from tui.text.formatting import (
    duration,
    format_agreement,
    join,
    milliseconds,
    number,
    table,
)
from tui.text.settings import format_settings, title


def page_result(result: RunResult, db: Path) -> str:
    """The run in three lines, its best programs, and the command that exports one."""
    row = result.row
    best = result.best
    head = [format_title(result), format_totals(result), format_settings(row.spec), ""]
    if best is None:
        return "\n".join([*head, "no valid program"])
    file = shlex.quote(f"{short_name(row.spec.problem.name)}_{row.number}.py")
    tail = ["", f"export it with:  {command(f'export {row.number} -o {file}', db)}"]
    quick = ["", page_quick(result)] if result.quick else []
    return "\n".join([*head, page_best(result), *quick, *tail])


def format_title(result: RunResult) -> str:
    """The run in one line."""
    named = f" {result.row.label.name}" if result.row.label.name else ""
    return f"run {result.row.number}{named} {result.status}: {title(result.row.spec)}"


def page_best(result: RunResult) -> str:
    """The winner with its figures, how it was chosen, its idea and its code; empty without one."""
    best = result.best
    if best is None:
        return ""
    objective = result.objective
    natural = "" if objective in (None, best.cost) else f"objective {number(objective)}"
    pace = "" if best.pace is None else f"{milliseconds(best.pace)} ms a decision"
    figures = join(f"cost {number(best.cost)}", natural, format_agreement(best.diagnostics), pace)
    warning = warn_of_limit(best, result.row.spec.settings.eval_seconds)
    worth = format_worth(result)
    lines = [f"best {best.id}: {figures}", format_choice(result), *format_teacher(result)]
    lines += [worth, warning]
    lines.append(one_line(best.program.idea))
    return "\n".join([*filter(None, lines), "", best.program.code.rstrip()])


def page_quick(result: RunResult) -> str:
    """Quality for time: the best program under each time a decision; empty without any.

    The costs are those on the run's design set, which is named above them.
    """
    rows = [
        (
            f"{1000 * one.limit:g} ms",
            one.program.id,
            number(one.program.cost),
            milliseconds(one.program.pace),
        )
        for one in result.quick
    ]
    name = name_design(result.row.spec)
    return table(("under", "best", f"cost on {name}", "ms a decision"), rows) if rows else ""


def warn_of_limit(candidate: Candidate, limit: float) -> str:
    """That a slower machine might end a program; empty where it leaves half of its time."""
    if not is_near_limit(candidate, limit):
        return ""
    return (
        f"it took {candidate.cpu:.1f} of the {limit:g} CPU seconds that it may take on its set: "
        "a slower machine might end it"
    )


def format_choice(result: RunResult) -> str:
    """What the winner reached on the selection set and whom it was chosen from, in one line.

    Empty for a run that has not ended.
    """
    best = result.best
    if best is None or result.status not in EXIT_CODES:
        return ""
    if not result.finalists:
        return "chosen on the design set alone: there is no selection set"
    first = result.finalists[0]
    objective = result.selection_objective
    natural = "" if objective in (None, best.selection_cost) else f"objective {number(objective)}"
    figures = join(f"cost {number(best.selection_cost)}", natural)
    name, kind = split_selection_name(result.row.spec, first.set)
    size = f"{len(first.costs)} other instances"
    about = f"({kind.strip('()')}, {size})" if kind else f"({size})"
    others = len(result.finalists)
    among = "the only one near the best" if others == 1 else f"chosen among {others} near the best"
    return f"on {name} {about}: {figures}; {among}"


def format_teacher(result: RunResult) -> list[str]:
    """What the teacher reaches itself, beside the best program; when prompts left it out, and why.

    Nothing where that is not known.
    """
    lines = [f"no teacher commented on what was kept: {result.silence}"] if result.silence else []
    alone = result.teacher_objective
    if alone is not None:
        better = "" if result.beats_teacher else " (the teacher itself does better)"
        program = number(result.objective)
        lines.append(f"the teacher itself: {number(alone)}; best program {program}{better}")
    return [*lines, *map(one_line, result.left_out)]


def format_worth(result: RunResult) -> str:
    """That a search was not worth it: no better than its seeds; else empty.

    Empty for a run that has not ended, too.
    """
    if result.status not in EXIT_CODES or result.beats_seeds:
        return ""
    return f"nothing better than the seeds: {number(result.seed_cost)}"


def format_totals(result: RunResult) -> str:
    """What the run used."""
    totals = result.totals
    unsure = f" ({totals.maybe} without an answer, maybe unpaid)" if totals.maybe else ""
    return (
        f"{totals.calls} calls{unsure}{_format_usage(totals)}, "
        f"{totals.evaluations} evaluations ({totals.cpu:.1f} CPU seconds, "
        f"teacher {totals.teacher:.1f}), "
        f"{duration(result.row.seconds)}"
    )


def _format_usage(totals: Totals) -> str:
    """Tokens and money, for writers that use any."""
    tokens = totals.tokens_in + totals.tokens_out
    if not tokens:
        return ""
    unpriced = f" ({totals.unpriced} calls without a price)" if totals.unpriced else ""
    known = totals.usd - totals.maybe_usd
    most = f" known and at most {totals.maybe_usd:.4g} more" if totals.maybe_usd else ""
    return (
        f", {totals.tokens_in} tokens in, {totals.tokens_out} out, {known:.4g} USD{most}{unpriced}"
    )


RAISED = {"--max-usd": "X", "--max-tokens": "N", "--max-time": "TIME"}
"""Caps as options with what they take, by which the reason of a spent budget names them."""


def advise(result: RunResult, db: Path) -> str | None:
    """What to do about a run that did not finish, or found nothing; None for any other."""
    run = result.row.number
    reason = result.row.reason
    resume = command(f"resume {run}", db)
    match result.status:
        case "done" if result.found_nothing:
            seen = command(f"show {run}", db)
            more = ""
            if result.row.spec.writer == "builtin":
                more = "; the built-in writer edits one expression: a model may find more (--llm)"
            return (
                f"run {run} found no new valid program; see why its programs failed with: "
                f"{seen}{more}"
            )
        case "done":
            return None
        case "budget":
            if not reason:
                return f"the budget is spent; raise it, e.g. with: {resume} --max-calls N"
            spent = next((f"{o} {w}" for o, w in RAISED.items() if o in reason), "--max-calls N")
            return f"the budget is spent: {reason}, e.g. with: {resume} {spent}"
        case "interrupted":
            log = log_path(db, Job("run", run))
            return f"the engine vanished (log: {log}); resume with: {resume}"
        case "hung":
            return (
                f"the engine of run {run} is there and silent; it may be stopped (SIGSTOP) or the "
                f"machine overloaded; see its log: {log_path(db, Job('run', run))}"
            )
        case "busy" | "pausing" | "stopping":
            return f"run {run} is {result.status}; see it with: {command(f'watch {run}', db)}"
        case "failed":
            return f"run {run} failed: {reason}"
        case status if "--db" in reason:  # elsewhere: the store was lost
            return f"run {run} is {status}: {reason}"
        case status:
            why = f": {reason}" if reason else ""
            return f"run {run} is {status}{why}; resume with: {resume}"
