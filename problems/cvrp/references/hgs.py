"""Reference routes by PyVRP's hybrid genetic search, kept as data: run as a script.

    python -m problems.cvrp.references.hgs design cvrp50 cvrp200
    python -m problems.cvrp.references.hgs design --iterations 20000 --seed 3 --only 92 165-170

needs the extra `reference`; of old and new references the better one is kept, instance by
instance. T. Vidal, "Hybrid genetic search for the CVRP", 2022; N. A. Wouda, L. Lan, W. Kool,
"PyVRP: a high-performance VRP solver package", 2024.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import problems
from problems.cvrp.instances import Instance, as_record, build_arrays
from problems.cvrp.walk import as_actions, replay
from problems.sets.references import parse_task

SEARCHES = 50
"""Iterations of the search, for each node of an instance."""

SCALE = 10_000
"""PyVRP works on integers: distances times this, or times the option `--scale`."""


def build_model(instance: Instance, scale: int = SCALE) -> Any:
    """An instance as a `pyvrp.Model`, distances times the scale."""
    import numpy as np
    from pyvrp import Model

    model = Model()
    places = [model.add_location(x, y) for x, y in instance.points]
    depot = model.add_depot(places[0])
    model.add_vehicle_type(instance.size - 1, instance.capacity, depot, depot)
    for place, demand in zip(places[1:], instance.demands[1:], strict=True):
        model.add_client(place, delivery=demand)
    scaled = np.rint(build_arrays(instance)[0] * scale).astype(int).tolist()
    for place, row in zip(places, scaled, strict=True):
        for other, distance in zip(places, row, strict=True):
            model.add_edge(place, other, distance)
    return model


def search(instance: Instance, model: Any, stop: Any, seed: int = 1) -> list[int]:
    """The actions along the best routes of its model, found until a criterion of `pyvrp.stop`."""
    result = model.solve(stop, seed, collect_stats=False, display=False)
    routes = (
        [place.idx + 1 for place in route if place.is_client()] for route in result.best.routes()
    )
    return as_actions(instance, routes)


def solve(instance: Instance, iterations: int, seed: int = 1, scale: int = SCALE) -> list[int]:
    """The actions along the best routes that PyVRP finds in so many iterations."""
    from pyvrp.stop import MaxIterations

    return search(instance, build_model(instance, scale), MaxIterations(iterations), seed)


def shortest(instance: Instance, iterations: int, seed: int, scale: int) -> float:
    """The length of those routes."""
    return replay(instance, solve(instance, iterations, seed, scale))


def main(words: Sequence[str]) -> None:
    """Compute the references of some sets, and keep the better one of each instance."""
    task = parse_task("problems.cvrp.references.hgs", words, "iterations", "seed", "scale")
    for name in task.sets:
        instances = problems.load("cvrp").load(name)
        iterations = task.effort["iterations"] or SEARCHES * instances[0].size
        seed = task.effort["seed"] or 1
        solver = f"PyVRP {version('pyvrp')}, {iterations} iterations, seed {seed}"
        scale = task.effort["scale"] or SCALE
        solved = partial(shortest, iterations=iterations, seed=seed, scale=scale)
        task.improve(Path(__file__).parent, name, instances, as_record, solver, solved)


if __name__ == "__main__":
    main(sys.argv[1:])
