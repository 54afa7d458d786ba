"""How the gate refuses a program: an exception inside the gate, a Failure outside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.values import Failure

if TYPE_CHECKING:
    import ast

    from engine.domain.values import FailureKind

    Node = ast.expr | ast.stmt | ast.pattern | ast.excepthandler | ast.arg | ast.keyword


class Refusal(Exception):
    """A program is refused; `failure` says why and where. One repair call may help."""

    def __init__(self, kind: FailureKind, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.failure = Failure(kind, message, line, repairable=True)


def forbidden(node: Node, message: str) -> Refusal:
    """The refusal of something that programs may not do."""
    return Refusal("forbidden", message, node.lineno)


def nondeterministic(node: Node, message: str) -> Refusal:
    """The refusal of something that would be no function of the arguments."""
    return Refusal("nondeterministic", message, node.lineno)
