"""The job shop as a problem: score the next operation of every unfinished job, place the best."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING, Any, ClassVar

from problems.base import Problem
from problems.errors import InvalidAction
from problems.jssp.contract import CONTRACT
from problems.jssp.gantt import gantt
from problems.jssp.rules import RULES, SEEDS
from problems.jssp.sets import formats
from problems.jssp.sets import named as sets
from problems.jssp.sets.data import from_record
from problems.jssp.state import dispatch, empty
from problems.jssp.walk import finite, look, replay, rollout, same_later, seek
from problems.jssp.whole.problem import WholeJssp
from problems.sets.files import read_by_suffix
from problems.sets.imports import load_set
from problems.shared.answers import as_index
from problems.shared.seeds import as_rule
from problems.shared.simulator import simulator
from problems.shared.whole_task import choose_kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.base import Contract, Decision, Function, InstanceSet, Kernel, Rule
    from problems.jssp.sets.data import Instance
    from problems.jssp.state import State
    from problems.sets.files import File
    from problems.sets.library import Published
    from problems.sets.records import Record


@dataclass(frozen=True, slots=True)
class Jssp(Problem):
    """Job shop scheduling, minimising the makespan (design 5; the paper's JSSP task).

    An action is a job: place its next operation.
    """

    name: str = "jssp"
    design: str = "design"
    selection: str = "selection"
    larger: str = "random-50x20"
    states: int = 1024

    example: ClassVar[str] = "random-6x6"
    compiles: ClassVar[bool] = True
    contract: Contract = CONTRACT

    def sets(self) -> tuple[InstanceSet, ...]:
        """The design set, the paper's random sets, Taillard's eight classes, a validation set."""
        return sets.described()

    def selection_like(self, design: str) -> str:
        """As many shops of the same size, for a random set."""
        return sets.selection_like(design)

    def load(self, name: str) -> tuple[Instance, ...]:
        """A set by name, or a file or folder by path. Raises as `load_set`."""
        return load_set(self, name, sets.generated(name), from_record, Path(__file__).parent)

    def published(self) -> tuple[Published, ...]:
        """None: all sets of the paper are generated."""
        return ()

    def read(self, file: File) -> Sequence[Record]:
        """The shops in a file, none for a file of another kind. Raises UserError."""
        return read_by_suffix(formats.READERS, file)

    def seeds(self) -> tuple[Rule, ...]:
        """Eight classical rules."""
        return tuple(as_rule(rule, "score") for rule in SEEDS)

    def rules(self) -> tuple[Rule, ...]:
        """The seeds and four more classical rules."""
        return tuple(as_rule(rule, "score") for rule in RULES)

    def start(self, instance: Instance) -> State:
        """The empty schedule."""
        return empty(instance)

    def actions(self, state: State) -> tuple[int, ...]:
        """Every unfinished job."""
        return state.unfinished

    def decide(self, function: Function, state: State) -> int:
        """The job of the highest score, the lowest such job.

        Raises InvalidAction for a score that is no finite real number.
        """
        seen, features = look(state)
        scores = {job: finite(function(one, seen), job) for job, one in features.items()}
        return max(scores, key=scores.__getitem__)

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """The fields of `feature`, and the numbers of the state."""
        seen, features = look(state)
        numbers = seen._asdict()
        del numbers["instance"]
        return {**features[action]._asdict(), **numbers}

    def step(self, state: State, action: int) -> State:
        """Place the next operation of a job. Raises InvalidAction when it has none left."""
        job = as_index(action)
        if not state.waits(job):
            raise InvalidAction(f"step {state.step}: {action!r} is no unfinished job")
        return dispatch(state, job)

    def cost(self, state: State) -> float:
        """The makespan."""
        return float(state.makespan)

    def objective(self, cost: float) -> float:
        """The makespan itself."""
        return cost

    def draw(self, state: State) -> str:
        """A Gantt chart, one line a machine."""
        return gantt(state)

    def draw_alike(self, states: Sequence[State]) -> tuple[str, ...]:
        """Gantt charts of one time scale, which reaches up to the latest makespan."""
        end = max((state.makespan for state in states), default=0)
        return tuple(gantt(state, end) for state in states)

    def rollout(
        self,
        function: Function,
        instance: Instance,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The plain walk's actions, scoring again only what may have changed."""
        return rollout(function, instance, reads, forced)

    def replay(self, instance: Instance, actions: Sequence[int]) -> float:
        """The makespan of an action list. Raises InvalidAction as `step` does."""
        return float(replay(instance, actions))

    def seek(
        self, instance: Instance, actions: Sequence[int], steps: Sequence[int]
    ) -> list[State]:
        """The plain walk's states before these steps, which ascend."""
        return seek(instance, actions, steps)

    def same_later(
        self, instance: Instance, actions: Sequence[int], decisions: Sequence[Decision]
    ) -> list[frozenset[int]]:
        """The jobs whose next operation later gets the start that it would get now."""
        return same_later(instance, actions, decisions)

    def longest(self, instance: Instance) -> int:
        """The operations of all jobs."""
        return sum(map(len, instance.durations))

    def kernel(self) -> Kernel:
        """The walk in machine code."""
        from problems.jssp.kernel import JsspKernel

        return JsspKernel()

    def literal(self, instance: Instance) -> str:
        """A pair of tables, durations and machines, one line a job."""
        return pformat((instance.durations, instance.machines), width=90)

    def simulator(self) -> str:
        """The rules of `standalone.py`."""
        return simulator(Path(__file__).parent)


def build(kind: str = "rule") -> Any:
    """The job shop; `kind` is `rule`, or `whole` for programs that return an order of dispatch.

    Raises UserError for any other word.
    """
    return choose_kind("jssp", kind, Jssp(), WholeJssp)
