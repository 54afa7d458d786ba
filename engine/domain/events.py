"""What happens in a run, one frozen class a kind: for display and history, never read by the loop.

An engine writes them, viewers read them back. A kind that this version does not know, a newer
engine's, comes back as a `Note`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, get_args

import msgspec

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class RunStarted:
    """An engine has taken the run over, for the first time or to continue it."""

    kind: ClassVar[str] = "run-started"
    writer: str = ""
    sandbox: str = ""


@dataclass(frozen=True, slots=True)
class EstimateMade:
    """What the writers' calls may cost, published before the first one that costs money."""

    kind: ClassVar[str] = "estimate"
    writer: str = ""
    analyzer: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class TeacherMeasured:
    """What a teacher reaches on the design set by itself: its mean cost."""

    kind: ClassVar[str] = "teacher-alone"
    teacher: str = ""
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class GenerationOpened:
    """A generation begins."""

    kind: ClassVar[str] = "generation-opened"


@dataclass(frozen=True, slots=True)
class CallSent:
    """A request has left; `purpose` is "program" for a child, else the name of a reflection."""

    kind: ClassVar[str] = "call-sent"
    purpose: str = "program"
    writer: str = ""


@dataclass(frozen=True, slots=True)
class CallAnswered:
    """A reply has come and is recorded."""

    kind: ClassVar[str] = "call-answered"
    purpose: str = "program"
    tokens: int = 0
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class CallRefused:
    """The provider refused to answer."""

    kind: ClassVar[str] = "refused"
    text: str = ""


@dataclass(frozen=True, slots=True)
class ProviderWaiting:
    """No call leaves until the provider has recovered."""

    kind: ClassVar[str] = "waiting"
    text: str = ""


@dataclass(frozen=True, slots=True)
class ProviderBack:
    """The provider answers again."""

    kind: ClassVar[str] = "provider-back"
    text: str = "the provider answers again"


@dataclass(frozen=True, slots=True)
class EvaluationStarted:
    """A program goes into the sandbox."""

    kind: ClassVar[str] = "evaluating"
    program: str = ""


@dataclass(frozen=True, slots=True)
class EvaluationEnded:
    """A program was evaluated: its mean cost, or the kind of its failure; CPU seconds."""

    kind: ClassVar[str] = "evaluated"
    program: str = ""
    operator: str = ""
    cost: float | None = None
    cpu: float = 0.0
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class TrialsRun:
    """A batch of programs with other constants of `program` was tried.

    `rollouts` of the `budget` are used, the lowest mean cost before was `best`.
    """

    kind: ClassVar[str] = "trials"
    program: str = ""
    trials: int = 0
    rollouts: int = 0
    budget: int = 0
    best: float | None = None
    cpu: float = 0.0


@dataclass(frozen=True, slots=True)
class ConstantsTuned:
    """A search over the constants of `program` is over: its mean cost on the tuned half.

    `errors` are the standard errors by which it is better on the other half, None where that was
    not measured.
    """

    kind: ClassVar[str] = "tuned"
    program: str = ""
    constants: int = 0
    trials: int = 0
    before: float = 0.0
    after: float = 0.0
    errors: float | None = None
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class DiagnosisStarted:
    """The teacher is asked about a program's states."""

    kind: ClassVar[str] = "consulting"
    program: str = ""


@dataclass(frozen=True, slots=True)
class DiagnosisEnded:
    """The teacher has answered; `agreement` is None when it could not.

    Of `checked` pieces of its advice so many `helped`, and so many `harmed`.
    """

    kind: ClassVar[str] = "diagnosed"
    program: str = ""
    operator: str = ""
    cost: float | None = None
    agreement: float | None = None
    checked: int = 0
    helped: int = 0
    harmed: int = 0


@dataclass(frozen=True, slots=True)
class CandidateRecorded:
    """A candidate is final: its cost, or the kind and the message of its failure."""

    kind: ClassVar[str] = "candidate"
    program: str = ""
    operator: str = ""
    cost: float | None = None
    agreement: float | None = None
    failure: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class BriefsRecorded:
    """What the next prompts hold: `count` briefs from the reflection called `source`.

    `answers` is the number of calls that the briefs come from.
    """

    kind: ClassVar[str] = "briefs"
    count: int = 0
    source: str = ""
    answers: int = 0


@dataclass(frozen=True, slots=True)
class GenerationClosed:
    """A generation is complete; `best` is None while no program has survived."""

    kind: ClassVar[str] = "generation-closed"
    best: str | None = None
    cost: float | None = None
    agreement: float | None = None
    survivors: int = 0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class FinalistMeasured:
    """A survivor near the best was measured on the selection set `instances`."""

    kind: ClassVar[str] = "finalist"
    program: str = ""
    instances: str = ""
    cost: float | None = None
    cpu: float = 0.0
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class WinnerChosen:
    """The run returns a program: its cost on the design set and that on the selection set.

    It was chosen among `finalists`, `first` being the best of them on the design set.
    """

    kind: ClassVar[str] = "winner"
    program: str = ""
    instances: str = ""
    cost: float | None = None
    selection_cost: float | None = None
    finalists: int = 0
    first: str = ""


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The engine leaves the run in the state `status`."""

    kind: ClassVar[str] = "run-ended"
    status: str = ""
    reason: str = ""


NO_DIAGNOSTICS = "no-diagnostics"
"""The word of a note on a program of which a teacher had nothing to say."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something unusual that has no class of its own; `topic` is its word."""

    topic: str
    text: str = ""

    @property
    def kind(self) -> str:
        """Its word."""
        return self.topic


Fact = (
    RunStarted
    | EstimateMade
    | TeacherMeasured
    | GenerationOpened
    | CallSent
    | CallAnswered
    | CallRefused
    | ProviderWaiting
    | ProviderBack
    | EvaluationStarted
    | EvaluationEnded
    | TrialsRun
    | ConstantsTuned
    | DiagnosisStarted
    | DiagnosisEnded
    | CandidateRecorded
    | BriefsRecorded
    | GenerationClosed
    | FinalistMeasured
    | WinnerChosen
    | RunEnded
    | Note
)

KINDS: Mapping[str, type[Fact]] = {each.kind: each for each in get_args(Fact) if each is not Note}
"""The class of every kind that has one."""


STEPS = tuple(
    each.kind for each in (EvaluationStarted, EvaluationEnded, DiagnosisStarted, DiagnosisEnded)
)
"""Kinds that tell how a child came to be: more than half of a history, and shown of new ones."""


@dataclass(frozen=True, slots=True)
class Event:
    """A fact and its place in the run; `id` and `time` (Unix seconds) are given by the store."""

    fact: Fact
    generation: int | None = None
    slot: int | None = None
    id: int = 0
    time: float = 0.0

    @property
    def kind(self) -> str:
        """The word of its fact."""
        return self.fact.kind


def write_fact(fact: Fact) -> dict[str, Scalar]:
    """The fields of a fact by name, as the store and JSON documents hold them."""
    found: dict[str, Scalar] = asdict(fact)
    found.pop("topic", None)
    return found


def read_fact(kind: str, found: Mapping[str, object]) -> Fact:
    """The fact that `write_fact` wrote; anything else becomes a `Note`, nothing raises.

    Fields that are missing take their defaults, those that are not known are left out.
    """
    try:
        return msgspec.convert(found, KINDS[kind])
    except (KeyError, msgspec.ValidationError):
        said = found.get("text", ", ".join(f"{name} {value}" for name, value in found.items()))
        return Note(kind, str(said))
