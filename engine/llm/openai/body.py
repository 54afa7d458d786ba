"""The parts of what servers send, in any of the shapes that they give it; nothing raises."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from engine.domain.text.plain_text import clean
from engine.domain.values import Usage

SHOWN = 300
"""Characters of a provider's message that a person sees."""

DAY = 86400.0

_EVENTS = re.compile(r"\s*(?:data|event|id|retry)?:")
"""How an event stream begins."""

MOST_TOKENS = 10**9
"""Tokens that one call may report; more is nonsense that no column of the store would hold."""


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The error object of a body: its message on one line, its code, type and parameter or ""."""

    message: str
    code: str
    kind: str
    param: str


def parse_json(body: str) -> object:
    """The document of a body, None when it is no JSON; a byte order mark before it is skipped."""
    try:
        return json.loads(body.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None


def parse_completion(body: str) -> object:
    """The completion in a body, also where it comes as an event stream; None for neither."""
    if not _EVENTS.match(body):
        return parse_json(body)
    lines = (
        line.removeprefix("data:").strip() for line in body.splitlines() if line[:5] == "data:"
    )
    events = [found for line in lines if isinstance(found := parse_json(line), dict)]
    whole: dict[str, Any] = {}
    message: dict[str, Any] = {}
    choice: dict[str, Any] = {"message": message}
    for event in events:
        whole |= {key: value for key, value in event.items() if value is not None}
        choices = event.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            _take_in(choices[0], choice, message)
    ended = choice.get("finish_reason") or body.rstrip().endswith("[DONE]")
    return {**whole, "choices": [choice] if message and ended else []}


def _take_in(piece: dict[str, Any], choice: dict[str, Any], message: dict[str, Any]) -> None:
    """Add a piece of a stream to the choice and the message that it is of."""
    choice |= {key: piece[key] for key in ("finish_reason", "error") if piece.get(key)}
    delta = piece.get("delta")
    for key, value in (delta if isinstance(delta, dict) else {}).items():
        if isinstance(value, str):
            message[key] = (message.get(key) or "") + value
        elif value is not None:
            message[key] = value


def parse_error(body: str) -> ErrorBody:
    """The error of a body: an object, a text, a page of HTML."""
    document = parse_json(body)
    found = document.get("error", document) if isinstance(document, dict) else None
    if not isinstance(found, dict):
        found = {"message": found if isinstance(found, str) else body}
    message = found.get("message") or found.get("detail") or body
    code, kind, param = (str(found.get(key) or "") for key in ("code", "type", "param"))
    return ErrorBody(shorten(str(message)), code, kind, param)


def parse_text(content: object) -> str:
    """The text of a message: plain, or in parts; what UTF-8 cannot hold becomes `?`.

    Parts that say of themselves that they are reasoning are left out.
    """
    if isinstance(content, dict):
        content = [content]
    if isinstance(content, list):
        content = "".join(_part(part) for part in content)
    return _storable(content) if isinstance(content, str) else ""


def _part(part: object) -> str:
    if isinstance(part, dict):
        part = None if part.get("type") in ("reasoning", "thinking") else part.get("text")
    return part if isinstance(part, str) else ""


def parse_reasoning(message: Mapping[str, object]) -> str:
    """What a message says apart from its text: the reasoning, by any of its names."""
    found = (message.get(name) for name in ("reasoning_content", "reasoning", "thinking"))
    return next(filter(None, map(parse_text, found)), "")


def parse_usage(document: object, prompt: int = 0) -> Usage | None:
    """The tokens that a completion reports, None when it reports nothing that makes sense.

    `prompt` is taken for a prompt that is not counted. What was written is the largest of what
    the fields say: some providers leave the reasoning out of the completion, some out of all but
    the total.
    """
    usage = document.get("usage") if isinstance(document, dict) else None
    if not isinstance(usage, dict):
        return None
    read = _first(usage, "prompt_tokens", "input_tokens")
    cached = [usage.get(f"cache_{kind}_input_tokens") for kind in ("creation", "read")]
    read = (read or 0) + sum(_count(found) or 0 for found in cached) or prompt
    written = _first(usage, "completion_tokens", "output_tokens")
    total = _count(usage.get("total_tokens"))
    if written is None:
        return Usage(0, total) if total else None  # all of it at the price of what is written
    details = usage.get("completion_tokens_details", usage.get("output_tokens_details"))
    thought = _count(details.get("reasoning_tokens")) if isinstance(details, dict) else None
    outside = thought if thought and thought > written else 0
    return Usage(read, max(written + outside, (total or 0) - read))


def _first(usage: dict[str, object], *names: str) -> int | None:
    """The first number of tokens that stands under one of the names."""
    return next((found for name in names if (found := _count(usage.get(name))) is not None), None)


def parse_retry_after(header: str, now: float | None = None) -> float:
    """Seconds that a Retry-After header asks for, as a number or a date; 0 without sense.

    `now` in Unix seconds; at most a day.
    """
    try:
        wait = float(header)
    except ValueError:
        wait = _until(header, time.time() if now is None else now)
    return min(DAY, max(0.0, wait))


def count_tokens(text: str) -> int:
    """Tokens of a text, estimated from above: a token is rarely less than three bytes."""
    return -(-len(text.encode("utf-8", "replace")) // 3)


def shorten(text: str) -> str:
    """A provider's message on one line that a person will read."""
    return clean(" ".join(_storable(text).split()))[:SHOWN]


def _storable(text: str) -> str:
    """The text with `?` for halves of characters, which JSON can hold and the store cannot."""
    return text.encode("utf-8", "replace").decode()


def _count(value: object) -> int | None:
    """A number of tokens, None for what cannot be one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_TOKENS:
        return None
    return value


def _until(date: str, now: float) -> float:
    try:
        return parsedate_to_datetime(date).timestamp() - now
    except (ValueError, TypeError, OverflowError, OSError):
        return 0.0
