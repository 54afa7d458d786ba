"""The values that flow through a search: nouns of the paper, frozen, without behaviour."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal

from engine.domain.tuning import Tuning

FailureKind = Literal[
    "parse",
    "signature",
    "forbidden",
    "nondeterministic",
    "unknown name",
    "smoke",
    "exception",
    "timeout",
    "memory",
    "invalid action",
    "non-finite",
    "crash",
    "forged",
    "duplicate",
    "no gain",
    "behind",
    "provider",
    "budget",
]

Align = Literal["agreement", "value", "percentile", "advice"]
"""What a teacher says of a program as one number (`Diagnostics.signal`)."""

BLAMELESS: frozenset[FailureKind] = frozenset(
    {"duplicate", "no gain", "behind", "provider", "budget"}
)
"""Endings of a slot that say nothing against the program's text."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a candidate or a slot came to nothing, in words for a person and for a model.

    `line` is the line of the program it is about; `repairable` says that one repair call may help
    (no code, wrong signature, does not compile, cut off, or the smoke test raises).
    """

    kind: FailureKind
    message: str
    line: int | None = None
    repairable: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """A heuristic as text: its one-sentence idea, its code, the hash of its normalised code."""

    idea: str
    code: str
    hash: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A program on a set of instances, recomputed by the trusted simulator.

    `cost` is the mean minimised cost, None after a failure; `costs` has None for instances that
    were not finished; `actions` has an empty list for those; `cpu` are CPU seconds of the child.
    """

    cost: float | None
    costs: tuple[float | None, ...]
    actions: tuple[tuple[int, ...], ...]
    failure: Failure | None
    cpu: float

    @property
    def behaviour(self) -> str | None:
        """A digest of all actions of a complete evaluation: equal for programs that act alike."""
        if self.failure is not None:
            return None
        return hashlib.sha256(repr(self.actions).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Prefix:
    """The first actions on one instance of a set, after which a program continues."""

    instance: int
    actions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Continuations:
    """The costs that a program reaches after some prefixes, None where it reaches none.

    `cpu` are CPU seconds of the child.
    """

    costs: tuple[float | None, ...]
    cpu: float


@dataclass(frozen=True, slots=True)
class Alternative:
    """One action of a telling state: the teacher's normalised score, the values of its fields.

    `rival` says by what it competes directly with the two choices, such as "same machine_id".
    """

    action: int
    score: float | None
    values: tuple[float, ...]
    rival: str = ""


NOTHING = 1e-9
"""A cost so small that no share of it is shown."""


@dataclass(frozen=True, slots=True)
class Case:
    """One telling state: what the program did, what the teacher prefers, in the fields' own words.

    `regret` is the teacher's normalised score lost by the program's choice (0 when they agree).
    Where it is none, the program does `later` what the teacher prefers, to the same effect.
    `alternatives` are actions there, the two among them, the teacher's best first; their values
    stand in the order of `chosen_fields`. `costs` are those of the instance as the program solved
    it, and where the teacher's choice was forced here and the program went on; None where that
    was not tried.
    """

    instance: int
    step: int
    phase: float
    actions: int
    chosen: int
    preferred: int
    regret: float
    chosen_fields: tuple[tuple[str, float], ...]
    preferred_fields: tuple[tuple[str, float], ...]
    alternatives: tuple[Alternative, ...] = ()
    costs: tuple[float, float] | None = None
    later: bool = False

    @property
    def gain(self) -> float | None:
        """The share of the cost that the teacher's choice saves, None where it was not tried."""
        if self.costs is None:
            return None
        own, other = self.costs
        return (own - other) / (abs(own) if abs(own) > NOTHING else 1.0)


@dataclass(frozen=True, slots=True)
class ActionRow:
    """One action of a state and the values of its fields."""

    action: int
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """One state of a program's rollouts, chosen without a teacher's word, as tables show it.

    `rows` are some of its `actions`, the chosen one among them, in the order of the field `by`;
    their values stand in the order of `names`.
    """

    instance: int
    step: int
    phase: float
    actions: int
    chosen: int
    by: str
    names: tuple[str, ...]
    rows: tuple[ActionRow, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """One field in one phase of the rollouts.

    `low` and `high` bound it over all candidates of all states, `spread` is the mean difference
    between the largest and the smallest in one state. `chosen` and `preferred` are the mean places
    of the program's and the teacher's choice among a state's actions, from 0 (the smallest value)
    to 1 (the largest), None where the field never differs, `preferred` also without a teacher.
    """

    low: float
    high: float
    spread: float
    chosen: float | None
    preferred: float | None = None


@dataclass(frozen=True, slots=True)
class FieldProfile:
    """One field in the early, middle and late third of the rollouts; None without a state."""

    name: str
    phases: tuple[Span | None, ...]

    @property
    def mean_place(self) -> float | None:
        """The mean place of the program's choices over the thirds, None where it has none."""
        found = [span.chosen for span in self.phases if span and span.chosen is not None]
        return sum(found) / len(found) if found else None


@dataclass(frozen=True, slots=True)
class ChoiceProfile:
    """A program's choices field by field; `steps` of a mean rollout, `actions` at most a state."""

    steps: float
    actions: int
    fields: tuple[FieldProfile, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a program did in its rollouts, without any teacher's word."""

    profile: ChoiceProfile
    scenes: tuple[Scene, ...] = ()


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two programs first decide otherwise in one state of an instance.

    The scene is that state with the choice of the first, `other` is what the second chose there,
    a row of the scene too; `costs` are those of both at the instance's end.
    """

    scene: Scene
    other: int
    costs: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Advice:
    """What came of taking the teacher's choice in some disagreements, one at a time.

    Of `checked` such rollouts so many ended at a lower cost and so many at a higher one. `gain` is
    the share of their costs that was saved, `stderr` its standard error, None of one alone.
    """

    checked: int
    helped: int
    harmed: int
    gain: float
    stderr: float | None

    @property
    def unchanged(self) -> int:
        """How many ended at the same cost."""
        return self.checked - self.helped - self.harmed

    @property
    def outcome(self) -> str:
        """What following it comes to, in per cent: "saves 1.250 ± 0.310 %", "costs ... more"."""
        error = "" if self.stderr is None else f" ± {100 * self.stderr:.3f}"
        share = f"{100 * abs(self.gain):.3f}{error} %"
        return f"costs {share} more" if self.gain < 0 else f"saves {share}"


@dataclass(frozen=True, slots=True)
class RealFigures:
    """Figures of `Diagnostics` by real disagreements alone.

    What a program does later, to the effect of doing it now, is left out of each question: its
    choice is compared with the rest. `chance` is that of a blind choice among those.
    """

    agreement: float
    chance: float
    stderr: float
    value: float | None
    percentile: float | None


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What the teacher says of a program on its own states (paper, 3.2).

    Agreement, `chance` (mean of 1/|A|) and `stderr` are shares of 1; value and percentile are
    None when the teacher gives no scores; `dropped` counts slots without an eligible state.
    `advice` is None where no disagreement was checked, `real` where the problem does not tell
    which ones are real.
    """

    agreement: float
    chance: float
    stderr: float
    value: float | None
    percentile: float | None
    states: int
    tied: int
    dropped: int
    cases: tuple[Case, ...] = ()
    profile: ChoiceProfile | None = None
    advice: Advice | None = None
    real: RealFigures | None = None

    @property
    def real_agreement(self) -> float | None:
        """Agreement by real disagreements alone, None where it is not known which ones are."""
        return None if self.real is None else self.real.agreement

    def signal(self, align: Align) -> float | None:
        """What the teacher says as one number, the higher the better; None where it is not known.

        By advice, a program is the better the less following the teacher would have saved.
        """
        if align == "advice":
            return None if self.advice is None else -self.advice.gain
        found: float | None = getattr(self, align)
        return found


@dataclass(frozen=True, slots=True)
class Landmarks:
    """Mean costs on the design set that others reach: classical solvers, the teacher alone.

    `teacher` is None where there is none, or where it could not solve the set. Teacher `rollout`
    `tries` actions, and solves nothing alone.
    """

    solvers: tuple[tuple[str, float], ...] = ()
    teacher: float | None = None
    tries: bool = False


@dataclass(frozen=True, slots=True)
class Brief:
    """Advice of the analyzer for one operator."""

    text: str
    operator: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """One program of a run, with everything known about it.

    `id` orders candidates by generation and slot. `cost` is None when it failed. `cpu` are the CPU
    seconds of its evaluation as recorded, `decisions` the actions taken in it: both belong to the
    machine that measured them, so that two candidates are compared without them. `tuning` is what
    a search has seen that moved its constants, or those of the program it is made from.
    `selection_cost` is its mean on the selection set, None unless it was measured there at the end
    of its run. `writer` is who wrote it, empty for a seed and for what no writer made.
    """

    id: str
    program: Program
    operator: str
    generation: int
    slot: int
    parents: tuple[str, ...] = ()
    cost: float | None = None
    costs: tuple[float | None, ...] = ()
    diagnostics: Diagnostics | None = None
    behaviour: str | None = None
    failure: Failure | None = None
    facts: Facts | None = None
    cpu: float = field(default=0.0, compare=False)
    decisions: int = field(default=0, compare=False)
    tuning: Tuning | None = None
    selection_cost: float | None = field(default=None, compare=False)
    writer: str = field(default="", compare=False)

    def __repr__(self) -> str:
        """A line: programs and cases are long."""
        came = self.failure.kind if self.failure else f"cost {self.cost}"
        agreement = "" if self.agreement is None else f", agreement {self.agreement:.3f}"
        return f"<{self.id} {self.operator} gen {self.generation}: {came}{agreement}>"

    @property
    def pace(self) -> float | None:
        """CPU seconds a decision in its evaluation, None where they were not counted."""
        return self.cpu / self.decisions if self.decisions else None

    @property
    def agreement(self) -> float | None:
        """Top-1 agreement with the teacher, None where there are no diagnostics."""
        return None if self.diagnostics is None else self.diagnostics.agreement


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one slot is asked to make: operator, parents, brief; `draw` seeds a writer's draws."""

    generation: int
    slot: int
    operator: str
    parents: tuple[Candidate, ...]
    brief: Brief | None = None
    draw: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a writer.

    `role` is "program" or "repair", else a reflection: "analyzer", "short-term", "long-term";
    `messages` are what a language model sees; `recipes` is the same as values, for `builtin`.
    Example: `Request("program", "m", (Message("user", "Write a program."),), ())`.
    """

    role: str
    operator: str
    messages: tuple[Message, ...]
    recipes: tuple[Recipe, ...]
    population: tuple[Candidate, ...] = ()
    draw: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call used: tokens in and out, and money in US dollars (None: unknown)."""

    tokens_in: int = 0
    tokens_out: int = 0
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A writer's answer; `raw` is the response body as received, JSON text.

    `writer` is filled in when it is recorded: whoever was asked, in the words of `--llm`.

    Example: `Reply("{Shortest first.}\\n```python\\ndef ...\\n```", usage=Usage(900, 120))`.
    """

    text: str
    finish: str = "stop"
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    raw: str = ""
    writer: str = ""


@dataclass(frozen=True, slots=True)
class FactsRow:
    """Facts of a program, or None and why there are none; CPU seconds they took."""

    facts: Facts | None
    failure: str = ""
    cpu: float = 0.0


@dataclass(frozen=True, slots=True)
class DiagnosticsRow:
    """A finished teacher query: diagnostics, or None and why there are none; CPU seconds."""

    diagnostics: Diagnostics | None
    failure: str = ""
    cpu: float = 0.0
