"""The two streams of every command: stdout is data, stderr is narration."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = 1
"""Version of the JSON that all commands print (docs/schema)."""

Document = Mapping[str, Any]


def emit(document: Document | Sequence[Document]) -> None:
    """Print one JSON document to stdout, `schema` first; of a list, every entry carries it.

    Raises ValueError for a number that JSON does not know (NaN, infinity).
    """
    whole = _dated(document) if isinstance(document, Mapping) else list(map(_dated, document))
    print(json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False))


def emit_line(document: Document) -> None:
    """Print one line of JSON Lines to stdout, at once, so that a pipe sees it as it happens."""
    print(json.dumps(_dated(document), ensure_ascii=False, allow_nan=False), flush=True)


def say(text: str) -> None:
    """Print narration to stderr."""
    print(text, file=sys.stderr, flush=True)


def _dated(document: Document) -> Document:
    return {"schema": SCHEMA, **document}
