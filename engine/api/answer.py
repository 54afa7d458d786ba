"""Answers to the prompts that a run with a `folder:DIR` writer has put into its folder."""

from __future__ import annotations

from pathlib import Path

from engine.llm.folder import PREFIX, Question, hand_in, list_questions
from problems.errors import UnknownName, UserError

__all__ = ["PREFIX", "Question", "find_question", "hand_in", "list_questions"]


def find_question(folder: Path, word: str) -> Question:
    """The open question of a name, of the beginning of one, or `next` for the first.

    Raises UserError for no folder, UnknownName for no such question.
    """
    waiting = list_questions(folder)
    if not waiting:
        raise UserError(f"no prompt waits for a reply in {folder}")
    if word == "next":
        return waiting[0]
    found = [one for one in waiting if one.name.startswith(word)]
    exact = [one for one in found if one.name == word]
    if len(exact or found) != 1:
        raise UnknownName("question", word, (one.name for one in waiting))
    return (exact or found)[0]
