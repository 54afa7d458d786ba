"""What a teacher says of a program on its own states (paper, "On-policy Teacher Diagnostics")."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

from engine.diagnosis import metrics
from engine.diagnosis.cases import choose_cases, draw_disagreements
from engine.diagnosis.commuting import credit
from engine.diagnosis.facts import judge
from engine.diagnosis.field_profile import FieldReader, draw_profile
from engine.domain.values import Diagnostics, RealFigures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.diagnosis.facts import Observation
    from engine.diagnosis.sampling import Sample
    from problems.base import Decision, Problem
    from teachers.base import Verdict


def diagnose(
    problem: Problem,
    sampled: Sample,
    verdicts: Sequence[Verdict],
    cases: int,
    seen: Observation | None = None,
    checks: int = 0,
    later: Sequence[frozenset[int]] | None = None,
) -> Diagnostics | None:
    """Agreement, value, percentile, telling cases, profile; None when a verdict is missing.

    With what was `seen` of the program without a teacher, also an opinion on each of its scenes.
    Where `checks` are to follow (`advice`), so many real disagreements stand in the place of the
    most telling ones; what the program does `later` (`commuting`) tells which are real. A
    not-finite score or an empty sample must never look like an agreement of 0.
    """
    if not verdicts or any(verdict.preferred is None for verdict in verdicts):
        return None
    decisions = sampled.decisions
    reader = seen.reader if seen else FieldReader(problem, decisions)
    scored = [v.scores for v in verdicts if v.scores is not None]
    shown = choose_cases(problem, sampled, verdicts, cases, later)
    if checks:
        alike = (case for case in shown if case.chosen == case.preferred)
        shown = (*draw_disagreements(problem, sampled, verdicts, checks, later), *alike)
    figures = _figures(decisions, verdicts, [frozenset()] * len(decisions))
    return Diagnostics(
        agreement=figures.agreement,
        chance=figures.chance,
        stderr=figures.stderr,
        value=figures.value,
        percentile=figures.percentile,
        states=len(decisions),
        tied=sum(metrics.is_tied(scores) for scores in scored),
        dropped=sampled.dropped,
        cases=shown,
        profile=draw_profile(sampled, reader, verdicts),
        opinions=judge(problem, sampled, seen, verdicts) if seen else (),
        real=None if later is None else _figures(decisions, verdicts, later),
    )


def _figures(
    decisions: Sequence[Decision], verdicts: Sequence[Verdict], later: Sequence[frozenset[int]]
) -> RealFigures:
    """The figures of decisions, of which a program does some things `later` to the same effect."""
    rows = list(zip(decisions, verdicts, later, strict=True))
    pairs = [(credit(decision, verdict, same), verdict) for decision, verdict, same in rows]
    complete = all(verdict.scores is not None for verdict in verdicts)
    agreement = fmean([float(d.chosen == v.preferred) for d, v in pairs])
    return RealFigures(
        agreement=agreement,
        chance=fmean([(1 + len(same)) / len(decision.actions) for decision, _, same in rows]),
        stderr=math.sqrt(agreement * (1 - agreement) / len(decisions)),
        value=fmean([metrics.value(d, v) for d, v in pairs]) if complete else None,
        percentile=fmean([metrics.percentile(d, v) for d, v in pairs]) if complete else None,
    )
