"""What changed between two programs: lines side by side, and words inside changed lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Pairs = list[tuple[int | None, int | None]]

CONTEXT = 3
"""Unchanged lines shown around a change; longer stretches are folded."""

LIKE = 0.4
"""Similarity from which two lines count as one line that was edited."""

MOST = 400
"""Pairs of lines in a changed block up to which the most similar ones are looked for."""

_WORDS = re.compile(r"\w+|\s+|.")


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Two lines beside each other by index from 0; None where a side has none.

    `folded` rows stand for so many equal lines that are not shown.
    """

    left: int | None
    right: int | None
    changed: bool = False
    folded: int = 0


def compare(old: Sequence[str], new: Sequence[str]) -> list[ComparisonRow]:
    """The rows of a side-by-side view of two programs, given as lines."""
    rows: list[ComparisonRow] = []
    for tag, i, i2, j, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += _fold(range(i, i2), range(j, j2), (i == 0, i2 == len(old)))
        else:
            pairs = pair(old[i:i2], new[j:j2])
            rows += [ComparisonRow(_shifted(a, i), _shifted(b, j), changed=True) for a, b in pairs]
    return rows


def pair(old: Sequence[str], new: Sequence[str]) -> Pairs:
    """Which changed lines stand beside each other, in order: those that are most alike.

    Long blocks, where that would take long, stand side by side as they come.
    """
    if len(old) * len(new) > MOST:
        return list(zip_longest(range(len(old)), range(len(new))))
    pairs: Pairs = []
    a = b = 0
    for i, j in [*_alike(old, new), (len(old), len(new))]:
        pairs += zip_longest(range(a, i), range(b, j))
        pairs.append((i, j))
        a = i + 1
        b = j + 1
    return pairs[:-1]


def count(rows: Sequence[ComparisonRow]) -> tuple[int, int]:
    """Lines that were added and lines that were removed."""
    changed = [row for row in rows if row.changed]
    added = sum(row.right is not None for row in changed)
    return added, sum(row.left is not None for row in changed)


def edits(old: str, new: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Spans of the words that differ in two lines; none when the lines have little in common."""
    a = _WORDS.findall(old)
    b = _WORDS.findall(new)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    if matcher.ratio() < LIKE:
        return [], []
    different = [code[1:] for code in matcher.get_opcodes() if code[0] != "equal"]
    left = [(len("".join(a[:i])), len("".join(a[:i2]))) for i, i2, _, _ in different if i < i2]
    right = [(len("".join(b[:j])), len("".join(b[:j2]))) for _, _, j, j2 in different if j < j2]
    return left, right


def _fold(lefts: range, rights: range, edge: tuple[bool, bool]) -> list[ComparisonRow]:
    """Equal lines; of a long stretch those near a change. `edge`: is it at the start, the end."""
    pairs = [ComparisonRow(a, b) for a, b in zip(lefts, rights, strict=True)]
    head = 0 if edge[0] else CONTEXT
    tail = 0 if edge[1] else CONTEXT
    hidden = len(pairs) - head - tail
    if hidden < 2 or all(edge):
        return pairs
    return [*pairs[:head], ComparisonRow(None, None, folded=hidden), *pairs[len(pairs) - tail :]]


def _alike(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of similar lines, in order on both sides, with the largest sum of similarities."""
    best: list[list[tuple[float, list[tuple[int, int]]]]]
    best = [[(0.0, [])] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, a in enumerate(old):
        for j, b in enumerate(new):
            options = [best[i][j + 1], best[i + 1][j]]
            likeness = SequenceMatcher(None, a.strip(), b.strip(), autojunk=False).ratio()
            if likeness >= LIKE:
                score, pairs = best[i][j]
                options.append((score + likeness, [*pairs, (i, j)]))
            best[i + 1][j + 1] = max(options, key=lambda option: option[0])
    return best[-1][-1][1]


def _shifted(index: int | None, by: int) -> int | None:
    return None if index is None else index + by
