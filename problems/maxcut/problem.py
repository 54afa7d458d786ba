"""The maximum cut problem: walk over the bipartitions of a graph, one flipped spin at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from pprint import pformat
from typing import Any, ClassVar, NamedTuple

from problems.base import Contract, Function, InstanceSet, Kernel, Rule
from problems.errors import UserError
from problems.maxcut import formats, heuristics, sparse, standalone, walk
from problems.maxcut import instances as sets
from problems.maxcut.contract import contract
from problems.maxcut.instances import (
    Instance,
    adjacency,
    as_spins,
    build_edges,
    edges,
    flip_records,
    from_record,
)
from problems.maxcut.profile import WalkProfile, read_profile
from problems.maxcut.state import State, flip, picture, require_vertex, start
from problems.maxcut.whole import WholeMaxcut
from problems.shared.programs import simulator
from problems.shared.task import TaskProblem, choose_kind

MOST_IN_MATRIX = 10_000
"""Vertices of the largest graph that programs are shown as a matrix, of 800 MB."""


@dataclass(frozen=True, slots=True)
class Maxcut(TaskProblem[Instance]):
    """Maximum cut by flips: the best cut on the way counts (paper, "MaxCut").

    An action is a vertex: flip its spin. Costs are minus the cut: the sign turns here, in `cost`,
    `objective` and `replay`, and nowhere else.
    """

    profile: WalkProfile = field(default_factory=WalkProfile)
    name: str = "maxcut"
    design: str = "design"
    selection: str = "selection"
    larger: str = "ba800w"
    states: int = 512

    example: ClassVar[str] = "ba20w"
    compiles: ClassVar[bool] = True

    folder = Path(__file__).parent
    published_sets = sets.PUBLISHED
    readers = formats.READERS
    seed_rules = heuristics.SEEDS
    maximised = True

    from_record = staticmethod(from_record)
    step = staticmethod(flip)
    draw = staticmethod(picture)
    same_later = staticmethod(walk.same_later)

    @property
    def contract(self) -> Contract:
        """`select_flip_node(spins, adjacency, current_cut, best_cut, step, ...)`."""
        return contract(self.profile)

    def sets(self) -> tuple[InstanceSet, ...]:
        """Design and validation set, six generated sets, five published ones."""
        return sets.described(sets.GENERATED, self.profile.text)

    def draw_set(self, name: str) -> tuple[Instance, ...]:
        """The instances of a generated set, none for other names."""
        return sets.generated(name)

    def load(self, name: str) -> tuple[Instance, ...]:
        """A set by name, or a file or folder by path.

        Raises as `load_set`, and UserError for graphs too large for a matrix.
        """
        instances = TaskProblem.load(self, name)
        for instance in instances:
            if instance.size > MOST_IN_MATRIX:
                raise UserError(
                    f"{name}: {instance.name} has {instance.size} vertices, too many for a matrix "
                    f"(up to {MOST_IN_MATRIX}); --option maxcut.state=sparse shows programs edges"
                )
        return instances

    def rules(self) -> tuple[Rule, ...]:
        """The seeds, tabu search and annealing."""
        return (*self.seed_rules, *heuristics.solvers(self.profile))

    def start(self, instance: Instance) -> State:
        """The spins at the start of the first attempt."""
        return start(instance, self.profile)

    def actions(self, state: State) -> tuple[int, ...]:
        """Every vertex, until the last flip is done."""
        return () if state.finished else tuple(range(state.instance.size))

    def decide(self, function: Function, state: State) -> int:
        """The vertex that a program chooses. Raises InvalidAction for what is no vertex."""
        instance = state.instance
        answer = function(
            as_spins(state.sides),
            adjacency(instance),
            float(state.cut),
            float(state.best_cut),
            state.step,
            state.max_steps,
            state.flips,
        )
        return require_vertex(instance, state.step, answer)

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """What a flip gains, how it ranks, and how long ago and how often it was done.

        `rank` counts the vertices with a larger gain, `age` the steps since the vertex was flipped
        last (`max_steps` if never), `count` its flips; `degree` is the number of its edges.
        """
        return {name: column[0] for name, column in self.table(state, (action,)).items()}

    def table(self, state: State, actions: Sequence[int]) -> Mapping[str, Sequence[float]]:
        """The fields of several vertices, for which the state is looked at once."""
        known = _look_at(state)
        now, most, count = state.step, state.max_steps, len(actions)
        gains = [known.gains[action] for action in actions]
        last_flips = [known.last_flips[action] for action in actions]
        return {
            "gain": gains,
            "rank": [len(known.gains) - bisect_right(known.ascending, gain) for gain in gains],
            "age": [most if last is None else now - last for last in last_flips],
            "count": [known.counts[action] for action in actions],
            "degree": [len(state.instance.neighbours[action]) for action in actions],
            "current_cut": [state.cut] * count,
            "best_cut": [state.best_cut] * count,
            "step": [now] * count,
            "max_steps": [most] * count,
        }

    def cost(self, state: State) -> float:
        """Minus the best cut of all attempts."""
        return -float(state.record)

    def objective(self, cost: float) -> float:
        """The cut itself."""
        return 0.0 - cost

    def rollout(
        self,
        function: Function,
        instance: Instance,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The plain walk's actions; what the program reads makes no difference."""
        graph = adjacency(instance)
        walk_one = standalone.walk
        return walk.rollout(walk_one, function, graph, instance, self.profile, forced)

    def replay(self, instance: Instance, actions: Sequence[int]) -> float:
        """Minus the best cut of an action list. Raises InvalidAction as `step` does."""
        return -float(walk.replay(instance, self.profile, actions))

    def seek(
        self, instance: Instance, actions: Sequence[int], steps: Sequence[int]
    ) -> list[State]:
        """The plain walk's states before these steps, which ascend."""
        return walk.seek(instance, self.profile, actions, steps)

    def longest(self, instance: Instance) -> int:
        """The flips of all attempts: every walk has as many."""
        return self.profile.attempts * self.profile.flips(instance.size)

    def kernel(self) -> Kernel:
        """The walk in machine code."""
        from problems.maxcut.kernel import MaxcutKernel

        return MaxcutKernel(self.profile)

    def literal(self, instance: Instance) -> str:
        """The number of vertices, the edges, the spins at every start, the flips an attempt."""
        starts = tuple(
            tuple(1 - 2 * side for side in self.profile.start(instance, attempt))
            for attempt in range(self.profile.attempts)
        )
        flips = self.profile.flips(instance.size)
        shown = (instance.size, tuple(instance.edges()), starts, flips)
        return pformat(shown, width=90, compact=True)


@dataclass(frozen=True, slots=True)
class SparseMaxcut(Maxcut):
    """The same walks, whose programs are shown edges, gains and when each vertex was flipped.

    A flip costs what its edges cost, not what a matrix would: for graphs of 20,000 vertices.
    """

    design: str = "design-sparse"
    selection: str = "selection-sparse"
    larger: str = "sparse-1000"

    compiles = False  # programs work on whole arrays
    seed_rules = sparse.SEEDS

    @property
    def contract(self) -> Contract:
        """`select_flip_node(spins, gains, starts, neighbours, weights, last_flips, ...)`."""
        return sparse.contract(self.profile)

    def sets(self) -> tuple[InstanceSet, ...]:
        """Design and selection set, sparse graphs of two sizes, the published sets."""
        return sets.described(sets.GENERATED_SPARSE, self.profile.text)

    def draw_set(self, name: str) -> tuple[Instance, ...]:
        """The instances of a generated set, none for other names; those of matrices, too."""
        return sets.generated_sparse(name) or sets.generated(name)

    def load(self, name: str) -> tuple[Instance, ...]:
        """A set by name, or a file or folder by path. Raises as `load_set`."""
        return TaskProblem.load(self, name)

    def decide(self, function: Function, state: State) -> int:
        """The vertex that a program chooses. Raises InvalidAction for what is no vertex."""
        instance = state.instance
        graph = edges(instance)
        spins = as_spins(state.sides)
        answer = function(
            spins,
            graph.gains(spins),
            graph.starts,
            graph.neighbours,
            graph.weights,
            *flip_records(state.flips, instance.size),
            float(state.cut),
            float(state.best_cut),
            state.step,
            state.max_steps,
        )
        return require_vertex(instance, state.step, answer)

    def rollout(
        self,
        function: Function,
        instance: Instance,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The plain walk's actions; what the program reads makes no difference."""
        graph = build_edges(instance)
        walk_one = standalone.walk_edges
        return walk.rollout(walk_one, function, graph, instance, self.profile, forced)

    def simulator(self) -> str:
        """The rules of `standalone.py` for programs that are shown edges."""
        return simulator(Path(__file__).parent, "solve_edges")


class _Known(NamedTuple):
    """Of a state, by vertex: what a flip gains, the same ascending, the last flip, how many."""

    gains: tuple[int, ...]
    ascending: list[int]
    last_flips: tuple[int | None, ...]
    counts: Counter[int]


@lru_cache(maxsize=1)
def _look_at(state: State) -> _Known:
    """The numbers of the state that was asked about last: `fields` is asked for every vertex."""
    gains = tuple(map(partial(state.instance.gain, state.sides), range(state.instance.size)))
    return _Known(gains, sorted(gains), state.last_flips, Counter(state.flips))


def build(
    steps: str = "2n",
    start: str = "random",
    attempts: str = "1",
    state: str = "dense",
    kind: str = "rule",
) -> Any:
    """The maximum cut problem under a profile.

    `steps` is a number of flips or a multiple of the vertices (`400`, `2n`), `start` is `random`
    or `equal`, the best of `attempts` counts. `state` says what programs are shown: `dense` a
    matrix of weights, `sparse` edges and gains, with sets of sparse graphs. `kind` is `rule`, or
    `whole` for programs that return all sides at once, from edges and without a profile. Raises
    UserError for anything else.
    """
    profile = read_profile(steps, start, attempts)
    if state not in ("dense", "sparse"):
        raise UserError(f"maxcut: state must be 'dense' or 'sparse', not {state!r}")
    if kind == "whole" and profile != WalkProfile():
        raise UserError("maxcut: steps, start and attempts are of walks, and kind=whole has none")
    rule = SparseMaxcut(profile) if state == "sparse" else Maxcut(profile)
    return choose_kind("maxcut", kind, rule, WholeMaxcut)
