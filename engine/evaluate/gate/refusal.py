"""How the gate refuses a program: an exception inside the gate, a Failure outside it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from engine.domain.values import Failure, FailureKind

MOST = 4
"""Refusals that a program gets at once."""


class Refusal(Exception):
    """A program is refused; `failure` says why and where. One repair call may help."""

    def __init__(self, kind: FailureKind, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.failure = Failure(kind, message, line, repairable=True)


def join(refusals: Sequence[Refusal]) -> Refusal:
    """The first of several, whose message tells of others, too: one repair may mend them all."""
    told: dict[str, Failure] = {}
    for refusal in refusals:
        told.setdefault(refusal.failure.message, refusal.failure)
    first, *others = told.values()
    more = [f"line {one.line}: {one.message}" for one in others[: MOST - 1]]
    return Refusal(first.kind, "; ".join([first.message, *more]), first.line)


def forbidden(node: ast.AST, message: str) -> Refusal:
    """The refusal of something that programs may not do."""
    return Refusal("forbidden", message, getattr(node, "lineno", None))


def impure(node: ast.AST, message: str) -> Refusal:
    """The refusal of something that would be no function of the arguments."""
    return Refusal("nondeterministic", message, getattr(node, "lineno", None))
