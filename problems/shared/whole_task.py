"""The kind `whole` of the tasks: programs return a solution, on the sets of the kind `rule`."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from problems.errors import InvalidAction, UserError
from problems.shared.simulator import simulator
from problems.whole import WholeFunction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from problems.base import Rule

Given = tuple[Any, ...]
"""The arguments of a program."""


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
        """A heuristic of the task, with solutions in the place of actions."""
        solve: Callable[[Any], Sequence[int]] = rule.solve or list
        return replace(rule, solve=lambda instance: self.follow(instance, solve(instance)))

    def simulator(self) -> str:
        """The rules of `standalone.py` for whole solutions."""
        return simulator(self.folder, "solve_whole")


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
