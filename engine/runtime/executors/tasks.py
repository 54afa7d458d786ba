"""What travels between an engine and the workers of a cluster: values in MessagePack, no code.

A task names everything that its answer is a function of, so that it is idempotent: who carries it
out twice gives the same answer twice. Floats arrive bit for bit.
"""

from __future__ import annotations

import hashlib
from typing import TypeVar

import msgspec

from engine.diagnosis.queries import Diagnose, ListTrials, Observe
from engine.diagnosis.teacher_process import TeacherSpec  # noqa: TC001 (read at run time)
from engine.domain.text.codec import simplify
from engine.domain.values import (  # noqa: TC001 (msgspec reads annotations at run time)
    Evaluation,
    Prefix,
)
from problems import ProblemRef  # noqa: TC001 (the same)

Value = TypeVar("Value")

FORM = 2
"""The number of this way to write tasks; whoever reads another is of another version."""


class Evaluate(msgspec.Struct, frozen=True, tag=True):
    """A program on a set, up to its first `count` instances unless that is 0, after a `part`."""

    code: bytes
    set: str
    count: int = 0
    part: Evaluation | None = None


class TryOut(msgspec.Struct, frozen=True, tag=True):
    """A program on some instances, in so many CPU seconds, without the proof."""

    code: bytes
    set: str
    chosen: tuple[int, ...]
    seconds: float


class ContinueFrom(msgspec.Struct, frozen=True, tag=True):
    """A program that goes on after forced actions."""

    code: bytes
    set: str
    prefixes: tuple[Prefix, ...]
    seconds: float


Evaluating = Evaluate | TryOut | ContinueFrom
Consulting = Observe | ListTrials | Diagnose
Work = Evaluating | Consulting


class Task(msgspec.Struct, frozen=True):
    """Work for a worker whose code and instances have these digests, in some `form`.

    A program may use `cpu_seconds` and `memory_mb`; where a `teacher` is consulted, these are 0.
    `version` is that of the evaluator, or of verdicts; `instances` are those of `set`. `work` is
    packed.
    """

    form: int
    version: str
    set: str
    instances: str
    problem: ProblemRef
    work: bytes
    cpu_seconds: float = 0.0
    memory_mb: int = 0
    teacher: TeacherSpec | None = None


class Answered(msgspec.Struct, frozen=True, tag=True):
    """What came of work, packed: of a type that whoever gave it out knows."""

    found: msgspec.Raw


class Refused(msgspec.Struct, frozen=True, tag=True):
    """This worker would give another answer than the engine's own machine; `reason` says why."""

    reason: str


class Failed(msgspec.Struct, frozen=True, tag=True):
    """Evaluation failed, not the program: an error of our tree, by the name of its class."""

    error: str
    message: str


Outcome = Answered | Refused | Failed


class Ready(msgspec.Struct, frozen=True):
    """What a worker's process says first: the version of its code, or why it cannot work."""

    version: str
    failure: str = ""


class WorkerFacts(msgspec.Struct, frozen=True):
    """What a worker says of itself; `evaluator` is a digest, "" where it has no such problem."""

    form: int
    version: str
    python: str
    level: str
    cores: int
    evaluator: str


def pack(value: object) -> bytes:
    """A value of this module in MessagePack."""
    return msgspec.msgpack.encode(value, enc_hook=simplify)


def pack_answer(found: object) -> bytes:
    """What came of work as an `Outcome`, packed."""
    return pack(Answered(msgspec.Raw(pack(found))))


def unpack(kind: type[Value], data: bytes) -> Value:
    """The value that `pack` wrote. Raises ValueError for anything that is none of that kind."""
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, OverflowError, RecursionError) as error:
        raise ValueError(f"no {getattr(kind, '__name__', kind)}: {error}") from error


def unpack_work(data: bytes) -> Work:
    """The work of a task. Raises ValueError."""
    return unpack(Work, data)  # type: ignore[arg-type] # a union of types is no type to mypy


def unpack_outcome(data: bytes) -> Outcome:
    """What came of a task. Raises ValueError."""
    return unpack(Outcome, data)  # type: ignore[arg-type] # the same


def encode_code(code: str) -> bytes:
    """A program's text, whatever characters a reply had."""
    return code.encode("utf-8", "surrogatepass")


def decode_code(code: bytes) -> str:
    """The text of `encode_code`."""
    return code.decode("utf-8", "surrogatepass")


def name_task(task: bytes, number: int) -> str:
    """The key of a task: its content, and a number, so that each time it is really done."""
    return f"preceptor-{hashlib.sha256(task).hexdigest()}-{number}"
