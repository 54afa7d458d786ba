"""A method of the user's own as text: what its file says, and what a run records of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepText:
    """One round of children; `children` None means the setting of that name."""

    operators: tuple[str, ...]
    reflect: str
    children: int | None


@dataclass(frozen=True, slots=True)
class OperatorText:
    """An operator; `parents` name how each is drawn, `prompt` is the whole text of its prompt."""

    name: str
    title: str
    parents: tuple[str, ...]
    prompt: str


@dataclass(frozen=True, slots=True)
class Definition:
    """A method, complete, in the words of its `file`; `operators` are its own."""

    file: str
    name: str
    about: str
    teacher: bool
    retain: str
    winner: str
    steps: tuple[StepText, ...]
    operators: tuple[OperatorText, ...]
