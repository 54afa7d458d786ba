"""Every problem there is, and every variant of one whose programs are shown something else."""

from __future__ import annotations

from pathlib import Path

import problems
from problems import ProblemRef

GIVEN_TSP = ProblemRef("tsp", (("distances", "tsplib"),))
SPARSE_MAXCUT = ProblemRef("maxcut", (("state", "sparse"),))
WHOLE = tuple(ProblemRef(name, (("kind", "whole"),)) for name in problems.names())

REFS = (
    *map(ProblemRef, problems.names()),
    GIVEN_TSP,
    SPARSE_MAXCUT,
    *WHOLE,
)


def label(value: object) -> str | None:
    """A short name for a test of a problem; None, pytest's own, for another parameter."""
    if not isinstance(value, ProblemRef):
        return None
    return "-".join([Path(value.name).name, *(word for _, word in value.options)])
