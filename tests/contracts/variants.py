"""Every problem there is, and every variant of one whose programs are shown something else."""

from __future__ import annotations

from pathlib import Path

import problems
from problems import ProblemRef

WIDE_JSSP = ProblemRef("jssp", (("state", "wide"),))
PLANNED_JSSP = ProblemRef("jssp", (("state", "plan"),))
WIDE_CVRP = ProblemRef("cvrp", (("state", "wide"),))
GIVEN_TSP = ProblemRef("tsp", (("distances", "tsplib"),))
SPARSE_MAXCUT = ProblemRef("maxcut", (("state", "sparse"),))

REFS = (
    *map(ProblemRef, problems.names()),
    WIDE_JSSP,
    PLANNED_JSSP,
    WIDE_CVRP,
    GIVEN_TSP,
    SPARSE_MAXCUT,
)


def label(value: object) -> str | None:
    """A short name for a test of a problem; None, pytest's own, for another parameter."""
    if not isinstance(value, ProblemRef):
        return None
    return "-".join([Path(value.name).name, *(word for _, word in value.options)])
