"""An analyzer's reply, dealt out to slots: by slot number over the whole text, else by heading.

Models were asked for headings and numbered slots; what they send strays from that in many ways.
What can be read without guessing is read; anything else leaves a slot without a brief. Parsing is
pure, bounded and raises nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from engine.domain.text.plain_text import clean_reply

Key = TypeVar("Key", int, str)

MAX_CHARACTERS = 64_000
WINDOW = 200
"""Characters of a line in which a heading or a slot's number is looked for."""

_MARKUP = r"[\s>#*_`~|\"'{\[(+\-]*+(?:\d{1,3}[.)]\s*+)?+[\s#*_`~|\"(]*+"
_AFTER = r"[*_`\"'\])]*\s*(?:\([^()\n]{0,80}\))?\s*"
_SLOT = re.compile(
    rf"^{_MARKUP}slots?\s*(?:no\.?|number|\#)?\s*"
    r"(?P<numbers>\d{1,3}(?:\s*(?:,|/|&|\+|and)\s*\d{1,3})*)"
    rf"{_AFTER}(?:\w{{1,20}}\s*)?(?:[:.|\-\u2013\u2014)\]*_]+|$)(?P<rest>.*)$",
    re.IGNORECASE,
)
"""A line that opens a slot's paragraph: `Slot 2: ...`, `### Slot 2 (p)`, `**Slots 1 and 4**`."""

_HEADING = re.compile(
    rf"^(?P<markup>{_MARKUP})(?P<name>[a-z][a-z0-9_]*){_AFTER}(?P<colon>[:.\-\u2013\u2014*_|]*)"
    r"(?P<rest>.*)$",
    re.IGNORECASE,
)
"""A line that may open an operator's section: `## s (structural rewrite)`, `1. s: ...`, `- s`."""


@dataclass(frozen=True, slots=True)
class DealtBriefs:
    """The brief of each slot that has one, and for every other slot why it has none."""

    briefs: Mapping[int, str]
    missing: Mapping[int, str]


def parse_briefs(text: str, operators: Mapping[int, str]) -> DealtBriefs:
    """The briefs of a reply; `operators` maps each slot, counted from 1, to its operator's name.

    A slot's own paragraph follows what its operator's section says before any slot. A slot that is
    named twice, or whose paragraph is empty, has no brief; one that is not named has its
    operator's section.
    """
    own, sections = _cut(clean_reply(text[:MAX_CHARACTERS]), set(operators.values()))
    briefs: dict[int, str] = {}
    missing: dict[int, str] = {}
    for slot, operator in operators.items():
        general = sections.get(operator, [])
        shared = general[0] if len(general) == 1 else ""
        paragraphs = own.get(slot, [])
        if len(paragraphs) > 1:
            missing[slot] = f"the reply has {len(paragraphs)} briefs for slot {slot}"
        elif found := "\n".join(filter(None, (shared, *paragraphs))):
            briefs[slot] = found
        elif len(general) > 1:
            missing[slot] = f"the reply has {len(general)} sections for {operator}"
        else:
            missing[slot] = f"the reply has no brief for slot {slot} ({operator})"
    return DealtBriefs(briefs, missing)


def _cut(text: str, operators: set[str]) -> tuple[dict[int, list[str]], dict[str, list[str]]]:
    """The paragraphs by slot and the sections by operator, empty ones left out."""
    lines = text.splitlines()
    numbered = any(_SLOT.match(line[:WINDOW]) for line in lines)
    own: defaultdict[int, list[str]] = defaultdict(list)
    sections: defaultdict[str, list[str]] = defaultdict(list)
    targets: list[list[str]] = []
    for line in lines:
        slot = _SLOT.match(line[:WINDOW])
        operator = None if slot else _operator(line, operators, strict=numbered)
        if slot is not None:
            targets = [own[int(number)] for number in re.findall(r"\d+", slot["numbers"])]
            line = line[slot.start("rest") :]
        elif operator is not None:
            name, line = operator
            targets = [sections[name]]
        if slot is not None or operator is not None:
            for target in targets:
                target.append("")
        for target in targets:
            target[-1] += f"{line}\n"
    return _filled(own), _filled(sections)


def _operator(line: str, operators: set[str], strict: bool) -> tuple[str, str] | None:
    """The operator whose section a line opens, and the rest of the line; None for other lines.

    Where slots are numbered (`strict`) only a heading counts: a paragraph may hold lists in which
    a letter is a quantity.
    """
    found = _HEADING.match(line[:WINDOW])
    if found is None:
        return None
    names = {name.lower(): name for name in operators}
    name = names.get(found["name"].lower())
    markup = found["markup"].strip()
    rest = line[found.start("rest") :].strip()
    bare = not rest
    marked = markup.startswith(("#", "*")) if strict else bool(markup)
    opens = bare or bool(found["colon"]) or markup.startswith("#")
    if name is None or not opens or not (marked or (bare and not strict)):
        return None
    return name, "" if markup.startswith("#") else rest


def _filled(texts: Mapping[Key, list[str]]) -> dict[Key, list[str]]:
    """Texts that hold a word, stripped of white space and stray markup at their ends."""
    worded = {key: [one for one in found if re.search(r"\w", one)] for key, found in texts.items()}
    return {
        key: [one.strip().strip('*_`|"}').strip() for one in found]
        for key, found in worded.items()
        if found
    }
