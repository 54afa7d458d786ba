"""How the gate refuses a program: an exception inside the gate, a Failure outside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.values import Failure

if TYPE_CHECKING:
    from engine.domain.values import FailureKind


class Refusal(Exception):
    """A program is refused; `failure` says why and where."""

    def __init__(
        self, kind: FailureKind, message: str, line: int | None = None, *, repairable: bool = False
    ) -> None:
        super().__init__(message)
        self.failure = Failure(kind, message, line, repairable)
