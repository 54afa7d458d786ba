"""Whether the teacher's word goes with cost: rank correlations, generation by generation.

Correlations are taken inside each run, since seeds differ, and averaged over runs. A negative
one is a teacher that informs: the better a program stands with it, the lower its cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import get_args

from engine.domain.values import Align, Candidate
from engine.report.statistics import Spread, spread
from engine.search.paired import correlate_ranks

SIGNALS: tuple[Align, ...] = get_args(Align)


@dataclass(frozen=True, slots=True)
class WorthRow:
    """Spearman's correlation of a signal with cost, over all programs up to a generation.

    `programs` is their mean number a run; `all` and `better` are over runs, the latter for the
    half of lowest cost; None where no run has enough programs, or a signal that varies.
    """

    generation: int
    signal: Align
    programs: float
    all: Spread | None
    better: Spread | None


def correlate_signals(runs: Sequence[Sequence[Candidate]]) -> tuple[WorthRow, ...]:
    """A row for every generation and signal; nothing for runs that no teacher commented on.

    `runs` are the candidates of each run.
    """
    told = [[c for c in run if c.cost is not None and c.diagnostics] for run in runs]
    told = [run for run in told if run]
    last = max((c.generation for run in told for c in run), default=-1)
    rows = (_row(told, g, signal) for g in range(last + 1) for signal in SIGNALS)
    return tuple(row for row in rows if row.all is not None)


def _row(runs: Sequence[Sequence[Candidate]], generation: int, signal: Align) -> WorthRow:
    known = [[c for c in run if c.generation <= generation] for run in runs]
    halves = [sorted(run, key=_cost)[: (len(run) + 1) // 2] for run in known]
    return WorthRow(
        generation,
        signal,
        fmean(map(len, known)),
        _correlate(known, signal),
        _correlate(halves, signal),
    )


def _correlate(runs: Sequence[Sequence[Candidate]], signal: Align) -> Spread | None:
    found = [_correlate_run(run, signal) for run in runs]
    return spread([one for one in found if one is not None])


def _correlate_run(run: Sequence[Candidate], signal: Align) -> float | None:
    pairs = [(_cost(c), c.diagnostics.signal(signal)) for c in run if c.diagnostics]
    known = [(cost, said) for cost, said in pairs if said is not None]
    return correlate_ranks([cost for cost, _ in known], [said for _, said in known])


def _cost(candidate: Candidate) -> float:
    return candidate.cost or 0.0
