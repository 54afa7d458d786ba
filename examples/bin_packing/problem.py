"""Online bin packing: items arrive one by one, each goes into a bin at once, few bins are wanted.

A decision is how much free space the bin has that takes the item; bins with equal space are alike,
and of these the oldest takes it. So a program is asked about a hundred bins at most, and what it
said of a bin of some space and an item of some size is kept where it reads nothing else.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from preceptor import Argument, Contract, Field, InstanceSet, InvalidAction, Rule

from .data import Instance, list_sets, load_set

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

BIN = (
    Field("space", "size", "free space in the bin before the item is put in"),
    Field("left", "size", "free space in the bin after the item is put in"),
    Field("index", "id", "number of the bin, counted in the order in which bins were opened"),
    Field("alike", "count", "number of bins with the same free space, 0 for a new bin"),
    Field("joined", "count", "number of other bins with as much free space as it will have then"),
)
STATE = (
    Field("size", "size", "size of the item that has arrived"),
    Field("capacity", "size", "size of an empty bin"),
    Field("bins", "count", "number of bins opened so far"),
)
LASTING = frozenset({"bin.space", "bin.left", "state.size", "state.capacity"})
"""What never changes for a bin of some space and an item of some size."""

CONTRACT = Contract(
    task=(
        "Items arrive one by one and have to be put into bins of equal size at once. "
        "Which items come later is not known."
    ),
    function="score",
    arguments=(
        Argument("bin", "the oldest bin of some free space that has room, or a new one", BIN),
        Argument("state", "the situation it is scored in", STATE),
    ),
    answer="score",
    result="a finite number; the bin of the highest score is used, ties go to the least space",
    objective="minimise the bins opened in excess of the lower bound, in per cent of that",
    sizes="120 to 10,000 items of sizes up to 100; bins of 100 or 150",
)
SEEDS = (
    Rule(
        "first-fit",
        "Use the bin that was opened first.",
        code="def score(bin, state):\n    return -bin.index\n",
    ),
    Rule(
        "best-fit",
        "Use the bin that the item fills best.",
        code="def score(bin, state):\n    return -bin.left\n",
    ),
)
SUM_OF_SQUARES = Rule(
    "sum-of-squares",
    "Keep the numbers of bins with each free space as even as can be (Csirik et al. 2006).",
    code="def score(bin, state):\n    return bin.alike - bin.joined\n",
)
WORST_FIT = Rule(
    "worst-fit",
    "Use the bin with the most space, and a new one only for want of another.",
    code="def score(bin, state):\n    return bin.space if bin.index < state.bins else -1\n",
)


View = tuple[dict[str, int], dict[str, int]]
"""What a program is told of a bin, and of the situation."""


@dataclass(frozen=True, slots=True)
class State:
    """Free space in every open bin, the oldest first; `placed` items have been put away."""

    instance: Instance
    spaces: tuple[int, ...] = ()
    placed: int = 0

    @property
    def size(self) -> int:
        """That of the item that has arrived."""
        return self.instance.sizes[self.placed]


@dataclass(slots=True)
class Shelf:
    """The open bins by their free space, as a fast walk keeps them: the oldest of each at hand."""

    capacity: int
    bins: int = 0
    alike: dict[int, list[int]] = field(default_factory=dict)

    def put(self, size: int, space: int) -> None:
        """Put an item into the oldest bin of a space. Raises InvalidAction where there is none."""
        if space == self.capacity:
            index = self.bins
            self.bins += 1
        elif self.alike.get(space):
            index = heappop(self.alike[space])
        else:
            raise InvalidAction(f"no bin has {space} left")
        if size > space:
            raise InvalidAction(f"an item of {size} does not fit into a space of {space}")
        if space > size:
            heappush(self.alike.setdefault(space - size, []), index)

    def offered(self, size: int) -> list[int]:
        """The spaces that take an item, ascending; the last is that of a new bin."""
        return [*(s for s in range(size, self.capacity) if self.alike.get(s)), self.capacity]

    def view(self, space: int, size: int) -> View:
        """What a program is told of a bin, and of the situation."""
        bins = self.alike.get(space, ())
        index = bins[0] if bins else self.bins
        joined = len(self.alike.get(space - size, ()))
        return _tell((space, size, index, len(bins), joined), self.capacity, self.bins)


@dataclass(frozen=True, slots=True)
class Problem:
    """An action is the free space of the bin that takes the item, the capacity for a new one."""

    name: str = Path(__file__).parent.name
    contract: Contract = CONTRACT
    design: str = "design"
    selection: str = "selection"
    states: int = 256

    def sets(self) -> tuple[InstanceSet, ...]:
        """All instance sets."""
        return list_sets()

    def load(self, name: str) -> tuple[Instance, ...]:
        """The instances of a set. Raises UnknownName."""
        return load_set(name)

    def seeds(self) -> tuple[Rule, ...]:
        """The programs that every search starts from."""
        return SEEDS

    def rules(self) -> tuple[Rule, ...]:
        """What `preceptor bench` compares with."""
        return (*SEEDS, WORST_FIT, SUM_OF_SQUARES)

    def start(self, instance: Instance) -> State:
        """No bin is open."""
        return State(instance)

    def actions(self, state: State) -> tuple[int, ...]:
        """The spaces that take the item, and that of a new bin; none when all items are placed."""
        if state.placed == len(state.instance.sizes):
            return ()
        fitting = {space for space in state.spaces if space >= state.size}
        return (*sorted(fitting), state.instance.capacity)

    def decide(self, function: Callable[..., Any], state: State) -> int:
        """The space of the highest score. Raises InvalidAction for a score that is no number."""
        scores = {space: _score(function, *_view(state, space)) for space in self.actions(state)}
        return max(scores, key=lambda space: (scores[space], -space))

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """The numbers that a program reads here, by name."""
        bin, situation = _view(state, action)
        return {**bin, **situation}

    def step(self, state: State, action: int) -> State:
        """The next item goes into a bin. Raises InvalidAction where it does not fit."""
        if state.placed == len(state.instance.sizes):
            raise InvalidAction("all items are placed")
        opens = action == state.instance.capacity
        if action < state.size or not (opens or action in state.spaces):
            raise InvalidAction(f"no bin with a space of {action} takes item {state.placed}")
        oldest = len(state.spaces) if opens else state.spaces.index(action)
        rest = state.spaces[oldest + 1 :]
        spaces = (*state.spaces[:oldest], action - state.size, *rest)
        return State(state.instance, spaces, state.placed + 1)

    def cost(self, state: State) -> float:
        """Bins in excess of the lower bound, in per cent of that."""
        return _excess(state.instance, len(state.spaces))

    def objective(self, cost: float) -> float:
        """The same."""
        return cost

    def draw(self, state: State) -> str:
        """How many bins have how much space, at most 80 columns and 24 lines."""
        counts = Counter(-(-space // 5) * 5 for space in state.spaces if space)
        bars = [f"{space:4} {'#' * min(70, counts[space])}" for space in sorted(counts)]
        head = f"{state.placed} items in {len(state.spaces)} bins; bins by their free space"
        return "\n".join([head, *bars[:23]])

    def rollout(
        self,
        function: Callable[..., Any],
        instance: Instance,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The spaces that take the items; scores are kept where they cannot change."""
        lasting = reads is not None and reads <= LASTING
        known: dict[tuple[int, int], float] = {}
        shelf = Shelf(instance.capacity)
        taken: list[int] = []
        for step, size in enumerate(instance.sizes):
            if step < len(forced):
                best = forced[step]
            else:
                offered = shelf.offered(size)
                try:
                    for space in offered:
                        if not lasting or (space, size) not in known:
                            known[space, size] = _score(function, *shelf.view(space, size))
                except Exception as error:
                    error.add_note(f"step {step}")
                    raise
                best = max(offered, key=lambda space: known[space, size])
            shelf.put(size, best)
            taken.append(best)
        return taken

    def replay(self, instance: Instance, actions: Sequence[int]) -> float:
        """The cost of the spaces that took the items. Raises InvalidAction."""
        if len(actions) != len(instance.sizes):
            raise InvalidAction(f"{len(actions)} actions for {len(instance.sizes)} items")
        shelf = Shelf(instance.capacity)
        for size, space in zip(instance.sizes, actions, strict=True):
            shelf.put(size, space)
        return _excess(instance, shelf.bins)

    def longest(self, instance: Instance) -> int:
        """One for each item."""
        return len(instance.sizes)


def build() -> Problem:
    """The problem."""
    return Problem()


def _excess(instance: Instance, bins: int) -> float:
    return 100.0 * (bins / instance.bound - 1)


def _view(state: State, space: int) -> View:
    """What a program is told of a bin, and of the situation."""
    alike = state.spaces.count(space)
    bins = len(state.spaces)
    oldest = state.spaces.index(space) if alike else bins
    joined = state.spaces.count(space - state.size) if space > state.size else 0
    bin = (space, state.size, oldest, alike, joined)
    return _tell(bin, state.instance.capacity, bins)


def _tell(bin: tuple[int, int, int, int, int], capacity: int, bins: int) -> View:
    space, size, index, alike, joined = bin
    told = {"space": space, "left": space - size, "index": index}
    told |= {"alike": alike, "joined": joined}
    return told, {"size": size, "capacity": capacity, "bins": bins}


def _score(
    function: Callable[..., Any], bin: Mapping[str, int], situation: Mapping[str, int]
) -> float:
    """What a program says of a bin. Raises InvalidAction for what is no finite number."""
    score = function(SimpleNamespace(**bin), SimpleNamespace(**situation))
    if isinstance(score, bool) or not isinstance(score, int | float):
        told = f"space {bin['space']}: a score is a number, not {type(score).__name__}"
        raise InvalidAction(told)
    if not math.isfinite(score):
        raise InvalidAction(f"non-finite score {score} for a space of {bin['space']}")
    return score
