"""Evaluation as the engine sees it: a program and a set go in, recomputed costs come out.

    gate (this process) -> child (sandbox) -> action lists -> replay (this process) -> costs

A child's word is taken for nothing but action lists; the trusted simulator computes the costs,
so that a program cannot forge one.
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any, Self

import problems
from engine.domain.values import Evaluation, Failure
from engine.evaluate.gate.inspect import Inspection, inspect
from engine.evaluate.sandbox.child import Limits
from engine.evaluate.sandbox.collect import collect_child
from engine.evaluate.sandbox.zygote_client import ZygoteClient, ZygoteGone
from problems.base import Compilable, replay
from problems.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.evaluate.sandbox.child import Level
    from engine.evaluate.sandbox.collect import ChildReport
    from problems import ProblemRef
    from problems.base import Problem

__all__ = ["Evaluator", "Limits"]

UNKNOWN = Inspection(None)
"""Of a program that the gate has not seen."""


class Evaluator:
    """Programs of one problem, evaluated in sandboxed children, `workers` at a time.

    `async with Evaluator.start(...) as evaluator:`, in one event loop, from the main thread.
    """

    def __init__(self, ref: ProblemRef, limits: Limits, workers: int) -> None:
        """See `start`."""
        self.problem: Problem = problems.load(ref)
        self._ref = ref
        self._limits = limits
        self._zygote = ZygoteClient.start(ref, limits)
        self._free_workers = asyncio.Semaphore(workers)
        self._sets: dict[str, tuple[Any, ...]] = {}
        self._loading = asyncio.Lock()

    @classmethod
    def start(cls, problem: ProblemRef, limits: Limits, workers: int) -> Self:
        """Start the zygote; to be called before this process starts threads.

        Raises UserError for a problem that cannot be loaded, WorldError when the zygote fails.
        """
        return cls(problem, limits, workers)

    @property
    def level(self) -> Level:
        """How strong the sandbox is here: `full`, `seccomp` or `process`."""
        return self._zygote.level

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close."""
        await self.close()

    async def close(self) -> None:
        """End the zygote; no evaluation may be under way."""
        self._zygote.close()

    async def evaluate(
        self, code: str, set_name: str, finished: Callable[[int, int], None] | None = None
    ) -> Evaluation:
        """Evaluate a program; whatever is wrong with it is a Failure in the answer.

        `finished` hears (instances done, instances in all) as they are solved. Cancelling kills
        the child. Raises UnknownName or UserError for the set, WorldError when processes fail.
        """
        inspection = await asyncio.to_thread(inspect, code, self.problem.contract)
        if isinstance(inspection, Failure):
            size = len(await self._instances(set_name))
            return Evaluation(None, (None,) * size, (), inspection, 0.0)
        return await self._run(code, set_name, inspection, finished)

    async def _run(
        self,
        code: str,
        set_name: str,
        inspection: Inspection = UNKNOWN,
        finished: Callable[[int, int], None] | None = None,
    ) -> Evaluation:
        """What follows the gate, safe without it."""
        instances = await self._instances(set_name)
        request = {
            "code": code,
            "set": set_name,
            "reads": None if inspection.reads is None else [*inspection.reads],
            "pilots": _choose_pilots(self.problem, instances) if inspection.is_scalar else None,
        }
        async with self._free_workers:
            report = await self._run_child(request, len(instances), finished)
        return await asyncio.to_thread(_replay_claims, self.problem, instances, report)

    async def _run_child(
        self,
        request: Mapping[str, object],
        size: int,
        finished: Callable[[int, int], None] | None,
    ) -> ChildReport:
        """One child, and once more when the zygote dies under it."""
        for _ in range(2):
            if not self._zygote.alive:
                self._zygote.close()
                self._zygote = ZygoteClient.start(self._ref, self._limits)
            try:
                async with self._zygote.child(request) as child:
                    report = await collect_child(child, size, self._limits, finished)
                report.cpu = child.ended.result().cpu
                return report
            except ZygoteGone:
                continue
        raise WorldError("the evaluation process died twice; what it said stands above")

    async def _instances(self, name: str) -> tuple[Any, ...]:
        async with self._loading:
            if name not in self._sets:
                self._sets[name] = await asyncio.to_thread(self.problem.load, name)
            return self._sets[name]


def _choose_pilots(problem: Problem, instances: Sequence[Any]) -> str | None:
    """The set to try compiled code on; None where compiling does not pay."""
    if not isinstance(problem, Compilable):
        return None
    pays = any(instance.size >= problem.compiled_from for instance in instances)
    return problem.example if pays else None


def _replay_claims(problem: Problem, instances: Sequence[Any], report: ChildReport) -> Evaluation:
    """Replay every claim; a claim that breaks the rules was made up, and then none counts."""
    costs: list[float | None] = [None] * report.size
    for index, actions in enumerate(report.claims):
        try:
            costs[index] = cost = float(replay(problem, instances[index], actions))
            if not math.isfinite(cost):
                raise ValueError(f"a cost of {cost}")
        except Exception as error:  # whatever the rules stumble over, the claim is at fault
            message = f"the answer to instance {index} is not a solution: {error}"
            forged = Failure("forged", message)
            return Evaluation(None, (None,) * report.size, (), forged, report.cpu)
    mean = None if report.failure else sum(costs) / report.size  # type: ignore[arg-type]
    return Evaluation(mean, tuple(costs), tuple(report.claims), report.failure, report.cpu)
