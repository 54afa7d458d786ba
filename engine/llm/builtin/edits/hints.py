"""What a brief says about the words of a task: which ones, and whether more or less is wanted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.llm.builtin.expressions.vocabulary import Vocabulary, Word

REACH = 60
"""Characters of a clause before a word in which its direction is looked for."""

_LESS = r"lower|smaller|less|fewer|shorter|earlier|low|small|short|early"
_MORE = r"higher|larger|greater|more|longer|later|high|large|long|late"
_DIRECTION = re.compile(rf"\b(?:(?P<less>{_LESS})|(?P<more>{_MORE}))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hint:
    """A word to look at; `direction` is 1 if more of it is wanted, -1 if less, 0 if unsaid."""

    source: str
    direction: int


def find_hints(text: str, vocabulary: Vocabulary) -> tuple[Hint, ...]:
    """The words of a task that a brief names, in order, each with the direction said before it."""
    found: dict[str, Hint] = {}
    for clause in re.split(r"[.;\n]", text.replace("feature.", "").replace("state.", "")):
        for word in vocabulary.words:
            place = _mentioned(word, clause)
            if place is not None and word.source not in found:
                found[word.source] = Hint(word.source, _direction(clause[:place]))
    return tuple(found.values())


def _mentioned(word: Word, clause: str) -> int | None:
    spelled = re.escape(word.name).replace("_", "[_ ]")
    match = re.search(rf"\b{spelled}\b", clause)
    return None if match is None else match.start()


def _direction(before: str) -> int:
    said = list(_DIRECTION.finditer(before[-REACH:]))
    if not said:
        return 0
    return -1 if said[-1]["less"] else 1
