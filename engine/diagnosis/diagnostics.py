"""What a teacher says of a program on its own states (paper, "On-policy Teacher Diagnostics")."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

from engine.diagnosis import metrics
from engine.diagnosis.cases import choose_cases, draw_disagreements
from engine.diagnosis.facts import judge
from engine.diagnosis.field_profile import FieldReader, draw_profile
from engine.domain.values import Diagnostics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.diagnosis.facts import Observation
    from engine.diagnosis.sampling import Sample
    from problems.base import Problem
    from teachers.base import Verdict


def diagnose(
    problem: Problem,
    sampled: Sample,
    verdicts: Sequence[Verdict],
    cases: int,
    seen: Observation | None = None,
    checks: int = 0,
) -> Diagnostics | None:
    """Agreement, value, percentile, telling cases, profile; None when a verdict is missing.

    With what was `seen` of the program without a teacher, also an opinion on each of its scenes.
    Where `checks` are to follow (`advice`), so many disagreements stand in the place of the most
    telling ones. A not-finite score or an empty sample must never look like an agreement of 0.
    """
    if not verdicts or any(verdict.preferred is None for verdict in verdicts):
        return None
    decisions = sampled.decisions
    reader = seen.reader if seen else FieldReader(problem, decisions)
    scored = [v.scores for v in verdicts if v.scores is not None]
    pairs = list(zip(decisions, verdicts, strict=True))
    complete = len(scored) == len(verdicts)
    agreement = fmean([float(d.chosen == v.preferred) for d, v in pairs])
    n = len(decisions)
    shown = choose_cases(problem, sampled, verdicts, cases)
    if checks:
        alike = (case for case in shown if case.chosen == case.preferred)
        shown = (*draw_disagreements(problem, sampled, verdicts, checks), *alike)
    return Diagnostics(
        agreement=agreement,
        chance=fmean([1 / len(d.actions) for d in decisions]),
        stderr=math.sqrt(agreement * (1 - agreement) / n),
        value=fmean([metrics.value(d, v) for d, v in pairs]) if complete else None,
        percentile=fmean([metrics.percentile(d, v) for d, v in pairs]) if complete else None,
        states=n,
        tied=sum(metrics.is_tied(scores) for scores in scored),
        dropped=sampled.dropped,
        cases=shown,
        profile=draw_profile(sampled, reader, verdicts),
        opinions=judge(problem, sampled, seen, verdicts) if seen else (),
    )
