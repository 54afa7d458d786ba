"""Which run a word means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.reader import Reader
from problems.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path


def pick_run(db: Path, word: str) -> int:
    """The number of a run, `latest` being the newest one.

    Raises UserError for what is no number and for a store without runs, UnknownName for a number
    that no run has.
    """
    with Reader(db) as reader:
        newest = reader.latest()
        if newest is None:
            raise UserError(f"{db} holds no runs yet; start one with: preceptor run PROBLEM")
        if word == "latest":
            return newest.number
        if not word.isdecimal():
            raise UserError(f"a run is a number, or the word latest; not {word!r}")
        return reader.run(int(word)).number
