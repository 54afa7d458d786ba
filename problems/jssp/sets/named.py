"""The named sets of job shops."""

from __future__ import annotations

import re

from problems.base import SELECTION, InstanceSet, split_selection
from problems.jssp.sets.data import Instance, random_instances
from problems.jssp.sets.taillard import CLASSES, taillard_instances

OWN = {"design": (701, 128), "selection": (702, 128), "design-64": (700, 64)}
"""Seed and size of the sets that searches look at, all 20x20."""

SEEDS = {"random": 300, "validation": 900}
USUAL_SIZES = ((10, 10), (15, 15), (20, 20), (30, 20), (50, 20))


def described() -> tuple[InstanceSet, ...]:
    """All sets by name. `random-NxM` and `validation-NxM` exist for every N and M."""
    return (
        InstanceSet("design", 128, "128 random 20x20, for searches", design=True),
        InstanceSet("selection", 128, "128 more, to choose a run's winner", design=True),
        InstanceSet("design-64", 64, "64 random 20x20, once the design set", design=True),
        InstanceSet("validation-20x20", 100, "100 random 20x20, to choose teachers", design=True),
        *(
            InstanceSet(f"random-{n}x{m}", 100, f"100 random {n}x{m}, durations 1 to 98")
            for n, m in USUAL_SIZES
        ),
        *(
            InstanceSet(f"taillard-{n}x{m}", 10, f"Taillard ta{i}1 to ta{i + 1}0, {n}x{m}")
            for i, (n, m) in enumerate(CLASSES)
        ),
    )


def selection_like(design: str) -> str:
    """The set to choose a winner on after a search on `design`; empty where none is like it."""
    if design in OWN:
        return "selection" if design != "selection" else ""
    name = f"{SELECTION}{design}"
    return name if generated(name) else ""


def generated(name: str) -> tuple[Instance, ...]:
    """The instances of a generated set, none for other names.

    `selection-random-NxM` is drawn as `random-NxM` is, from another seed.
    """
    if name in OWN:
        return tuple(random_instances(name, *OWN[name], 20, 20))
    like, apart = split_selection(name)
    if match := re.fullmatch(r"(random|validation)-([1-9]\d*)x([1-9]\d*)", like):
        seed = SEEDS[match[1]] + apart
        return tuple(random_instances(name, seed, 100, int(match[2]), int(match[3])))
    for jobs, machines in CLASSES:
        if name == f"taillard-{jobs}x{machines}":
            return tuple(taillard_instances(jobs, machines))
    return ()
