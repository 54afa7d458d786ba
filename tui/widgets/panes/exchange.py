"""The calls that made a program: every message of the prompt, and the raw reply."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from textual.content import Content

from engine.domain.text.plain_text import clean
from tui.text.formatting import format_usage, join
from tui.widgets.code.code import number_lines
from tui.widgets.panes.brief import embolden

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.records import Exchange


_FENCE = "```"
_HEAD = re.compile("#{1,6} ")


def describe(exchanges: Sequence[Exchange], origin: str, width: int) -> Content:
    """All calls that led to a program, in the order they were sent, for a width in cells.

    `origin` says where a program comes from for which there was none.
    """
    if not exchanges:
        return Content(f"no writer was called for this program: {origin}")
    return Content("\n\n").join(_describe(exchange, width) for exchange in exchanges)


def _describe(exchange: Exchange, width: int) -> Content:
    call = exchange.call
    attempt = f", attempt {call.key.attempt + 1}" if call.key.attempt else ""
    parts = [
        Content("\n").join([_title(f"{message.role}{attempt}"), _text(message.content, width)])
        for message in exchange.request.messages
    ]
    return Content("\n\n").join([*parts, _answer(exchange, width)])


def _answer(exchange: Exchange, width: int) -> Content:
    call = exchange.call
    if call.reply is None:
        return Content("\n").join([_title(f"no reply ({call.state})"), Content(call.error or "-")])
    facts = join(f"reply of {call.reply.model}", format_usage(call.reply.usage))
    raw = call.reply.raw
    whole = Content.styled(clean(raw.rstrip()), "$text-muted")
    body = [Content("\n").join([_title("response body"), whole])] if raw else []
    text = Content("\n").join([_title(facts), _text(call.reply.text, width)])
    return Content("\n\n").join([text, *body])


def _text(received: str, width: int) -> Content:
    """A text as it was sent or received, clean: code as code, headings and `**words**` in bold."""
    fenced = False
    lines: list[tuple[bool, str]] = []
    for line in clean(received.rstrip()).split("\n"):
        if line.lstrip().startswith(_FENCE):
            fenced = not fenced
        else:
            lines.append((fenced, line))
    parts: list[Content] = []
    for is_code, block in groupby(lines, key=lambda one: one[0]):
        texts = [line for _, line in block]
        parts += [number_lines("\n".join(texts), width)] if is_code else map(_prose, texts)
    return Content("\n").join(parts)


def _prose(line: str) -> Content:
    head = _HEAD.match(line)
    return Content.styled(line[head.end() :], "bold") if head else embolden(line)


def _title(words: str) -> Content:
    return Content.styled(f"── {clean(words)} ──", "bold $text-accent")
