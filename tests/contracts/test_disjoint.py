"""No instance stands in two sets, nor twice in one: sets old and new, and what teachers learn.

Names and known bounds do not count, the capacity of vehicles does: E-n101-k8 and E-n101-k14 differ
in nothing else. Published sets take part where they are imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import problems
from problems.conformance import content
from problems.cvrp.instances import CvrpGenerator, draw
from problems.errors import UserError
from problems.jssp.instances import random_instances
from problems.tsp.instances import Instance as Tour
from problems.tsp.instances import random_points
from teachers.eco_dqn.train import EcoDqnSettings
from teachers.lehd.solved_instances import CAPACITIES, PIECE
from teachers.lehd.train import SETTINGS
from teachers.offline_l2d.expert_schedules import FIRST_SEED
from teachers.offline_l2d.train import OfflineL2DSettings
from teachers.training.lattices import LATTICES_FROM, Lattice

UNLISTED = {
    "jssp": ("random-6x6", "validation-10x10"),
    "tsp": ("tsp20", "tsp49", "tsp51", "tsp60", "tsp100", "tsp180"),
    "cvrp": ("random-20", "random-50", "random-180"),
    "maxcut": ("ba20w", "ba199w", "ba200u", "ba201w", "er200u", "er60w"),
}
"""Sets of a pattern: examples, those on which teachers are chosen, neighbours in seed or size."""

FORMER = {"jssp": "design-64", "tsp": "design-64", "cvrp": "design-64", "maxcut": "design-16"}
"""What the design sets once were."""

TWINS = {"M-n200-k17"}
"""Published instances that differ from another in the number of vehicles, which is not read."""


def learned_from(problem: str) -> Iterator[tuple[str, Any]]:
    """What the shipped teacher of a problem learns from or is chosen on, drawn as it draws it.

    ECO-DQN's graphs come from another generator than any set, and are as many as it has time for.
    """
    match problem:
        case "jssp":
            for part in OfflineL2DSettings().parts:
                sizes = (part.instances, part.jobs, part.machines)
                yield from _of(part.label, random_instances("", FIRST_SEED, *sizes))
        case "tsp" | "cvrp":
            for routing in SETTINGS[f"lehd-{problem}"].parts:
                drawn = routing.nodes, routing.instances
                yield from _of(routing.label, _solved(problem, *drawn))
        case "maxcut":
            lattices = Lattice(5).draw("", LATTICES_FROM, EcoDqnSettings().lattices)
            yield from _of("lattices", lattices)


def _of(name: str, instances: Any) -> Iterator[tuple[str, Any]]:
    return ((f"{name}, which a teacher sees", instance) for instance in instances)


def _solved(problem: str, nodes: int, count: int) -> Iterator[Any]:
    """The instances behind the solutions that LEHD learns from, seed 0."""
    pieces = -(-count // PIECE)
    for seed in np.random.SeedSequence([0, nodes]).generate_state(pieces).tolist():
        if problem == "tsp":
            yield from (Tour("", points) for points in random_points(seed, PIECE, nodes))
        else:
            depot = "random" if seed % 2 else "centre"
            yield from draw("", seed, PIECE, CvrpGenerator(nodes, depot, CAPACITIES))  # type: ignore[arg-type]


def in_sets(problem: str) -> Iterator[tuple[str, Any]]:
    """Every instance of every set that is here, with the set's name."""
    loaded = problems.load(problem)
    for name in (*(described.name for described in loaded.sets()), *UNLISTED[problem]):
        try:
            yield from ((name, instance) for instance in loaded.load(name))
        except UserError:
            continue  # not imported


@pytest.mark.parametrize("problem", UNLISTED)
def test_no_instance_stands_in_two_sets(problem: str) -> None:
    seen: dict[int, tuple[str, str]] = {}
    for place in (in_sets, learned_from):
        for name, instance in place(problem):
            if instance.name in TWINS:
                continue
            key = hash((content(instance), getattr(instance, "capacity", None)))
            assert key not in seen, f"{instance.name} of {name} is {seen[key]}"
            seen[key] = (name, instance.name)
    assert {name for name, _ in seen.values()} >= {"design", "selection", FORMER[problem]}


@pytest.mark.parametrize("problem", UNLISTED)
def test_design_and_selection_set_are_of_one_kind(problem: str) -> None:
    loaded = problems.load(problem)
    design, selection = map(loaded.load, ("design", "selection"))
    assert len(design) == len(selection)
    assert [_kind(one) for one in design] == [_kind(one) for one in selection]


@pytest.mark.parametrize("problem", UNLISTED)
def test_a_winner_is_chosen_on_what_the_search_was_on(problem: str) -> None:
    loaded = problems.load(problem)
    for name in (UNLISTED[problem][0], FORMER[problem]):
        design, selection = loaded.load(name), loaded.load(loaded.selection_like(name))
        kinds, others = ([_kind(one) for one in instances] for instances in (design, selection))
        assert kinds[: len(others)] == others[: len(kinds)]
        assert not {content(one) for one in design} & {content(one) for one in selection}
    for name in ("selection", "unknown", "selection-unknown"):
        assert loaded.selection_like(name) == ""


@pytest.mark.parametrize("problem", UNLISTED)
def test_the_first_quarter_of_a_design_set_stands_for_all_of_it(problem: str) -> None:
    kinds = [_kind(one) for one in problems.load(problem).load("design")]
    first = kinds[: len(kinds) // 4]
    for kind in set(kinds):
        assert 4 * first.count(kind) == kinds.count(kind)


def _kind(instance: Any) -> tuple[object, ...]:
    """What tells the kinds of instances in a set apart."""
    if hasattr(instance, "durations"):
        return len(instance.durations), len(instance.durations[0])
    if hasattr(instance, "edges"):
        edges = [weight for *_, weight in instance.edges()]
        return instance.size, len(edges) > 1000, set(edges) == {1}
    if hasattr(instance, "demands"):
        return instance.size, instance.points[0] == (0.5, 0.5)
    return (instance.size,)
