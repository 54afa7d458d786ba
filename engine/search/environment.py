"""All that a search asks of the world outside it: the seam between the loop and an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.domain.checkpoint import Checkpoint
from engine.domain.specs.settings import Settings
from engine.domain.tuning import Trial, TrialBatch, Tuning
from engine.domain.values import (
    Brief,
    Candidate,
    Diagnostics,
    Evaluation,
    Facts,
    Landmarks,
    Parting,
    Reply,
    Request,
)
from engine.search import budget_plan
from engine.search.methods.types import Method
from problems.base import Contract, Rule


class Environment(Protocol):
    """What the loop asks of the world; each answer is recorded, and asked for only once."""

    @property
    def seed(self) -> int:
        """The run's seed, from which every draw derives."""

    @property
    def settings(self) -> Settings:
        """The run's settings."""

    @property
    def method(self) -> Method:
        """The method, as data."""

    @property
    def contract(self) -> Contract:
        """The problem's contract."""

    @property
    def reference(self) -> float | None:
        """Mean best known cost of the design set, None where it is unknown."""

    @property
    def larger(self) -> str:
        """A set of larger instances; empty where there is none, or no prompt tells of it."""

    @property
    def builtin(self) -> bool:
        """Whether the built-in writer alone writes the children."""

    @property
    def compiles(self) -> bool:
        """Whether rules are compiled here, so that a search over constants is cheap."""

    @property
    def landmarks(self) -> Landmarks:
        """What others reach on the design set."""

    def seeds(self) -> tuple[Rule, ...]:
        """The problem's seed programs."""

    async def ask(
        self, purpose: str, generation: int, slot: int, attempt: int, request: Request
    ) -> Reply:
        """The reply to one call, named by its place in the run."""

    @property
    def selects(self) -> bool:
        """Whether there is a selection set, on which the winner is chosen."""

    async def evaluate(
        self, candidate: Candidate, checkpoint: Checkpoint | None = None
    ) -> Evaluation:
        """The program on the design set, or on its first part where the checkpoint ends it."""

    async def try_out(self, batch: TrialBatch) -> tuple[Trial, ...]:
        """Programs with other constants on some instances, each by itself, in their order."""

    async def scale(self, candidate: Candidate) -> Trial | None:
        """The program on the first instance of `larger`; None where that is empty."""

    async def comment(self, candidate: Candidate) -> str:
        """What the problem's own code says of the program's solutions; empty for nothing."""

    async def observe(self, candidate: Candidate, evaluation: Evaluation) -> Facts | None:
        """What that evaluation shows without a teacher, None where nothing was to choose."""

    async def part(self, one: Candidate, other: Candidate) -> Parting | None:
        """Where a program parts from another, to its loss; None where that is not known."""

    async def diagnose(self, candidate: Candidate, evaluation: Evaluation) -> Diagnostics | None:
        """What the teacher says of the states of that evaluation, None when it cannot."""

    def calls_made(self) -> int:
        """Calls that this search has asked for so far, recorded or new."""

    def cap(self, generation: int) -> int | None:
        """How many calls the search may make in all by the end of a generation, None: any."""

    def open(self, generation: int) -> None:
        """A generation begins."""

    def record(self, candidate: Candidate) -> None:
        """A candidate is final: it has a cost or a failure."""

    def briefs(self, generation: int, briefs: Sequence[Brief | None]) -> None:
        """What the prompts of a generation say, one brief or None for each slot so far."""

    def note(self, kind: str, generation: int, slot: int | None, text: str) -> None:
        """Something a watcher should see."""

    def tuned(self, generation: int, slot: int, tuning: Tuning) -> None:
        """What a search over constants has come to, for watchers."""

    def close(self, generation: int, survivors: Sequence[Candidate]) -> None:
        """A generation is complete; its survivors, best cost first."""

    async def measure(self, candidate: Candidate) -> Evaluation:
        """The program on the selection set, once the last generation is closed."""

    def choose(self, finalists: Sequence[Candidate], winner: Candidate) -> None:
        """The search returns the winner, chosen among finalists that were all measured."""


def calls_left(environment: Environment, generation: int) -> int | None:
    """Calls that a generation may still make under its cap and the setting, None: any number."""
    return budget_plan.calls_left(
        environment.calls_made(), environment.cap(generation), environment.settings.calls or None
    )
