"""What one child claims to have solved, and why it stopped."""

from __future__ import annotations

import asyncio
import math
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.domain.values import Failure
from engine.evaluate.sandbox.child import COMPILING, Limits
from engine.evaluate.sandbox.messages import Malformed, receive

if TYPE_CHECKING:
    from engine.evaluate.sandbox.zygote_client import Ended, ForkedChild

BACKSTOP = 4
"""Wall-clock seconds for each CPU second that a child may take, after which it is looked at."""

IDLE = 0.025
"""A child that computes for less than this share of the wall-clock time waits for nothing good."""

NEAR = 0.9
"""A kill at this share of the limit was for CPU time: the kernel limits by counting ticks, and
reports exact times afterwards."""


NOT_COMPILED = "run by Python, not compiled"
"""What is said of a rule that Python runs, before the reason."""


@dataclass(frozen=True, slots=True)
class Halfway:
    """Once there are `count` claims, a child continues only if `judge` finds no failure."""

    count: int
    judge: Callable[[Sequence[tuple[int, ...]]], Awaitable[Failure | None]]


@dataclass(slots=True)
class ChildReport:
    """A set of `size` instances under way: the claims so far, in the order of the instances.

    `longest` is how many actions each may have at most; `claims` may begin with those of an
    earlier child. CPU seconds are those of the program, without those of `compiling`. `refused`
    says why Python runs a program whose text could be compiled.
    """

    longest: tuple[int, ...]
    claims: list[tuple[int, ...]] = field(default_factory=list)
    failure: Failure | None = None
    cpu: float = 0.0
    compiling: float = 0.0
    refused: str = ""

    @property
    def size(self) -> int:
        """Number of instances."""
        return len(self.longest)

    @property
    def open(self) -> bool:
        """True while more can come."""
        return self.failure is None and len(self.claims) < self.size

    @property
    def padded(self) -> list[tuple[int, ...]]:
        """A claim for every instance, empty where none came."""
        return [*self.claims, *[()] * (self.size - len(self.claims))]

    def hold_to_limit(self, earlier: float, limits: Limits) -> None:
        """Add the CPU seconds of an earlier child, if any, and fail if the sum is over the limit.

        The system ends a process at whole seconds only; here a part of one counts.
        """
        self.cpu += earlier
        if self.failure is None and self.cpu > limits.cpu_seconds:
            self.failure = _too_slow(self, limits)


async def measure_again(
    measure: Callable[[], Awaitable[ChildReport]], limits: Limits
) -> ChildReport:
    """One report, or the second of two where the first is of a program that is a little too slow.

    The same program takes up to 1.7 times longer while a machine is busy, or slow to wake up.
    """
    report = await measure()
    late = report.failure is not None and report.failure.kind == "timeout"
    little = report.cpu < 2 * limits.cpu_seconds and 2 * len(report.claims) >= report.size
    return await measure() if late and little else report


async def collect_child(
    child: ForkedChild,
    report: ChildReport,
    limits: Limits,
    finished: Callable[[int, int], None] | None,
    halfway: Halfway | None = None,
) -> ChildReport:
    """Add to a report until the child ends or breaks a rule; `finished` receives (done, size).

    Whoever calls kills the child afterwards. A busy machine ends no child: one that is slow by the
    wall clock continues while it computes. Raises ZygoteGone.
    """

    async def collect() -> None:
        await _collect_claims(child.stream, report, limits, finished, halfway)
        if report.failure is None:
            ended = await asyncio.shield(child.ended)
            report.failure = _explain_end(report, ended, limits)

    seconds = BACKSTOP * limits.cpu_seconds
    if not await _while_computing(child, collect(), seconds):
        limit = f"the wall-clock limit of {seconds:g} s was reached with {_done(report)}"
        report.failure = Failure("timeout", limit)
    return report


async def collect_batch(
    child: ForkedChild, report: ChildReport, limits: Limits, seconds: float
) -> ChildReport:
    """Add what a child sends that then waits for more; its CPU seconds are those since the call.

    It may take `seconds` of them. A report that stays `open` is of a child that has failed.
    Raises ZygoteGone.
    """
    before = await child.ask_cpu()
    work = _collect_claims(child.stream, report, limits, None, None, waits=True)
    await _while_computing(child, work, seconds, before + seconds)
    after = child.ended.result().cpu if child.ended.done() else await child.ask_cpu()
    report.cpu = max(0.0, after - before - report.compiling)
    return report


async def _while_computing(
    child: ForkedChild,
    work: Coroutine[None, None, None],
    seconds: float,
    most: float = math.inf,
) -> bool:
    """Whether work came to its end before its child stood still for so many seconds.

    Nor may the child have used more CPU seconds than `most`. Time counts from its fork, before
    which the zygote may have to load numba or a set.
    """
    task = asyncio.ensure_future(work)
    try:
        used = await child.ask_cpu()
        while not (await asyncio.wait({task}, timeout=seconds))[0]:
            before, used = used, await child.ask_cpu()
            if not task.done() and (used - before < IDLE * seconds or used > most):
                return False
        await task
        return True
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _collect_claims(
    stream: asyncio.StreamReader,
    report: ChildReport,
    limits: Limits,
    finished: Callable[[int, int], None] | None,
    halfway: Halfway | None,
    waits: bool = False,
) -> None:
    try:
        while report.open:
            index = len(report.claims)
            claim = await receive(stream, index, report.longest[index])
            if isinstance(claim, float):
                report.compiling = min(claim, COMPILING)
                continue
            if isinstance(claim, str):
                report.refused = claim
                continue
            if isinstance(claim, Failure):
                is_late = claim.kind == "timeout"
                report.failure = _too_slow(report, limits) if is_late else claim
                return
            report.claims.append(claim)
            if finished is not None:
                finished(len(report.claims), report.size)
            if halfway is not None and len(report.claims) == halfway.count:
                report.failure = await halfway.judge(report.claims)
        if report.failure is None and not waits and await stream.read(1):
            raise Malformed("more than one answer an instance")
    except Malformed as error:
        report.failure = Failure("forged", f"the program wrote to our channel: {error}")
    except (EOFError, ConnectionError):  # the child has ended; how, its status tells
        return


def _explain_end(report: ChildReport, ended: Ended, limits: Limits) -> Failure | None:
    """Why a child ended without a failure of its own; None when it had answered everything.

    A missing answer is a failure whatever the exit status says.
    """
    if not report.open:
        return None
    if not os.WIFSIGNALED(ended.status):
        code = os.waitstatus_to_exitcode(ended.status)
        return Failure(
            "crash", f"the program ended its process (exit status {code}) {_at(report)}"
        )
    number = os.WTERMSIG(ended.status)
    spent = ended.cpu >= NEAR * limits.cpu_seconds
    if number == signal.SIGXCPU or (number == signal.SIGKILL and spent):
        return _too_slow(report, limits)
    name = signal.Signals(number).name
    if number == signal.SIGKILL:
        return Failure("memory", f"the system, short of memory, sent {name} {_at(report)}")
    return Failure("crash", f"the program was ended by {name} {_at(report)}")


def _too_slow(report: ChildReport, limits: Limits) -> Failure:
    """A program that used up its CPU seconds, and how many times too slow it is, about."""
    if len(report.claims) == report.size:
        message = f"it took {report.cpu:.4g} CPU seconds and may take {limits.cpu_seconds:g}"
    else:
        limit = f"the limit of {limits.cpu_seconds:g} CPU seconds was reached with {_done(report)}"
        unsolved = report.size / (len(report.claims) + 0.5)
        times = max(unsolved, report.cpu / limits.cpu_seconds)
        message = f"{limit}, about {times:.2g} times too slow"
    if report.refused:
        message += f"; {NOT_COMPILED}: {report.refused}"
    return Failure("timeout", message, repairable=True)


def _done(report: ChildReport) -> str:
    return f"{len(report.claims)} of {report.size} instances finished"


def _at(report: ChildReport) -> str:
    return f"(instance {len(report.claims)})"
