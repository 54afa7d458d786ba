"""What a program and its teacher tend to choose, field by field and phase by phase."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

from engine.diagnosis.metrics import place
from engine.domain.values import ChoiceProfile, FieldProfile, Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.diagnosis.sampling import Sample
    from problems.base import Decision, Problem
    from teachers.base import Verdict

STATES = 192
"""States that a profile is taken from, spread evenly over the sample."""

ACTIONS = 24
"""Actions of a state that are looked at, the chosen and the preferred one among them."""

PHASES = 3

_Table = dict[int, "Mapping[str, float]"]


def draw_profile(problem: Problem, sampled: Sample, verdicts: Sequence[Verdict]) -> ChoiceProfile:
    """Sizes of every field that is no id, and where choices lie among a state's actions."""
    stride = max(1, math.ceil(len(sampled.decisions) / STATES))
    labels = {f.name for a in problem.contract.arguments for f in a.fields if f.unit == "id"}
    phases: list[list[tuple[_Table, int, int]]] = [[] for _ in range(PHASES)]
    for k in range(0, len(sampled.decisions), stride):
        decision = sampled.decisions[k]
        preferred = verdicts[k].preferred
        assert preferred is not None
        phase = min(PHASES - 1, PHASES * decision.step // sampled.lengths[k])
        looked_at = _thin_out(decision, preferred)
        table = {action: problem.fields(decision.state, action) for action in looked_at}
        phases[phase].append((table, decision.chosen, preferred))
    first = problem.fields(sampled.decisions[0].state, sampled.decisions[0].chosen)
    return ChoiceProfile(
        steps=fmean(sampled.lengths),
        actions=max(len(decision.actions) for decision in sampled.decisions),
        fields=tuple(
            FieldProfile(name, tuple(_span(name, states) for states in phases))
            for name in first
            if name not in labels
        ),
    )


def _thin_out(decision: Decision, preferred: int) -> list[int]:
    stride = math.ceil(len(decision.actions) / ACTIONS)
    return sorted({*decision.actions[::stride], decision.chosen, preferred})


def _span(name: str, states: Sequence[tuple[_Table, int, int]]) -> Span | None:
    """None where a phase has no state."""
    if not states:
        return None
    columns = [{a: float(row[name]) for a, row in table.items()} for table, _, _ in states]
    gaps = [max(column.values()) - min(column.values()) for column in columns]
    telling = [k for k, gap in enumerate(gaps) if gap > 0]
    chosen = [place(columns[k][states[k][1]], [*columns[k].values()]) for k in telling]
    preferred = [place(columns[k][states[k][2]], [*columns[k].values()]) for k in telling]
    return Span(
        low=min(min(column.values()) for column in columns),
        high=max(max(column.values()) for column in columns),
        spread=fmean(gaps),
        chosen=_mean(chosen),
        preferred=_mean(preferred),
    )


def _mean(places: Sequence[float]) -> float | None:
    return round(fmean(places), 4) if places else None
