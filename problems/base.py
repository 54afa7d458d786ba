"""The seam every problem implements, and the plain walk through its states.

A problem is a sequential decision process (paper, "Programmatic Sequential Heuristics"): a state
has a set of feasible actions, a program chooses one, the final state has a cost that is always
minimised. Where a program returns a whole solution at once, the walk writes down its numbers
(`problems.whole`). All else in Preceptor sees a problem only through the names of this file.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from problems.errors import InvalidAction

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

State = Any
"""A problem's own small frozen dataclass; opaque to everyone else."""

Function = Any
"""A candidate's compiled Python function; only `Problem.decide` and `FastRollout` call it."""


LONGEST = 1 << 18
"""Actions of a walk where a problem does not say how many there can be."""


class Instance(Protocol):
    """One problem instance: the problem's own frozen value, with a name and the best known."""

    @property
    def name(self) -> str:
        """Unique inside its set, e.g. `ta21` or `random-20x20/17`."""

    @property
    def reference(self) -> float | None:
        """Best known objective in the natural sense, or None."""


@dataclass(frozen=True, slots=True)
class InstanceSet:
    """A named set of instances, described without loading it.

    `identity` says how sure it is that these are the paper's instances; `design` marks sets that
    searches may look at, which never share an instance with a benchmark set. The instances of a
    design set are in such an order that its first quarter stands for all of it.
    """

    name: str
    size: int
    about: str
    identity: Literal["certain", "likely", "substitute"] = "certain"
    design: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """One value that a program may read: its name, unit and meaning.

    `unit` groups what may be added or compared ("time", "count", "id", ...); "" for lists.
    """

    name: str
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter of the program; `fields` are the only names readable on it, dotted if nested.

    An argument without fields is a plain value (an int, an array) of the stated `meaning`, its
    numbers in `unit` (as of a `Field`); without one they are comparable with each other alone.
    """

    name: str
    meaning: str
    fields: tuple[Field, ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Contract:
    """The paper's task interface adapter: what a program is given and what it returns.

    It ranks nothing and hints at no rule. `answer` is "score" when the program scores one action
    at a time (the highest wins, ties to the lowest action), "action" when it returns one, and
    "solution" when it solves an instance in one call (`problems.whole`).
    `sizes` says how large the instances are on which programs are judged in the end; `shown` are
    the numbers of `Problem.fields` that are no fields of an argument, as tables of states show
    them.
    """

    task: str
    function: str
    arguments: tuple[Argument, ...]
    answer: Literal["score", "action", "solution"]
    result: str
    objective: str
    sizes: str = ""
    shown: tuple[Field, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether a program returns a whole solution: then there are no decisions to look at."""
        return self.answer == "solution"

    def text(self) -> str:
        """The contract as a prompt shows it."""
        lines = [self.task, "", "Write one Python function:", f"    def {self.signature()}:", ""]
        for argument in self.arguments:
            lines.append(f"- `{argument.name}`: {argument.meaning}")
            lines += [
                f"    - `{argument.name}.{field.name}`"
                f"{f' ({field.unit})' if field.unit else ''}: {field.meaning}"
                for field in argument.fields
            ]
        lines += ["", f"Returns: {self.result}", f"Objective: {self.objective}"]
        return "\n".join(lines)

    def signature(self) -> str:
        """`name(first, second)`, as it stands after `def`."""
        return f"{self.function}({', '.join(argument.name for argument in self.arguments)})"


@dataclass(frozen=True, slots=True)
class Rule:
    """A classical heuristic: program text under the contract, or a solver of whole instances.

    Exactly one of `code` and `solve` is given; `solve` maps an instance to its action list.
    """

    name: str
    idea: str
    code: str | None = None
    solve: Callable[[Any], Sequence[int]] | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """One on-policy state and what was done there; `actions` ascend and hold `chosen`."""

    instance: int
    step: int
    state: State
    actions: tuple[int, ...]
    chosen: int


@dataclass(frozen=True, slots=True)
class Rollout:
    """One instance solved: minimised cost, the actions taken, seconds it took."""

    cost: float
    actions: tuple[int, ...]
    seconds: float


class Problem(Protocol):
    """What a problem provides. States are immutable values; every method is deterministic.

    Example, of how one is walked; `preceptor new problem DIR` writes a whole one:

        problem = preceptor.load_problem("tsp")
        state = problem.start(problem.load("tsp20")[0])
        state = problem.step(state, problem.actions(state)[0])
    """

    @property
    def name(self) -> str:
        """The word on the command line."""

    @property
    def contract(self) -> Contract:
        """What programs are given and return."""

    @property
    def design(self) -> str:
        """Name of the default design set."""

    @property
    def states(self) -> int:
        """Default number of states sampled per candidate for the teacher."""

    def sets(self) -> tuple[InstanceSet, ...]:
        """All instance sets by name; patterns with a free size are listed by their usual sizes."""

    def load(self, name: str) -> tuple[Any, ...]:
        """The instances of a set, in order. Raises UnknownName, or UserError if not imported."""

    def seeds(self) -> tuple[Rule, ...]:
        """The programs that every search starts from (all with code), in a fixed order."""

    def rules(self) -> tuple[Rule, ...]:
        """The classical heuristics of `bench --solver`."""

    def start(self, instance: Any) -> State:
        """The first state of an instance."""

    def actions(self, state: State) -> tuple[int, ...]:
        """Feasible actions, ascending; empty when the state is final."""

    def decide(self, function: Function, state: State) -> int:
        """What a program does here: the one place that knows how the contract is called.

        Raises InvalidAction for an answer that is no feasible action (or no finite score);
        whatever the program raises passes through.
        """

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """The diagnostic numbers of one action here, as cases show them."""

    def step(self, state: State, action: int) -> State:
        """The next state. Raises InvalidAction when `action` is not feasible."""

    def cost(self, state: State) -> float:
        """Minimised cost of a final state."""

    def objective(self, cost: float) -> float:
        """The same in the natural sense (MaxCut flips the sign, the others return it)."""

    def draw(self, state: State) -> str:
        """A small text picture of a state, at most 80 columns and 24 lines."""


@runtime_checkable
class FastRollout(Protocol):
    """Optional: a faster walk for programs, equal to the plain one action for action."""

    def rollout(
        self,
        function: Function,
        instance: Any,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The actions of one instance; what the program raises passes with a note of the step.

        `reads` are the dotted names read on its arguments (`state.makespan`); None when unclear.
        The walk begins with the `forced` actions, at which the program has no say.
        """


@runtime_checkable
class FastReplay(Protocol):
    """Optional: a faster trusted replay, equal to the plain one."""

    def replay(self, instance: Any, actions: Sequence[int]) -> float:
        """Minimised cost of an action list. Raises InvalidAction as `step` does."""


@runtime_checkable
class Seekable(Protocol):
    """Optional: a faster way to some states of a rollout, equal to walking past all of them."""

    def seek(self, instance: Any, actions: Sequence[int], steps: Sequence[int]) -> list[State]:
        """The states before these steps, which ascend; `actions` are feasible."""


@runtime_checkable
class Opening(Protocol):
    """Optional: how a rollout opens is no question for a teacher."""

    @property
    def opening(self) -> int:
        """Decisions at the start of every rollout that are never sampled."""


@runtime_checkable
class Commuting(Protocol):
    """Optional: some choices may be made in another order, to the same effect."""

    def same_later(
        self, instance: Any, actions: Sequence[int], decisions: Sequence[Decision]
    ) -> list[frozenset[int]]:
        """For each decision of a rollout the actions that it takes later to the same effect.

        The same as if they were taken there; the choice itself is not among them. `actions` are
        those of the whole rollout.
        """


@runtime_checkable
class Bounded(Protocol):
    """Optional: how long a walk can be; without it any up to `LONGEST` is let in."""

    def longest(self, instance: Any) -> int:
        """The most actions that lead from the first state of an instance to a final one."""


@runtime_checkable
class Selecting(Protocol):
    """Optional: a set like the design set, and apart from it, to choose a run's winner on."""

    @property
    def selection(self) -> str:
        """Name of that set."""


@runtime_checkable
class Following(Protocol):
    """Optional: a set to choose a winner on for searches on other sets than the problem's own."""

    def selection_like(self, design: str) -> str:
        """Name of a set drawn as the set `design` is, and apart from it; empty where none is."""


SELECTION = "selection-"
"""Stands before the name of a generated set in that of one drawn from other seeds."""

APART = 1_000_000_000
"""How far the seed of such a set is from that of the set it is like."""


def split_selection(name: str) -> tuple[str, int]:
    """The generated set that a set is drawn like, and how far apart their seeds are."""
    return name.removeprefix(SELECTION), APART if name.startswith(SELECTION) else 0


@runtime_checkable
class Growing(Protocol):
    """Optional: a set of larger instances, on the first of which a search times programs."""

    @property
    def larger(self) -> str:
        """Name of that set."""


@runtime_checkable
class Standalone(Protocol):
    """Optional: the rules as text that needs nothing of ours, for files that check themselves."""

    @property
    def example(self) -> str:
        """Name of a set whose first instance is small enough to be printed in a file."""

    def literal(self, instance: Any) -> str:
        """An instance as a Python expression of numbers, text, tuples, lists and dicts."""

    def simulator(self) -> str:
        """Source of a module that opens with one docstring and has no `__future__` import.

        It imports the standard library only (NumPy where programs get arrays) and defines
        `solve(function, value_of_a_literal)`, which returns actions and their minimised cost.
        """


class Kernel(ABC):
    """A problem's walk in machine code (numba), for a rule compiled for `signature`.

    Programs are called with numbers, named tuples and arrays; a tuple of whole numbers, or of
    rows of them, is an array of 32 bits there.
    """

    signature: ClassVar[Any]
    """numba's signature of a compiled rule; scores are floats, actions whole numbers."""

    whole: ClassVar[bool] = False
    """Whether all tables of floats hold whole numbers: sums of them are exact in any order."""

    def fits(self, instance: Any) -> bool:
        """Whether an instance can be walked here; all can where nothing else is said."""
        return True

    @abstractmethod
    def walk(
        self,
        function: Any,
        instance: Any,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The actions of `FastRollout.rollout`. It raises where that raises, anything."""


@runtime_checkable
class Compilable(FastRollout, Protocol):
    """Optional: rules can be walked in machine code."""

    compiles: ClassVar[bool]
    """Whether this variant of the problem has such a walk."""

    def kernel(self) -> Kernel:
        """The walk. Raises ImportError."""


def rollout(
    problem: Problem, function: Function, instance: Any, forced: Sequence[int] = ()
) -> Rollout:
    """Walk one instance with a program, state by state: the definition of every faster way.

    The `forced` actions are taken first; for a whole solution the program is called once. Raises
    InvalidAction where an action is not feasible.
    """
    started = time.perf_counter()
    if problem.contract.whole and isinstance(problem, FastRollout):
        solution = tuple(problem.rollout(function, instance, None))
        cost = replay(problem, instance, solution)
        return Rollout(cost, solution, time.perf_counter() - started)
    state = problem.start(instance)
    for action in forced:
        state = problem.step(state, action)
    taken = [*forced]
    while problem.actions(state):
        try:
            action = problem.decide(function, state)
        except Exception as error:
            error.add_note(f"step {len(taken)}")
            raise
        state = problem.step(state, action)
        taken.append(action)
    return Rollout(problem.cost(state), tuple(taken), time.perf_counter() - started)


def longest(problem: Problem, instance: Any) -> int:
    """The most actions of one instance that anyone can honestly claim."""
    return problem.longest(instance) if isinstance(problem, Bounded) else LONGEST


def count_decisions(contract: Contract, walks: Iterable[Sequence[int]]) -> int:
    """Decisions that programs took on some walks; 0 for whole solutions, which hold none."""
    return 0 if contract.whole else sum(map(len, walks))


def replay(problem: Problem, instance: Any, actions: Sequence[int]) -> float:
    """Cost of an action list, recomputed from the rules. Raises InvalidAction."""
    if isinstance(problem, FastReplay):
        return problem.replay(instance, actions)
    return plain_replay(problem, instance, actions)


def plain_replay(problem: Problem, instance: Any, actions: Sequence[int]) -> float:
    """The definition of `replay`: step through the states."""
    state = problem.start(instance)
    for action in actions:
        state = problem.step(state, action)
    if problem.actions(state):
        raise InvalidAction(f"{len(actions)} actions do not finish the instance")
    return problem.cost(state)


def seek(
    problem: Problem, instance: Any, actions: Sequence[int], steps: Collection[int]
) -> dict[int, State]:
    """The states before some steps of a rollout, by step."""
    wanted = sorted(steps)
    if isinstance(problem, Seekable):
        return dict(zip(wanted, problem.seek(instance, actions, wanted), strict=True))
    states = enumerate(visited(problem, instance, actions))
    return {step: state for step, state in states if step in steps}


def visited(problem: Problem, instance: Any, actions: Sequence[int]) -> Iterator[State]:
    """The states at which `actions` were taken, the final state not included."""
    state = problem.start(instance)
    for action in actions:
        yield state
        state = problem.step(state, action)
