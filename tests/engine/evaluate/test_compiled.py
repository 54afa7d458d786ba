"""Compiled code runs in the sandbox, and ends when its time is over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from engine.evaluate.pool import Evaluator, Limits
from problems import ProblemRef

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PROBLEM = ProblemRef(str(Path(__file__).parent / "compiled"))
PROGRAM = """
from numba import njit

@njit(nogil={nogil})
def work(start, stop):
    total = start
    while total != stop:
        total = (3 * total + 1) % 1000003
    return total

def score(item, state):
    work(0, {stop})
    return item.weight
"""

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evaluator() -> AsyncIterator[Evaluator]:
    async with Evaluator.start(PROBLEM, Limits(cpu_seconds=3), workers=1) as evaluator:
        yield evaluator


async def test_a_program_can_be_compiled_in_the_sandbox(evaluator: Evaluator) -> None:
    evaluation = await evaluator._run(PROGRAM.format(nogil=False, stop=13), "design")
    assert evaluation.failure is None
    plain = await evaluator._run("def score(item, state):\n    return item.weight", "design")
    assert evaluation.actions == plain.actions


async def test_a_compiled_endless_loop_is_ended(evaluator: Evaluator) -> None:
    evaluation = await evaluator._run(PROGRAM.format(nogil=True, stop=-1), "design")
    assert evaluation.failure is not None
    assert evaluation.failure.kind == "timeout"
