"""Which states of a rollout the teacher is asked about."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from problems.base import Decision, Problem, has_own


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

    def keep(self, indices: Sequence[int]) -> Sample:
        """The decisions at some indices; the others count as dropped."""
        return Sample(
            tuple(self.decisions[k] for k in indices),
            tuple(self.lengths[k] for k in indices),
            self.dropped + len(self.decisions) - len(indices),
        )


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
    action, or of the problem's `opening`, gives way to the nearest later, then earlier step of
    its bin with a choice.
    """
    rng = random.Random(sampling.seed)
    decisions: list[Decision] = []
    lengths: list[int] = []
    dropped = 0
    wanted = min(len(rollouts), sampling.states // sampling.phases or 1)
    for index in range(wanted):
        shifts = [rng.random() for _ in range(sampling.phases)]
        found = _sample_one(problem, instances[index], index, rollouts[index], shifts)
        decisions += found
        lengths += [len(rollouts[index])] * len(found)
        dropped += sampling.phases - len(found)
    return Sample(tuple(decisions), tuple(lengths), dropped)


def _sample_one(
    problem: Problem, instance: object, index: int, taken: Sequence[int], shifts: Sequence[float]
) -> list[Decision]:
    bins = [_bin(len(taken), phase, shift, len(shifts)) for phase, shift in enumerate(shifts)]
    if has_own(problem, "seek"):
        drawn = _pick(problem, instance, index, taken, [steps[:1] for steps in bins])
        if len(drawn) == len(bins):
            return drawn
    return _pick(problem, instance, index, taken, bins)


def _pick(
    problem: Problem,
    instance: object,
    index: int,
    taken: Sequence[int],
    bins: Sequence[Sequence[int]],
) -> list[Decision]:
    """The first eligible step of every bin that has one."""
    wanted = sorted({step for steps in bins for step in steps})
    states = dict(zip(wanted, problem.seek(instance, taken, wanted), strict=True))
    picked = []
    for steps in bins:
        for step in steps:
            actions = problem.actions(states[step])
            if len(actions) > 1 and step >= problem.opening:
                picked.append(Decision(index, step, states[step], actions, taken[step]))
                break
    return picked


def _bin(length: int, phase: int, shift: float, phases: int) -> list[int]:
    """The steps of a phase in the order they are tried: the drawn one, later, earlier ones."""
    if not length:  # an instance without a decision
        return []
    low = phase * length // phases
    high = (phase + 1) * length // phases
    aim = min(int((phase + shift) * length / phases), length - 1)
    return [*range(aim, high), *range(aim - 1, low - 1, -1)]
