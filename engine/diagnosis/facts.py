"""What a program did, from its rollouts alone: its habits, and states where it left them.

No teacher is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.diagnosis import metrics
from engine.diagnosis.cases import CHOICE, LATE, spread
from engine.diagnosis.field_profile import (
    FieldReader,
    draw_profile,
    phase_of,
    profiled,
    thin_out,
)
from engine.diagnosis.sampling import Sample
from engine.domain.values import ActionRow, ChoiceProfile, Facts, FieldProfile, Scene
from problems.base import Decision, Problem

ROWS = 6
"""Actions that a scene shows at most."""

ACTIONS = 256
"""Actions of a state that are put in order at most."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The facts of a program, and which decision of the sample each of its scenes is.

    `reader` holds the fields that were read for them.
    """

    facts: Facts
    places: tuple[int, ...]
    reader: FieldReader = field(compare=False)


@dataclass(frozen=True, slots=True)
class Habit:
    """The field by which a program's choices can be told best; `low` for its small values."""

    field: str
    low: bool

    def order(self, fields: Mapping[str, float]) -> float:
        """What actions are sorted by, from their fields: the usual choices come first."""
        value = float(fields.get(self.field, 0.0))
        return value if self.low else -value


@dataclass(frozen=True, slots=True)
class _Item:
    """A decision that may become a scene, as `spread` wants it."""

    index: int
    phase: float
    instance: int


def observe(problem: Problem, sampled: Sample, scenes: int) -> Observation | None:
    """Habits of a program and so many scenes; None for a sample without a decision."""
    if not sampled.decisions:
        return None
    reader = FieldReader(problem, sampled.decisions)
    profile = draw_profile(sampled, reader)
    places = tuple(_choose(sampled, reader, profile, scenes))
    habit = find_habit(profile)
    shown = (show(problem, sampled.decisions[k], sampled.lengths[k], habit) for k in places)
    return Observation(Facts(profile, tuple(shown)), places, reader)


def find_habit(profile: ChoiceProfile) -> Habit:
    """The field whose chosen values lie nearest to an end of a state's, the first of equals."""
    means = [(f.name, mean) for f in profile.fields if (mean := f.mean_place) is not None]
    if not means:
        return Habit(profile.fields[0].name if profile.fields else "", low=True)
    name, mean = max(means, key=lambda one: abs(one[1] - 0.5))
    return Habit(name, mean <= 0.5)


def show(
    problem: Problem,
    decision: Decision,
    length: int,
    habit: Habit,
    also: Iterable[int] = (),
) -> Scene:
    """A decision as a scene: the actions that the habit puts first, the chosen, and some more.

    `length` is that of the rollout.
    """
    among = thin_out(decision, ACTIONS, also)
    values = {action: problem.fields(decision.state, action) for action in among}
    ranked = sorted(among, key=lambda action: (habit.order(values[action]), action))
    needed = {decision.chosen, *also}
    kept = {*needed, *[a for a in ranked if a not in needed][: ROWS - len(needed)]}
    return Scene(
        instance=decision.instance,
        step=decision.step,
        phase=decision.step / length,
        actions=len(decision.actions),
        chosen=decision.chosen,
        by=habit.field,
        names=tuple(values[decision.chosen]),
        rows=tuple(
            ActionRow(action, tuple(map(float, values[action].values())))
            for action in ranked
            if action in kept
        ),
    )


def _choose(
    sampled: Sample, reader: FieldReader, profile: ChoiceProfile, scenes: int
) -> list[int]:
    """The decisions least like the program's habits, diverse in instance and phase."""
    by_name = {field.name: field for field in profile.fields}
    odd = {k: _oddity(sampled, reader, by_name, k) for k in profiled(sampled)}
    items = [
        _Item(k, sampled.decisions[k].step / sampled.lengths[k], sampled.decisions[k].instance)
        for k in sorted(odd, key=lambda k: (-odd[k], k))
        if odd[k] > 0
    ]
    early = [item for item in items if item.phase < LATE] or items
    return [item.index for item in spread(early[: CHOICE * scenes], scenes)]


def _oddity(
    sampled: Sample, reader: FieldReader, fields: Mapping[str, FieldProfile], index: int
) -> float:
    """How far a choice lies from the usual place, in the field where that says most."""
    phase = phase_of(sampled, index)
    rows = reader.rows(index)
    chosen = sampled.decisions[index].chosen
    found = 0.0
    for name, known in fields.items():
        span = known.phases[phase]
        column = [float(row[name]) for row in rows.values()]
        if span is None or span.chosen is None or max(column) == min(column):
            continue
        own = metrics.place(float(rows[chosen][name]), column)
        found = max(found, abs(span.chosen - 0.5) * abs(own - span.chosen))
    return found
