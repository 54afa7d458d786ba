"""The seam every problem implements, and the plain walk through its states.

A problem is a sequential decision process (paper, "Programmatic Sequential Heuristics"): a state
has a set of feasible actions, a program chooses one, the final state has a cost that is always
minimised. Where a program returns a whole solution at once, the walk writes down its numbers
(`problems.whole`). All else in Preceptor sees a problem only through the names of this file.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from problems.errors import InvalidAction

State = Any
"""A problem's own small frozen dataclass; opaque to everyone else."""

Function = Any
"""A candidate's compiled Python function; only `Problem.decide` and `Problem.rollout` call it."""


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


SCIPY = "scipy (optimize, spatial, sparse.csgraph, special)"
"""What is there of SciPy for programs."""


@dataclass(frozen=True, slots=True)
class Contract:
    """The paper's task interface adapter: what a program is given and what it returns.

    It ranks nothing and hints at no rule. `answer` is "score" when the program scores one action
    at a time (the highest wins, ties to the lowest action), "action" when it returns one, and
    "solution" when it solves an instance in one call (`problems.whole`).
    `sizes` says how large the instances are on which programs are judged in the end; `shown` are
    the numbers of `Problem.fields` that are no fields of an argument, as tables of states show
    them. `scipy` lets programs that return solutions import SciPy.
    """

    task: str
    function: str
    arguments: tuple[Argument, ...]
    answer: Literal["score", "action", "solution"]
    result: str
    objective: str
    sizes: str = ""
    shown: tuple[Field, ...] = ()
    scipy: bool = False

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
        if self.scipy:
            lines.append(f"Programs may import {SCIPY}, too.")
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


class Problem(ABC):
    """What a problem provides. States are immutable values; every method is deterministic.

    A class may have this base or give the same names; what it leaves out has the defaults below.
    Example, of how a problem is walked; `preceptor new problem DIR` writes a whole one:

        problem = preceptor.load_problem("tsp")
        state = problem.start(problem.load("tsp20")[0])
        state = problem.step(state, problem.actions(state)[0])
    """

    __slots__ = ()

    name: str
    """The word on the command line."""
    design: str
    """Name of the default design set."""
    states: int
    """Default number of states sampled per candidate for the teacher."""
    selection: str = ""
    """Name of a set like the design set, and apart from it, to choose a run's winner on."""
    larger: str = ""
    """Name of a set of larger instances, on the first of which a search times programs."""
    opening: int = 0
    """Decisions at the start of every rollout that are never sampled for a teacher."""
    example: ClassVar[str] = ""
    """Name of a set whose first instance is small enough to be printed in a file."""
    compiles: ClassVar[bool] = False
    """Whether rules can be walked in machine code, by `kernel`."""

    if TYPE_CHECKING:  # a class may give it as an attribute, too

        @property
        def contract(self) -> Contract:
            """What programs are given and return."""

    @abstractmethod
    def sets(self) -> tuple[InstanceSet, ...]:
        """All instance sets by name; patterns with a free size are listed by their usual sizes."""

    @abstractmethod
    def load(self, name: str) -> tuple[Any, ...]:
        """The instances of a set, in order. Raises UnknownName, or UserError if not imported."""

    @abstractmethod
    def seeds(self) -> tuple[Rule, ...]:
        """The programs that every search starts from (all with code), in a fixed order."""

    @abstractmethod
    def rules(self) -> tuple[Rule, ...]:
        """The classical heuristics of `bench --solver`."""

    @abstractmethod
    def start(self, instance: Any) -> State:
        """The first state of an instance."""

    @abstractmethod
    def actions(self, state: State) -> tuple[int, ...]:
        """Feasible actions, ascending; empty when the state is final."""

    @abstractmethod
    def decide(self, function: Function, state: State) -> int:
        """What a program does here: the one place that knows how the contract is called.

        Raises InvalidAction for an answer that is no feasible action (or no finite score);
        whatever the program raises passes through.
        """

    @abstractmethod
    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """The diagnostic numbers of one action here, as cases show them."""

    def table(self, state: State, actions: Sequence[int]) -> Mapping[str, Sequence[float]]:
        """The `fields` of several actions here: by name, what each action has.

        What some of them lack is left out. A problem's own, faster way is equal to this one.
        """
        rows = [self.fields(state, action) for action in actions]
        names = [name for name in rows[0] if all(name in row for row in rows)]
        return {name: [row[name] for row in rows] for name in names}

    @abstractmethod
    def step(self, state: State, action: int) -> State:
        """The next state. Raises InvalidAction when `action` is not feasible."""

    @abstractmethod
    def cost(self, state: State) -> float:
        """Minimised cost of a final state."""

    @abstractmethod
    def objective(self, cost: float) -> float:
        """The same in the natural sense (MaxCut flips the sign, the others return it)."""

    @abstractmethod
    def draw(self, state: State) -> str:
        """A small text picture of a state, at most 80 columns and 24 lines."""

    def draw_alike(self, states: Sequence[State]) -> tuple[str, ...]:
        """A picture of each state, all to one scale, to be laid side by side."""
        return tuple(map(self.draw, states))

    def rollout(
        self,
        function: Function,
        instance: Any,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The actions of one instance; what the program raises passes with a note of the step.

        `reads` are the dotted names read on its arguments (`state.makespan`); None when unclear.
        The walk begins with the `forced` actions, at which the program has no say. A problem's
        own, faster way is equal to this one, action for action.
        """
        return [*rollout(self, function, instance, forced).actions]

    def replay(self, instance: Any, actions: Sequence[int]) -> float:
        """Minimised cost of an action list, recomputed from the rules, state by state.

        Raises InvalidAction as `step` does, and for actions that do not finish the instance. A
        problem's own, faster way is equal to this one.
        """
        state = self.start(instance)
        for action in actions:
            state = self.step(state, action)
        if self.actions(state):
            raise InvalidAction(f"{len(actions)} actions do not finish the instance")
        return self.cost(state)

    def seek(self, instance: Any, actions: Sequence[int], steps: Sequence[int]) -> list[State]:
        """The states before these steps of a rollout, which ascend; `actions` are feasible."""
        wanted = {*steps}
        walk = enumerate(visited(self, instance, actions))
        return [state for step, state in walk if step in wanted]

    def same_later(
        self, instance: Any, actions: Sequence[int], decisions: Sequence[Decision]
    ) -> list[frozenset[int]] | None:
        """For each decision of a rollout the actions that it takes later to the same effect.

        The same as if they were taken there; the choice itself is not among them. `actions` are
        those of the whole rollout. None where nothing is known of that.
        """
        return None

    def longest(self, instance: Any) -> int:
        """The most actions that lead from the first state of an instance to a final one."""
        return LONGEST

    def published(self) -> tuple[Any, ...]:
        """The published sets (`problems.sets.library`), which have to be imported."""
        return ()

    def read(self, file: Any) -> Sequence[Any]:
        """The instances in a file (`problems.sets.files`); none when it is not the problem's.

        Raises UserError for one that is, but cannot be read or used.
        """
        return ()

    def selection_like(self, design: str) -> str:
        """Name of a set drawn as the set `design` is, and apart from it; empty where none is."""
        return ""

    def literal(self, instance: Any) -> str:
        """An instance as a Python expression of numbers, text, tuples, lists and dicts."""
        return ""

    def simulator(self) -> str:
        """Source of a module for files that check themselves; empty where there is none.

        It opens with one docstring, has no `__future__` import, imports the standard library only
        (NumPy where programs get arrays) and defines `solve(function, value_of_a_literal)`, which
        returns actions and their minimised cost.
        """
        return ""

    def kernel(self) -> Kernel:
        """The walk in machine code, where the problem `compiles`. Raises ImportError."""
        raise ImportError(f"{self.name} has no walk in machine code")


def has_own(problem: Problem, name: str) -> bool:
    """Whether a problem has another method of this name than the default of `Problem`."""
    return getattr(getattr(problem, name), "__func__", None) is not vars(Problem)[name]


class PlainProblem(Problem):
    """A problem whose class has not the base `Problem`, with the defaults for what it lacks.

    `own` is the object itself; all other names that it has are found here, too.
    """

    def __init__(self, own: Any) -> None:
        self.own = own
        for name in (*vars(Problem), *Problem.__annotations__, "contract"):
            if not name.startswith("_") and hasattr(own, name):
                vars(self)[name] = getattr(own, name)

    def __getattr__(self, name: str) -> Any:
        if "own" not in vars(self):  # while it is copied or read back
            raise AttributeError(name)
        return getattr(self.own, name)


PlainProblem.__abstractmethods__ = frozenset()


def as_problem(own: Any) -> Problem:
    """A problem with all members of `Problem`, whatever the base of its class."""
    return own if isinstance(own, Problem) else PlainProblem(own)  # type: ignore[abstract]


SELECTION = "selection-"
"""Stands before the name of a generated set in that of one drawn from other seeds."""

APART = 1_000_000_000
"""How far the seed of such a set is from that of the set it is like."""


def split_selection(name: str) -> tuple[str, int]:
    """The generated set that a set is drawn like, and how far apart their seeds are."""
    return name.removeprefix(SELECTION), APART if name.startswith(SELECTION) else 0


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
        """The actions of `Problem.rollout`. It raises where that raises, anything."""


def rollout(
    problem: Problem, function: Function, instance: Any, forced: Sequence[int] = ()
) -> Rollout:
    """Walk one instance with a program, state by state: the definition of every faster way.

    The `forced` actions are taken first; for a whole solution the program is called once. Raises
    InvalidAction where an action is not feasible.
    """
    started = time.perf_counter()
    if problem.contract.whole:
        solution = tuple(problem.rollout(function, instance, None))
        cost = problem.replay(instance, solution)
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


def count_decisions(contract: Contract, walks: Iterable[Sequence[int]]) -> int:
    """Decisions that programs took on some walks; 0 for whole solutions, which hold none."""
    return 0 if contract.whole else sum(map(len, walks))


def visited(problem: Problem, instance: Any, actions: Sequence[int]) -> Iterator[State]:
    """The states at which `actions` were taken, the final state not included."""
    state = problem.start(instance)
    for action in actions:
        yield state
        state = problem.step(state, action)
