"""What a method is: steps of operators with a reflection before each, retention, winner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.domain.specs.settings import PromptTeacher, Settings
from engine.domain.values import Candidate
from engine.search.selection import Sampler, lowest_cost
from problems.errors import UnknownName

Reflection = Literal["none", "analyzer", "short-term", "long-term"]
"""What is thought over before children are written (`engine.search.reflection`)."""

Consult = Literal["all", "survivors"]
"""The programs that a teacher is asked about."""

DefaultTeacher = Literal["paper", "strongest"]
"""Which of a problem's teachers comments where a run names none."""

Wording = Literal["paper", "preceptor"]
"""Whose prompts the analyzer and the operators s, p and m have."""

Retain = Callable[[Sequence["Candidate"], "Settings"], tuple["Candidate", ...]]
Winner = Callable[[Sequence["Candidate"], "Settings"], "Candidate"]


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to make a child.

    `prompt` is the text of its prompt, where that is not the file `prompts/NAME.md`. An `unequal`
    operator wants parents of different cost: where the population has none, earlier generations
    are drawn upon. Children `by` search come from no writer (`engine.search.tuning`): they take no
    call, and have no prompt. One that is not `briefed` has no part in reflections; one without
    `parents` writes a program of its own.
    """

    name: str
    title: str
    parents: tuple[Sampler, ...]
    unequal: bool = False
    prompt: str = ""
    by: Literal["model", "search"] = "model"
    briefed: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """One round of children inside a generation: operators cycle until `children` are asked for.

    `children` None means the setting of that name. The cycle of a `rolling` step continues where
    the generation before left it, so that all its operators make equally many children.
    """

    operators: tuple[str, ...]
    reflect: Reflection = "none"
    children: int | None = None
    rolling: bool = False


@dataclass(frozen=True, slots=True)
class Method:
    """A complete search method: `steps` and the setting `operators` name its `operators`.

    `retain` selects the survivors of a generation, `winner` the program that a run returns. Where
    `otherwise` is set, it selects the survivors while alignment does not go with cost in a run.
    The teacher, by default that of the paper or the strongest that ships (`default_teacher`), is
    asked to `consult` on all programs, or on those that survive by `otherwise`.
    So many of the teacher's disagreements with a program are checked by default, as `advice`;
    Where rules are compiled, children are tuned first, for `tune_child` CPU seconds;
    `prompt_teacher` is the default of the setting of that name. The `wording` of its prompts for
    the analyzer, s, p and m is the paper's, or that of `preceptor`, which shows more. `prompts`
    are texts of the user's by operator or role, instead of our files. A `shuffled` teacher's
    scores are dealt out again in every state: the method's placebo. A method that evaluates
    `in_full` stops no child early, whatever its retention.
    """

    name: str
    about: str
    operators: tuple[Operator, ...]
    steps: tuple[Step, ...]
    retain: Retain
    winner: Winner = lowest_cost
    teacher: bool = True
    shuffled: bool = False
    prompts: tuple[tuple[str, str], ...] = ()
    otherwise: Retain | None = None
    default_teacher: DefaultTeacher = "paper"
    consult: Consult = "all"
    advice: int = 0
    tune_child: float = 0.0
    prompt_teacher: PromptTeacher = "always"
    wording: Wording = "paper"
    in_full: bool = False

    def operator(self, name: str) -> Operator:
        """One of its operators. Raises UnknownName."""
        known = {operator.name: operator for operator in self.operators}
        if name not in known:
            raise UnknownName("operator", name, known)
        return replace(known[name], prompt=self.prompt(name) or known[name].prompt)

    @property
    def callless(self) -> frozenset[str]:
        """The names of its operators that make children without a call."""
        return frozenset(operator.name for operator in self.operators if operator.by == "search")

    @property
    def unbriefed(self) -> frozenset[str]:
        """The names of its operators that reflections do not speak to."""
        return frozenset(operator.name for operator in self.operators if not operator.briefed)

    @property
    def samplers(self) -> dict[str, tuple[Sampler, ...]]:
        """How each of its operators draws its parents, by the operator's name."""
        return {operator.name: operator.parents for operator in self.operators}

    def prompt(self, name: str) -> str:
        """The user's text of a prompt, empty where our file stands."""
        return dict(self.prompts).get(name, "")
