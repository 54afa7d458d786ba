"""Requests as a search would make them, and generations of children for the built-in writer."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from functools import cache

import problems
from engine.domain.program import make_program
from engine.domain.values import Brief, Candidate, Diagnostics, Program, Recipe, Request
from engine.llm.builtin import Builtin
from engine.search.methods import operators
from engine.search.reply_parser import parse_reply
from problems.base import Contract, Rule

OPERATORS = tuple(name for name, operator in operators.OPERATORS.items() if operator.by == "model")


def candidate(code: str, diagnostics: Diagnostics | None = None) -> Candidate:
    """A member of a population."""
    return Candidate("p0000", make_program("", code), "seed", 0, 0, diagnostics=diagnostics)


def question(
    operator: str,
    parents: Sequence[Candidate],
    draw: int = 0,
    brief: Brief | None = None,
    role: str = "program",
) -> Request:
    """One slot's request."""
    recipe = Recipe(1, 0, operator, tuple(parents), brief, draw)
    return Request(role, operator, (), (recipe,), tuple(parents), draw)


def ask(writer: Builtin, request: Request) -> str:
    """The reply's text."""
    return asyncio.run(writer.complete(request)).text


def child(writer: Builtin, request: Request) -> Program:
    """The reply's program; fails the test when the engine's parser finds none."""
    program = parse_reply(ask(writer, request), writer.contract)
    assert isinstance(program, Program), program
    return program


def make_family(
    contract: Contract, seeds: Sequence[Rule], count: int, seed: int = 0
) -> list[Program]:
    """Children of seeds and of children, by every operator in turn."""
    writer = Builtin(contract, seeds)
    rng = random.Random(seed)
    family = [candidate(rule.code or "") for rule in seeds]
    made = []
    for draw in range(count):
        parents = rng.sample(family, 2)
        made.append(child(writer, question(OPERATORS[draw % len(OPERATORS)], parents, draw)))
        family[rng.randrange(len(family))] = candidate(made[-1].code)
    return made


@cache
def jssp_family() -> tuple[Program, ...]:
    """Six hundred children for the job shop."""
    problem = problems.load("jssp")
    return tuple(make_family(problem.contract, problem.seeds(), 600))
