"""A whole-function problem out of a plain `evaluate(solution) -> number or dict`.

    build = lambda: EvaluatorProblem("circles", evaluator, task="...", programs=(...))

A solution is any value of numbers, texts, lists, tuples and dicts, or an array. It travels as the
bytes of its JSON, three to a whole number, so that floats come back as they were.
"""

from __future__ import annotations

import copy
import json
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from types import ModuleType
from typing import Any

from problems.base import Argument, Contract, InstanceSet, Rule
from problems.errors import InvalidAction, UnknownName, UserError
from problems.own_code import blame, place_of, show
from problems.whole import WholeFunction

COST = "cost"

METRICS = (COST, "combined_score", "score")
"""What evaluators often call what is to be optimised; all but `cost` is maximised."""

FEEDBACK = ("feedback", "message")
"""Where a dict holds text."""

DEEPEST = 50
"""Levels of a solution, each list in a list."""

LONGEST = 1 << 22
"""Whole numbers of the longest solution: 12 MB of JSON."""

BYTES = 3
"""Bytes in a whole number, which has 32 bits and a sign."""


@dataclass(frozen=True, slots=True)
class DataInstance:
    """An instance: what the evaluator calls it with, in a tuple; nothing if it lists none."""

    name: str
    data: tuple[Any, ...] = ()
    seed: int = 0
    reference: float | None = None


@dataclass(frozen=True)
class EvaluatorProblem(WholeFunction):
    """A `Problem` whose programs return what `evaluator.evaluate(solution)` takes.

    With `INSTANCES` or `instances()` of the evaluator they are called with one, and so is
    `evaluate(solution, instance)`. `metric` is the key of a dict that is optimised, empty for
    `cost`; `maximize` says which way, None for that of the metric: a plain number and
    `cost` are minimised. With `scipy` programs may import it. What an evaluator raises is why a
    solution is none.
    """

    name: str
    evaluator: ModuleType | Any
    task: str
    programs: tuple[Rule, ...]
    metric: str = ""
    maximize: bool | None = None
    result: str = "a solution, as the evaluator takes it"
    scipy: bool = False
    design: str = "design"

    @property
    def contract(self) -> Contract:
        """`solve(seed)` or `solve(instance, seed)`."""
        seed = Argument("seed", "int: random.Random(seed) gives numbers that can be repeated")
        instance = Argument("instance", "what has to be solved, as the evaluator lists it")
        verb = "maximise" if self._is_maximized(self.metric) else "minimise"
        return Contract(
            task=self.task,
            function="solve",
            arguments=(instance, seed) if self._data() is not None else (seed,),
            answer="solution",
            result=self.result,
            objective=f"{verb} {self.metric or 'what the evaluator says'}",
            scipy=self.scipy,
        )

    def sets(self) -> tuple[InstanceSet, ...]:
        """The evaluator's instances, or the one that it has in mind."""
        count = len(self.load(self.design))
        return (InstanceSet(self.design, count, "what the evaluator measures", design=True),)

    def load(self, name: str) -> tuple[DataInstance, ...]:
        """The instances. Raises UnknownName."""
        if name != self.design:
            raise UnknownName("set", name, (self.design,))
        data = self._data()
        if data is None:
            return (DataInstance("0"),)
        return tuple(DataInstance(str(k), (_freeze(one),), k) for k, one in enumerate(data))

    def seeds(self) -> tuple[Rule, ...]:
        """The programs that every search starts from."""
        return self.programs

    def rules(self) -> tuple[Rule, ...]:
        """The same."""
        return self.programs

    def arguments(self, instance: DataInstance) -> tuple[Any, ...]:
        """The instance, where there are several, and a seed."""
        return (*instance.data, instance.seed)

    def encode(self, answer: Any) -> list[int]:
        """A solution as whole numbers. Raises InvalidAction for a value of another type."""
        try:
            text = json.dumps(_pack(answer), separators=(",", ":")).encode()
        except ValueError as error:  # an int of too many digits
            raise InvalidAction(f"the answer cannot be written down: {error}") from None
        text += b" " * (-len(text) % BYTES)
        return [int.from_bytes(text[k : k + BYTES], "big") for k in range(0, len(text), BYTES)]

    def decode(self, solution: Sequence[int]) -> Any:
        """The value again. Raises InvalidAction for numbers that stand for none."""
        try:
            return _unpack(json.loads(b"".join(one.to_bytes(BYTES, "big") for one in solution)))
        except (ValueError, OverflowError, TypeError, RecursionError):
            raise InvalidAction("these numbers stand for no solution") from None

    def measure(self, instance: DataInstance, solution: Any) -> Any:
        """What the evaluator says of a solution. Raises InvalidAction with what it raises."""
        try:
            return self.evaluator.evaluate(solution, *copy.deepcopy(instance.data))
        except InvalidAction:
            raise
        except Exception as error:
            meant = isinstance(error, ValueError | AssertionError)  # the solution is refused
            told = f"{type(error).__name__}: {str(error)[:300]}"
            raise InvalidAction(told if meant else blame(error) or told) from error

    def evaluate(self, instance: DataInstance, solution: Sequence[int]) -> float:
        """Minimised cost of a solution. Raises InvalidAction where the evaluator gives none."""
        said = self.measure(instance, self.decode(solution))
        key = ""
        if isinstance(said, dict):
            key = self.metric or COST
            if key not in said:
                given = ", ".join(map(str, said)) or "nothing"
                raise InvalidAction(f"the evaluator gives no {key}, but {given[:200]}")
        value = said[key] if isinstance(said, dict) else said
        number = _number(value)
        if number is None:
            text = f": {read_feedback(said)}" if read_feedback(said) else ""
            raise InvalidAction(f"the evaluator says {str(value)[:60]}, no finite number{text}")
        return -number if self._is_maximized(key) else number

    def objective(self, cost: float) -> float:
        """The number that the evaluator gives."""
        return -cost if self._is_maximized(self.metric) else cost

    def draw_solution(self, instance: DataInstance, solution: Sequence[int]) -> str:
        """What the evaluator says besides, then the solution, in 80 columns and 24 lines."""
        value = self.decode(solution)
        said = self.measure(instance, value)
        lines = [f"{key}: {one}" for key, one in said.items()] if isinstance(said, dict) else []
        text = "\n".join([*lines, str(value)])
        broken = [part for line in text.splitlines() for part in textwrap.wrap(line, 80) or [""]]
        return "\n".join(broken[:24]) or "nothing"

    def comment(self, instance: DataInstance, solution: Sequence[int]) -> str:
        """What else the evaluator says of a solution: its metrics, then its text."""
        said = self.measure(instance, self.decode(solution))
        if not isinstance(said, dict):
            return ""
        left = {key: one for key, one in said.items() if key not in (*FEEDBACK, self.metric)}
        metrics = [f"{key} {one:.6g}" for key, one in left.items() if _number(one) is not None]
        return "; ".join(filter(None, [", ".join(metrics), read_feedback(said)]))

    def longest(self, instance: DataInstance) -> int:
        """Numbers of the longest solution."""
        return LONGEST

    def locate(self, member: str) -> str:
        """`FILE:LINE` of the evaluator's function, or the file that makes a problem of it."""
        if member == "evaluate":
            return place_of(self.evaluator.evaluate)
        return show(
            Path(getattr(self.evaluator, "__file__", "evaluator.py")).with_name("problem.py")
        )

    def _is_maximized(self, key: str) -> bool:
        if self.maximize is not None:
            return self.maximize
        return key not in ("", COST)

    def _data(self) -> Sequence[Any] | None:
        """The evaluator's instances, None if it has none. Raises UserError for an empty list."""
        data = getattr(self.evaluator, "INSTANCES", None)
        if data is None and callable(getattr(self.evaluator, "instances", None)):
            data = self.evaluator.instances()
        if data is None:
            return None
        if not (found := list(data)):
            raise UserError("the evaluator's list of instances is empty")
        return found


def read_feedback(said: Any) -> str:
    """The text in a dict that an evaluator returned, in one line."""
    if not isinstance(said, dict):
        return ""
    return " ".join(str(said[key])[:300] for key in FEEDBACK if said.get(key)).strip()


def _number(value: Any) -> float | None:
    """A finite number, None for anything else; True is none."""
    if isinstance(value, bool) or not (isinstance(value, Real) or hasattr(value, "__float__")):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _freeze(value: Any) -> Any:
    """Lists as tuples: programs cannot change what they are called with."""
    if isinstance(value, list | tuple):
        return tuple(_freeze(one) for one in value)
    return value


def _pack(value: Any, depth: int = 0) -> Any:
    """A value as JSON holds it; tuples and dicts are marked. Raises InvalidAction."""
    if depth > DEEPEST:
        raise InvalidAction(f"the answer is nested over {DEEPEST} levels deep")
    plain = value.tolist() if hasattr(value, "tolist") else value
    if plain is None or isinstance(plain, bool | str):
        return plain
    if isinstance(plain, Integral):
        return int(plain)
    if isinstance(plain, Real):
        return float(plain)
    if isinstance(plain, list | range):
        return [_pack(one, depth + 1) for one in plain]
    if isinstance(plain, tuple):
        return {"tuple": [_pack(one, depth + 1) for one in plain]}
    if isinstance(plain, dict):
        pairs = plain.items()
        return {"dict": [[_pack(k, depth + 1), _pack(one, depth + 1)] for k, one in pairs]}
    raise InvalidAction(
        f"the answer holds a value of type {type(plain).__name__}; numbers, texts, lists, tuples, "
        "dicts and arrays can be returned"
    )


def _unpack(value: Any) -> Any:
    """The value that `_pack` made of it. Raises TypeError and ValueError for anything else."""
    if isinstance(value, list):
        return [_unpack(one) for one in value]
    if not isinstance(value, dict):
        return value
    ((kind, items),) = value.items()
    if kind == "tuple":
        return tuple(_unpack(one) for one in items)
    return {_unpack(key): _unpack(one) for key, one in items}
