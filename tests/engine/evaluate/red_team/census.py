"""What becomes of every hostile program, with the gate and without it, as a table.

    python -m tests.engine.evaluate.red_team.census [--each] [WORD ...]

For each kind (that holds one of the words): how many programs the gate refuses, how many fail or
are found out by the proof, and how many are accepted, because they are pure or do no harm. Then
how many forged a cost, escaped, told a secret or left a process behind. With `--each` every
program that the gate lets pass has a line, too. About ten minutes.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.domain.values import Evaluation, Failure
from engine.evaluate.gate.inspect import inspect
from engine.evaluate.pool import UNKNOWN, Evaluator, Limits
from problems import ProblemRef
from problems.base import Problem
from tests.engine.evaluate.hostile import PROGRAMS as HOSTILE
from tests.engine.evaluate.processes import session
from tests.engine.evaluate.red_team import PROGRAMS
from tests.engine.evaluate.red_team.asking import SMALL
from tests.engine.evaluate.red_team.ordinary import ORDINARY
from tests.engine.evaluate.red_team.trick import Trick

LIMITS = Limits(cpu_seconds=1, memory_mb=256)
SECRET = "canary"
ESCAPED = "ESCAPED"
FORGING = "forges messages"
HARMS = ("forged", "escaped", "leaked", "orphan")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a program: how it ended, in one word and in many, and the harm it did."""

    program: Trick
    gated: bool
    end: str
    words: str
    harms: frozenset[str]


def hostile() -> list[Trick]:
    """The red team's programs and those of the sandbox's own tests."""
    older = [Trick("attacks on the sandbox", one.name, one.code) for one in HOSTILE]
    return [*PROGRAMS, *older]


def aimed(code: str, folder: Path, zygote: int) -> str:
    """The program with its victims filled in."""
    victims = {
        "FILE": folder / "file", "FOLDER": folder, "ENGINE": os.getpid(), "ZYGOTE": zygote,
    }  # fmt: skip
    for word, victim in victims.items():
        code = code.replace(word, str(victim))
    return code


async def without_gate(evaluator: Evaluator, code: str, name: str) -> Evaluation:
    """An evaluation and its proof."""
    evaluation = await evaluator._run(code, name)
    if evaluation.failure is None:
        failure = await evaluator._prove(code, name, evaluation, UNKNOWN)
        if failure is not None:
            return replace(evaluation, cost=None, failure=failure)
    return evaluation


def is_honest(evaluator: Evaluator, evaluation: Evaluation, name: str) -> bool:
    """Whether every cost is that of the actions beside it."""
    problem = evaluator.problem
    solved = zip(problem.load(name), evaluation.actions, evaluation.costs, strict=False)
    return all(Problem.replay(problem, one, taken) == cost for one, taken, cost in solved)


async def outcome(evaluator: Evaluator, one: Trick, gated: bool, folder: Path) -> Outcome:
    """Run a program and look around afterwards."""
    name = SMALL[one.contract][1]
    zygotes = [zygote.process.pid for zygote in (evaluator._zygote, evaluator._second)]
    code = aimed(one.code, folder, zygotes[0])
    if gated and isinstance(found := inspect(code, evaluator.problem.contract), Failure):
        return Outcome(one, gated, "gate", f"{found.kind}: {found.message}", frozenset())
    run = evaluator.evaluate if gated else lambda *case: without_gate(evaluator, *case)
    evaluation = await run(code, name)
    failure = evaluation.failure
    words = "accepted" if failure is None else f"{failure.kind}: {failure.message}"
    end = "accepted" if failure is None else failure.kind
    harms = set()
    forges = one.kind == FORGING and failure is None
    if forges or not is_honest(evaluator, evaluation, name):
        harms.add("forged")
    same = [z.process.pid for z in (evaluator._zygote, evaluator._second)] == zygotes
    left = {path.name for path in folder.iterdir()} != {"file"} or Path("/tmp/red").exists()
    if ESCAPED in words or left or not same or (folder / "file").read_text() != SECRET:
        harms.add("escaped")
    if SECRET in words:
        harms.add("leaked")
    if any(session(zygote) for zygote in zygotes):
        harms.add("orphan")
    return Outcome(one, gated, end, words, frozenset(harms))


async def outcomes(programs: Sequence[Trick], gated: bool) -> AsyncIterator[Outcome]:
    """What becomes of each, one after the other."""
    os.environ["PRECEPTOR_TEST_KEY"] = SECRET
    for contract in sorted({one.contract for one in programs}):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "file").write_text(SECRET)
            ref = ProblemRef(SMALL[contract][0])
            async with Evaluator.start(ref, LIMITS, workers=1) as evaluator:
                for one in programs:
                    if one.contract == contract:
                        yield await outcome(evaluator, one, gated, Path(name))


def tell(found: Sequence[Outcome], title: str) -> None:
    """Print one table."""
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        row = kinds[one.program.kind]
        word = one.end if one.end in ("gate", "nondeterministic", "accepted") else "fails"
        row.update([word, "all", *one.harms])
    columns = ("all", "gate", "fails", "nondeterministic", "accepted", *HARMS)
    heads = ("", "programs", "gate", "fails", "proof", "accepted", *HARMS)
    print(f"\n{title}")
    print(f"{heads[0]:<44}" + "".join(f"{head:>10}" for head in heads[1:]))
    for kind, row in (*sorted(kinds.items()), ("all", sum(kinds.values(), Counter[str]()))):
        print(f"{kind:<44}" + "".join(f"{row[column]:>10}" for column in columns))


async def main(words: Sequence[str]) -> None:
    """Print both tables, and the ordinary programs that are refused."""
    each = "--each" in words
    wanted = [word for word in words if word != "--each"]
    programs = [one for one in hostile() if not wanted or any(word in one.kind for word in wanted)]
    for gated in (True, False):
        found = [one async for one in outcomes(programs, gated)]
        tell(found, "With the gate" if gated else "Without the gate")
        for one in found:
            if (each and one.end != "gate") or one.harms:
                line = (one.program.kind, one.program.name, one.words, *sorted(one.harms))
                print("\t".join(repr(word)[1:-1][:120] for word in line))
    ordinary = [one async for one in outcomes(ORDINARY, gated=True)]
    refused = [one for one in ordinary if one.end != "accepted"]
    print(f"\nOrdinary programs: {len(ordinary) - len(refused)} of {len(ordinary)} accepted")
    for one in refused:
        print(f"    {one.program.name}: {one.words}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
