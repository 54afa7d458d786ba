"""A writer to start from: it answers every request, here with a program that it makes up.

Replace `answer` with what shall write: a model, a program, a queue. A run asks it with
`--llm ./DIR/writer.py:Writer`; `test_writer.py` tells whether it keeps the seam.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from preceptor import Reply

if TYPE_CHECKING:
    from preceptor import Problem, Request


class Writer:
    """Weighs the first numbers of the contract by chance."""

    name = "by-chance"

    def __init__(self, problem: Problem) -> None:
        """The problem says what a program is given and returns."""
        self._contract = problem.contract
        self._seed = problem.seeds()[0].code

    async def complete(self, request: Request) -> Reply:
        """Answer one request; `request.messages` are what a language model would read.

        Runs are resumed and repeated: the same request is to get the same reply, so what is drawn
        is drawn from `request.draw`. Whatever blocks belongs into `await asyncio.to_thread(...)`.
        """
        if request.role == "analyzer":  # a section for each operator that is to be briefed
            operators = sorted({recipe.operator for recipe in request.recipes})
            sections = [f"## {name}\nTry other weights." for name in operators]
            return Reply("\n\n".join(sections) or "Try other weights.")
        if request.role not in ("program", "repair"):
            return Reply("Try other weights.")
        return Reply(self.answer(random.Random(request.draw), request))

    def answer(self, rng: random.Random, request: Request) -> str:
        """An idea in braces, then the program in a block of code."""
        parents = [parent for recipe in request.recipes for parent in recipe.parents]
        first = self._contract.arguments[0]
        if self._contract.answer != "score" or not first.fields:  # nothing to weigh: hand one back
            code = parents[0].program.code if parents else self._seed
            return f"{{The same again.}}\n```python\n{code}\n```"
        terms = [f"{rng.uniform(-1, 1):.3f} * {first.name}.{one.name}" for one in first.fields[:3]]
        head = f"def {self._contract.signature()}:"
        return f"{{A weighted sum.}}\n```python\n{head}\n    return {' + '.join(terms)}\n```"
