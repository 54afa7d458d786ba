"""The calls that made a program: every message of the prompt, and the raw reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from engine.domain.text.plain_text import clean
from tui.text.formatting import format_usage, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.records import Exchange


def describe(exchanges: Sequence[Exchange]) -> Content:
    """All calls that led to a program, in the order they were sent."""
    if not exchanges:
        return Content("this program is a seed: no writer was called for it")
    return Content("\n\n").join(_describe(exchange) for exchange in exchanges)


def _describe(exchange: Exchange) -> Content:
    call = exchange.call
    attempt = f", attempt {call.key.attempt + 1}" if call.key.attempt else ""
    parts = [
        Content("\n").join([_title(f"{message.role}{attempt}"), _text(message.content)])
        for message in exchange.request.messages
    ]
    return Content("\n\n").join([*parts, _answer(exchange)])


def _answer(exchange: Exchange) -> Content:
    call = exchange.call
    if call.reply is None:
        return Content("\n").join([_title(f"no reply ({call.state})"), Content(call.error or "-")])
    facts = join(f"reply of {call.reply.model}", format_usage(call.reply.usage))
    raw = call.reply.raw
    body = [Content("\n").join([_title("response body"), _text(raw)])] if raw else []
    text = Content("\n").join([_title(facts), _text(call.reply.text)])
    return Content("\n\n").join([text, *body])


def _text(received: str) -> Content:
    """A text as it was sent or received, clean."""
    return Content(clean(received.rstrip()))


def _title(words: str) -> Content:
    return Content.styled(f"── {clean(words)} ──", "bold $text-accent")
