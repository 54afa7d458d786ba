"""The text contract that tours and routes share: choose the next node by distances."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from problems.base import Argument, Contract, Field, InstanceSet
from problems.errors import UserError
from problems.shared.task import One, TaskProblem

EUCLIDEAN = "Euclidean"
ROUNDED = "Euclidean, rounded to the nearest integer"
"""Distances of nodes in the plane, in words."""


def routing_contract(
    task: str,
    arguments: tuple[Argument, ...],
    nodes: str,
    result: str,
    objective: str,
    sizes: str,
    shown: tuple[Field, ...],
    kind: str,
) -> Contract:
    """The contract of `select_next_node`; the last argument are the distances between `nodes`.

    `kind` says what distances they are; `sizes` and `shown` as in `Contract`.
    """
    distances = Argument(
        "distance_matrix",
        f"distance_matrix[i, j] is the distance between {nodes}, {kind}, "
        "a 2-D NumPy array of float64, read-only",
    )
    return Contract(
        task=task,
        function="select_next_node",
        arguments=(*arguments, distances),
        answer="action",
        result=result,
        objective=objective,
        sizes=sizes,
        shown=shown,
    )


class RoutingProblem(TaskProblem[One]):
    """A way through nodes in the plane, built one node at a time, its length minimised.

    `rounded` distances are whole numbers (option `nint`).
    """

    __slots__ = ()

    rounded: bool
    generated_sets: ClassVar[tuple[InstanceSet, ...]]

    def sets(self) -> tuple[InstanceSet, ...]:
        """The generated sets, then the published ones; rounded costs are mentioned."""
        mention = "; costs of rounded distances" if self.rounded else ""
        sets = (*self.generated_sets, *(published.described for published in self.published_sets))
        return tuple(replace(one, about=one.about + mention) for one in sets)

    def load(self, name: str) -> tuple[One, ...]:
        """A set by name, or a file or folder by path.

        Raises as `load_set`, and UserError for rounded distances in the unit square.
        """
        instances = TaskProblem.load(self, name)
        if not self.rounded:
            return instances
        if not all(instance.is_roundable for instance in instances):
            raise UserError(f"{name}: its nodes lie too close together for rounded distances")
        return tuple(replace(instance, rounded=True) for instance in instances)


def read_nint(problem: str, word: str) -> bool:
    """The option `nint`, whether distances are rounded. Raises UserError."""
    if word not in ("false", "true"):
        raise UserError(f"{problem}: nint must be 'true' or 'false', not {word!r}")
    return word == "true"
