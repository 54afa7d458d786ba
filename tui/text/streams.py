"""The two streams of every command: stdout is data, stderr is narration.

Whatever a command writes goes through here and comes out clean: a terminal obeys none of it.
"""

from __future__ import annotations

import codecs
import io
import json
import math
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO

from engine.domain.text.plain_text import clean

SCHEMA = 1
"""Version of the JSON that all commands print (docs/schema)."""

INTERRUPTED = 130
"""Exit code after Ctrl-C."""

Document = Mapping[str, Any]

_reserved: list[TextIO] = []
"""Where `put` writes while stdout is kept for it, last."""

_SPELT = {
    "±": "+-",
    "…": "...",
    "★": "*",
    "→": "->",
    "≥": ">=",
    "≤": "<=",
    "\u00d7": "x",
    "↑": "up",
    "↓": "down",
}
"""Signs as a terminal shows them that knows no Unicode; any other is a question mark."""


def spell_out_signs() -> None:
    """From now on a sign that a stream cannot encode is spelt in ASCII, and is no error."""
    codecs.register_error("spelt", _spell)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="spelt")


def give_up_stdout() -> None:
    """Drop what stdout did not take, so that the end of the process does not fail on it again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def knows_unicode() -> bool:
    """Whether stdout can show every sign."""
    encoding = getattr(_data(), "encoding", None) or "utf-8"  # a closed stream is None
    return str(encoding).lower().startswith("utf")


def is_terminal(*streams: TextIO | None) -> bool:
    """Whether all of these streams are open, and each a terminal."""
    return all(stream is not None and stream.isatty() for stream in streams)


def line_width() -> int | None:
    """Cells of a line of the terminal that stdout is; None where it is none."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


@contextmanager
def data_alone() -> Iterator[None]:
    """Keep stdout for `put`: what code of the user's own prints meanwhile goes to stderr."""
    _reserved.append(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _reserved.pop()


def emit(document: Document | Sequence[Document]) -> None:
    """Print one JSON document to stdout, `schema` first; of a list, every entry carries it.

    A number that JSON does not know (NaN, infinity) is null.
    """
    whole = _dated(document) if isinstance(document, Mapping) else list(map(_dated, document))
    put(json.dumps(whole, indent=2, ensure_ascii=not knows_unicode(), allow_nan=False))


def emit_line(document: Document) -> None:
    """Print one line of JSON Lines to stdout, at once, so that a pipe sees it as it happens."""
    put(json.dumps(_dated(document), ensure_ascii=not knows_unicode(), allow_nan=False))


def put(text: str, end: str = "\n") -> None:
    """Print data to stdout, at once."""
    print(clean(text), end=end, flush=True, file=_data())


def say(text: str) -> None:
    """Print narration to stderr."""
    print(clean(text), file=sys.stderr, flush=True)


def _data() -> TextIO:
    return _reserved[-1] if _reserved else sys.stdout


def _spell(error: UnicodeError) -> tuple[str, int]:
    """Signs that could not be encoded as ASCII, and where to continue. Raises any other error."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(_SPELT.get(sign, "?") for sign in signs), error.end


def _dated(document: Document) -> Document:
    return {"schema": SCHEMA, **{name: _known(value) for name, value in document.items()}}


def _known(value: Any) -> Any:
    """The value with every number that JSON does not know as None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _known(item) for name, item in value.items()}
    return [_known(item) for item in value] if isinstance(value, list | tuple) else value
