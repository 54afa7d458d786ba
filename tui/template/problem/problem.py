"""Bin packing: items arrive one by one, each goes into a bin at once, few bins are wanted.

The rules of the game, and the contract that programs are written under. Replace both with your
own problem; `test_problem.py` tells whether everything still fits together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from preceptor import Argument, Contract, Field, InstanceSet, InvalidAction, Rule

from .data import CAPACITY, SETS, Instance, load_set

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BIN = (
    Field("index", "id", "number of the bin, counted in the order in which bins were opened"),
    Field("space", "size", "free space in the bin before the item is put in"),
    Field("left", "size", "free space in the bin after the item is put in"),
)
STATE = (
    Field("size", "size", "size of the item that has arrived"),
    Field("bins", "count", "number of bins opened so far"),
    Field("waiting", "count", "number of items that are still to come, this one included"),
)
CONTRACT = Contract(
    task=(
        f"Items arrive one by one and have to be put into bins of size {CAPACITY} at once. "
        "Which items come later is not known."
    ),
    function="score",
    arguments=(
        Argument("bin", "a bin with room for the item, or a new one", BIN),
        Argument("state", "the situation it is scored in", STATE),
    ),
    answer="score",
    result="a finite number; the bin of the highest score is used, ties go to the lowest index",
    objective="minimise the number of bins that are opened",
)
SEEDS = (
    Rule(
        "first-fit",
        "Use the bin that was opened first.",
        code="def score(bin, state):\n    return -bin.index\n",
    ),
    Rule(
        "worst-fit",
        "Use the bin with the most space, and a new one only for want of another.",
        code="def score(bin, state):\n    return bin.space if bin.index < state.bins else -1\n",
    ),
)
BEST_FIT = Rule(
    "best-fit",
    "Use the bin that the item fills best.",
    code="def score(bin, state):\n    return -bin.left\n",
)


@dataclass(frozen=True, slots=True)
class State:
    """Free space in every open bin; `placed` items have been put away."""

    instance: Instance
    spaces: tuple[int, ...] = ()
    placed: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """An action is the index of a bin; the one after the last opens a new bin."""

    name: str = Path(__file__).parent.name
    contract: Contract = CONTRACT
    design: str = "design"
    selection: str = "selection"  # may be left out: then the best on the design set wins
    states: int = 256

    def sets(self) -> tuple[InstanceSet, ...]:
        """All instance sets."""
        return SETS

    def load(self, name: str) -> tuple[Instance, ...]:
        """The instances of a set. Raises UnknownName."""
        return load_set(name)

    def seeds(self) -> tuple[Rule, ...]:
        """The programs that every search starts from: plain ones, so that there is room."""
        return SEEDS

    def rules(self) -> tuple[Rule, ...]:
        """What `preceptor bench` compares with."""
        return (*SEEDS, BEST_FIT)

    def start(self, instance: Instance) -> State:
        """No bin is open."""
        return State(instance)

    def actions(self, state: State) -> tuple[int, ...]:
        """The bins with room for the next item, and a new one; none when all items are placed."""
        if state.placed == len(state.instance.sizes):
            return ()
        size = state.instance.sizes[state.placed]
        fitting = (index for index, space in enumerate(state.spaces) if space >= size)
        return (*fitting, len(state.spaces))

    def decide(self, function: Callable[..., Any], state: State) -> int:
        """The bin of the highest score. Raises InvalidAction for a score that is no number."""
        scores = {action: self._score(function, state, action) for action in self.actions(state)}
        return max(scores, key=lambda action: (scores[action], -action))

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """The numbers that a program reads here, by name."""
        return {**_describe_bin(state, action), **_describe(state)}

    def step(self, state: State, action: int) -> State:
        """The next item goes into a bin. Raises InvalidAction where it does not fit."""
        if action not in self.actions(state):
            raise InvalidAction(f"item {state.placed} does not fit into bin {action}")
        left = _describe_bin(state, action)["left"]
        spaces = (*state.spaces[:action], left, *state.spaces[action + 1 :])
        return State(state.instance, spaces, state.placed + 1)

    def cost(self, state: State) -> float:
        """How many bins were opened; costs are always minimised."""
        return float(len(state.spaces))

    def objective(self, cost: float) -> float:
        """The cost in the natural sense; of something to be maximised this would be -cost."""
        return cost

    def draw(self, state: State) -> str:
        """The last bins as bars, at most 80 columns and 24 lines."""
        bars = [f"{i:3} {'#' * ((CAPACITY - s) // 2)}" for i, s in enumerate(state.spaces)]
        return "\n".join([f"{state.placed} items placed", *bars[-22:]])

    def _score(self, function: Callable[..., Any], state: State, action: int) -> float:
        bin = SimpleNamespace(**_describe_bin(state, action))
        score = function(bin, SimpleNamespace(**_describe(state)))
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise InvalidAction(f"bin {action}: a score is a number, not {type(score).__name__}")
        if not math.isfinite(score):
            raise InvalidAction(f"bin {action}: the score {score} is not finite")
        return score


def build() -> Problem:
    """The problem; options of your own become arguments (`--option NAME.key=value`)."""
    return Problem()


def _describe_bin(state: State, action: int) -> dict[str, int]:
    """What a program is told of a bin."""
    space = state.spaces[action] if action < len(state.spaces) else CAPACITY
    return {"index": action, "space": space, "left": space - state.instance.sizes[state.placed]}


def _describe(state: State) -> dict[str, int]:
    """What a program is told of the situation."""
    return {
        "size": state.instance.sizes[state.placed],
        "bins": len(state.spaces),
        "waiting": len(state.instance.sizes) - state.placed,
    }
