"""What is typed behind `/`: words that must occur, `field:value`, and `!` for the opposite.

A field is a column's name or its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter as typed; an empty one accepts everything."""

    text: str = ""

    def accepts(self, facts: Mapping[str, str], texts: Mapping[str, str] = _NOTHING) -> bool:
        """Whether every word fits the facts (column name to text), whatever their case.

        `texts` are looked into only where a word names them.
        """
        return all(_fits(word, facts, texts) for word in self.text.lower().split())


def _fits(word: str, facts: Mapping[str, str], texts: Mapping[str, str]) -> bool:
    if word.startswith("!") and word != "!":
        return not _fits(word[1:], facts, texts)
    name, colon, value = word.partition(":")
    known = {**facts, **texts}
    meant = [fact for field, fact in known.items() if name and field.startswith(name)]
    if colon and meant:
        return any(value in fact.lower() for fact in meant)
    return word == "!" or any(word in fact.lower() for fact in facts.values())
