"""Weighted completion time on one machine: a whole problem in one small file, for fast tests."""

# mypy: disable-error-code="no-untyped-def"
# (the seeds are programs, and programs carry no annotations)

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

from problems.base import Argument, Contract, Field, InstanceSet, Problem, Rule
from problems.errors import InvalidAction, UnknownName

ITEM = (
    Field("duration", "time", "time the item takes"),
    Field("weight", "weight", "cost of one unit of time until the item is finished"),
    Field("finish", "time", "time at which the item is finished if it is picked now"),
)
STATE = (
    Field("elapsed", "time", "time used by the items picked so far"),
    Field("left", "count", "number of items not yet picked, this one included"),
)
SETS = (
    InstanceSet("design", 8, "8 instances of 10 items, generated", design=True),
    InstanceSet("held-out", 8, "8 other instances of 10 items, generated"),
    InstanceSet("many", 64, "64 instances of 10 items, enough for a cascade", design=True),
    InstanceSet("choice", 8, "8 instances of 10 items, to choose a winner on", design=True),
)
FIRST_DICE = {"design": 1000, "held-out": 2000, "many": 3000, "choice": 4000}


@dataclass(frozen=True, slots=True)
class Instance:
    """Items by duration and weight; a pick order is wanted."""

    name: str
    durations: tuple[int, ...]
    weights: tuple[int, ...]
    reference: float | None = None


@dataclass(frozen=True, slots=True)
class State:
    """The items picked so far, in order."""

    instance: Instance
    picked: tuple[int, ...] = ()

    @property
    def elapsed(self) -> int:
        """Time used by the picked items."""
        return sum(map(self.instance.durations.__getitem__, self.picked))


@dataclass(frozen=True, slots=True)
class Toy(Problem):
    """Pick items one at a time; the cost is the sum of weight times finishing time.

    `suffix` is appended to the name of every field, in the contract, the fields and the seeds.
    """

    suffix: str = ""
    name: str = "toy"
    design: str = "design"
    larger: str = "many"
    states: int = 32

    @property
    def contract(self) -> Contract:
        """`score(item, state)`: the highest score is picked."""
        return Contract(
            task="Items wait for one machine. Pick one item at a time until none is left.",
            function="score",
            arguments=(
                Argument("item", "the item to be scored", self._renamed(ITEM)),
                Argument("state", "the situation it is scored in", self._renamed(STATE)),
            ),
            answer="score",
            result="a finite number; the highest is picked, ties go to the lowest item",
            objective="minimise the sum of weight times finishing time",
        )

    def sets(self) -> tuple[InstanceSet, ...]:
        """`design`, `held-out`, and two that only some runs ask for."""
        return SETS

    def load(self, name: str) -> tuple[Instance, ...]:
        """Eight or more instances. Raises UnknownName."""
        if name not in FIRST_DICE:
            raise UnknownName("set", name, FIRST_DICE)
        return draw_set(name)

    def seeds(self) -> tuple[Rule, ...]:
        """Three plain rules, none of them optimal."""
        return tuple(self._rule(function) for function in (shortest, heaviest, balanced))

    def rules(self) -> tuple[Rule, ...]:
        """The seeds and the optimal order, as a solver of whole instances."""
        return (*self.seeds(), Rule("smith", "Most weight per time first.", solve=smith))

    def start(self, instance: Instance) -> State:
        """Nothing picked."""
        return State(instance)

    def actions(self, state: State) -> tuple[int, ...]:
        """The items not yet picked."""
        return tuple(i for i in range(len(state.instance.durations)) if i not in state.picked)

    def decide(self, function: Callable[..., Any], state: State) -> int:
        """The item of the highest score. Raises InvalidAction for a score that is no number."""
        scores = {item: self._score(function, state, item) for item in self.actions(state)}
        return max(scores, key=lambda item: (scores[item], -item))

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """The numbers a program reads, by their names."""
        return {**vars(self._item(state, action)), **vars(self._view(state))}

    def step(self, state: State, action: int) -> State:
        """Pick one item. Raises InvalidAction when it is picked already or does not exist."""
        if action not in self.actions(state):
            raise InvalidAction(f"step {len(state.picked)}: item {action} is not there to pick")
        return State(state.instance, (*state.picked, action))

    def cost(self, state: State) -> float:
        """Sum of weight times finishing time."""
        elapsed, cost = 0, 0
        for item in state.picked:
            elapsed += state.instance.durations[item]
            cost += elapsed * state.instance.weights[item]
        return float(cost)

    def objective(self, cost: float) -> float:
        """The cost itself."""
        return cost

    def draw(self, state: State) -> str:
        """The picked items in order."""
        return f"{state.elapsed:>4} | " + " ".join(str(item) for item in state.picked)

    def _renamed(self, fields: tuple[Field, ...]) -> tuple[Field, ...]:
        return tuple(Field(f.name + self.suffix, f.unit, f.meaning) for f in fields)

    def _item(self, state: State, item: int) -> SimpleNamespace:
        instance = state.instance
        duration, weight = instance.durations[item], instance.weights[item]
        return self._named(duration=duration, weight=weight, finish=state.elapsed + duration)

    def _view(self, state: State) -> SimpleNamespace:
        left = len(state.instance.durations) - len(state.picked)
        return self._named(elapsed=state.elapsed, left=left)

    def _named(self, **values: int) -> SimpleNamespace:
        if not self.suffix:
            return SimpleNamespace(**values)
        return SimpleNamespace(**{name + self.suffix: value for name, value in values.items()})

    def _score(self, function: Callable[..., Any], state: State, item: int) -> float:
        score = function(self._item(state, item), self._view(state))
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise InvalidAction(f"item {item}: score is no number but {type(score).__name__}")
        if not math.isfinite(score):
            raise InvalidAction(f"non-finite score for item {item}: {score}")
        return score

    def _rule(self, function: Callable[..., float]) -> Rule:
        code = inspect.getsource(function).replace(f"def {function.__name__}(", "def score(")
        for field in (*ITEM, *STATE):
            for argument in ("item", "state"):
                whole = f"{argument}.{field.name}"
                code = code.replace(whole, whole + self.suffix)
        return Rule(function.__name__, inspect.getdoc(function) or "", code=code)


def build(rename: str = "") -> Toy:
    """The toy; `rename` is appended to the name of every field."""
    return Toy(suffix=rename)


@cache
def draw_set(name: str) -> tuple[Instance, ...]:
    """The instances of a set."""
    size = next(one.size for one in SETS if one.name == name)
    return tuple(draw_instance(f"{name}/{i}", FIRST_DICE[name] + i) for i in range(size))


def draw_instance(name: str, dice: int) -> Instance:
    """Ten items with durations and weights from 1 to 20."""
    draw = random.Random(dice)
    durations = tuple(draw.randint(1, 20) for _ in range(10))
    return Instance(name, durations, tuple(draw.randint(1, 20) for _ in range(10)))


def smith(instance: Instance) -> list[int]:
    """Smith's rule, optimal for this problem."""
    ratio = [w / d for w, d in zip(instance.weights, instance.durations, strict=True)]
    return sorted(range(len(ratio)), key=lambda item: (-ratio[item], item))


def shortest(item, state):
    """Pick the shortest item first."""
    return -item.duration


def heaviest(item, state):
    """Pick the heaviest item first."""
    return item.weight


def balanced(item, state):
    """Weigh weight against duration, duration the more the later it is."""
    return item.weight - item.duration - 0.1 * item.finish
