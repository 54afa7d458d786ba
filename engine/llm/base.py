"""The seam every writer implements: one request in, one reply out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.types import Reply, Request


class Writer(Protocol):
    """Who answers a request: the built-in program writer, a recording, a language model.

    A reply may depend on nothing but the request, where the writer can help it.
    """

    @property
    def name(self) -> str:
        """How the run names it, e.g. `builtin` or `openai:MODEL`."""

    async def complete(self, request: Request) -> Reply:
        """Answer one request. Raises WriterUnavailable when no answer can be had."""
