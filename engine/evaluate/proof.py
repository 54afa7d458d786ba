"""The proof that a program is a function of its arguments: some decisions are asked again.

A fresh process with another hash seed, other contents of unused memory and another order of
questions has to give the same actions (`asking`). Which are asked depends on the program's text
and its actions; how many beyond a few, on the CPU time of the evaluation, so that the proof stays
cheap.
"""

from __future__ import annotations

import os
import random
import signal
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from engine.domain.values import Failure
from engine.evaluate.sandbox.messages import Malformed, receive

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.evaluate.sandbox.zygote_client import ForkedChild

    Claims = Sequence[Sequence[int]]

SURROUNDINGS = {"PYTHONHASHSEED": "20011", "MALLOC_PERTURB_": "165"}
"""How the process that asks again differs from the one that evaluates."""

SHARE = 0.1
"""CPU time of the proof as a share of the evaluation's."""

MANY = 20
"""Instances of a set, from which on a fast walk through one more is cheap."""

SHORT = 24
WALKS = 3
"""Steps up to which several walks are cheap in any case, and how many."""

FEW = 4
SLOW = 2
"""Questions of the first two groups, and those of a program that was compiled because it is slow.
Beside a long walk there is only one group."""

EARLY = 8
"""The first of these groups stays in the first eighth of its instance."""

GROUPS = 16
STEPS = 9
"""Groups asked while there is time, and questions of each."""

BEFORE = 4
"""Groups of these before a whole instance is asked step by step."""


@dataclass(frozen=True, slots=True)
class Group:
    """Steps of one instance, in the order in which they are asked; `actions` lead there.

    Where `walks`, they are asked in one fast walk from the start.
    """

    instance: int
    steps: tuple[int, ...]
    actions: tuple[int, ...] = ()
    walks: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """What is asked: `always` groups, and the others while there is time.

    `compiled`: the program, which the evaluation tried to compile, is compiled for the others;
    until then it is `slower` than it was, and may run out of its time.
    """

    always: tuple[Group, ...]
    others: tuple[Group, ...]
    compiled: bool = False
    slower: bool = False

    @property
    def groups(self) -> tuple[Group, ...]:
        """All of them in order."""
        return self.always + self.others


def choose_walks(code: str, claims: Claims) -> Sample:
    """Whole instances for programs that return whole solutions: one, then more in the time."""
    walks = [_walk(index, claims) for index in _shuffled(_rng(code), claims)]
    return Sample(tuple(walks[:1]), tuple(walks[1:]))


def choose(code: str, claims: Claims, cpu: float, compiling: float | None = None) -> Sample:
    """A few steps of a few instances and one fast walk; then steps of more, and one whole.

    `cpu` are the seconds of the evaluation, `compiling` those that the compiler is thought to
    take, None for a program that was not compiled. A compiled one is asked a few steps as it
    stands; whole instances only when there is time to compile it.
    """
    tried_compiled = compiling is not None
    rng = _rng(code)
    indices = _shuffled(rng, claims)
    walks = [_walk(index, claims) for index in indices]
    is_short = all(len(claims[index]) <= SHORT for index in indices[:WALKS])
    first = walks[: WALKS if is_short else int(len(claims) >= MANY)]
    if tried_compiled:
        first = []
    is_long = bool(first) and not is_short
    count = SLOW if tried_compiled else FEW
    few = list(_few_steps(rng, indices[: 1 if is_long else 2], claims, count))
    if compiling is not None and SHARE * cpu >= compiling:
        return Sample(tuple(few), tuple(walks), compiled=True, slower=True)
    others = list(_many_steps(rng, indices[len(few) :], claims))
    for index in indices[:1]:
        others.insert(BEFORE, _steps(range(len(claims[index])), index, claims))
    return Sample((*first, *few), tuple(others), slower=tried_compiled)


def _rng(code: str) -> random.Random:
    return random.Random(sha256(code.encode("utf-8", "surrogatepass")).digest())


def _shuffled(rng: random.Random, claims: Claims) -> list[int]:
    """The instances on which there is anything to ask."""
    indices = [index for index, actions in enumerate(claims) if actions]
    rng.shuffle(indices)
    return indices


def _walk(index: int, claims: Claims) -> Group:
    return Group(index, tuple(range(len(claims[index]))), walks=True)


def _few_steps(
    rng: random.Random, indices: Sequence[int], claims: Claims, count: int
) -> Iterator[Group]:
    for number, index in enumerate(indices):
        size = len(claims[index])
        last = rng.randrange(size if number else -(-size // EARLY))
        yield _steps_before(rng, last, count, index, claims)


def _many_steps(rng: random.Random, indices: Sequence[int], claims: Claims) -> Iterator[Group]:
    """As long as few steps lead to them."""
    room = SHARE * sum(map(len, claims))
    for index in indices[:GROUPS]:
        last = rng.randrange(len(claims[index]))
        room -= last
        if room < 0:
            return
        yield _steps_before(rng, last, STEPS, index, claims)


def _steps_before(rng: random.Random, last: int, count: int, index: int, claims: Claims) -> Group:
    """A step and some before it, backwards."""
    before = rng.sample(range(last), min(count - 1, last))
    return _steps(sorted((last, *before), reverse=True), index, claims)


def _steps(steps: Sequence[int], index: int, claims: Claims) -> Group:
    return Group(index, tuple(steps), tuple(claims[index][: max(steps)]))


def as_request(
    code: str,
    set_name: str,
    sample: Sample,
    cpu: float,
    reads: Sequence[str] | None = None,
    pilots: str | None = None,
    texts: bool = False,
) -> dict[str, object]:
    """The question to a zygote.

    `cpu` are the seconds of the evaluation, `reads` and `pilots` as in `rollout.solve_all`; what
    the program makes text of is watched where `texts`.
    """
    return {
        "code": code,
        "set": set_name,
        "reads": reads,
        "texts": texts,
        "pilots": pilots if sample.compiled else None,
        "again": [[g.instance, g.steps, g.actions, g.walks] for g in sample.groups],
        "always": len(sample.always),
        "seconds": SHARE * cpu,
    }


async def compare(child: ForkedChild, sample: Sample, claims: Claims) -> Failure | None:
    """The failure of a program that answers otherwise than it did; None when nothing was found.

    Raises ZygoteGone.
    """
    for number, group in enumerate(sample.groups):
        try:
            answers = await receive(child.stream, number, len(group.steps))
        except Malformed as error:
            return Failure("forged", f"the program wrote to our channel: {error}")
        except (EOFError, ConnectionError):
            return await _explain_end(child, number >= len(sample.always), sample.slower)
        if isinstance(answers, Failure):
            return _differs(answers.message, answers.line)
        if len(answers) < len(group.steps) and (group.walks or number < len(sample.always)):
            return _differs("an answer is cut short")
        for step, answer in zip(group.steps, answers, strict=False):
            if answer != claims[group.instance][step]:
                return _differs(
                    f"action {claims[group.instance][step]} became {answer} "
                    f"(instance {group.instance}, step {step})"
                )
    return None


async def _explain_end(child: ForkedChild, enough: bool, is_slower: bool) -> Failure | None:
    """Why a child ended: its time was over, or a crash.

    A process that the system ended says nothing about the program, nor does one that used up its
    CPU time as Python where the evaluation had compiled code.
    """
    ended = await child.ended
    if os.WIFSIGNALED(ended.status):
        number = os.WTERMSIG(ended.status)
        silent = (signal.SIGKILL, signal.SIGXCPU) if is_slower else (signal.SIGKILL,)
        if number not in silent:
            return _differs(f"the process was ended by {signal.Signals(number).name}")
    elif not enough:
        return _differs("the process ended without an answer")
    return None


def _differs(what: str, line: int | None = None) -> Failure:
    return Failure(
        "nondeterministic",
        f"asked again in another process, the program decides differently: {what}",
        line,
        repairable=True,
    )
