"""States that all programs are asked about alike: the seeds' own, drawn once.

On its own states a program is marked in places that other programs never see. Here it only says
what it would do, and the teacher is asked once for all.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from engine.diagnosis.sampling import Sample
from engine.domain.values import Questions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Diagnostics

Rollouts = tuple[tuple[int, ...], ...]
"""The actions taken on every instance of a set."""

FIGURES = (
    "agreement",
    "chance",
    "stderr",
    "value",
    "percentile",
    "states",
    "tied",
    "dropped",
)
"""Fields of diagnostics that are those on shared states; the others stay the program's own."""


def mix_rollouts(rollouts: Sequence[Sequence[tuple[int, ...]]]) -> Rollouts:
    """One rollout an instance, from those of several programs by turns; none where there are none.

    A turn ends one program further on than it began: sets have their kinds of instances by turns.
    """
    if not rollouts:
        return ()
    turns = len(rollouts)
    return tuple(rollouts[(k + k // turns) % turns][k] for k in range(len(rollouts[0])))


def list_questions(sampled: Sample, rollouts: Sequence[Sequence[int]]) -> tuple[Questions, ...]:
    """What a program is asked: its choice in all sampled states, a question for each instance.

    `rollouts` are the actions that led to the states.
    """
    questions = []
    for index, decisions in groupby(sampled.decisions, key=lambda decision: decision.instance):
        steps = tuple(decision.step for decision in decisions)
        questions.append(Questions(index, tuple(rollouts[index][: steps[-1] + 1]), steps))
    return tuple(questions)


def choose_as_answered(
    sampled: Sample, answers: Sequence[Sequence[int]]
) -> tuple[Sample, list[int]]:
    """The sample with the choices of a program, and which of the decisions are left in it.

    `answers` are to `list_questions`. Where there is none, or one that is not feasible, the state
    is dropped.
    """
    asked = groupby(sampled.decisions, key=lambda decision: decision.instance)
    sizes = [len(list(decisions)) for _, decisions in asked]
    chosen: list[int | None] = []
    for size, found in zip(sizes, answers, strict=True):
        chosen += found if len(found) == size else [None] * size
    decisions = []
    kept = []
    for k, (decision, action) in enumerate(zip(sampled.decisions, chosen, strict=True)):
        if action is not None and action in decision.actions:
            decisions.append(replace(decision, chosen=action))
            kept.append(k)
    lengths = tuple(sampled.lengths[k] for k in kept)
    return Sample(tuple(decisions), lengths, sampled.dropped + len(chosen) - len(kept)), kept


def with_figures(own: Diagnostics, shared: Diagnostics) -> Diagnostics:
    """A program's diagnostics with the figures of those on shared states."""
    return replace(own, **{name: getattr(shared, name) for name in FIGURES})
