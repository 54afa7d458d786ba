"""Which run or which study a word means."""

from __future__ import annotations

from pathlib import Path

from engine.store.reader import Reader, liveness
from problems.errors import UnknownName, UserError


def pick_run(db: Path, word: str) -> int:
    """The number of a run, `latest` being the newest one and no word the newest at work, if any.

    Of several runs of one name the newest. Raises UserError for what is no number and no name and
    for a store without runs, UnknownName for a number that no run has.
    """
    with Reader(db) as reader:
        newest = reader.latest()
        if newest is None:
            raise UserError(f"{db} holds no runs yet; start one with: preceptor run PROBLEM")
        if not word:
            at_work = (row for row in reader.runs() if liveness(row) != "gone")
            return next(at_work, newest).number
        if word == "latest":
            return newest.number
        if word.isdecimal():
            return reader.run(int(word)).number
        named = (row.number for row in reader.runs() if row.label.name == word)
        found = next(named, None)
        if found is None:
            raise UserError(
                f"{word!r} is neither a run nor a study; give a run's number or name or the word "
                "latest, or a study as study:N or by its name"
            )
        return found


STUDY = "study:"
"""Prefix of a study where a run could be named."""


def pick_study(db: Path, word: str) -> int | None:
    """The number of the study that `study:N`, `study:NAME` or its name means; else None.

    Of several studies of one name the newest. Raises UserError for a store without studies,
    UnknownName for one that does not exist.
    """
    marked = word.startswith(STUDY)
    name = word.removeprefix(STUDY)
    if not marked and (name in ("", "latest") or name.isdecimal()):
        return None
    with Reader(db) as reader:
        studies = reader.studies()
        if marked and not studies:
            raise UserError(f"{db} holds no studies yet; start one with: preceptor study FILE")
        if name.isdecimal():
            return reader.study(int(name)).number
    numbers = {row.name: row.number for row in reversed(studies)}
    if marked and name not in numbers:
        raise UnknownName("study", name, numbers)
    return numbers.get(name)
