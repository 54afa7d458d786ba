"""The seeds of a search and the classical heuristics of benchmarks, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from problems.base import Rule
from problems.errors import UserError
from problems.maxcut.heuristics import annealing, programs, tabu
from problems.shared.seeds import as_rules

if TYPE_CHECKING:
    from problems.maxcut.profile import WalkProfile
    from problems.maxcut.sets.data import Instance, Sides

SEEDS = as_rules(programs, "select_flip_node")

RUNS = 20
"""Runs of annealing as a rule."""

SWEEPS = 1000
"""Turns of every vertex in each."""


def solvers(profile: WalkProfile) -> tuple[Rule, ...]:
    """The heuristics for whole graphs, told as walks of a profile."""

    def search(instance: Instance) -> list[int]:
        taken = list[int]()
        steps = profile.flips(instance.size)
        for attempt in range(profile.attempts):
            taken += tabu.search(instance, profile.start(instance, attempt), steps)
        return taken

    def anneal(instance: Instance) -> list[int]:
        best, _ = annealing.anneal(instance, RUNS, SWEEPS)
        return lead_to(best, instance, profile)

    return (
        Rule("tabu", f"Tabu search of tenure {tabu.TENURE}, as long as a walk.", solve=search),
        Rule(
            "annealing",
            f"Simulated annealing, {RUNS} runs of {SWEEPS} sweeps, far longer than a walk; its "
            "actions flip what differs between start and best cut.",
            solve=anneal,
        ),
    )


def lead_to(target: Sides, instance: Instance, profile: WalkProfile) -> list[int]:
    """The actions that lead to a bipartition or its mirror image, which has the same cut.

    They flip every vertex at most once in the first attempt, half of them at most; later flips
    move vertex 0 to and fro. Raises UserError when an attempt is shorter than that.
    """
    length = profile.flips(instance.size)
    start = profile.start(instance, 0)
    differ = [vertex for vertex, side in enumerate(start) if side != target[vertex]]
    agree = [vertex for vertex, side in enumerate(start) if side == target[vertex]]
    flips = min(differ, agree, key=len)
    if len(flips) > length:
        raise UserError(f"its best cut is {len(flips)} flips away, but a walk has only {length}")
    return flips + [0] * (length * profile.attempts - len(flips))
