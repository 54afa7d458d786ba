"""The messages between engine, zygote and children. Nothing is ever unpickled.

Engine and zygote trust each other: fixed commands one way, fixed reports the other. A child runs
foreign code and may send anything, so `receive` checks size, kind, order and type of its messages,
and what it returns is still only a claim: actions count once the rules have replayed them.
"""

from __future__ import annotations

import json
import struct
from array import array
from asyncio import StreamReader
from collections.abc import Iterable
from typing import Any, get_args

from engine.domain.text.plain_text import clean
from engine.domain.values import Failure, FailureKind

COMMAND = struct.Struct("=cI")
"""Engine to zygote: `RUN` (with the job's socket), `KILL` or `ASK`, and the number of the job."""

RUN = b"r"
KILL = b"k"
ASK = b"a"

REPORT = struct.Struct("=Iid")
"""Zygote to engine: number of the job, wait status of its child, CPU seconds of its child."""

WORKING = -1
"""The status of a child that has not ended, in the answer to `ASK`."""

ACTIONS = 1
FAILURE = 2
COMPILING = 3
REFUSED = 4
HEADER = struct.Struct("=BII")
"""Child to engine: kind, index of the instance, number of actions (4 bytes each) or of bytes.

Of `COMPILING`: 0, and the milliseconds of CPU time that compiling took; of `REFUSED`, why a
program is left to Python after all: 0, and bytes.
"""

REASON = 120
"""Characters of why a program is not compiled."""

MOST_TEXT = 8192
MESSAGE = 2000
"""Characters of a failure's message; the rest is cut."""


class Malformed(Exception):
    """A message that an honest child does not send."""


def pack_actions(index: int, actions: Iterable[int]) -> bytes:
    """The actions of a finished instance. Raises TypeError, OverflowError for what is no int."""
    values = array("i", actions)
    return HEADER.pack(ACTIONS, index, len(values)) + values.tobytes()


def pack_failure(index: int, failure: Failure) -> bytes:
    """Why the program stopped at an instance."""
    message = failure.message.encode("ascii", "backslashreplace").decode()[:MESSAGE]
    text = json.dumps([failure.kind, message, failure.line, failure.repairable]).encode()
    return HEADER.pack(FAILURE, index, len(text)) + text


def pack_compiling(seconds: float) -> bytes:
    """CPU seconds spent on compiling."""
    return HEADER.pack(COMPILING, 0, round(1000 * seconds))


def pack_refused(reason: str) -> bytes:
    """Why a program is not compiled though its text allows it."""
    text = reason.encode("ascii", "backslashreplace")[:REASON]
    return HEADER.pack(REFUSED, 0, len(text)) + text


async def receive(
    stream: StreamReader, index: int, most: int
) -> tuple[int, ...] | Failure | float | str:
    """The message on instance `index`: `most` actions at most, or the failure that ends it all.

    A float is CPU seconds of compiling, a text why Python runs the program, on no instance.

    Raises Malformed, and EOFError (asyncio.IncompleteReadError) when the child ended instead.
    """
    kind, claimed, length = HEADER.unpack(await stream.readexactly(HEADER.size))
    if kind == COMPILING:
        return float(length / 1000)
    if kind == REFUSED and length <= REASON:
        return clean((await stream.readexactly(length)).decode("ascii", "replace"))
    if claimed != index:
        raise Malformed(f"a message about instance {claimed} in place of {index}")
    if kind == ACTIONS and length <= most:
        return tuple(array("i", await stream.readexactly(4 * length)))
    if kind == FAILURE and length <= MOST_TEXT:
        return _failure(await stream.readexactly(length))
    raise Malformed(f"a message of kind {kind} and length {length}")


def _failure(text: bytes) -> Failure:
    try:
        fields: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed("a failure that is not JSON") from error
    match fields:
        case [str(kind), str(message), int() | None as line, bool(repairable)]:
            if kind in get_args(FailureKind):
                return Failure(kind, clean(message)[:MESSAGE], line, repairable)  # type: ignore[arg-type]
    raise Malformed("a failure in an unknown form")
