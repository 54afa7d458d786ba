"""Evaluation as the engine sees it: a program and a set go in, recomputed costs come out.

    gate (this process) -> child (sandbox) -> action lists -> replay (this process) -> costs
                           another child   -> some of them again (`proof`)

A child's word is taken for nothing but action lists; the trusted simulator computes the costs,
so that a program cannot forge one.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import Any, Self, TypeVar

import problems
from engine.domain.checkpoint import Checkpoint
from engine.domain.concurrency import together
from engine.domain.program import make_program
from engine.domain.values import Continuations, Evaluation, Failure, Prefix
from engine.evaluate import proof
from engine.evaluate.gate.inspect import Inspection, inspect
from engine.evaluate.sandbox.child import COMPILING, LIFE, Level, Limits
from engine.evaluate.sandbox.collect import (
    BACKSTOP,
    NOT_COMPILED,
    ChildReport,
    Halfway,
    collect_batch,
    collect_child,
    measure_again,
)
from engine.evaluate.sandbox.zygote_client import ForkedChild, ZygoteClient, ZygoteGone
from engine.evaluate.speed import explain_speed, is_worth_compiling
from problems import ProblemRef
from problems.base import Problem
from problems.errors import BadModule, WorldError
from problems.own_code import Overlong, blame_call, in_thread
from problems.promises import find_early_fault, find_fault, name_instance

__all__ = ["Evaluator", "Limits"]

Answer = TypeVar("Answer")

UNKNOWN = Inspection(None, obstacle="not looked at")
"""Of a program that the gate has not seen."""

MOST_WAITING = 8
"""Children that wait for more programs like those that they have compiled."""

NUMBER = re.compile(r"[0-9][0-9_.]*(?:[eE][-+]?[0-9_]+)?")
"""A number in a program's text; programs that differ in nothing else have one form."""


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
        self._second = ZygoteClient.start(ref, limits, proof.SURROUNDINGS)
        self._free_workers = asyncio.Semaphore(workers)
        self._sets: dict[str, tuple[Any, ...]] = {}
        self._waiting: dict[tuple[str, str], tuple[AsyncExitStack, ForkedChild]] = {}
        self._alike: set[int] = set()  # of programs that act in machine code as in Python: hashes
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
        """End the zygotes; no evaluation may be under way."""
        await self._drop_waiting(0)
        self._zygote.close()
        self._second.close()

    async def evaluate(
        self,
        code: str,
        set_name: str,
        finished: Callable[[int, int], None] | None = None,
        checkpoint: Checkpoint | None = None,
        part: Evaluation | None = None,
    ) -> Evaluation:
        """Evaluate a program; whatever is wrong with it is a Failure in the answer.

        `finished` receives (instances done, instances in all) as they are solved. It may end at a
        `checkpoint`; with what it found until then, the `part`, another call continues from there.
        Cancelling kills the child. Raises UnknownName or UserError for the set, BadModule where
        the problem itself fails, WorldError when processes fail.
        """
        inspection = await asyncio.to_thread(inspect, code, self.problem.contract)
        if isinstance(inspection, Failure):
            size = len(await self._instances(set_name))
            return Evaluation(None, (None,) * size, (), inspection, 0.0)
        evaluation = await self._run(code, set_name, inspection, finished, checkpoint, part)
        if evaluation.failure is not None:
            self._blame_seed(code, evaluation.failure)
            told = await self._explain(evaluation.failure, code, set_name)
            return replace(evaluation, failure=told)
        failure = await self._prove(code, set_name, evaluation, inspection)
        return evaluation if failure is None else replace(evaluation, cost=None, failure=failure)

    def _blame_seed(self, code: str, failure: Failure) -> None:
        """Raise BadModule where the problem stumbles over the answer of a seed of its own."""
        stumbled = failure.kind in ("smoke", "exception") and failure.line is None
        if stumbled and not problems.is_shipped(self._ref.name):
            seeds = self.problem.seeds()
            named = [s.name for s in seeds if make_program("", s.code or "").code == code]
            if named:
                raise BadModule(f"{failure.message}, for seed program {named[0]}")

    async def _explain(self, failure: Failure, code: str, set_name: str) -> Failure:
        """A failure; that of a rule that is too slow with what keeps it from being compiled."""
        if failure.kind != "timeout" or NOT_COMPILED in failure.message:
            return failure
        speed = explain_speed(self.problem, code, await self._instances(set_name))
        return replace(failure, message="; ".join(filter(None, (failure.message, speed))))

    async def try_out(
        self, codes: Sequence[str], set_name: str, chosen: Sequence[int], seconds: float
    ) -> tuple[Evaluation, ...]:
        """Programs on some instances, by index, without the proof: no cost to be relied upon.

        Each may use `seconds` of CPU time. Those that differ in numbers alone are compiled once.
        Raises what `evaluate` does.
        """
        known = await self._try_variants(codes, set_name, chosen, seconds)

        async def try_one(code: str) -> Evaluation:
            if code in known:
                return known[code]
            inspection = await asyncio.to_thread(inspect, code, self.problem.contract)
            if isinstance(inspection, Failure):
                return Evaluation(None, (None,) * len(chosen), (), inspection, 0.0)
            return await self._run(code, set_name, inspection, chosen=chosen, seconds=seconds)

        return tuple(await together(map(try_one, codes)))

    async def _try_variants(
        self,
        codes: Sequence[str],
        set_name: str,
        chosen: Sequence[int],
        seconds: float,
    ) -> dict[str, Evaluation]:
        """Programs in one child, by their texts, where they can be compiled together.

        The gate looks at the first alone: others that do not differ from it in numbers alone are
        found in the child. Those that failed anywhere are left out: why, each says alone.
        """
        everything = await self._instances(set_name)
        if len(codes) < 2 or not is_worth_compiling(self.problem, everything):
            return {}
        first = await asyncio.to_thread(inspect, codes[0], self.problem.contract)
        if isinstance(first, Failure) or first.obstacle:
            return {}
        instances = [everything[index] for index in chosen]
        request = self._as_request("", set_name, first, instances, seconds, chosen)
        request |= {"variants": [*codes], "compiles": True}
        most = tuple(self.problem.longest(instance) for instance in instances) * len(codes)
        async with self._free_workers:
            claims, cpu = await self._ask_waiting(request, most)
        prefixes = [Prefix(index, ()) for index in chosen] * len(codes)
        costs = await in_thread(
            self._limits.cpu_seconds,
            replay_from,
            self.problem,
            instances * len(codes),
            prefixes,
            claims,
        )
        found = {}
        for number, code in enumerate(codes):
            part = slice(number * len(chosen), (number + 1) * len(chosen))
            solved = [cost for cost in costs[part] if cost is not None]
            if len(solved) == len(chosen):
                mean = sum(solved) / len(solved)
                walks = tuple(claims[part])
                found[code] = Evaluation(mean, tuple(solved), walks, None, cpu / len(codes))
        return found

    async def _ask_waiting(
        self, request: Mapping[str, Any], sizes: tuple[int, ...]
    ) -> tuple[list[tuple[int, ...]], float]:
        """The claims on a batch and its CPU seconds, from a child that has compiled its like.

        Where none waits it is a new one, which then waits for the next batch.
        """
        form = (request["set"], NUMBER.sub("0", request["variants"][0]))
        report = ChildReport(sizes)
        stack, child = self._waiting.pop(form, None) or (AsyncExitStack(), None)
        with suppress(ZygoteGone):
            async with stack:
                if child is None:
                    zygote = self._live_zygote(second=False)
                    child = await stack.enter_async_context(zygote.child(request))
                else:
                    child.send(request)
                most = COMPILING + request["seconds"] * len(request["variants"])
                await collect_batch(child, report, self._limits, most)
                goes_on = not report.open and await child.ask_cpu() < LIFE
                if goes_on and form not in self._waiting:  # as it may be of a like program
                    self._waiting[form] = (stack.pop_all(), child)
        await self._drop_waiting(MOST_WAITING)
        return report.padded, report.cpu

    async def _drop_waiting(self, most: int) -> None:
        """End those of the children that wait for programs which waited longest."""
        while len(self._waiting) > most:
            stack, _ = self._waiting.pop(next(iter(self._waiting)))
            with suppress(ZygoteGone):
                await stack.aclose()

    def _compiles(self, inspection: Inspection, instances: Sequence[Any]) -> bool:
        return not inspection.obstacle and is_worth_compiling(self.problem, instances)

    async def continue_from(
        self, code: str, set_name: str, prefixes: Sequence[Prefix], seconds: float
    ) -> Continuations:
        """Let a program continue after actions that were forced on it; the costs at the end.

        It may use `seconds` of CPU time. A cost is None where the program failed, took too long,
        or claims what does not follow from the rules. Raises what `evaluate` does.
        """
        inspection = await asyncio.to_thread(inspect, code, self.problem.contract)
        if isinstance(inspection, Failure) or not prefixes:
            return Continuations((None,) * len(prefixes), 0.0)
        everything = await self._instances(set_name)
        instances = [everything[prefix.instance] for prefix in prefixes]
        chosen = [prefix.instance for prefix in prefixes]
        request = self._as_request(code, set_name, inspection, instances, seconds, chosen)
        request["forced"] = [prefix.actions for prefix in prefixes]
        most = tuple(self.problem.longest(instance) for instance in instances)
        async with self._free_workers:
            limits = self._limits.within(max(seconds, self._limits.cpu_seconds))
            report = await self._run_child(request, limits, lambda: ChildReport(most), None, None)
        claims = report.padded
        costs = await in_thread(
            self._limits.cpu_seconds, replay_from, self.problem, instances, prefixes, claims
        )
        return Continuations(costs, report.cpu)

    def _as_request(
        self,
        code: str,
        set_name: str,
        inspection: Inspection,
        instances: Sequence[Any],
        seconds: float | None = None,
        chosen: Sequence[int] | None = None,
    ) -> dict[str, object]:
        """What a child is to do: to solve a set, or the chosen instances of it.

        It has the CPU seconds of all limits where none are given.
        """
        return {
            "code": code,
            "set": set_name,
            "reads": _as_list(inspection),
            "compiles": self._compiles(inspection, instances),
            "watched": inspection is not UNKNOWN,
            "chosen": None if chosen is None else [*chosen],
            "forced": None,
            "variants": None,
            "seconds": seconds,
            "skip": 0,
            "alike": False,
        }

    async def _run(
        self,
        code: str,
        set_name: str,
        inspection: Inspection = UNKNOWN,
        finished: Callable[[int, int], None] | None = None,
        checkpoint: Checkpoint | None = None,
        part: Evaluation | None = None,
        chosen: Sequence[int] | None = None,
        seconds: float | None = None,
    ) -> Evaluation:
        """What follows the gate, safe without it."""
        instances = await self._instances(set_name)
        if chosen is not None:
            instances = tuple(instances[index] for index in chosen)
        done = () if part is None else part.actions
        request = self._as_request(code, set_name, inspection, instances, seconds, chosen)
        request["skip"] = len(done)
        if (
            seconds is not None and hash(code) in self._alike
        ):  # a trial's costs are not relied upon
            request |= {"alike": True, "compiles": True}
        limits = self._limits.within(seconds)
        most = tuple(self.problem.longest(instance) for instance in instances)
        halfway = None
        if checkpoint is not None and checkpoint.count > len(done):
            judge = partial(self._judge, instances, checkpoint)
            halfway = Halfway(checkpoint.count, judge)

        async def measure() -> ChildReport:
            async with self._free_workers:
                report = await self._run_child(
                    request, limits, lambda: ChildReport(most, [*done]), finished, halfway
                )
            report.hold_to_limit(0.0 if part is None else part.cpu, limits)
            return report

        report = await (measure_again(measure, limits) if seconds is None else measure())
        if report.failure is None and report.compiling and not report.refused:
            self._alike.add(hash(code))
        return await in_thread(
            self._limits.cpu_seconds, _replay_claims, self.problem, instances, report
        )

    async def _judge(
        self, instances: Sequence[Any], checkpoint: Checkpoint, claims: Sequence[tuple[int, ...]]
    ) -> Failure | None:
        """Whether an evaluation ends at its checkpoint; a claim that is none is found later."""
        report = ChildReport(tuple(map(len, claims)), [*claims])
        found = await in_thread(
            self._limits.cpu_seconds, _replay_claims, self.problem, instances, report
        )
        return checkpoint.judge_known(found)

    async def _prove(
        self, code: str, set_name: str, evaluation: Evaluation, inspection: Inspection
    ) -> Failure | None:
        """Solve an instance again, in another process; the failure if an action is different."""
        instance = proof.choose(code, evaluation.actions)
        if instance is None:
            return None
        request = proof.as_request(code, set_name, instance, _as_list(inspection))
        seconds = BACKSTOP * self._limits.cpu_seconds

        async def collect(child: ForkedChild) -> Failure | None:
            with suppress(TimeoutError):  # a busy machine is no proof of anything
                async with asyncio.timeout(seconds):
                    return await proof.compare(child, instance, evaluation.actions[instance])
            return None

        async with self._free_workers:
            return await self._in_child(request, collect, second=True)

    async def _run_child(
        self,
        request: Mapping[str, object],
        limits: Limits,
        begin: Callable[[], ChildReport],
        finished: Callable[[int, int], None] | None,
        halfway: Halfway | None,
    ) -> ChildReport:
        """One evaluation, whose CPU seconds are those of its child."""
        ended: list[ForkedChild] = []

        async def collect(child: ForkedChild) -> ChildReport:
            ended.append(child)
            return await collect_child(child, begin(), limits, finished, halfway)

        report = await self._in_child(request, collect)
        report.cpu = max(0.0, ended[-1].ended.result().cpu - report.compiling)
        return report

    async def _in_child(
        self,
        request: Mapping[str, object],
        collect: Callable[[ForkedChild], Awaitable[Answer]],
        second: bool = False,
    ) -> Answer:
        """What `collect` receives from a child, or from another when the zygote dies under it."""
        for _ in range(2):
            try:
                async with self._live_zygote(second).child(request) as child:
                    return await collect(child)
            except ZygoteGone:
                continue
        raise WorldError("the evaluation process died twice; what it said stands above")

    def _live_zygote(self, second: bool) -> ZygoteClient:
        zygote = self._second if second else self._zygote
        if zygote.alive:
            return zygote
        zygote.close()
        if second:
            self._second = ZygoteClient.start(self._ref, self._limits, proof.SURROUNDINGS)
            return self._second
        self._zygote = ZygoteClient.start(self._ref, self._limits)
        return self._zygote

    async def _instances(self, name: str) -> tuple[Any, ...]:
        async with self._loading:
            if name not in self._sets:
                self._sets[name] = await asyncio.to_thread(self.problem.load, name)
            return self._sets[name]


def _as_list(inspection: Inspection) -> list[str] | None:
    """What a program reads, for a message."""
    return None if inspection.reads is None else sorted(inspection.reads)


def replay_from(
    problem: Problem,
    instances: Sequence[Any],
    prefixes: Sequence[Prefix],
    claims: Sequence[Sequence[int]],
) -> tuple[float | None, ...]:
    """Costs of claimed walks, None for one that breaks the rules or begins otherwise."""
    costs: list[float | None] = []
    for instance, prefix, claim in zip(instances, prefixes, claims, strict=True):
        cost = math.nan
        if claim and tuple(claim[: len(prefix.actions)]) == prefix.actions:
            with suppress(Exception):  # whatever the rules stumble over, the claim is at fault
                cost = float(problem.replay(instance, claim))
        costs.append(cost if math.isfinite(cost) else None)
    return tuple(costs)


def _replay_claims(problem: Problem, instances: Sequence[Any], report: ChildReport) -> Evaluation:
    """Replay every claim; a claim that breaks the rules was made up, and then none counts.

    Raises BadModule where the rules themselves fail on a walk of feasible actions, or do not end.
    """
    costs: list[float | None] = [None] * report.size
    for index, actions in enumerate(report.claims):
        instance = instances[index]
        try:
            costs[index] = cost = float(problem.replay(instance, actions))
            if not math.isfinite(cost):
                raise ValueError(f"a cost of {cost}")
        except Overlong as error:
            raise BadModule(f"{blame_call(error)} {name_instance(instance)}") from None
        except Exception as error:  # whatever the rules stumble over, the claim is at fault
            if fault := find_fault(problem, instance, actions):
                raise BadModule(fault) from error
            message = f"the answer to instance {index} is not a solution: {error}"
            forged = Failure("forged", message)
            return Evaluation(None, (None,) * report.size, (), forged, report.cpu)
    if report.failure is not None and report.failure.line is None:
        _refuse_early_fault(problem, instances[len(report.claims) :][:1])
    mean = None if report.failure else sum(costs) / report.size  # type: ignore[arg-type]
    return Evaluation(mean, tuple(costs), tuple(report.claims), report.failure, report.cpu)


def _refuse_early_fault(problem: Problem, following: Sequence[Any]) -> None:
    """Raise BadModule where the next instance never came to the program."""
    for instance in following:
        try:
            fault = find_early_fault(problem, instance)
        except Overlong as error:
            fault = f"{blame_call(error)} {name_instance(instance)}"
        if fault:
            raise BadModule(fault)
