"""All instance sets of all problems, and whether they are at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import problems
from problems.sets.library import entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from problems.base import InstanceSet, Problem
    from problems.sets.library import LibraryEntry


@dataclass(frozen=True, slots=True)
class Holding:
    """A set: `described` by its problem, stored as `entry`, to be had at `address`.

    `described` is None for a set of the user's own, `entry` for one that is not imported; a set
    that the problem generates has no entry and needs none.
    """

    name: str
    problem: str
    described: InstanceSet | None = None
    entry: LibraryEntry | None = None
    published: bool = False
    address: str = ""

    @property
    def size(self) -> int:
        """Number of instances."""
        return self.entry.size if self.entry else self.described.size if self.described else 0

    @property
    def state(self) -> Literal["generated", "imported", "missing"]:
        """`missing` is a published set that is not imported yet."""
        if self.entry is not None:
            return "imported"
        return "missing" if self.published else "generated"


def holdings() -> tuple[Holding, ...]:
    """All sets, by problem: those that the problem lists in its order, then the user's own."""
    stored = {(entry.problem, entry.name): entry for entry in entries()}
    return tuple(
        holding
        for name in problems.names()
        for holding in _of_problem(name, problems.load(name), stored)
    )


def _of_problem(
    name: str, problem: Problem, stored: dict[tuple[str, str], LibraryEntry]
) -> Iterator[Holding]:
    addresses = {one.described.name: one.address for one in problem.published()}
    for described in problem.sets():
        entry = stored.pop((name, described.name), None)
        yield Holding(
            described.name,
            name,
            described,
            entry,
            published=described.name in addresses,
            address=addresses.get(described.name, ""),
        )
    for (owner, own), entry in stored.items():
        if owner == name:
            yield Holding(own, name, entry=entry)
