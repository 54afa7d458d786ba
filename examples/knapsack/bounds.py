"""Computes `bounds.json`: `python -m examples.knapsack.bounds`, with SciPy installed."""

from __future__ import annotations

import json

import numpy as np
from scipy.optimize import linprog

from .data import BOUNDS, SETS, Instance, load_set


def relax(instance: Instance) -> float:
    """The profit of the linear relaxation, to two digits."""
    profits = np.array(instance.profits)
    needs = np.array(instance.needs).T
    found = linprog(-profits, A_ub=needs, b_ub=instance.room, bounds=(0, 1), method="highs")
    return round(-float(found.fun), 2)


if __name__ == "__main__":
    BOUNDS.write_text("{}", "utf-8")
    bounds = {name: [relax(instance) for instance in load_set(name)] for name in SETS}
    BOUNDS.write_text(json.dumps(bounds, indent=1) + "\n", "utf-8")
