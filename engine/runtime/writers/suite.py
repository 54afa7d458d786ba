"""The contract suite of writers: checks that hold for every one, a third party's included.

Each check takes a writer and the problem that it was built with, and raises AssertionError, whose
text begins with file and line; run them all over your own with

    @pytest.mark.parametrize("check", WRITER_CHECKS, ids=lambda check: check.__name__)
    def test_my_writer(check):
        check(MyWriter(problem), problem)

(`WRITER_CHECKS` and `load_problem` are in `preceptor`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from engine.domain.values import Failure, Message, Reply, Request
from engine.llm.base import Writer
from engine.runtime.writers.estimate import sample_request, seed_candidates
from engine.runtime.writers.own_writer import WRITER, OwnWriter
from engine.search.methods.operators import OPERATORS
from engine.search.reply_parser import parse_reply
from problems.base import Problem
from problems.errors import PreceptorError
from problems.own_code import place_of

Check = Callable[[Writer, Problem], None]

T = TypeVar("T")

ASKED = ("s", "p", "m", "e1", "crossover")
"""The operators whose requests are tried; each shows other parents."""


def it_says_what_it_is(writer: Writer, problem: Problem) -> None:
    """It has a name, and `complete` is an `async def` that takes a request."""
    try:
        WRITER.check_members(writer)
    except PreceptorError as error:
        raise AssertionError(str(error)) from error


def a_program_is_answered_with_a_program(writer: Writer, problem: Problem) -> None:
    """For every operator: an idea and a function under the contract."""
    for name in ASKED:
        request = sample_request(problem, OPERATORS[name], seed_candidates(problem))
        reply = _ask(writer, request)
        found = parse_reply(reply.text, problem.contract, reply.finish)
        if isinstance(found, Failure):
            told = f"no program in the reply to operator {name}: {found.message}"
            raise AssertionError(f"{place_of(writer, 'complete')}: {told}")


def a_reflection_is_answered_with_text(writer: Writer, problem: Problem) -> None:
    """Requests of the roles that ask for advice and not for a program."""
    for role in ("analyzer", "short-term", "long-term"):
        messages = (Message("user", "What shall the next program look like?"),)
        reply = _ask(writer, Request(role, "", messages, ()))
        told = f"{place_of(writer, 'complete')}: an empty reply to role {role}"
        assert reply.text.strip(), told


def several_requests_are_answered_at_once(writer: Writer, problem: Problem) -> None:
    """As in a run: none waits for another, and each reply belongs to its request."""
    parents = seed_candidates(problem)
    requests = [sample_request(problem, OPERATORS[name], parents) for name in ASKED]

    async def ask_all() -> list[Reply]:
        return await asyncio.gather(*(OwnWriter(writer).complete(one) for one in requests))

    assert len(_run(ask_all)) == len(requests)


CHECKS: tuple[Check, ...] = (
    it_says_what_it_is,
    a_program_is_answered_with_a_program,
    a_reflection_is_answered_with_text,
    several_requests_are_answered_at_once,
)


def _ask(writer: Writer, request: Request) -> Reply:
    """The reply to one request, looked at."""

    async def ask() -> Reply:
        return await OwnWriter(writer).complete(request)

    return _run(ask)


def _run(ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
    try:
        return asyncio.run(ask())
    except PreceptorError as error:
        raise AssertionError(str(error)) from error
