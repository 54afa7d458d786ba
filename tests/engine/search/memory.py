"""An environment in plain memory, and replies for it: whole searches without a store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import problems
from engine.diagnosis.facts import observe
from engine.diagnosis.partings import find_parting
from engine.diagnosis.sampling import Sample, plan_sampling, sample
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
from engine.search.loop import SearchResult, search
from engine.search.methods.types import Method
from problems.base import Contract, Problem, Rule, rollout
from tests.engine.builders import diagnostics
from tests.scripted import Scripted


@dataclass
class InMemoryEnvironment:
    """Evaluates trusted programs in this process and remembers everything."""

    method: Method
    settings: Settings
    seed: int = 0
    calls: int | None = None
    answer: Callable[[Request, int], str | None] = lambda request, attempt: None
    is_builtin: bool = False
    problem: Problem = field(default_factory=lambda: problems.load("tests/toy"))
    asked: dict[tuple[str, int, int, int], Request] = field(default_factory=dict)
    recorded: list[Candidate] = field(default_factory=list)
    closed: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    noted: list[tuple[str, int | None]] = field(default_factory=list)
    given: list[tuple[Brief | None, ...]] = field(default_factory=list)
    tried: list[TrialBatch] = field(default_factory=list)
    tunings: list[Tuning] = field(default_factory=list)
    chosen: tuple[tuple[str, ...], str] | None = None
    evaluations: dict[str, Evaluation] = field(default_factory=dict)

    @property
    def contract(self) -> Contract:
        """The toy's contract."""
        return self.problem.contract

    @property
    def reference(self) -> float | None:
        """Unknown."""
        return None

    @property
    def larger(self) -> str:
        """Nothing is larger."""
        return ""

    async def comment(self, candidate: Candidate) -> str:
        """Nothing is said."""
        return ""

    async def scale(self, candidate: Candidate) -> Trial | None:
        """Nothing is timed."""
        return None

    @property
    def builtin(self) -> bool:
        """As a test says."""
        return self.is_builtin

    @property
    def compiles(self) -> bool:
        """No."""
        return False

    @property
    def landmarks(self) -> Landmarks:
        """A solver that is nearly as good as can be."""
        return Landmarks((("smith", 1234.5),), 500.25 if self.method.teacher else None)

    def seeds(self) -> tuple[Rule, ...]:
        """The toy's seeds."""
        return self.problem.seeds()

    async def ask(
        self, purpose: str, generation: int, slot: int, attempt: int, request: Request
    ) -> Reply:
        """The test's own answer, else the scripted one."""
        self.asked[purpose, generation, slot, attempt] = request
        await asyncio.sleep(0.001 * ((7 * slot) % 5))
        text = self.answer(request, attempt)
        if text is not None:
            return Reply(text)
        return await Scripted(self.problem).complete(request)

    @property
    def selects(self) -> bool:
        """Where the test names a selection set."""
        return bool(self.settings.selection)

    async def evaluate(
        self, candidate: Candidate, checkpoint: Checkpoint | None = None
    ) -> Evaluation:
        """Plain rollouts on the design set."""
        found = self._solve(candidate, self.settings.design or "design")
        behind = checkpoint.judge_known(found) if checkpoint else None
        if checkpoint is None or behind is None:
            return found
        part = checkpoint.cut(found)
        assert part is not None
        return replace(part, failure=behind)

    async def measure(self, candidate: Candidate) -> Evaluation:
        """Plain rollouts on the selection set."""
        return self._solve(candidate, self.settings.selection)

    def choose(self, finalists: Sequence[Candidate], winner: Candidate) -> None:
        """Remember."""
        self.chosen = (tuple(c.id for c in finalists), winner.id)

    def _solve(self, candidate: Candidate, name: str) -> Evaluation:
        space: dict[str, object] = {}
        exec(candidate.program.code, space)
        runs = [
            rollout(self.problem, space[self.contract.function], instance)
            for instance in self.problem.load(name)
        ]
        costs = tuple(run.cost for run in runs)
        actions = tuple(run.actions for run in runs)
        found = Evaluation(sum(costs) / len(costs), costs, actions, None, 0.0)
        self.evaluations[candidate.id] = found
        return found

    async def observe(self, candidate: Candidate, evaluation: Evaluation) -> Facts | None:
        """What its rollouts show."""
        found = observe(self.problem, self.sampled(evaluation), 6)
        return None if found is None else found.facts

    def sampled(self, evaluation: Evaluation) -> Sample:
        """The states that facts and teacher are about."""
        instances = self.problem.load("design")
        sampling = plan_sampling(len(instances), 64)
        return sample(self.problem, instances, evaluation.actions, sampling)

    async def part(self, one: Candidate, other: Candidate) -> Parting | None:
        """From their rollouts."""
        for candidate in (one, other):
            if candidate.id not in self.evaluations:  # of a search that this one continues
                await self.evaluate(candidate)
        both = (self.evaluations[one.id], self.evaluations[other.id])
        return find_parting(self.problem, self.problem.load("design"), *both, one.facts)

    async def try_out(self, batch: TrialBatch) -> tuple[Trial, ...]:
        """The same on some instances; whatever a program raises is a failure."""
        self.tried.append(batch)
        return tuple(Trial(self._costs(code, batch.instances)) for code in batch.codes)

    def _costs(self, code: str, chosen: Sequence[int]) -> tuple[float | None, ...]:
        design = self.problem.load("design")
        space: dict[str, object] = {}
        try:
            exec(code, space)
            return tuple(rollout(self.problem, space["score"], design[k]).cost for k in chosen)
        except Exception:
            return (None,) * len(chosen)

    def tuned(self, generation: int, slot: int, tuning: Tuning) -> None:
        """Remember."""
        self.tunings.append(tuning)

    async def diagnose(self, candidate: Candidate, evaluation: Evaluation) -> Diagnostics | None:
        """An agreement that depends on the program alone."""
        return diagnostics(int(candidate.program.hash[:4], 16) / 65536)

    def calls_made(self) -> int:
        """As many as there were different questions."""
        return len(self.asked)

    def cap(self, generation: int) -> int | None:
        """The same for every generation."""
        return self.calls

    def open(self, generation: int) -> None:
        """Nothing to remember."""

    def record(self, candidate: Candidate) -> None:
        """Remember."""
        self.recorded.append(candidate)

    def briefs(self, generation: int, briefs: Sequence[Brief | None]) -> None:
        """Remember."""
        self.given.append(tuple(briefs))

    def note(self, kind: str, generation: int, slot: int | None, text: str) -> None:
        """Remember."""
        self.noted.append((kind, slot))

    def close(self, generation: int, survivors: Sequence[Candidate]) -> None:
        """Remember."""
        self.closed.append((generation, tuple(c.id for c in survivors)))

    def failed(self, generation: int) -> list[Candidate]:
        """Candidates of a generation that came to nothing."""
        return [c for c in self.recorded if c.generation == generation and c.failure]


def run(environment: InMemoryEnvironment) -> SearchResult:
    """Search to the end."""
    return asyncio.run(search(environment))


def healthy(request: Request, attempt: int) -> str | None:
    """Replies without the scripted writer's deliberate faults."""
    if request.role not in ("program", "repair"):
        return None
    weight = request.draw % 1000 / 500
    return (
        "{A weighted sum.}\n```python\ndef score(item, state):\n"
        f"    return item.weight - {weight} * item.duration\n```"
    )
