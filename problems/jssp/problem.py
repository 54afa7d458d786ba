"""The job shop as a problem: score the next operation of every unfinished job, place the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from pprint import pformat
from typing import Any, ClassVar

from problems.base import Contract, Function, InstanceSet, Kernel
from problems.errors import InvalidAction
from problems.jssp import formats, walk
from problems.jssp import instances as sets
from problems.jssp.contract import CONTRACT
from problems.jssp.instances import Instance, from_record
from problems.jssp.rules import RULES, SEEDS
from problems.jssp.state import State, dispatch, empty, gantt
from problems.jssp.walk import finite, look
from problems.jssp.whole import WholeJssp
from problems.shared.programs import as_index
from problems.shared.task import TaskProblem, choose_kind


@dataclass(frozen=True, slots=True)
class Jssp(TaskProblem[Instance]):
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

    folder = Path(__file__).parent
    readers = formats.READERS
    seed_rules = SEEDS
    all_rules = RULES

    draw_set = staticmethod(sets.generated)
    from_record = staticmethod(from_record)
    selection_like = staticmethod(sets.selection_like)
    start = staticmethod(empty)
    draw = staticmethod(gantt)
    rollout = staticmethod(walk.rollout)
    replay = staticmethod(walk.replay)
    seek = staticmethod(walk.seek)
    same_later = staticmethod(walk.same_later)

    def sets(self) -> tuple[InstanceSet, ...]:
        """The design set, the paper's random sets, Taillard's eight classes, a validation set."""
        return sets.described()

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

    def draw_alike(self, states: Sequence[State]) -> tuple[str, ...]:
        """Gantt charts of one time scale, which reaches up to the latest makespan."""
        end = max((state.makespan for state in states), default=0)
        return tuple(gantt(state, end) for state in states)

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


def build(kind: str = "rule") -> Any:
    """The job shop; `kind` is `rule`, or `whole` for programs that return an order of dispatch.

    Raises UserError for any other word.
    """
    return choose_kind("jssp", kind, Jssp(), WholeJssp)
