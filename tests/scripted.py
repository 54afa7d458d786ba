"""A writer for tests: programs drawn from the request alone, and a log of what it was asked.

Given to a run as `tests/scripted.py:Scripted`; it appends one line per request it answers to the
file named by TEST_PRECEPTOR_LOG, so that a test can count how often a reply was asked for.
"""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path

from engine.domain.text.codec import content_key
from engine.domain.values import Reply, Request, Usage
from problems.base import Problem

LOG = "TEST_PRECEPTOR_LOG"


class Scripted:
    """Weighted sums of the contract's numbers; some replies are broken on purpose."""

    name = "scripted"

    def __init__(self, problem: Problem) -> None:
        argument = problem.contract.arguments[0]
        self._signature = problem.contract.signature()
        self._fields = [f"{argument.name}.{field.name}" for field in argument.fields]

    async def complete(self, request: Request) -> Reply:
        """A reply that depends on the request's dice alone."""
        self._log(request)
        dice = random.Random(request.draw)
        await asyncio.sleep(dice.random() * 0.01)
        text = self._answer(request, dice)
        if request.role == "program" and dice.random() < 0.1:
            text = text.replace("def ", "deff ")
        return Reply(text, model="scripted", usage=Usage(100, 10), raw="{}")

    def _answer(self, request: Request, dice: random.Random) -> str:
        if request.role in ("program", "repair"):
            return self._program(dice)
        if request.role == "analyzer":
            return self._briefs(request)
        return f"{request.role} advice number {request.draw % 1000}"

    def _program(self, dice: random.Random) -> str:
        terms = [
            f"{dice.uniform(-2, 2):.3g} * {field}"
            for field in dice.sample(self._fields, k=min(3, len(self._fields)))
        ]
        body = f"def {self._signature}:\n    return {' + '.join(terms)}"
        return f"{{A weighted sum.}}\n```python\n{body}\n```"

    def _briefs(self, request: Request) -> str:
        operators = sorted({recipe.operator for recipe in request.recipes})
        return "\n".join(f"## {operator}\nLook at the weights." for operator in operators)

    def _log(self, request: Request) -> None:
        if LOG in os.environ:
            with Path(os.environ[LOG]).open("a", encoding="utf-8") as log:
                log.write(content_key(request) + "\n")
