"""The seam of problems whose programs return a whole solution: no states, no choices, no teacher.

    class Problem(WholeFunction):  # its contract says answer="solution"

A solution is a list of whole numbers: an order, a choice, real numbers in steps that the problem
fixes. To the rest of Preceptor it is a walk on which nothing is ever to be chosen.
"""

from __future__ import annotations

import textwrap
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from problems.base import Function, Problem
from problems.errors import InvalidAction
from problems.own_code import Overlong

LARGEST = (1 << 31) - 1
"""The largest number of a whole solution, above 0 and below: they travel in 32 bits."""


@dataclass(frozen=True, slots=True)
class Written:
    """The state of a `WholeFunction`: the numbers of a solution that are written down so far."""

    instance: Any
    numbers: tuple[int, ...] = ()


class WholeFunction(Problem):
    """The base of a problem whose programs return a whole solution, `solve(instance) -> solution`.

    Its contract says `answer="solution"`. A solution is a list of whole numbers: an order, a
    choice, real numbers in steps that the problem fixes. Nothing is decided on the way to it, so
    that no state has an action to choose and no teacher has anything to say. A class of this base
    gives `arguments` and `evaluate`, and of `Problem` what is not given here.
    """

    states: int = 1

    @abstractmethod
    def arguments(self, instance: Any) -> tuple[Any, ...]:
        """What a program is called with for an instance: values that it cannot change."""

    @abstractmethod
    def evaluate(self, instance: Any, solution: Sequence[int]) -> float:
        """Minimised cost of a solution, which may hold any numbers.

        Raises InvalidAction, which says why, for one that breaks the rules.
        """

    def encode(self, answer: Any) -> Sequence[int]:
        """What a program returned, as whole numbers. Raises InvalidAction for anything else."""
        numbers = answer.tolist() if hasattr(answer, "tolist") else answer
        if not isinstance(numbers, list | tuple | range):
            raise InvalidAction(f"the answer is {_kind(answer)}, not a list of whole numbers")
        for place, number in enumerate(numbers):
            if isinstance(number, bool) or not isinstance(number, Integral):
                raise InvalidAction(f"item {place} of the answer is {_kind(number)}, not an int")
        return [int(number) for number in numbers]

    def draw_solution(self, instance: Any, solution: Sequence[int]) -> str:
        """A text picture of a solution, at most 80 columns and 24 lines; if no other, numbers."""
        return textwrap.fill(" ".join(map(str, solution)), 80, max_lines=24) or "nothing"

    def comment(self, instance: Any, solution: Sequence[int]) -> str:
        """What prompts say of a solution beside its cost, for whoever continues from there."""
        return ""

    def rollout(
        self,
        function: Function,
        instance: Any,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The solution that a program returns, by one call. Raises InvalidAction.

        Where `evaluate` itself fails, the solution is returned all the same: whoever replays it
        finds that out, and it is no fault of the program.
        """
        solution = [*self.encode(function(*self.arguments(instance)))]
        most = self.longest(instance)
        if len(solution) > most:
            raise InvalidAction(f"the answer has {len(solution)} numbers, {most} at most can be")
        if any(abs(number) > LARGEST for number in solution):
            raise InvalidAction(f"the answer holds a number beyond {LARGEST}")
        try:
            self.evaluate(instance, solution)
        except InvalidAction:
            raise
        except (Exception, Overlong):
            return solution
        return solution

    def replay(self, instance: Any, actions: Sequence[int]) -> float:
        """The cost of a solution. Raises InvalidAction."""
        return self.evaluate(instance, actions)

    def start(self, instance: Any) -> Written:
        """The only state of an instance, in which no solution has been written down yet."""
        return Written(instance)

    def actions(self, state: Written) -> tuple[int, ...]:
        """None: the numbers of a solution are no choices."""
        return ()

    def decide(self, function: Function, state: Written) -> int:
        """The next number of what a program returns. Raises InvalidAction."""
        numbers = self.rollout(function, state.instance, None)
        if len(state.numbers) >= len(numbers):
            raise InvalidAction(f"the answer has {len(numbers)} numbers")
        return numbers[len(state.numbers)]

    def fields(self, state: Written, action: int) -> Mapping[str, float]:
        """None."""
        return {}

    def step(self, state: Written, action: int) -> Written:
        """One more number is written down; whether they can be is found out at the end."""
        return Written(state.instance, (*state.numbers, action))

    def cost(self, state: Written) -> float:
        """That of the solution. Raises InvalidAction."""
        return self.evaluate(state.instance, state.numbers)

    def draw(self, state: Written) -> str:
        """The solution, where it is written down whole."""
        return self.draw_solution(state.instance, state.numbers)


def _kind(value: object) -> str:
    """A value by its type, for an error."""
    return "None" if value is None else f"of type {type(value).__name__}"
