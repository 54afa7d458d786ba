"""A method of the user's own as text: what its file says, and what a run records of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

Words = Annotated[tuple[str, ...], Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1)]
Checks = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0)]


@dataclass(frozen=True, slots=True)
class StepText:
    """One round of children; `children` None means the setting of that name.

    A `rolling` step's cycle of operators continues where the generation before left it.
    """

    operators: Words
    reflect: str = "none"
    children: Count | None = None
    rolling: bool = False


@dataclass(frozen=True, slots=True)
class OperatorText:
    """An operator; `parents` name how each is drawn, none where it starts from nothing.

    `briefed` says whether reflections speak to it. `prompt` is the whole text of its prompt; in a
    method's file, the name of the file that holds it. Empty, it is our prompt of that name.
    """

    name: str
    parents: tuple[str, ...]
    title: str = ""
    prompt: str = ""
    briefed: bool = True


@dataclass(frozen=True, slots=True)
class Definition:
    """A method, complete, in the words of its `file`; `operators` are its own.

    `otherwise` is the retention while alignment does not go with cost, "" where it is always the
    same; `default_teacher` comments where a run names none, `consult` says which programs it is
    asked about. So many of its disagreements with a program are checked, as `advice`; children are
    tuned for `tune_child` CPU seconds; `prompt_teacher` says when prompts tell its word, `wording`
    whose prompts the analyzer, s, p and m have.
    """

    file: str
    name: str
    about: str = ""
    teacher: bool = True
    retain: str = "cost"
    winner: str = "lowest-cost"
    steps: tuple[StepText, ...] = ()
    operators: tuple[OperatorText, ...] = ()
    otherwise: str = ""
    default_teacher: str = "paper"
    consult: str = "all"
    advice: Checks = 0
    tune_child: Seconds = 0.0
    prompt_teacher: str = "always"
    wording: str = "paper"
