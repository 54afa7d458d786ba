"""What a teacher says of a program on its own states (paper, "On-policy Teacher Diagnostics")."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import starmap
from statistics import fmean

from engine.diagnosis import metrics
from engine.diagnosis.cases import choose_cases, draw_disagreements
from engine.diagnosis.commuting import leave_out
from engine.diagnosis.facts import Observation
from engine.diagnosis.field_profile import FieldReader, draw_profile
from engine.diagnosis.sampling import Sample
from engine.domain.values import Diagnostics, RealFigures
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
    """Agreement, value, percentile, telling cases, profile; None where no verdict prefers.

    States on which the teacher gives no preference (scores that are not finite) are dropped.
    Fields that were `seen` of the program without a teacher are not read again. Where `checks` are
    to follow (`advice`), so many real disagreements stand in the place of the most telling ones;
    what the program does `later` (`commuting`) shows which are real. A not-finite score or an
    empty sample must never look like an agreement of 0.
    """
    rated = [k for k, verdict in enumerate(verdicts) if verdict.preferred is not None]
    if not rated:
        return None
    if len(rated) < len(verdicts):
        sampled, verdicts, seen = sampled.keep(rated), [verdicts[k] for k in rated], None
        later = None if later is None else [later[k] for k in rated]
    decisions = sampled.decisions
    reader = seen.reader if seen else FieldReader(problem, decisions)
    scored = [v.scores for v in verdicts if v.scores is not None]
    shown = choose_cases(problem, sampled, verdicts, cases, later)
    if checks:
        alike = (case for case in shown if case.chosen == case.preferred)
        shown = (*draw_disagreements(problem, sampled, verdicts, checks, later), *alike)
    figures = _figures(zip(decisions, verdicts, strict=True))
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
        real=None if later is None else _figures(map(leave_out, decisions, verdicts, later)),
    )


def _figures(pairs: Iterable[tuple[Decision, Verdict]]) -> RealFigures:
    """What the teacher's answers say of the choices."""
    rows = list(pairs)
    agreement = fmean([float(decision.chosen == verdict.preferred) for decision, verdict in rows])
    complete = all(verdict.scores is not None for _, verdict in rows)
    return RealFigures(
        agreement=agreement,
        chance=fmean([1 / len(decision.actions) for decision, _ in rows]),
        stderr=math.sqrt(agreement * (1 - agreement) / len(rows)),
        value=fmean(starmap(metrics.value, rows)) if complete else None,
        percentile=fmean(starmap(metrics.percentile, rows)) if complete else None,
    )
