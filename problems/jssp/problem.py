"""The job shop as a problem: score the next operation of every unfinished job, place the best.

Under `state=plan` programs choose a job themselves, from arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING

from problems.errors import InvalidAction, UserError
from problems.jssp.answer import finite
from problems.jssp.contract import contract
from problems.jssp.gantt import gantt
from problems.jssp.leftover import leftover, traits
from problems.jssp.plan import contract as plan_contract
from problems.jssp.plan import rules as plan_rules
from problems.jssp.plan import view as plan_view
from problems.jssp.plan import walk as plan_walk
from problems.jssp.rules import RULES, SEEDS
from problems.jssp.scoreboard import rollout
from problems.jssp.sets import formats
from problems.jssp.sets import named as sets
from problems.jssp.sets.data import from_record
from problems.jssp.simulator import replay, same_later, seek
from problems.jssp.state import dispatch, empty
from problems.jssp.view import feature, paper_state, wide_state
from problems.sets.files import read_by_suffix
from problems.sets.imports import load_set
from problems.shared.answers import as_index
from problems.shared.seeds import as_rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.base import Contract, Decision, Function, InstanceSet, Kernel, Rule
    from problems.jssp.sets.data import Instance
    from problems.jssp.state import State
    from problems.sets.files import File
    from problems.sets.library import Published
    from problems.sets.records import Record


@dataclass(frozen=True, slots=True)
class Jssp:
    """Job shop scheduling, minimising the makespan (design 5; the paper's JSSP task).

    An action is a job: place its next operation. `wide` lets programs read more of the state.
    """

    wide: bool = False
    name: str = "jssp"
    design: str = "design"
    selection: str = "selection"
    larger: str = "random-50x20"
    states: int = 4096

    leftover = staticmethod(leftover)
    traits = staticmethod(traits)

    @property
    def contract(self) -> Contract:
        """`score(feature, state)`: the highest score is placed."""
        return contract(self.wide)

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
        seen = wide_state(state) if self.wide else paper_state(state)
        scores = {
            job: finite(function(feature(state, job), seen), job) for job in state.unfinished
        }
        return max(scores, key=scores.__getitem__)

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """The fields of `feature`, and the makespan and step of the state."""
        seen = {"makespan": state.makespan, "step": state.step}
        return {**feature(state, action)._asdict(), **seen}

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
        return rollout(function, instance, reads, self.wide, forced)

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

    @property
    def compiles(self) -> bool:
        """Whether rules can be walked in machine code: not `wide` ones."""
        return not self.wide

    def kernel(self) -> Kernel:
        """The walk in machine code."""
        from problems.jssp.kernel import JsspKernel

        return JsspKernel()

    @property
    def example(self) -> str:
        """Shops of 6 jobs on 6 machines."""
        return "random-6x6"

    def literal(self, instance: Instance) -> str:
        """A pair of tables, durations and machines, one line a job."""
        return pformat((instance.durations, instance.machines), width=90)

    def simulator(self) -> str:
        """The text of `standalone.py`."""
        return Path(__file__).with_name("standalone.py").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class PlannedJssp(Jssp):
    """The same job shop, whose programs are called once a decision and return a job.

    They get arrays that suffice to complete the schedule; loops over them can be compiled.
    """

    @property
    def contract(self) -> Contract:
        """`choose(candidates, durations, ...)`: the job that it returns is placed."""
        return plan_contract.contract()

    def seeds(self) -> tuple[Rule, ...]:
        """The eight classical rules, and one that completes the schedule for each candidate."""
        return plan_rules.SEEDS

    def rules(self) -> tuple[Rule, ...]:
        """The seeds and four more classical rules."""
        return plan_rules.RULES

    def decide(self, function: Function, state: State) -> int:
        """The job that a program chooses. Raises InvalidAction for what is no candidate."""
        tables = plan_view.tables(state.instance)
        answer = function(*plan_view.given(tables, plan_view.progress(state)))
        job = as_index(answer)
        if not state.waits(job):
            raise plan_walk.refuse(state.step, answer)
        return job

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """The numbers of an operation and of the state, without the labels among them."""
        fields = Jssp.fields(self, state, action)
        return {name: value for name, value in fields.items() if not name.endswith("_id")}

    def rollout(
        self,
        function: Function,
        instance: Instance,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The plain walk's actions; what the program reads makes no difference."""
        return plan_walk.rollout(function, instance, forced)

    @property
    def compiles(self) -> bool:
        """No."""
        return False

    def simulator(self) -> str:
        """The text of `plan/standalone.py`."""
        return (Path(__file__).parent / "plan" / "standalone.py").read_text("utf-8")


def build(state: str = "paper") -> Jssp:
    """The job shop; `state` says what programs are shown.

    `paper`: each candidate and the schedule so far, to be scored. `wide`: the same with more of
    the schedule. `plan`: arrays that suffice to complete it, to choose a job from. Raises
    UserError for any other word.
    """
    match state:
        case "paper" | "wide":
            return Jssp(wide=state == "wide")
        case "plan":
            return PlannedJssp()
    raise UserError(f"jssp: state must be 'paper', 'wide' or 'plan', not {state!r}")
