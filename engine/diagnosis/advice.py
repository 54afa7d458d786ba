"""Whether a teacher's advice is good: its choice is taken in one state, and the program continues.

Most decisions commute with others, so that agreement alone says little. Here the costs at the end
of such rollouts are set against those of the program itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev

from engine.domain.values import Advice, Case, Diagnostics, Prefix

SAME = 1e-9
"""Share of a mean cost below which a difference is one of rounding."""


def list_prefixes(cases: Sequence[Case], rollouts: Sequence[Sequence[int]]) -> tuple[Prefix, ...]:
    """Where the program is to continue: in every disagreement, after the teacher's choice.

    `rollouts` are the program's own actions on every instance.
    """
    return tuple(
        Prefix(case.instance, (*rollouts[case.instance][: case.step], case.preferred))
        for case in cases
        if _is_apart(case)
    )


def weigh_advice(
    diagnostics: Diagnostics,
    costs: Sequence[float | None],
    reached: Sequence[float | None],
    cases: int,
) -> Diagnostics:
    """The diagnostics with what became of each disagreement, of which the best are kept as cases.

    `costs` are the program's own on every instance, `reached` those after the prefixes of
    `list_prefixes`. Of `cases` in all a quarter is left to agreements.
    """
    apart = [case for case in diagnostics.cases if _is_apart(case)]
    alike = [case for case in diagnostics.cases if not _is_apart(case)]
    pairs = [(costs[case.instance], cost) for case, cost in zip(apart, reached, strict=True)]
    tried = [_with_costs(case, *pair) for case, pair in zip(apart, pairs, strict=True)]
    tried.sort(key=lambda case: (case.gain is None, -(case.gain or 0.0), -case.regret))
    kept = tried[: cases - cases // 4]
    found = [case.costs for case in tried if case.costs is not None]
    return replace(diagnostics, cases=(*kept, *alike), advice=summarise(found))


def summarise(costs: Sequence[tuple[float, float]]) -> Advice | None:
    """What checked disagreements come to, from the costs of each without and with the advice.

    What they save is set against the costs of all: no instance counts for more because it costs
    next to nothing. The error is that of a ratio of two sums (Cochran, Sampling Techniques, 2.11).
    None where there are none.
    """
    if not costs:
        return None
    number = len(costs)
    savings = [own - other for own, other in costs]
    sizes = [abs(own) for own, _ in costs]
    size = fmean(sizes) if any(sizes) else 1.0
    gain = fmean(savings) / size
    rest = [saved - gain * one for saved, one in zip(savings, sizes, strict=True)]
    return Advice(
        checked=number,
        helped=sum(saved > SAME * size for saved in savings),
        harmed=sum(saved < -SAME * size for saved in savings),
        gain=gain,
        stderr=stdev(rest) / size / math.sqrt(number) if number > 1 else None,
    )


def _with_costs(case: Case, own: float | None, other: float | None) -> Case:
    return replace(case, costs=None if own is None or other is None else (own, other))


def _is_apart(case: Case) -> bool:
    return case.chosen != case.preferred
