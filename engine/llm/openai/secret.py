"""Keys that cannot be shown by accident, and the eraser for text that may hold one."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable
from typing import NoReturn, TextIO, cast

MASK = "[key removed]"

SHORTEST = 8
"""Characters from which on a key is worth hiding: a placeholder of a local server is none."""

_LOOKS_LIKE_KEY = re.compile(
    r"\bsk-[A-Za-z0-9_-]{16,}|\bBearer\s+[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE
)


_QUOTES = " \t\r\n'\"`\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\ufeff\u200b\u00a0"


def trim(key: str) -> str:
    """A key without the blanks and quotes around it, typographic ones included."""
    return key.strip(_QUOTES)


def strip_scheme(key: str) -> str:
    """A key without the word `Bearer` that was copied with it."""
    scheme, _, rest = key.partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else key


class Secret:
    """A key in memory: nothing prints it, nothing pickles it; only `reveal` returns it."""

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        """Surrounding blanks and quotes are dropped: they come with what is pasted."""
        self._key = trim(key)

    def __repr__(self) -> str:
        return "Secret(...)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret does not leave its process")

    def reveal(self) -> str:
        """The key itself, for the one place that sends it."""
        return self._key


class Eraser:
    """Removes known keys, and whatever looks like one, from text that will be kept or shown."""

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        whole = {secret.reveal() for secret in secrets}
        keys = whole | {strip_scheme(key) for key in whole}
        longest = sorted((key for key in keys if len(key) >= SHORTEST), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest))) if longest else None

    def __repr__(self) -> str:
        return "Eraser(...)"

    def __call__(self, text: str) -> str:
        """The text with a mask in place of every key."""
        known = text if self._known is None else self._known.sub(MASK, text)
        return _LOOKS_LIKE_KEY.sub(MASK, known)


class ErasedStream(io.TextIOBase):
    """A text stream that nothing secret passes."""

    def __init__(self, stream: TextIO, erase: Eraser) -> None:
        self._stream = stream
        self._erase = erase

    def write(self, text: str) -> int:
        """Write the text without keys."""
        return self._stream.write(self._erase(text))

    def flush(self) -> None:
        """Flush the stream behind."""
        self._stream.flush()

    def fileno(self) -> int:
        """The descriptor of the stream behind."""
        return self._stream.fileno()


def hide(secrets: Iterable[Secret]) -> None:
    """From now on erase keys from all that this process prints, tracebacks included."""
    erase = Eraser(secrets)
    sys.stdout = cast("TextIO", ErasedStream(sys.stdout, erase))
    sys.stderr = cast("TextIO", ErasedStream(sys.stderr, erase))
