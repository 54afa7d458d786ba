"""What whole solutions leave to gain, told of programs that plan instead of single decisions."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from engine.domain.program import keeps_results
from engine.search.paired import lower_costs
from engine.search.prompts.formatting import cut, number, rough, section, table
from engine.search.prompts.programs import rank

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.values import Candidate, Leftover
    from engine.search.prompts.context import PromptContext

TITLE = "What whole solutions leave to gain"

FOUND = (
    "Found in the solutions of the first {} design instances, by trusted code: the mean, and on "
    "how many of these instances it is not 0."
)

KEPT = "results kept between calls (functools.cache)"
"""Whether a program can follow one plan, or plans anew in every call."""

WIDTH = 100
"""Characters of a row's name."""

TENTH = 10
"""One of so many instances is among the worst."""

EQUAL = 1e-6
"""Per cent of a cost within which two are the same."""

EMPTY = "-"
ALIKE = "no clear difference"


def show_leftover(programs: Iterable[Candidate], background: PromptContext) -> str:
    """The section on some programs and the best, side by side; empty where nothing is known."""
    best = background.best
    shown = {c.id: c for c in (*programs, *([best] if best else []))}
    found = dict(background.leftovers)
    known = [found.get(id) for id in shown]
    rows = [*_list_figures(known), *_list_gaps(list(shown.values()), known, background.seen)]
    if not rows:
        return ""
    kept = [KEPT, *("yes" if keeps_results(c.program.code) else "no" for c in shown.values())]
    counts = {one.instances for one in known if one and one.figures}
    words = [FOUND.format(max(counts))] if counts else []
    head = ["", *(f"{id}, the best" if best and id == best.id else id for id in shown)]
    return section(TITLE, "\n".join([*words, table([head, kept, *rows])]))


def _list_figures(known: Sequence[Leftover | None]) -> list[list[str]]:
    """A row for each figure of any program."""
    columns = [{figure.name: figure for figure in one.figures} if one else {} for one in known]
    rows = []
    for name in dict.fromkeys(name for column in columns for name in column):
        figures = [column.get(name) for column in columns]
        cells = [f"{rough(f.mean)} on {f.count}" if f else EMPTY for f in figures]
        rows.append([cut(name, WIDTH), *cells])
    return rows


def _list_gaps(
    programs: Sequence[Candidate], known: Sequence[Leftover | None], seen: Sequence[Candidate]
) -> list[list[str]]:
    """Gaps to the best known costs, else to the lowest of any program: mean, worst, where."""
    to = "the best known cost"
    gaps: list[Sequence[float]] = [one.gaps if one else () for one in known]
    if not all(gaps):
        to = "the lowest cost of any program"
        gaps = [_compare_with_lowest(program, seen) for program in programs]
    if not any(gaps):
        return []
    count = max(map(len, gaps))
    worst = max(1, count // TENTH)
    rows = [
        [f"above {to}, of {count} instances (%)", *(_mean(gap) for gap in gaps)],
        [f"in the worst {worst} of them (%)", *(_mean(sorted(gap)[-worst:]) for gap in gaps)],
        ["instances at it", *map(_count_equal, gaps)],
    ]
    return [*rows, *_list_halves(known)]


def _list_halves(known: Sequence[Leftover | None]) -> list[list[str]]:
    """Traits of the instances with which the gaps of any of the programs go clearly."""
    columns = [{half.trait: half for half in one.halves} if one else {} for one in known]
    rows = []
    for trait in dict.fromkeys(name for column in columns for name in column):
        halves = [column.get(trait) for column in columns]
        up_to = next(half.up_to for half in halves if half)
        cells = [f"{rough(h.low)} / {rough(h.high)}" if h else ALIKE for h in halves]
        rows.append([f"{cut(trait, WIDTH)} up to {number(up_to)} / above (%)", *cells])
    return rows


def _compare_with_lowest(program: Candidate, seen: Sequence[Candidate]) -> list[float]:
    """By instance, how far a program lies above the lowest cost of any, in per cent of that."""
    lowest: Sequence[float | None] = program.costs
    for other in rank(seen):
        if len(other.costs) == len(lowest):
            lowest = lower_costs(lowest, other.costs)
    pairs = list(zip(program.costs, lowest, strict=True))
    return [
        100 * (own - least) / abs(least)
        for own, least in pairs
        if own is not None and least is not None and abs(least) > EQUAL
    ]


def _count_equal(gaps: Sequence[float]) -> str:
    return str(sum(gap <= EQUAL for gap in gaps)) if gaps else EMPTY


def _mean(gaps: Sequence[float]) -> str:
    return rough(fmean(gaps)) if gaps else EMPTY
