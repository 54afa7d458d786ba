"""What models wrote: the briefs of slots, prompts, and raw replies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from textual.content import Content

from engine.domain.records import Exchange
from engine.domain.search_state import BriefRow
from engine.domain.text.plain_text import clean
from engine.monitor.snapshot import Snapshot
from tui.text.formatting import format_usage, join
from tui.widgets.code import number_lines
from tui.widgets.detail import format_origin
from tui.widgets.text_pane import TextPane

_BOLD = re.compile(r"\*\*(.+?)\*\*")


class BriefPane(TextPane):
    """The briefs of one generation: the newest of a snapshot."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._shown: tuple[int, Content] | None = None

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot's briefs; paints nothing when they are the same."""
        generation = max((row.generation for row in snapshot.briefs), default=None)
        if generation is None:
            self.set_title("no briefs")
            self._shown = None
            self.put(Content(""))
            return
        self.set_title(f"briefs · gen {generation}")
        rows = [row for row in snapshot.briefs if row.generation == generation]
        shown = (generation, write_briefs(rows, snapshot))
        if shown != self._shown:
            turned = self._shown is None or self._shown[0] != generation
            self._shown = shown
            self.put(shown[1])
            if turned:
                self.scroll_home(animate=False)


def write_briefs(briefs: list[BriefRow], snapshot: Snapshot) -> Content:
    """Every brief under the slots that share it, with their operators and parents."""
    slots: dict[str, list[BriefRow]] = {}
    for row in briefs:
        slots.setdefault(row.brief.text, []).append(row)
    parts = []
    for text, rows in slots.items():
        heads = []
        for row in rows:  # counted from 1, as the briefs themselves count
            member = snapshot.at(f"{row.generation}.{row.slot}")
            origin = format_origin(row.brief.operator, member.parents if member else ())
            heads.append(Content.styled(f"slot {row.slot + 1}  {origin}", "bold $text-accent"))
        parts.append(Content("\n").join([*heads, embolden(text.strip())]))
    return Content("\n\n").join(parts)


def embolden(text: str) -> Content:
    """A model's text with `**words**` in bold; nothing else in it is markup."""
    pieces = _BOLD.split(text)
    return Content.assemble(*((piece, "bold" if k % 2 else "") for k, piece in enumerate(pieces)))


_FENCE = "```"
_HEAD = re.compile("#{1,6} ")


def describe_calls(exchanges: Sequence[Exchange], origin: str, width: int) -> Content:
    """All calls that led to a program, in the order they were sent, for a width in cells.

    `origin` says where a program comes from for which there was none.
    """
    if not exchanges:
        return Content(f"no writer was called for this program: {origin}")
    return Content("\n\n").join(_describe_call(exchange, width) for exchange in exchanges)


def _describe_call(exchange: Exchange, width: int) -> Content:
    call = exchange.call
    attempt = f", attempt {call.key.attempt + 1}" if call.key.attempt else ""
    parts = [
        Content("\n").join(
            [_format_title(f"{message.role}{attempt}"), _format_message(message.content, width)]
        )
        for message in exchange.request.messages
    ]
    return Content("\n\n").join([*parts, _describe_reply(exchange, width)])


def _describe_reply(exchange: Exchange, width: int) -> Content:
    call = exchange.call
    if call.reply is None:
        return Content("\n").join(
            [_format_title(f"no reply ({call.state})"), Content(call.error or "-")]
        )
    facts = join(f"reply of {call.reply.model}", format_usage(call.reply.usage))
    raw = call.reply.raw
    whole = Content.styled(clean(raw.rstrip()), "$text-muted")
    body = [Content("\n").join([_format_title("response body"), whole])] if raw else []
    text = Content("\n").join([_format_title(facts), _format_message(call.reply.text, width)])
    return Content("\n\n").join([text, *body])


def _format_message(received: str, width: int) -> Content:
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


def _format_title(words: str) -> Content:
    return Content.styled(f"── {clean(words)} ──", "bold $text-accent")
