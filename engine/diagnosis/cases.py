"""Which states of a program are shown: telling disagreements, a few agreements."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from engine.diagnosis import metrics
from engine.diagnosis.sampling import Sample
from engine.domain.values import Alternative, Case
from problems.base import Decision, Problem
from teachers.base import Verdict

LATE = 0.94
"""Share of a rollout after which hardly anything is left to decide: no cases from there."""

CHOICE = 4
"""Cases are drawn from the largest regrets, this many times as many as wanted at least."""

ROWS = 10
"""How many actions of a state a case shows at most."""

LOOKED_AT = 256
"""Actions of a state among which rivals are sought at most."""

RANK = "rank"
"""The field, if a problem has it, that is 0 for the action that its plainest rule would take."""


class HasPhase(Protocol):
    """What stands at a phase of the rollout of an instance."""

    @property
    def phase(self) -> float:
        """Between 0 and 1."""

    @property
    def instance(self) -> int:
        """Its number."""


One = TypeVar("One", bound=HasPhase)


@dataclass(frozen=True, slots=True)
class _Item:
    regret: float
    length: int
    decision: Decision
    verdict: Verdict
    later: frozenset[int]

    @property
    def phase(self) -> float:
        return self.decision.step / self.length

    @property
    def instance(self) -> int:
        return self.decision.instance

    @property
    def apart(self) -> bool:
        return self.decision.chosen != self.verdict.preferred

    @property
    def commutes(self) -> bool:
        return self.verdict.preferred in self.later


def choose_cases(
    problem: Problem,
    sampled: Sample,
    verdicts: Sequence[Verdict],
    count: int,
    later: Sequence[frozenset[int]] | None = None,
) -> tuple[Case, ...]:
    """Disagreements of large regret and a quarter agreements, diverse in instance and phase.

    Among the largest regrets chance decides, seeded by what the program did: otherwise every
    generation would be shown the same few states. `later` is what the program does later, to the
    same effect: disagreements of which that is true are left out while there are others.
    """
    everything = _items(sampled, verdicts, later)
    items = [item for item in everything if item.phase < LATE] or everything
    rng = random.Random(_digest(sampled.decisions))
    few = count // 4
    different = [item for item in items if item.apart]
    real = [item for item in different if not item.commutes] or different
    apart = sorted(real, key=lambda item: -item.regret)
    apart = apart[: max(CHOICE * count, len(apart) // 4)]
    alike = [item for item in items if not item.apart]
    rng.shuffle(apart)
    rng.shuffle(alike)
    return tuple(_case(problem, i) for i in [*spread(apart, count - few), *spread(alike, few)])


def draw_disagreements(
    problem: Problem,
    sampled: Sample,
    verdicts: Sequence[Verdict],
    count: int,
    later: Sequence[frozenset[int]] | None = None,
) -> tuple[Case, ...]:
    """So many disagreements, whatever their regret, no instance twice while others last.

    They are those in which the program does not do `later`, to the same effect, what the teacher
    prefers; all where that is not known. What it would prefer of the rest is no advice: tried out,
    that saves nothing.
    """
    items = _items(sampled, verdicts, later)
    apart = [item for item in items if item.apart and not item.commutes]
    random.Random(_digest(sampled.decisions)).shuffle(apart)
    turns: Counter[int] = Counter()
    queue: list[tuple[int, _Item]] = []
    for item in apart:
        queue.append((turns[item.instance], item))
        turns[item.instance] += 1
    queue.sort(key=lambda entry: entry[0])
    return tuple(_case(problem, item) for _, item in queue[:count])


def _items(
    sampled: Sample, verdicts: Sequence[Verdict], later: Sequence[frozenset[int]] | None
) -> list[_Item]:
    known = [frozenset[int]()] * len(verdicts) if later is None else later
    rows = zip(sampled.decisions, verdicts, sampled.lengths, known, strict=True)
    return [
        _Item(metrics.regret(decision, verdict), length, decision, verdict, same)
        for decision, verdict, length, same in rows
    ]


def _digest(decisions: Sequence[Decision]) -> str:
    return hashlib.sha256(repr([d.chosen for d in decisions]).encode()).hexdigest()


def spread(items: Sequence[One], count: int) -> list[One]:
    """Take the first of each third of the rollout in turn, no instance twice while others last."""
    thirds: list[list[One]] = [[], [], []]
    for item in items:
        thirds[min(2, int(3 * item.phase))].append(item)
    picked: list[One] = []
    seen: set[int] = set()
    while len(picked) < count and any(thirds):
        for third in thirds:
            if third and len(picked) < count:
                fresh = (item for item in third if item.instance not in seen)
                best = next(fresh, third[0])
                third.remove(best)
                seen.add(best.instance)
                picked.append(best)
    return picked


def _case(problem: Problem, item: _Item) -> Case:
    decision = item.decision
    verdict = item.verdict
    assert verdict.preferred is not None
    return Case(
        instance=decision.instance,
        step=decision.step,
        phase=item.phase,
        actions=len(decision.actions),
        chosen=decision.chosen,
        preferred=verdict.preferred,
        regret=item.regret,
        chosen_fields=tuple(problem.fields(decision.state, decision.chosen).items()),
        preferred_fields=tuple(problem.fields(decision.state, verdict.preferred).items()),
        alternatives=_alternatives(problem, decision, verdict),
        later=item.commutes,
    )


def _alternatives(
    problem: Problem, decision: Decision, verdict: Verdict
) -> tuple[Alternative, ...]:
    """The chosen, the preferred and a spread of the other actions, the teacher's best first."""
    scored: dict[int, float | None] = dict.fromkeys(decision.actions)
    if verdict.scores is not None:
        scored.update(zip(decision.actions, metrics.normalise(verdict.scores), strict=True))
    ranked = sorted(scored, key=lambda action: (-(scored[action] or 0.0), action))
    assert verdict.preferred is not None
    both = {decision.chosen, verdict.preferred}
    others = [action for action in ranked if action not in both]
    rivals = find_rivals(problem, decision, verdict.preferred, others)
    rest = [action for action in others if action not in rivals]
    room = min(max(ROWS - len(both) - len(rivals), 0), len(rest))
    shown = {*both, *rivals, *(rest[k * len(rest) // room] for k in range(room))}
    return tuple(
        Alternative(
            action,
            scored[action],
            tuple(problem.fields(decision.state, action).values()),
            rivals.get(action, ""),
        )
        for action in ranked
        if action in shown
    )


def find_rivals(
    problem: Problem, decision: Decision, preferred: int, others: Sequence[int] = ()
) -> dict[int, str]:
    """Which actions compete directly with the choice of the program, and by what.

    The first two of the `others` that share an id with it, such as its machine, then the first
    that shares one with the preferred action. Where no two actions share an id, the one of rank 0.
    Without `others` they are all the actions but these two.
    """
    others = others or [a for a in decision.actions if a not in (decision.chosen, preferred)]
    labels = [f.name for a in problem.contract.arguments for f in a.fields if f.unit == "id"]
    among = others[:LOOKED_AT]
    rows = {action: problem.fields(decision.state, action) for action in among}
    found: dict[int, str] = {}
    for side, most in ((decision.chosen, 2), (preferred, 1)):
        own = problem.fields(decision.state, side)
        for name in labels:
            same = [a for a in among if name in own and rows[a].get(name) == own[name]]
            found |= {action: f"same {name}" for action in same[:most] if action not in found}
    if not found:
        first = next((a for a in among if rows[a].get(RANK) == 0), None)
        return {} if first is None else {first: f"{RANK} 0"}
    return found
