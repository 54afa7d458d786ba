"""What a teacher says of a program on its own states (paper, "On-policy Teacher Diagnostics")."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.types import Case, Diagnostics
from problems.base import Decision, visited
from teachers.base import TIE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.base import Problem
    from teachers.base import Verdict


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which states are looked at: slots (instance, phase), the same for every candidate."""

    states: int
    phases: int
    seed: int
    cases: int


@dataclass(frozen=True, slots=True)
class Sample:
    """The decisions that were sampled, the length of each one's rollout, empty slots counted."""

    decisions: tuple[Decision, ...]
    lengths: tuple[int, ...]
    dropped: int


def plan_sampling(
    instances: int, states: int, phases: int = 0, seed: int = 0, cases: int = 12
) -> Sampling:
    """Spread `states` evenly: as many phases an instance as fit, at least one."""
    return Sampling(states, phases or max(1, states // max(1, instances)), seed, cases)


def sample(
    problem: Problem,
    instances: Sequence[object],
    rollouts: Sequence[Sequence[int]],
    sampling: Sampling,
) -> Sample:
    """The decisions at the sampled slots of each rollout, `sampling.states` of them at most.

    Slot (instance, phase) takes step floor((phase + u) T / phases); a step with one feasible
    action gives way to the nearest later, then earlier step of its bin with a choice.
    """
    dice = random.Random(sampling.seed)
    decisions: list[Decision] = []
    lengths: list[int] = []
    dropped = 0
    wanted = min(len(rollouts), sampling.states // sampling.phases or 1)
    for index in range(wanted):
        shifts = [dice.random() for _ in range(sampling.phases)]
        found = _sample_one(problem, instances[index], index, rollouts[index], shifts)
        decisions += found
        lengths += [len(rollouts[index])] * len(found)
        dropped += sampling.phases - len(found)
    return Sample(tuple(decisions), tuple(lengths), dropped)


def _sample_one(
    problem: Problem, instance: object, index: int, taken: Sequence[int], shifts: Sequence[float]
) -> list[Decision]:
    states = list(visited(problem, instance, taken))
    picked = []
    for phase, shift in enumerate(shifts):
        for step in _bin(len(states), phase, shift, len(shifts)):
            actions = problem.actions(states[step])
            if len(actions) > 1:
                picked.append(Decision(index, step, states[step], actions, taken[step]))
                break
    return picked


def _bin(length: int, phase: int, shift: float, phases: int) -> list[int]:
    """The steps of a phase in the order they are tried: the drawn one, later, earlier ones."""
    low, high = phase * length // phases, (phase + 1) * length // phases
    aim = min(int((phase + shift) * length / phases), length - 1)
    return [*range(aim, high), *range(aim - 1, low - 1, -1)]


def diagnose(
    problem: Problem, sampled: Sample, verdicts: Sequence[Verdict], cases: int
) -> Diagnostics | None:
    """Agreement, value, percentile and the telling cases; None when a verdict is missing.

    A not-finite score or an empty sample must never look like an agreement of 0.
    """
    if not verdicts or any(verdict.preferred is None for verdict in verdicts):
        return None
    decisions = sampled.decisions
    scored = [v.scores for v in verdicts if v.scores is not None]
    complete = len(scored) == len(verdicts)
    agreement = _mean([float(d.chosen == v.preferred) for d, v in _pairs(decisions, verdicts)])
    n = len(decisions)
    return Diagnostics(
        agreement=agreement,
        chance=_mean([1 / len(d.actions) for d in decisions]),
        stderr=math.sqrt(agreement * (1 - agreement) / n),
        value=_mean([_value(d, v) for d, v in _pairs(decisions, verdicts)]) if complete else None,
        percentile=_mean([_percentile(d, v) for d, v in _pairs(decisions, verdicts)])
        if complete
        else None,
        states=n,
        tied=sum(_is_tied(scores) for scores in scored),
        dropped=sampled.dropped,
        cases=_choose_cases(problem, sampled, verdicts, cases),
    )


def _pairs(
    decisions: Sequence[Decision], verdicts: Sequence[Verdict]
) -> list[tuple[Decision, Verdict]]:
    return list(zip(decisions, verdicts, strict=True))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _value(decision: Decision, verdict: Verdict) -> float:
    """The paper's normalised score of the chosen action: 1 is the best, 1 at zero range."""
    assert verdict.scores is not None
    low, high = min(verdict.scores), max(verdict.scores)
    if high == low:
        return 1.0
    return (_score_of(decision, verdict, decision.chosen) - low) / (high - low)


def _percentile(decision: Decision, verdict: Verdict) -> float:
    """(number lower + half of the equal others) / (|A| - 1): 1 is the best."""
    assert verdict.scores is not None
    own = _score_of(decision, verdict, decision.chosen)
    lower = sum(score < own for score in verdict.scores)
    equal = sum(score == own for score in verdict.scores) - 1
    return (lower + equal / 2) / (len(verdict.scores) - 1)


def _score_of(decision: Decision, verdict: Verdict, action: int) -> float:
    assert verdict.scores is not None
    return verdict.scores[decision.actions.index(action)]


def _is_tied(scores: Sequence[float]) -> bool:
    high, low = max(scores), min(scores)
    return sum(score >= high - TIE * (high - low) for score in scores) > 1


def _choose_cases(
    problem: Problem, sampled: Sample, verdicts: Sequence[Verdict], count: int
) -> tuple[Case, ...]:
    """The most telling disagreements, a quarter agreements, diverse in instance and phase."""
    everything = [
        (_regret(d, v), length, d, v)
        for (d, v), length in zip(
            _pairs(sampled.decisions, verdicts), sampled.lengths, strict=True
        )
    ]
    everything.sort(key=lambda item: (-item[0], item[2].instance, item[2].step))
    apart = [item for item in everything if item[2].chosen != item[3].preferred]
    alike = [item for item in everything if item[2].chosen == item[3].preferred]
    few = count // 4
    chosen = [*_spread(apart, count - few), *_spread(alike, few)]
    return tuple(_case(problem, *item) for item in chosen)


_Item = tuple[float, int, Decision, "Verdict"]


def _spread(items: Sequence[_Item], count: int) -> list[_Item]:
    """Take the first of each third of the rollout in turn, no instance twice while others last."""
    thirds: list[list[_Item]] = [[], [], []]
    for item in items:
        thirds[min(2, 3 * item[2].step // max(1, item[1]))].append(item)
    picked: list[_Item] = []
    seen: set[int] = set()
    while len(picked) < count and any(thirds):
        for third in thirds:
            if third and len(picked) < count:
                fresh = (item for item in third if item[2].instance not in seen)
                best = next(fresh, third[0])
                third.remove(best)
                seen.add(best[2].instance)
                picked.append(best)
    return picked


def _regret(decision: Decision, verdict: Verdict) -> float:
    if verdict.scores is None:
        return float(decision.chosen != verdict.preferred)
    return 1 - _value(decision, verdict)


def _case(
    problem: Problem, regret: float, length: int, decision: Decision, verdict: Verdict
) -> Case:
    assert verdict.preferred is not None
    return Case(
        instance=decision.instance,
        step=decision.step,
        phase=decision.step / length,
        actions=len(decision.actions),
        chosen=decision.chosen,
        preferred=verdict.preferred,
        regret=regret,
        chosen_fields=tuple(problem.fields(decision.state, decision.chosen).items()),
        preferred_fields=tuple(problem.fields(decision.state, verdict.preferred).items()),
    )
