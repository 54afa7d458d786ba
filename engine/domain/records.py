"""What the run store gives back: one small frozen value per kind of row.

Times are Unix seconds; `run` is the number that users type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.domain.specs.settings import RunSpec
from engine.domain.specs.study import StudySpec
from engine.domain.values import Failure, Reply, Request

if TYPE_CHECKING:
    from engine.domain.status import State

BEST_KNOWN = "best-known"
"""The solver that stands for the best known costs."""

Kind = Literal["rule", "program", "teacher", "reference"]
"""Who solves instances: a classical rule, a program of a run, a teacher, or whoever was best."""

Billed = Literal["yes", "no", "maybe"]
"""Whether a call was paid: `maybe` is a call whose answer never arrived."""


@dataclass(frozen=True, slots=True)
class CallKey:
    """The natural key of one call: what for and where, never when."""

    run: int
    purpose: str
    generation: int
    slot: int
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Identity:
    """One process: its number, when it started (the system's own unit), which boot."""

    pid: int
    started: str
    boot: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a run depends on besides its settings: code version, design set, teacher's weights.

    All empty until an engine has first claimed the run.
    """

    code: str = ""
    design: str = ""
    fingerprint: str = ""


def whose_code(recorded: str, now: str) -> str:
    """Whose code differs between two versions: ours, or that of the user's own problem alone."""
    (*ours, _), (*same, _) = recorded.split() or [""], now.split() or [""]
    return "the problem's own code" if len(ours) > 1 and ours == same else "Preceptor's code"


@dataclass(frozen=True, slots=True)
class Label:
    """What its user calls a run and says of it; all may be empty."""

    name: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run. `spec.caps` are the caps now in force; `seconds` is time spent running.

    `settings_sha` names equal settings; `best` is a candidate's id, None before the first
    generation closes; `identity` is the engine that owns the run, None when none does.
    """

    number: int
    spec: RunSpec
    provenance: Provenance
    settings_sha: str
    state: State
    reason: str
    identity: Identity | None
    heartbeat: float
    best: str | None
    forked_from: int | None
    forked_at: int | None
    created: float
    ended: float | None
    seconds: float
    label: Label = Label()


@dataclass(frozen=True, slots=True)
class PacedProgram:
    """A candidate by its id, its cost on the design set, and its CPU seconds a decision there."""

    id: str
    cost: float
    pace: float


@dataclass(frozen=True, slots=True)
class Spent:
    """What jobs have spent: calls, tokens, US dollars; calls without a known price cost nothing.

    Part of it is certain; `maybe` of the calls may have been paid, `maybe_tokens` and `maybe_usd`
    are the most that they cost.
    """

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    maybe: int = 0
    maybe_tokens: int = 0
    maybe_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Totals:
    """What a run has used. `maybe` of the `calls` may or may not have been paid.

    Every attempt that may have been paid is a call. `maybe_tokens` and `maybe_usd` are the most
    that those cost whose cost is not known; they are part of the tokens and of `usd`, which sums
    the known prices; `unpriced` counts answered calls without one; `evaluations` are
    evaluated candidates (seeds included) and measured finalists, `cpu` the CPU seconds of their
    children and of those of trials; `teacher` are the CPU seconds of the teacher's comments,
    replays included.
    """

    calls: int
    maybe: int
    tokens_in: int
    tokens_out: int
    usd: float
    unpriced: int
    evaluations: int
    cpu: float
    teacher: float
    maybe_tokens: int = 0
    maybe_usd: float = 0.0

    @property
    def spent(self) -> Spent:
        """What counts against the caps on a run."""
        tokens = self.tokens_in + self.tokens_out
        return Spent(self.calls, tokens, self.usd, self.maybe, self.maybe_tokens, self.maybe_usd)


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call as recorded; `reply` is there once `state` is done, `error` once it failed.

    A row left `sent` by an engine that is gone was in flight when it died.
    """

    key: CallKey
    state: Literal["sent", "done", "failed"]
    request_sha: str
    reply: Reply | None
    billed: Billed
    error: str
    sent: float
    done: float | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call together with what was asked."""

    call: CallRow
    request: Request


@dataclass(frozen=True, slots=True)
class CallCost:
    """The place of a call in a run, and what it took; an unknown price counts as nothing."""

    purpose: str
    generation: int
    slot: int
    tokens: int
    usd: float


@dataclass(frozen=True, slots=True)
class GenerationRow:
    """One generation; `digest` of the ordered survivors is there once it is closed.

    `cap` is how many calls the run might make in all when the generation was opened: a cap raised
    later must not change what has already been decided under it.
    """

    number: int
    closed: bool
    digest: str | None
    cap: int | None = None


@dataclass(frozen=True, slots=True)
class Finalist:
    """A survivor near the best, measured at the end of its run on the selection set `set`.

    `program` is a candidate's id; `cost` is None, and some of the `costs` are, after a `failure`.
    """

    program: str
    set: str
    cost: float | None
    costs: tuple[float | None, ...]
    failure: Failure | None
    cpu: float


@dataclass(frozen=True, slots=True)
class StudyRow:
    """One study. `identity` is the engine that hosts it, None when none does.

    `seconds` is time spent at work, searching and measuring.
    """

    number: int
    name: str
    spec: StudySpec
    state: State
    reason: str
    identity: Identity | None
    heartbeat: float
    created: float
    ended: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one solver reached on one instance set.

    `solver` names a rule or a teacher, is "best-known", or the hash of a program; `costs` are
    objectives in the natural sense in order of the instances, None for one not solved; `seconds`
    are for all of them together: CPU seconds of one core for rules and programs, wall clock on
    `device` for teachers, None for references. A program stands for `run` in the name of a
    `method`: the winner of that run, or of a method that is read off another method's run.
    """

    problem: str
    set: str
    solver: str
    kind: Kind
    costs: tuple[float | None, ...]
    seconds: float | None
    device: str = ""
    failures: tuple[Failure, ...] = ()
    run: int | None = None
    method: str = ""

    @property
    def mean(self) -> float | None:
        """Mean objective, None when an instance is missing."""
        known = [cost for cost in self.costs if cost is not None]
        return sum(known) / len(known) if known and len(known) == len(self.costs) else None
