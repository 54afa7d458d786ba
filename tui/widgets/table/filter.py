"""What is typed behind `/`: words that must occur, `field:value`, and `!` for the opposite.

A field is a column's name or its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter as typed; an empty one accepts everything."""

    text: str = ""

    def accepts(self, facts: Mapping[str, str]) -> bool:
        """Whether every word fits the facts (column name to text), whatever their case."""
        return all(_fits(word, facts) for word in self.text.lower().split())


def _fits(word: str, facts: Mapping[str, str]) -> bool:
    if word.startswith("!") and word != "!":
        return not _fits(word[1:], facts)
    name, colon, value = word.partition(":")
    meant = [fact for known, fact in facts.items() if name and known.startswith(name)]
    if colon and meant:
        return any(value in fact.lower() for fact in meant)
    return word == "!" or any(word in fact.lower() for fact in facts.values())
