"""What isolation costs a candidate, and how many are evaluated a second (run as a script)."""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
import socket
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from engine.evaluate.gate.inspect import inspect
from engine.evaluate.gate.vocabulary import MODULES
from engine.evaluate.pool import Evaluator, Limits
from engine.evaluate.rollout import solve_all
from engine.evaluate.sandbox import child as sandbox
from problems import ProblemRef, load
from problems.base import Problem

TARGET = 10.0
"""Milliseconds of CPU that isolation may cost a candidate (design 8)."""

PROGRAM = "def score(feature, state):\n    return -feature.processing_time\n"
SMALL = "random-3x3"
REPEATS = 200
LARGE = "design"
CANDIDATES = 16


def unprotected(problem: Problem, instances: tuple[Any, ...]) -> tuple[list[list[int]], float]:
    """The actions found in this process, and the CPU milliseconds that it took."""
    started = time.process_time()
    namespace: dict[str, Any] = {}
    reads = getattr(inspect(PROGRAM, problem.contract), "reads", None)
    compiled = compile(PROGRAM, "<program>", "exec")
    answers = []
    for instance in instances:
        exec(compiled, namespace)
        answers.append(problem.rollout(namespace["score"], instance, reads))
    return answers, 1000 * (time.process_time() - started)


def replayed(problem: Problem, instances: tuple[Any, ...], answers: list[list[int]]) -> float:
    """CPU milliseconds of the trusted replay."""
    started = time.process_time()
    for instance, actions in zip(instances, answers, strict=True):
        problem.replay(instance, actions)
    return 1000 * (time.process_time() - started)


def zygote_milliseconds(evaluator: Evaluator) -> float:
    """CPU time of the zygote alone so far (Linux)."""
    text = Path(f"/proc/{evaluator._zygote.process.pid}/stat").read_text()
    user, system = text.rpartition(")")[2].split()[11:13]
    return 1000 * (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def isolation() -> None:
    """Print where the time goes, medians a candidate."""
    async with Evaluator.start(ProblemRef("jssp"), Limits(), workers=1) as evaluator:
        problem = evaluator.problem
        instances = problem.load(SMALL)
        await evaluator.evaluate(PROGRAM, SMALL)
        bare, trusted, child, engine = [], [], [], []
        before = zygote_milliseconds(evaluator)
        for _ in range(REPEATS):
            answers, milliseconds = unprotected(problem, instances)
            bare.append(milliseconds)
            trusted.append(replayed(problem, instances, answers))
            started = time.process_time()
            evaluation = await evaluator.evaluate(PROGRAM, SMALL)
            engine.append(1000 * (time.process_time() - started))
            child.append(1000 * evaluation.cpu)
        zygote = (zygote_milliseconds(evaluator) - before) / REPEATS
    rows = {
        "program in this process": statistics.median(bare),
        "replay": statistics.median(trusted),
        "child": statistics.median(child),
        "engine, replay included": statistics.median(engine),
        "zygote (mean)": zygote,
    }
    print(f"level {evaluator.level}, {len(instances)} instances of {SMALL}, {REPEATS} candidates")
    for name, milliseconds in rows.items():
        print(f"  {name:<26}{milliseconds:8.2f} ms CPU")
    own = rows["child"] - rows["program in this process"]
    total = own + rows["engine, replay included"] - rows["replay"] + zygote
    print(f"  {'isolation in all':<26}{total:8.2f} ms CPU (target {TARGET:g})")


def layers(problem: Problem) -> None:
    """Print the CPU milliseconds of children, each of which does more than the one before."""
    instances = problem.load(SMALL)
    level = sandbox.probe()
    sandbox.prepare(level)
    for module in MODULES:
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
    reads = getattr(inspect(PROGRAM, problem.contract), "reads", None)

    def enter(level: sandbox.Level, parent: int, channel: int) -> None:
        sandbox.enter(level, Limits(), channel, parent)

    def solve(watched: bool, parent: int, channel: int) -> None:
        enter(level, parent, channel)
        solve_all(problem, instances, PROGRAM, reads, None, sandbox.CHANNEL, watched)

    steps: dict[str, Callable[[int, int], object]] = {
        "a fork": lambda *_: None,
        **{f"in sandbox {name}": partial(enter, name) for name in sandbox.LEVELS[::-1]},
        "the program there": partial(solve, False),
        "watched for changes": partial(solve, True),
    }
    for name, step in steps.items():
        taken = statistics.median(in_fork(step) for _ in range(REPEATS))
        print(f"  {name:<26}{taken:8.2f} ms CPU")


def in_fork(step: Callable[[int, int], object]) -> float:
    """CPU milliseconds of a child that takes a step and ends."""
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            step(parent, theirs.fileno())
        finally:
            os._exit(0)
    theirs.close()
    with ours:
        while ours.recv(1 << 16):
            pass
    usage = os.wait4(child, 0)[2]
    return 1000 * (usage.ru_utime + usage.ru_stime)


async def throughput(workers: int) -> None:
    """Print candidates a second on the design set."""
    async with Evaluator.start(ProblemRef("jssp"), Limits(), workers) as evaluator:
        await evaluator.evaluate(PROGRAM, LARGE)
        started = time.perf_counter()
        batch = [evaluator.evaluate(PROGRAM, LARGE) for _ in range(CANDIDATES)]
        evaluations = await asyncio.gather(*batch)
        seconds = time.perf_counter() - started
    cpu = statistics.median(evaluation.cpu for evaluation in evaluations)
    rate = CANDIDATES / seconds
    print(f"{workers} workers: {rate:.1f} candidates/s on {LARGE}, {cpu:.3f} CPU s a candidate")


if __name__ == "__main__":
    layers(load(ProblemRef("jssp")))
    asyncio.run(isolation())
    for count in (1, 2):
        asyncio.run(throughput(count))
