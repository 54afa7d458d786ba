"""What a teacher says of a program on its own states (paper, "On-policy Teacher Diagnostics").

And which disagreements are real: most choices of a rollout may be made in another order.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import starmap
from statistics import fmean
from typing import Any

from engine.diagnosis import metrics
from engine.diagnosis.cases import choose_cases, draw_disagreements
from engine.diagnosis.facts import Observation
from engine.diagnosis.field_profile import FieldReader, draw_profile
from engine.diagnosis.sampling import Sample
from engine.domain.values import Diagnostics, RealFigures
from problems.base import Decision, Problem
from teachers.base import TIE, Verdict


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
    to follow (`advice`), so many real disagreements replace the most telling ones;
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


def find_same_later(
    problem: Problem,
    instances: Sequence[Any],
    rollouts: Sequence[Sequence[int]],
    decisions: Sequence[Decision],
) -> list[frozenset[int]] | None:
    """By decision: which of its actions the program takes later to the same effect.

    `rollouts` are its actions on every instance. None where the problem knows nothing of it.
    """
    places = defaultdict[int, list[int]](list)
    for place, decision in enumerate(decisions):
        places[decision.instance].append(place)
    found = dict[int, frozenset[int]]()
    for index, asked in places.items():
        those = [decisions[place] for place in asked]
        later = problem.same_later(instances[index], rollouts[index], those)
        if later is None:
            return None
        found.update(zip(asked, later, strict=True))
    return [found[k].intersection(decision.actions) for k, decision in enumerate(decisions)]


def leave_out(
    decision: Decision, verdict: Verdict, later: frozenset[int]
) -> tuple[Decision, Verdict]:
    """The question and its answer without what the program does `later` to the same effect.

    What comes later anyway need not be chosen now, so it is no alternative to the choice; whatever
    else the teacher prefers to the choice is. A choice that ties with the best is preferred. Where
    a teacher without scores prefers what comes later, nothing it says is against the choice.
    """
    kept = [action for action in decision.actions if action not in later]
    asked = replace(decision, actions=tuple(kept))
    if verdict.scores is None:
        preferred = decision.chosen if verdict.preferred in later else verdict.preferred
        return asked, replace(verdict, preferred=preferred)
    scores = dict(zip(decision.actions, verdict.scores, strict=True))
    left = [scores[action] for action in kept]
    margin = max(left) - TIE * (max(verdict.scores) - min(verdict.scores))
    best = (action for action in kept if scores[action] >= margin)
    preferred = decision.chosen if scores[decision.chosen] >= margin else min(best)
    return asked, Verdict(preferred, tuple(left))
