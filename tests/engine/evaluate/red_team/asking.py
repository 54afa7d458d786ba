"""A program's answers to the same decisions, asked in fresh processes that differ in all else.

    python -m tests.engine.evaluate.red_team.asking SEED < programs.json > answers.json

answers with one entry a program. Processes of two seeds differ in the hashes of strings, in the
addresses of objects, in the order in which the decisions are asked and in the depth of the stack.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy  # noqa: F401  (for the children)

from engine.evaluate.sandbox.child import CHANNEL, Limits, enter
from problems import ProblemRef, load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from problems.base import Problem, State

SMALL = {
    "toy": (str(Path(__file__).parents[3] / "toy"), "design"),
    "jssp": ("jssp", "random-6x6"),
    "tsp": ("tsp", "tsp20"),
    "cvrp": ("cvrp", "random-20"),
    "maxcut": ("maxcut", "ba20w"),
}
"""Each contract's problem, and a set of it whose instances are small."""

DECISIONS = 6
LIMITS = Limits(cpu_seconds=2, memory_mb=512)
SECONDS = 8


def ask_everybody(programs: Sequence[tuple[str, str]], seed: int) -> list[list[str]]:
    """The answers to each (contract, code), from a process of this seed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.evaluate.red_team.asking", str(seed)],
        input=json.dumps(programs),
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answers: list[list[str]] = json.loads(done.stdout)
    return answers


@cache
def decisions(contract: str) -> tuple[Problem, tuple[State, ...]]:
    """A problem and the first states of one of its instances, always taking the last action."""
    name, small = SMALL[contract]
    problem = load(ProblemRef(name))
    states = [problem.start(problem.load(small)[0])]
    for _ in range(DECISIONS - 1):
        states.append(problem.step(states[-1], problem.actions(states[-1])[-1]))
    return problem, tuple(states)


def ask(contract: str, code: str, seed: int) -> list[str]:
    """What the program says to each decision, in their order; an error is an answer, too."""
    problem, states = decisions(contract)
    order = list(range(len(states)))
    random.Random(seed).shuffle(order)
    said = [""] * len(states)
    try:
        namespace: dict[str, Any] = {"__name__": "program"}
        exec(compile(code, "<program>", "exec", dont_inherit=True), namespace)
        function = namespace[problem.contract.function]
        for index in order * (1 + seed % 2):
            said[index] = _hear(problem, function, states[index], seed)
    except BaseException as error:
        said.append(type(error).__name__)
    return said


def _hear(problem: Problem, function: Callable[..., Any], state: State, depth: int) -> str:
    """The answers of all calls that one decision takes, from `depth` more levels of the stack."""
    if depth:
        return _hear(problem, function, state, depth - 1)
    heard: list[str] = []

    def listen(*arguments: object) -> object:
        answer = function(*arguments)
        heard.append(f"{answer:.17g}" if isinstance(answer, float) else str(int(answer)))
        return answer

    return f"{problem.decide(listen, state)} of {' '.join(heard)}"


def _ask_in_a_box(contract: str, code: str, seed: int) -> list[str]:
    ours, theirs = socket.socketpair()
    engine = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            enter("full", LIMITS, theirs.fileno(), engine)
            os.write(CHANNEL, json.dumps(ask(contract, code, seed)).encode()[:60_000])
        finally:
            os._exit(0)
    theirs.close()
    ours.settimeout(SECONDS)
    try:
        said: list[str] = json.loads(ours.recv(1 << 16))
        return [str(word) for word in said]
    except (ValueError, OSError, TypeError):
        return ["no answer"]
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        ours.close()


def main() -> None:
    """Ask all programs that come in."""
    seed = int(sys.argv[1])
    programs = json.load(sys.stdin)
    for contract, _ in programs:
        decisions(contract)
    json.dump([_ask_in_a_box(contract, code, seed) for contract, code in programs], sys.stdout)


if __name__ == "__main__":
    main()
