"""What the tasks that come with Preceptor have in common, of the kinds `rule` and `whole`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from problems.base import SELECTION, Contract, Problem, Rule
from problems.errors import InvalidAction, UserError
from problems.sets.files import File, read_by_suffix
from problems.sets.imports import load_set
from problems.sets.library import Published, Record
from problems.shared.programs import simulator
from problems.whole import WholeFunction

One = TypeVar("One", bound=Any)

Given = tuple[Any, ...]
"""The arguments of a program."""


class TaskProblem(Problem, Generic[One]):
    """A problem of the kind `rule`: a frozen dataclass that says what its sets and rules are.

    What programs do in its states is left to the tasks.
    """

    __slots__ = ()

    folder: ClassVar[Path]
    """Where `standalone.py` and the references lie."""
    published_sets: ClassVar[tuple[Published, ...]] = ()
    readers: ClassVar[Mapping[str, Callable[[File], Sequence[Record]]]]
    """How files are read, by suffix."""
    seed_rules: ClassVar[tuple[Rule, ...]]
    all_rules: ClassVar[tuple[Rule, ...]] = ()
    maximised: ClassVar[bool] = False
    """Whether the larger of two best known objectives is the better."""

    @abstractmethod
    def draw_set(self, name: str) -> tuple[One, ...]:
        """The instances of a generated set, none for other names."""

    @abstractmethod
    def from_record(self, record: Record) -> One:
        """An instance that the library kept."""

    def load(self, name: str) -> tuple[One, ...]:
        """A set by name, or a file or folder by path. Raises as `load_set`."""
        better = max if self.maximised else min
        drawn = self.draw_set(name)
        return load_set(self, name, drawn, self.from_record, self.folder, better)

    def published(self) -> tuple[Published, ...]:
        """The published sets, which have to be imported."""
        return self.published_sets

    def read(self, file: File) -> Sequence[Record]:
        """The instances in a file, none for a file of another kind. Raises UserError."""
        return read_by_suffix(self.readers, file)

    def selection_like(self, design: str) -> str:
        """The name of a set of as many instances of the same kind, on which a winner is chosen.

        Empty where the design set is not drawn from a generator.
        """
        name = f"{SELECTION}{design}"
        return name if design != self.selection and self.draw_set(name) else ""

    def seeds(self) -> tuple[Rule, ...]:
        """Classical programs."""
        return self.seed_rules

    def rules(self) -> tuple[Rule, ...]:
        """The seeds, and heuristics that build whole solutions."""
        return self.all_rules

    def objective(self, cost: float) -> float:
        """The cost itself."""
        return cost

    def simulator(self) -> str:
        """The rules of `standalone.py`."""
        return simulator(self.folder)


def _shared(name: str) -> Any:
    """A part of a problem that is that of the task."""
    return property(lambda self: getattr(self.task, name), doc=f"`{name}` of the task.")


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

    name = _shared("name")
    design = _shared("design")
    selection = _shared("selection")
    larger = _shared("larger")
    example = _shared("example")
    sets = _shared("sets")
    selection_like = _shared("selection_like")
    load = _shared("load")
    published = _shared("published")
    read = _shared("read")
    objective = _shared("objective")
    literal = _shared("literal")

    def seeds(self) -> tuple[Rule, ...]:
        """Classical constructions and local searches."""
        return self.seed_rules

    def rules(self) -> tuple[Rule, ...]:
        """The seeds, and the task's heuristics that build whole solutions."""
        solvers = (rule for rule in self.task.rules() if rule.solve is not None)
        return (*self.seed_rules, *map(self._as_solver, solvers))

    def _as_solver(self, rule: Rule) -> Rule:
        """A heuristic of the task, with solutions instead of actions."""
        solve: Callable[[Any], Sequence[int]] = rule.solve or list
        return replace(rule, solve=lambda instance: self.follow(instance, solve(instance)))

    def simulator(self) -> str:
        """The rules of `standalone.py` for whole solutions."""
        return simulator(self.folder, "solve_whole")


def whole_contract(rule: Contract, **parts: Any) -> Contract:
    """The contract of whole solutions next to that of a rule, with parts of its own."""
    return replace(rule, function="solve", answer="solution", shown=(), **parts)


def choose_kind(problem: str, kind: str, rule: Any, whole: Callable[[Any], Any]) -> Any:
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
