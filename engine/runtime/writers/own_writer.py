"""A writer of the user's own: looked at when it is built, and whenever it answers."""

from __future__ import annotations

import inspect
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from engine.domain.values import Reply, Request, Usage
from engine.llm.base import Metered, Writer
from problems.base import Problem
from problems.errors import UnknownName, WriterUnavailable
from problems.own_code import Seam, call, is_word, run_module, shorten, wants


def open_own(file: Path, word: str, problem: Problem) -> Writer:
    """The writer that a class in a file makes of a problem.

    Raises UnknownName for no such class, BadModule, which names the line, for what fails or is no
    writer.
    """
    module = run_module(file, "writer")
    if not hasattr(module, word):
        classes = [name for name, one in vars(module).items() if inspect.isclass(one)]
        raise UnknownName(f"writer in {file}", word, classes)
    writer: Any = call(getattr(module, word), problem)
    WRITER.check_members(writer)
    kind = OwnMeteredWriter if isinstance(writer, Metered) else OwnWriter
    return kind(writer)


class OwnWriter:
    """A writer of the user's own; whatever it does wrong ends the call with the line at fault."""

    def __init__(self, writer: Writer) -> None:
        self.name = writer.name
        self._writer = writer

    async def complete(self, request: Request) -> Reply:
        """Its answer. Raises WriterUnavailable, also for what it raises or answers wrongly."""
        try:
            reply = await self._writer.complete(request)
        except Exception as error:
            if WRITER.lets_pass("complete", error):
                raise
            raise WRITER.explain(self._writer, "complete", error) from error
        WRITER.refuse_wrong(self._writer, "complete", reply)
        return reply


class OwnMeteredWriter(OwnWriter):
    """The same for a writer whose calls are paid for."""

    def quote(self, request: Request) -> Usage:
        """What a request may use at most. Raises WriterUnavailable as `complete`."""
        usage: Usage = METERED.ask(self._writer, "quote", request)
        return usage


def _find_wrong(reply: Any, *_: object) -> str:
    """What is wrong with an answer, "" for nothing."""
    if not isinstance(reply, Reply):
        return f"{shorten(reply)}, not a Reply"
    if not isinstance(reply.usage, Usage):
        return f"a Reply whose usage is of type {type(reply.usage).__name__}, not Usage"
    for field in fields(reply):
        value = getattr(reply, field.name)
        if field.name != "usage" and not isinstance(value, str):
            return f"a Reply whose {field.name} is of type {type(value).__name__}, not a text"
        if field.name != "usage" and value.encode("utf-8", "replace").decode() != value:
            return f"a Reply whose {field.name} holds half a character (a lone surrogate)"
    used = reply.usage
    counts = (used.tokens_in, used.tokens_out)
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        return f"a Usage of {used.tokens_in!r} and {used.tokens_out!r} tokens"
    if used.usd is not None and not isinstance(used.usd, int | float):
        return f"a Usage whose usd is of type {type(used.usd).__name__}"
    return ""


WRITER = Seam(
    Writer,
    values={"name": wants(is_word, "a text")},
    answers={"complete": _find_wrong},
    required=("name", "complete"),
    broken=WriterUnavailable,
)
METERED = replace(
    WRITER,
    kind=Metered,
    values={},
    answers={"quote": wants(lambda value: isinstance(value, Usage), "a Usage")},
    passing=(),
)
