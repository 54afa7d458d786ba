"""The parts of what servers send, in any of the shapes that they give it; nothing raises."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from engine.domain.text.plain_text import clean
from engine.domain.values import Usage

SHOWN = 300
"""Characters of a provider's message that a person sees."""

DAY = 86400.0

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
    """The document of a body, None when it is no JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


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
    """The text of a message: plain, or in parts; what UTF-8 cannot hold becomes `?`."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        content = "".join(part for part in parts if isinstance(part, str))
    return _storable(content) if isinstance(content, str) else ""


def parse_usage(document: object) -> Usage | None:
    """The tokens that a completion reports, None when it does not or makes no sense."""
    usage = document.get("usage") if isinstance(document, dict) else None
    if not isinstance(usage, dict):
        return None
    read = _count(usage.get("prompt_tokens"))
    written = _count(usage.get("completion_tokens"))
    return None if read is None or written is None else Usage(read, written)


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
