"""A writer of the user's own: looked at when it is built, and whenever it answers."""

from __future__ import annotations

import inspect
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from engine.domain.values import Reply, Request, Usage
from engine.llm.base import Metered, Writer
from problems.errors import BadModule, PreceptorError, UnknownName, WriterUnavailable
from problems.own_code import blame, call, describe, place_of, run_module, tell_promise

if TYPE_CHECKING:
    from pathlib import Path

    from problems.base import Problem


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
    check_parts(writer)
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
        except PreceptorError:
            raise
        except Exception as error:
            raise self._blame("complete", error) from error
        if wrong := _find_wrong(reply):
            place = place_of(self._writer, "complete")
            told = f"{place}: complete() returned {wrong}; {tell_promise(Writer, 'complete')}"
            raise WriterUnavailable(told)
        return reply

    def _blame(self, method: str, error: Exception) -> WriterUnavailable:
        place = place_of(self._writer, method)
        return WriterUnavailable(blame(error) or f"{place}: {describe(error)} in {method}()")


class OwnMeteredWriter(OwnWriter):
    """The same for a writer whose calls are paid for."""

    def quote(self, request: Request) -> Usage:
        """What a request may use at most. Raises WriterUnavailable as `complete`."""
        try:
            usage = self._writer.quote(request)  # type: ignore[attr-defined]
        except Exception as error:
            raise self._blame("quote", error) from error
        if not isinstance(usage, Usage):
            place = place_of(self._writer, "quote")
            kind = type(usage).__name__
            told = f"{place}: quote() returned a value of type {kind}, not a Usage"
            raise WriterUnavailable(f"{told}; {tell_promise(Metered, 'quote')}")
        return usage


def check_parts(writer: Any) -> None:
    """Refuse what is no writer. Raises BadModule, which names the part and its line."""
    if not isinstance(getattr(writer, "name", None), str) or not writer.name:
        raise BadModule(f"{place_of(writer, 'name')}: no name; {tell_promise(Writer, 'name')}")
    complete = getattr(writer, "complete", None)
    if not inspect.iscoroutinefunction(complete):
        said = "complete is no `async def`" if complete else "no async complete(request)"
        raise BadModule(
            f"{place_of(writer, 'complete')}: {said}; {tell_promise(Writer, 'complete')}"
        )
    try:
        inspect.signature(complete).bind("request")
    except TypeError:
        own = f"complete{inspect.signature(complete)}".split(" ->")[0]
        told = f"{own} cannot be called as complete(request)"
        raise BadModule(f"{place_of(writer, 'complete')}: {told}") from None


def _find_wrong(reply: Any) -> str:
    """What is wrong with an answer, "" for nothing."""
    if not isinstance(reply, Reply):
        shown = "None" if reply is None else f"a value of type {type(reply).__name__}"
        return f"{shown}, not a Reply"
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
