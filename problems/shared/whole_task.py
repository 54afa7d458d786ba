"""The kind `whole` of the tasks: programs return a solution, on the sets of the kind `rule`."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from problems.errors import InvalidAction, UserError
from problems.whole import WholeFunction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from problems.base import InstanceSet, Problem, Rule
    from problems.sets.files import File
    from problems.sets.library import Published
    from problems.sets.records import Record

Task = TypeVar("Task")

Given = tuple[Any, ...]
"""The arguments of a program."""


@dataclass(frozen=True)
class WholeTask(WholeFunction):
    """A task whose programs solve an instance in one call (option `kind=whole`).

    Sets, costs and solvers are those of `task`, the same problem of the kind `rule`. A subclass
    says what programs are given, what a solution costs, and how it looks.
    """

    task: Any
    folder: ClassVar[Path]
    """Where `standalone.py` lies."""
    seed_rules: ClassVar[tuple[Rule, ...]]

    @abstractmethod
    def follow(self, instance: Any, actions: Sequence[int]) -> list[int]:
        """The solution to which the actions of a solver lead."""

    @property
    def name(self) -> str:
        """The word on the command line."""
        return str(self.task.name)

    @property
    def design(self) -> str:
        """Name of the design set."""
        return str(self.task.design)

    @property
    def selection(self) -> str:
        """Name of the set on which a winner is chosen."""
        return str(self.task.selection)

    @property
    def larger(self) -> str:
        """Name of a set of larger instances."""
        return str(self.task.larger)

    @property
    def example(self) -> str:
        """Name of a set of small instances."""
        return str(self.task.example)

    def sets(self) -> tuple[InstanceSet, ...]:
        """Those of the task."""
        return tuple(self.task.sets())

    def selection_like(self, design: str) -> str:
        """As the task has it."""
        return str(self.task.selection_like(design))

    def load(self, name: str) -> tuple[Any, ...]:
        """A set by name, or a file or folder by path. Raises as the task does."""
        return tuple(self.task.load(name))

    def published(self) -> tuple[Published, ...]:
        """The sets that have to be imported."""
        return tuple(self.task.published())

    def read(self, file: File) -> Sequence[Record]:
        """The instances in a file. Raises UserError."""
        return list(self.task.read(file))

    def objective(self, cost: float) -> float:
        """The cost in the natural sense."""
        return float(self.task.objective(cost))

    def literal(self, instance: Any) -> str:
        """An instance as a Python expression."""
        return str(self.task.literal(instance))

    def seeds(self) -> tuple[Rule, ...]:
        """Classical constructions and local searches."""
        return self.seed_rules

    def rules(self) -> tuple[Rule, ...]:
        """The seeds, and the task's heuristics that build whole solutions."""
        solvers = (rule for rule in self.task.rules() if rule.solve is not None)
        return (*self.seed_rules, *map(self._as_solver, solvers))

    def _as_solver(self, rule: Rule) -> Rule:
        """A heuristic of the task, with solutions in the place of actions."""
        solve: Callable[[Any], Sequence[int]] = rule.solve or list
        return replace(rule, solve=lambda instance: self.follow(instance, solve(instance)))

    def simulator(self) -> str:
        """The text of `standalone.py`."""
        return (self.folder / "standalone.py").read_text("utf-8")


def choose_kind(problem: str, kind: str, rule: Task, whole: Callable[[Task], Problem]) -> Any:
    """The problem of a kind: as it is for `rule`, in one call for `whole`. Raises UserError."""
    if kind not in ("rule", "whole"):
        raise UserError(f"{problem}: kind must be 'rule' or 'whole', not {kind!r}")
    return whole(rule) if kind == "whole" else rule


def require_each_once(numbers: Iterable[int], wanted: range, what: str) -> None:
    """Raise InvalidAction unless the numbers are all those wanted, each once, in any order."""
    missing = set(wanted)
    for number in numbers:
        if number not in missing:
            fault = "comes twice" if number in wanted else "does not exist"
            raise InvalidAction(f"{what} {number} {fault}")
        missing.remove(number)
    if missing:
        raise InvalidAction(f"{what} {min(missing)} is missing")
