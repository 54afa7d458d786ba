"""What a program, and its teacher, tend to choose, field by field and phase by phase."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from engine.diagnosis.metrics import place
from engine.diagnosis.sampling import Sample
from engine.domain.values import ChoiceProfile, FieldProfile, Span
from problems.base import Decision, Problem
from teachers.base import Verdict

STATES = 192
"""States that a profile is taken from, spread evenly over the sample."""

ACTIONS = 24
"""Actions of a state that are looked at, the chosen and the preferred one among them."""

PHASES = 3

Rows = dict[int, "Mapping[str, float]"]
"""Fields of some actions of a state."""


class FieldReader:
    """The fields of actions at the decisions of a sample, each asked for once."""

    def __init__(self, problem: Problem, decisions: Sequence[Decision]) -> None:
        """Nothing is read before it is asked for."""
        self.problem = problem
        self.decisions = decisions
        self._known: dict[tuple[int, int], Mapping[str, float]] = {}

    def row(self, index: int, action: int) -> Mapping[str, float]:
        """The fields of one action at one decision."""
        key = (index, action)
        if key not in self._known:
            self._known[key] = self.problem.fields(self.decisions[index].state, action)
        return self._known[key]

    def rows(self, index: int, preferred: int | None = None) -> Rows:
        """Those of a spread of a decision's actions, the chosen and the preferred among them."""
        also = () if preferred is None else (preferred,)
        looked_at = thin_out(self.decisions[index], ACTIONS, also)
        return {action: self.row(index, action) for action in looked_at}


def thin_out(decision: Decision, most: int, also: Iterable[int] = ()) -> list[int]:
    """About `most` actions of a state, ascending, spread evenly; the chosen and some more."""
    stride = math.ceil(len(decision.actions) / most)
    return sorted({*decision.actions[::stride], decision.chosen, *also})


def profiled(sampled: Sample) -> range:
    """The decisions of a sample that a profile is taken from."""
    count = len(sampled.decisions)
    return range(0, count, max(1, math.ceil(count / STATES)))


def phase_of(sampled: Sample, index: int) -> int:
    """The third of its rollout that a decision is in."""
    return min(PHASES - 1, PHASES * sampled.decisions[index].step // sampled.lengths[index])


def draw_profile(
    sampled: Sample, reader: FieldReader, verdicts: Sequence[Verdict] | None = None
) -> ChoiceProfile:
    """Sizes of every field that is no id, and where choices lie among a state's actions.

    Without verdicts nothing of it depends on a teacher.
    """
    contract = reader.problem.contract
    labels = {f.name for a in contract.arguments for f in a.fields if f.unit == "id"}
    phases: list[list[tuple[Rows, int, int | None]]] = [[] for _ in range(PHASES)]
    for k in profiled(sampled):
        preferred = None if verdicts is None else verdicts[k].preferred
        state = (reader.rows(k, preferred), sampled.decisions[k].chosen, preferred)
        phases[phase_of(sampled, k)].append(state)
    first = reader.row(0, sampled.decisions[0].chosen)
    return ChoiceProfile(
        steps=fmean(sampled.lengths),
        actions=max(len(decision.actions) for decision in sampled.decisions),
        fields=tuple(
            FieldProfile(name, tuple(_span(name, states) for states in phases))
            for name in first
            if name not in labels
        ),
    )


def _span(name: str, states: Sequence[tuple[Rows, int, int | None]]) -> Span | None:
    """None where a phase has no state."""
    if not states:
        return None
    columns = [{a: float(row[name]) for a, row in table.items()} for table, _, _ in states]
    gaps = [max(column.values()) - min(column.values()) for column in columns]
    telling = [k for k, gap in enumerate(gaps) if gap > 0]
    chosen = [place(columns[k][states[k][1]], [*columns[k].values()]) for k in telling]
    wanted = [(k, action) for k in telling if (action := states[k][2]) is not None]
    preferred = [place(columns[k][action], [*columns[k].values()]) for k, action in wanted]
    return Span(
        low=min(min(column.values()) for column in columns),
        high=max(max(column.values()) for column in columns),
        spread=fmean(gaps),
        chosen=_mean(chosen),
        preferred=_mean(preferred),
    )


def _mean(places: Sequence[float]) -> float | None:
    return round(fmean(places), 4) if places else None
