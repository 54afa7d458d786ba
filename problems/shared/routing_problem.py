"""What the problems of tours and of routes in the plane have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from problems.base import SELECTION, Problem
from problems.errors import UserError
from problems.sets.files import read_by_suffix
from problems.sets.imports import load_set
from problems.shared.simulator import simulator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from problems.base import InstanceSet, Rule
    from problems.sets.files import File
    from problems.sets.library import Published
    from problems.sets.records import Record

One = TypeVar("One", bound=Any)


class RoutingProblem(Problem, Generic[One]):
    """A way through nodes in the plane, built one node at a time, its length minimised.

    A problem is a frozen dataclass that says below what its sets, files and rules are;
    `rounded` distances are whole numbers (option `nint`).
    """

    __slots__ = ()

    rounded: bool
    folder: ClassVar[Path]
    """Where `standalone.py` and the references lie."""
    generated_sets: ClassVar[tuple[InstanceSet, ...]]
    published_sets: ClassVar[tuple[Published, ...]]
    readers: ClassVar[Mapping[str, Callable[[File], Sequence[Record]]]]
    """How files are read, by suffix."""
    seed_rules: ClassVar[tuple[Rule, ...]]
    all_rules: ClassVar[tuple[Rule, ...]]

    @abstractmethod
    def draw_set(self, name: str) -> tuple[One, ...]:
        """The instances of a generated set, none for other names."""

    @abstractmethod
    def from_record(self, record: Record) -> One:
        """An instance that the library kept."""

    def sets(self) -> tuple[InstanceSet, ...]:
        """The generated sets, then the published ones; rounded costs are mentioned."""
        mention = "; costs of rounded distances" if self.rounded else ""
        sets = (*self.generated_sets, *(published.described for published in self.published_sets))
        return tuple(replace(one, about=one.about + mention) for one in sets)

    def selection_like(self, design: str) -> str:
        """As many instances of the same kind, for a generated set; empty for any other."""
        if design == self.selection:
            return ""
        name = f"{SELECTION}{design}"
        return name if self.draw_set(name) else ""

    def load(self, name: str) -> tuple[One, ...]:
        """A set by name, or a file or folder by path.

        Raises as `load_set`, and UserError for rounded distances in the unit square.
        """
        instances = load_set(self, name, self.draw_set(name), self.from_record, self.folder)
        if not self.rounded:
            return instances
        if not all(instance.is_roundable for instance in instances):
            raise UserError(f"{name}: its nodes lie too close together for rounded distances")
        return tuple(replace(instance, rounded=True) for instance in instances)

    def published(self) -> tuple[Published, ...]:
        """The paper's sets, which have to be imported."""
        return self.published_sets

    def read(self, file: File) -> Sequence[Record]:
        """The instances in a file, none for a file of another kind. Raises UserError."""
        return read_by_suffix(self.readers, file)

    def seeds(self) -> tuple[Rule, ...]:
        """Classical ways to choose the next node."""
        return self.seed_rules

    def rules(self) -> tuple[Rule, ...]:
        """The seeds, and heuristics that build whole solutions."""
        return self.all_rules

    def objective(self, cost: float) -> float:
        """The length itself."""
        return cost

    def simulator(self) -> str:
        """The rules of `standalone.py`."""
        return simulator(self.folder)


def read_nint(problem: str, word: str) -> bool:
    """The option `nint`, whether distances are rounded. Raises UserError."""
    if word not in ("false", "true"):
        raise UserError(f"{problem}: nint must be 'true' or 'false', not {word!r}")
    return word == "true"
