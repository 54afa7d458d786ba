"""How a program was asked for: every message of the prompt, and the raw reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.records import Exchange


def describe(exchanges: Sequence[Exchange]) -> Content:
    """All calls that led to a program, in the order they were sent."""
    if not exchanges:
        return Content("nobody was asked for this program: it is a seed")
    return Content("\n\n").join(_describe(exchange) for exchange in exchanges)


def _describe(exchange: Exchange) -> Content:
    call, request = exchange.call, exchange.request
    attempt = f", attempt {call.key.attempt + 1}" if call.key.attempt else ""
    parts = [
        Content("\n").join([_title(f"{message.role}{attempt}"), Content(message.content.rstrip())])
        for message in request.messages
    ]
    return Content("\n\n").join([*parts, _answer(exchange)])


def _answer(exchange: Exchange) -> Content:
    call = exchange.call
    if call.reply is None:
        return Content("\n").join([_title(f"no reply ({call.state})"), Content(call.error or "-")])
    usage = call.reply.usage
    facts = f"reply of {call.reply.model}, {usage.tokens_in} tokens in, {usage.tokens_out} out"
    money = "" if usage.usd is None else f", ${usage.usd:.4f}"
    raw = call.reply.raw
    body = [Content("\n").join([_title("response body"), Content(raw)])] if raw else []
    told = Content("\n").join([_title(facts + money), Content(call.reply.text.rstrip())])
    return Content("\n\n").join([told, *body])


def _title(words: str) -> Content:
    return Content.styled(f"── {words} ──", "bold $text-accent")
