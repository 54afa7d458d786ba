"""The proof that a program is a function of its arguments: one instance is solved again.

A fresh process with another hash seed, other contents of unused memory and several definitions of
the program that answer in turn (`asking`) has to take the same actions, in Python. Which instance
it is depends on the program's text.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Sequence
from hashlib import sha256

from engine.domain.values import Failure
from engine.evaluate.sandbox.messages import Malformed, receive
from engine.evaluate.sandbox.zygote_client import ForkedChild

Claims = Sequence[Sequence[int]]

SURROUNDINGS = {"PYTHONHASHSEED": "20011", "MALLOC_PERTURB_": "165"}
"""How the process that asks again differs from the one that evaluates."""


def choose(code: str, claims: Claims) -> int | None:
    """The instance that is solved again; None where there was nothing to decide on any."""
    indices = [index for index, actions in enumerate(claims) if actions]
    seed = sha256(code.encode("utf-8", "surrogatepass")).digest()
    return random.Random(seed).choice(indices) if indices else None


def as_request(
    code: str, set_name: str, instance: int, reads: Sequence[str] | None
) -> dict[str, object]:
    """The question to a zygote."""
    return {"code": code, "set": set_name, "reads": reads, "again": instance}


async def compare(child: ForkedChild, instance: int, actions: Sequence[int]) -> Failure | None:
    """The failure of a program that answers otherwise than it did; None when nothing was found.

    Raises ZygoteGone.
    """
    try:
        answers = await receive(child.stream, 0, len(actions))
    except Malformed as error:
        return Failure("forged", f"the program wrote to our channel: {error}")
    except (EOFError, ConnectionError):
        return await _explain_end(child)
    if isinstance(answers, Failure):
        return _differs(answers.message, answers.line)
    if isinstance(answers, float) or len(answers) < len(actions):
        return _differs(f"an answer is cut short (instance {instance})")
    for step, (now, before) in enumerate(zip(answers, actions, strict=True)):
        if now != before:
            return _differs(f"action {before} became {now} (instance {instance}, step {step})")
    return None


async def _explain_end(child: ForkedChild) -> Failure | None:
    """Why a child ended: a process that ran out of its time says nothing about the program."""
    ended = await child.ended
    if os.WIFSIGNALED(ended.status):
        number = os.WTERMSIG(ended.status)
        if number not in (signal.SIGKILL, signal.SIGXCPU):
            return _differs(f"the process was ended by {signal.Signals(number).name}")
        return None
    return _differs("the process ended without an answer")


def _differs(what: str, line: int | None = None) -> Failure:
    return Failure(
        "nondeterministic",
        f"asked again in another process, the program decides differently: {what}",
        line,
        repairable=True,
    )
