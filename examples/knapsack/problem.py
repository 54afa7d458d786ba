"""The knapsack of several dimensions: items are packed one by one while any still fits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from preceptor import Argument, Contract, Field, InstanceSet, InvalidAction, Rule

from .data import Instance, list_sets, load_set

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ITEM = (
    Field("profit", "profit", "what the item is worth"),
    Field("need", "share", "sum over the resources of the share of all it holds that it takes"),
    Field("scarce", "share", "sum over the resources of the share of what is left that it takes"),
    Field("worst", "share", "the largest share of what is left of one resource that it takes"),
)
STATE = (
    Field("packed", "ratio", "share of the items that are packed"),
    Field("fitting", "ratio", "share of the items that still fit"),
    Field("left", "ratio", "mean share of a resource that is left"),
    Field("tightest", "ratio", "least share of a resource that is left"),
)
CONTRACT = Contract(
    task=(
        "Items are packed into a knapsack one by one, as long as one fits. Each takes some of "
        "every resource, and the profit of those that are packed counts."
    ),
    function="score",
    arguments=(
        Argument("item", "an item that still fits", ITEM),
        Argument("state", "the situation it is scored in", STATE),
    ),
    answer="score",
    result="a finite number; the item of the highest score is packed, ties go to the lowest",
    objective="maximise the sum of the profits",
    sizes="100 or 250 items, 5 or 10 resources",
)
SEEDS = (
    Rule(
        "most-profit",
        "Pack what is worth most.",
        code="def score(item, state):\n    return item.profit\n",
    ),
    Rule(
        "profit-per-need",
        "Pack what is worth most for its share of all resources.",
        code="def score(item, state):\n    return item.profit / item.need\n",
    ),
)
PER_SCARCE = Rule(
    "profit-per-scarce",
    "Pack what is worth most for its share of what is left (Toyoda's idea, 1975).",
    code="def score(item, state):\n    return item.profit / item.scarce\n",
)


@dataclass(frozen=True, slots=True)
class State:
    """The items that are packed, in order, and what is left of every resource."""

    instance: Instance
    left: tuple[int, ...]
    packed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """An action is the number of an item; a walk ends when none fits any more."""

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
        """The programs that every search starts from: plain ones, so that there is room."""
        return SEEDS

    def rules(self) -> tuple[Rule, ...]:
        """What `preceptor bench` compares with."""
        return (*SEEDS, PER_SCARCE)

    def start(self, instance: Instance) -> State:
        """Nothing is packed."""
        return State(instance, instance.room)

    def actions(self, state: State) -> tuple[int, ...]:
        """The items that are not packed and still fit."""
        packed = {*state.packed}
        return tuple(
            item
            for item, needs in enumerate(state.instance.needs)
            if item not in packed and _fits(needs, state.left)
        )

    def decide(self, function: Callable[..., Any], state: State) -> int:
        """The item of the highest score. Raises InvalidAction for a score that is no number."""
        fitting = self.actions(state)
        view = _describe(state, len(fitting))
        scores = {item: _score(function, state, item, view) for item in fitting}
        return max(scores, key=lambda item: (scores[item], -item))

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """The numbers that a program reads here, by name."""
        return {name: column[0] for name, column in self.table(state, (action,)).items()}

    def table(self, state: State, actions: Sequence[int]) -> Mapping[str, Sequence[float]]:
        """The fields of several items, for which the situation is looked at once."""
        view = _describe(state, len(self.actions(state)))
        rows = [{**_describe_item(state, item), **view} for item in actions]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def step(self, state: State, action: int) -> State:
        """One more item is packed. Raises InvalidAction where it does not fit."""
        items = range(len(state.instance.profits))
        if action not in items or action in state.packed:
            raise InvalidAction(f"there is no item {action} to be packed")
        needs = state.instance.needs[action]
        if not _fits(needs, state.left):
            raise InvalidAction(f"item {action} does not fit")
        left = tuple(have - need for have, need in zip(state.left, needs, strict=True))
        return State(state.instance, left, (*state.packed, action))

    def cost(self, state: State) -> float:
        """Minus the profit of what is packed; costs are always minimised."""
        return -float(sum(state.instance.profits[item] for item in state.packed))

    def objective(self, cost: float) -> float:
        """The profit."""
        return -cost

    def draw(self, state: State) -> str:
        """What is left of every resource as bars, at most 80 columns and 24 lines."""
        shares = zip(state.left, state.instance.room, strict=True)
        bars = [f"{k:3} {'#' * (60 * left // room)}" for k, (left, room) in enumerate(shares)]
        return "\n".join([f"{len(state.packed)} items packed; left of the resources", *bars[:23]])

    def longest(self, instance: Instance) -> int:
        """All items."""
        return len(instance.profits)


def build() -> Problem:
    """The problem."""
    return Problem()


def _fits(needs: Sequence[int], left: Sequence[int]) -> bool:
    return all(need <= have for need, have in zip(needs, left, strict=True))


def _describe_item(state: State, item: int) -> dict[str, float]:
    """What a program is told of an item that fits."""
    needs = state.instance.needs[item]
    of_all = [need / room for need, room in zip(needs, state.instance.room, strict=True)]
    of_left = [need / left for need, left in zip(needs, state.left, strict=True)]
    return {
        "profit": state.instance.profits[item],
        "need": sum(of_all),
        "scarce": sum(of_left),
        "worst": max(of_left),
    }


def _describe(state: State, fitting: int) -> dict[str, float]:
    """What a program is told of the situation."""
    items = len(state.instance.profits)
    shares = [left / room for left, room in zip(state.left, state.instance.room, strict=True)]
    return {
        "packed": len(state.packed) / items,
        "fitting": fitting / items,
        "left": sum(shares) / len(shares),
        "tightest": min(shares),
    }


def _score(
    function: Callable[..., Any], state: State, item: int, view: Mapping[str, float]
) -> float:
    """What a program says of an item. Raises InvalidAction for what is no finite number."""
    score = function(SimpleNamespace(**_describe_item(state, item)), SimpleNamespace(**view))
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise InvalidAction(f"item {item}: a score is a number, not {type(score).__name__}")
    if not math.isfinite(score):
        raise InvalidAction(f"non-finite score {score} of item {item}")
    return score
