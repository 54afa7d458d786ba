"""The environment of a real run: an answer is recorded before it is used, never paid for twice.

A recorded reply is read back; a program evaluated before is looked up by content. So
resuming is nothing but running the same loop again (design 4), from the state before the last
closed generation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from engine.diagnosis.partings import find_parting
from engine.diagnosis.queries import Observe
from engine.domain.checkpoint import Checkpoint
from engine.domain.events import (
    NO_DIAGNOSTICS,
    BriefsRecorded,
    CandidateRecorded,
    ConstantsTuned,
    DiagnosisEnded,
    DiagnosisStarted,
    EvaluationEnded,
    EvaluationStarted,
    Event,
    Fact,
    FinalistMeasured,
    GenerationClosed,
    GenerationOpened,
    Note,
    TrialsRun,
    WinnerChosen,
)
from engine.domain.records import CallKey
from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.status import Job
from engine.domain.text.codec import content_key
from engine.domain.tuning import Trial, TrialBatch, Tuning
from engine.domain.values import (
    Brief,
    Candidate,
    Diagnostics,
    DiagnosticsRow,
    Evaluation,
    Facts,
    FactsRow,
    Failure,
    Landmarks,
    Parting,
    Program,
    Reply,
    Request,
)
from engine.evaluate.speed import is_worth_compiling
from engine.llm.base import Writer
from engine.runtime import provenance
from engine.runtime.call_queue import CallQueue
from engine.runtime.consultation import Consultation
from engine.runtime.executors.executor import Verdicts
from engine.runtime.job import Halted, wait_for_store
from engine.runtime.plan import Plan
from engine.runtime.resources import RunResources
from engine.runtime.writers.several import draw_writers, list_operators, writer_of
from engine.search.methods.types import Method
from engine.search.tuning.calibrate import as_trials
from engine.store.store import Store
from problems.base import Contract, Problem, Rule
from problems.errors import BadModule, StoreBlocked
from problems.own_code import Overlong, blame_call, in_thread
from problems.whole import WholeFunction

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Keys:
    """Content keys of what was found out about a candidate."""

    evaluation: str = ""
    facts: str | None = None
    diagnostics: str | None = None


_NO_KEYS = _Keys()

LARGER_INSTANCES = 4
"""Instances of the larger set on which a program is tried."""

LARGER_SECONDS = 30.0
"""CPU seconds that a program may take on the larger instances at most."""


@dataclass(slots=True)
class Ledger:
    """The search's `Environment` over a store; single-threaded, lives as long as the engine.

    `resources` may be shared by the runs of a study. `writers` are those of programs, by the names
    that the run's specification gives them. `teacher` finds facts, too, for all methods; its
    `fingerprint` is empty where it does nothing else. `queue` sends the run's calls; `inherited`
    are those that went into the generations that a forked run began with. `guide` is the best
    program of the last closed generation, which teacher `rollout` lets continue. Actions of
    programs that died go one generation later: a run that is resumed makes its last one again.
    """

    store: Store
    run: int
    plan: Plan
    resources: RunResources
    writers: Mapping[str, Writer]
    analyzer: Writer
    teacher: Verdicts
    fingerprint: str = ""
    inherited: int = 0
    landmarks: Landmarks = field(default_factory=Landmarks)
    larger: str = ""
    guide: Program | None = None
    queue: CallQueue = field(init=False)
    spec: RunSpec = field(init=False)
    problem: Problem = field(init=False)
    method: Method = field(init=False)
    design: str = field(init=False)
    _evaluator: str = field(init=False)
    _selection: str = field(init=False)
    _sampling: str = field(init=False)
    _keys: dict[str, _Keys] = field(default_factory=dict)
    _partings: dict[tuple[str, str], Parting | None] = field(default_factory=dict)
    _comments: dict[str, str] = field(default_factory=dict)
    _before: dict[int, tuple[Candidate, ...]] = field(default_factory=dict)
    _whole: set[str] = field(default_factory=set)
    _dying: set[str] = field(default_factory=set)
    _events: list[Event] = field(default_factory=list)
    _opened_under: dict[int, int | None] = field(init=False)

    def __post_init__(self) -> None:
        plan = self.plan
        self.spec = plan.spec
        self.problem = plan.problem
        self.method = plan.method
        self.design = provenance.digest(plan.instances)
        self._selection = provenance.digest(plan.selection_instances)
        self._evaluator = provenance.evaluator_version(plan.spec.problem)
        self._sampling = content_key(plan.sampling, provenance.diagnostics_version())
        self.queue = CallQueue(
            self.store,
            self.run,
            self.resources.call_slots,
            self.spec.caps,
            self.emit,
            self.spec.settings.outage_seconds,
        )
        self.restart()

    def restart(self) -> None:
        """Be asked everything from the start again, as by a resumed run."""
        self.guide = None
        self.queue.asked.clear()
        self._before.clear()
        self._whole.clear()
        self._dying.clear()
        opened = self.store.generations(self.run)
        self._opened_under = {generation.number: generation.cap for generation in opened}

    def go_on_after(self, generation: int) -> None:
        """Take the calls up to a closed generation as asked, and its end as it is recorded."""
        self.queue.asked.update(dict.fromkeys(self.store.call_keys(self.run, generation)))
        self._whole.update(self.store.whole_programs(self.run, generation))

    async def wait_for_store(self, blocked: StoreBlocked) -> None:
        """Until all that waits is written; the run is shown as paused meanwhile.

        Raises Halted when the run is told to end. Only a stop ends it while a reply is held that
        is recorded nowhere: it would have to be paid again.
        """

        def halted() -> Halted | None:
            told = self.queue.halted
            return told if told and (told.state == "stopped" or not self.queue.unstored) else None

        job = Job("run", self.run)
        await wait_for_store(self.store, job, blocked, halted, self.queue.record_replies)

    @property
    def seed(self) -> int:
        """The run's seed."""
        return self.spec.seed

    @property
    def settings(self) -> Settings:
        """The run's settings."""
        return self.spec.settings

    @property
    def contract(self) -> Contract:
        """The problem's contract."""
        return self.problem.contract

    def seeds(self) -> tuple[Rule, ...]:
        """The problem's seed programs, in its order, then the run's own."""
        extra = (Rule(one.name, one.idea, code=one.code) for one in self.spec.extra_seeds)
        return (*self.problem.seeds(), *extra)

    @property
    def reference(self) -> float | None:
        """Mean best known cost of the design set, None where it is unknown."""
        return self.plan.reference

    def calls_made(self) -> int:
        """Counted over calls this loop has asked for, recorded or new, so a resume agrees."""
        return self.inherited + len(self.queue.asked)

    def cap(self, generation: int) -> int | None:
        """The cap now in force; a generation opened before keeps the one it was opened under.

        A fork has not paid what it inherited.
        """
        cap = self._opened_under.get(generation, self.queue.caps.calls)
        return None if cap is None else self.inherited + cap

    async def ask(
        self, purpose: str, generation: int, slot: int, attempt: int, request: Request
    ) -> Reply:
        """One call, sent at most once. Raises Halted, RunMismatch, WriterUnavailable."""
        key = CallKey(self.run, purpose, generation, slot, attempt)
        if request.role not in ("program", "repair"):
            return await self.queue.ask(key, request, self.spec.reflector, self.analyzer)
        name = self._choose_writer(generation, slot, request.operator)
        return await self.queue.ask(key, request, name, self.writers[name])

    def _choose_writer(self, generation: int, slot: int, operator: str) -> str:
        """Who is asked for a child, by its place and what closed generations hold."""
        names = self.spec.writers
        if len(names) == 1:
            return names[0]
        if self.settings.writers == "operator":
            return writer_of(names, list_operators(self.method, self.settings), operator, slot)
        if generation not in self._before:
            seen = self.store.outlines(self.run)
            self._before[generation] = tuple(one for one in seen if one.generation < generation)
        return draw_writers(names, self._before[generation], slot + 1)[slot]

    async def once(
        self,
        key: str,
        find: Callable[[], T | None],
        make: Callable[[], Awaitable[T]],
        after_budget: bool = False,
    ) -> T:
        """A result that `find` has on record, else what `make` finds out and records.

        Of the runs of a study one at a time makes what has a key. Raises Halted where it would
        have to be made and the run is told to end; `after_budget` a spent budget is no reason.
        """
        async with self.resources.key_locks[key]:
            found = find()
            if found is None:
                if not after_budget:
                    self.queue.raise_if_halted()
                elif self.queue.halted is not None and self.queue.halted.state != "budget":
                    raise self.queue.halted
                found = await make()
            return found

    async def evaluate(
        self, candidate: Candidate, checkpoint: Checkpoint | None = None
    ) -> Evaluation:
        """The program on the design set, looked up by content or run in the sandbox.

        What is known up to a checkpoint has a key of its own: whether an evaluation ends there is
        up to the run, and another run continues from there.
        """
        whole = self._evaluation_key(candidate, self.design)

        def find() -> Evaluation | None:
            found = self.store.evaluation(self.run, whole)
            if checkpoint is None:
                return found
            first = _part_key(whole, checkpoint)
            part = self.store.evaluation(self.run, first) or checkpoint.cut(found)
            behind = checkpoint.judge_known(part)
            if part is None or behind is None:
                return found
            cut = replace(part, failure=behind)
            self._keep_evaluation(candidate, first, cut, self.design)
            return cut

        found = await self.once(whole, find, lambda: self._evaluate(candidate, whole, checkpoint))
        self._keys[candidate.id] = _Keys(_key_of(found, whole, checkpoint))
        return found

    async def _evaluate(
        self, candidate: Candidate, whole: str, checkpoint: Checkpoint | None
    ) -> Evaluation:
        """In the sandbox, after the part up to the checkpoint where that is on record."""
        place = (candidate.generation, candidate.slot)
        self.emit(EvaluationStarted(candidate.id), *place)
        part = None
        if checkpoint is not None:
            part = self.store.evaluation(self.run, _part_key(whole, checkpoint))
        design = self.plan.design_set
        code = candidate.program.code
        found = await self.resources.evaluator.evaluate(code, design, None, checkpoint, part)
        key = _key_of(found, whole, checkpoint)
        kept = self._keep_evaluation(candidate, key, found, self.design)
        failure = None if found.failure is None else found.failure.kind
        ended = EvaluationEnded(candidate.id, candidate.operator, found.cost, found.cpu, failure)
        self.emit(ended, *place)
        return replace(kept, failure=found.failure) if _is_behind(found) else kept

    def _evaluation_key(self, candidate: Candidate, instances: str) -> str:
        """Of a program on a set, which is named by the digest of its instances."""
        limits = (self.settings.eval_seconds, self.settings.memory_mb)
        evaluator = self._evaluator
        return content_key("evaluation", candidate.program.hash, instances, evaluator, limits)

    def _keep_evaluation(
        self,
        candidate: Candidate,
        key: str,
        evaluation: Evaluation,
        instances: str,
        thinned: bool = False,
    ) -> Evaluation:
        """Record an evaluation; the first one under a key stays, and is what counts.

        `thinned` without its actions, where its costs are all that is ever asked for.
        A part of one is kept without a word on whom it was compared with: that is up to the run.
        """
        if _is_behind(evaluation):
            evaluation = replace(evaluation, failure=Failure("behind", "stopped at a checkpoint"))
        if thinned:
            evaluation = replace(evaluation, actions=((),) * len(evaluation.actions))
        self.store.search_log.record_evaluation(
            self.run,
            key,
            evaluation,
            program=candidate.program.hash,
            design=instances,
            evaluator=self._evaluator,
            thinned=thinned,
        )
        # Another engine may have been first.
        return self.store.evaluation(self.run, key, thinned) or evaluation

    @property
    def builtin(self) -> bool:
        """Whether no other writer takes part."""
        return {*self.spec.writers} == {"builtin"}

    @property
    def compiles(self) -> bool:
        """Whether rules are compiled on the design set."""
        return is_worth_compiling(self.problem, self.plan.instances)

    async def try_out(self, batch: TrialBatch) -> tuple[Trial, ...]:
        """The trials of a batch, from the record or all of them now. Raises RunMismatch."""

        async def make() -> tuple[Trial, ...]:
            name = batch.set or self.plan.design_set
            found = await self.resources.evaluator.try_out(
                batch.codes, name, batch.instances, batch.seconds
            )
            trials = as_trials(found)
            self.store.search_log.record_trials(self.run, batch, trials)
            if batch.purpose != "larger":
                spent = batch.spent + len(trials) * len(batch.instances)
                cpu = sum(trial.cpu for trial in trials)
                tried = TrialsRun(batch.parent, len(trials), spent, batch.budget, batch.best, cpu)
                self.emit(tried, batch.generation, batch.slot)
            return trials

        key = f"{self.run} {batch.key}"  # every run has trials of its own
        return await self.once(key, lambda: self.store.trials(self.run, batch), make)

    async def scale(self, candidate: Candidate) -> Trial | None:
        """The program on the first instances of the larger set, from the record or now."""
        if not self.larger:
            return None
        sizes = {one.name: one.size for one in self.problem.sets()}
        batch = TrialBatch(
            "larger",
            candidate.generation,
            candidate.slot,
            0,
            (candidate.program.code,),
            tuple(range(min(LARGER_INSTANCES, sizes.get(self.larger, 1)))),
            LARGER_SECONDS,
            set=self.larger,
        )
        return (await self.try_out(batch))[0]

    def tuned(self, generation: int, slot: int, tuning: Tuning) -> None:
        """Tell watchers what a search over constants found."""
        gain = tuning.gain
        errors = None if gain is None or not tuning.stderr else -gain / tuning.stderr
        found = ConstantsTuned(
            tuning.parent,
            len(tuning.constants),
            tuning.trials,
            tuning.before,
            tuning.after,
            errors,
            tuning.accepted,
        )
        self.emit(found, generation, slot)

    async def observe(self, candidate: Candidate, evaluation: Evaluation) -> Facts | None:
        """Facts of the candidate's rollouts, looked up by content or found out."""
        keys = self._keys[candidate.id]
        key = self._name_facts(keys)
        self._keys[candidate.id] = replace(keys, facts=key)

        async def make() -> FactsRow:
            row = await self.teacher.ask(Observe(evaluation.actions))
            self.store.search_log.record_facts(self.run, key, row)
            if row.failure:
                self.emit(Note("no-facts", row.failure), candidate.generation, candidate.slot)
            return row

        return (await self.once(key, lambda: self.store.facts(self.run, key), make)).facts

    def _name_facts(self, keys: _Keys) -> str:
        return content_key("facts", keys.evaluation, self._sampling)

    def _facts_key(self, candidate: Candidate, keys: _Keys) -> str | None:
        """Of facts that came with the state that a run went on from."""
        return self._name_facts(keys) if candidate.facts is not None and keys.evaluation else None

    async def part(self, one: Candidate, other: Candidate) -> Parting | None:
        """Where the recorded rollouts of two candidates part."""
        pair = (one.id, other.id)
        if pair not in self._partings:
            self._partings[pair] = await self._part(one, other)
        return self._partings[pair]

    async def _part(self, one: Candidate, other: Candidate) -> Parting | None:
        ours = await self._whole_evaluation(one)
        theirs = await self._whole_evaluation(other)
        if ours is None or theirs is None or one.facts is None:
            return None
        place = (self.problem, self.plan.instances)
        return await asyncio.to_thread(find_parting, *place, ours, theirs, one.facts)

    async def comment(self, candidate: Candidate) -> str:
        """What a problem of whole solutions says of the costliest one. Raises BadModule."""
        if candidate.id not in self._comments:
            self._comments[candidate.id] = await self._comment(candidate)
        return self._comments[candidate.id]

    async def _comment(self, candidate: Candidate) -> str:
        problem = self.problem
        found = await self._whole_evaluation(candidate) if problem.contract.whole else None
        if not isinstance(problem, WholeFunction) or found is None or found.cost is None:
            return ""
        place = max(range(len(found.costs)), key=lambda k: found.costs[k] or 0.0)
        instance = self.plan.instances[place]
        limit = self.settings.eval_seconds
        try:
            told = await in_thread(limit, problem.comment, instance, found.actions[place])
        except Overlong as error:
            raise BadModule(blame_call(error)) from error
        return f"{instance.name}: {told}" if told and len(found.costs) > 1 else told

    async def _whole_evaluation(self, candidate: Candidate) -> Evaluation | None:
        """The recorded evaluation; the program is run again where its actions were given up."""
        found = self._evaluation(candidate, thinned=False)
        if found is None and self._evaluation(candidate, thinned=True) is not None:
            self.queue.raise_if_halted()
            code = candidate.program.code
            found = await self.resources.evaluator.evaluate(code, self.plan.design_set)
        return found

    def _evaluation(self, candidate: Candidate, thinned: bool) -> Evaluation | None:
        keys = self._keys.get(candidate.id)
        if keys is not None:
            return self.store.evaluation(self.run, keys.evaluation, thinned)
        return self.store.evaluation_of(self.run, candidate.id, thinned)

    async def diagnose(self, candidate: Candidate, evaluation: Evaluation) -> Diagnostics | None:
        """The teacher's comments, looked up by content or asked for."""
        if not self.fingerprint:
            return None
        keys = self._keys[candidate.id]
        about: list[object] = [self.fingerprint, self._sampling, self.plan.checks]
        if self.guide is not None and self.teacher.spec.tries:
            about.append(self.guide.hash)
        key = content_key("diagnostics", keys.evaluation, *about)
        self._keys[candidate.id] = replace(keys, diagnostics=key)
        row = await self.once(
            key,
            lambda: self.store.diagnostics(self.run, key),
            lambda: self._diagnose(candidate, evaluation, key),
        )
        return row.diagnostics

    async def _diagnose(
        self, candidate: Candidate, evaluation: Evaluation, key: str
    ) -> DiagnosticsRow:
        place = (candidate.generation, candidate.slot)
        self.emit(DiagnosisStarted(candidate.id), *place)
        consultation = Consultation(
            self.teacher,
            self.resources.evaluator,
            self.plan.design_set,
            self.settings,
            self.plan.checks,
        )
        guide = self.guide.code if self.guide else ""
        row = await consultation.diagnose(candidate.program.code, evaluation, guide)
        self.store.search_log.record_diagnostics(self.run, key, row)
        found = row.diagnostics
        agreement = None if found is None else found.agreement
        advice = None if found is None else found.advice
        counts = (advice.checked, advice.helped, advice.harmed) if advice else (0, 0, 0)
        ended = DiagnosisEnded(
            candidate.id, candidate.operator, candidate.cost, agreement, *counts
        )
        self.emit(ended, *place)
        if row.failure:
            self.emit(Note(NO_DIAGNOSTICS, row.failure), *place)
        return row

    def open(self, generation: int) -> None:
        """Book the generation and say so."""
        self.store.search_log.open_generation(self.run, generation, self.queue.caps.calls)
        self.emit(GenerationOpened(), generation)

    def record(self, candidate: Candidate) -> None:
        """Keep a finished candidate with the keys of what was found out about it."""
        keys = self._keys.get(candidate.id, _NO_KEYS)
        self.store.search_log.record_candidate(
            self.run,
            candidate,
            keys.evaluation or None,
            None if candidate.diagnostics is None else keys.diagnostics,
            keys.facts or self._facts_key(candidate, keys),
        )
        if keys.evaluation:
            self._whole.add(candidate.id)
        failure = candidate.failure
        recorded = CandidateRecorded(
            candidate.id,
            candidate.operator,
            candidate.cost,
            candidate.agreement,
            None if failure is None else failure.kind,
            None if failure is None else failure.message,
        )
        self.emit(recorded, candidate.generation, candidate.slot)

    def briefs(self, generation: int, briefs: Sequence[Brief | None]) -> None:
        """Keep the generation's briefs, one per slot."""
        if any(briefs):
            self.store.search_log.record_briefs(self.run, generation, briefs)
            asked = [key.purpose for key in self.queue.asked if key.generation == generation]
            source = next((purpose for purpose in reversed(asked) if purpose != "program"), "")
            count = sum(brief is not None for brief in briefs)
            self.emit(BriefsRecorded(count, source, asked.count(source)), generation)

    def note(self, kind: str, generation: int, slot: int | None, text: str) -> None:
        """Tell watchers of something unusual."""
        self.emit(Note(kind, text), generation, slot)

    def close(self, generation: int, survivors: Sequence[Candidate]) -> None:
        """Close the generation: survivors, their digest and the best, all in one transaction."""
        ids = [survivor.id for survivor in survivors]
        hashes = [survivor.program.hash for survivor in survivors]
        best = self.method.winner(survivors, self.settings) if survivors else None
        self.guide = best.program if best else None
        self.store.search_log.close_generation(
            self.run, generation, ids, content_key(ids, hashes), best.id if best else None
        )
        closed = GenerationClosed(
            best.id if best else None,
            best.cost if best else None,
            best.agreement if best else None,
            len(ids),
            len(self.queue.asked),
        )
        self.emit(closed, generation)
        if workers := self.resources.progress:
            self.note("workers", generation, None, workers)
        self.store.search_log.thin(self.run, sorted(self._dying.difference(ids)))
        self._dying = self._whole.difference(ids)
        self._whole.intersection_update(ids)
        self.flush()
        with suppress(StoreBlocked):  # what is in the log is safe, if less so
            self.store.fold()

    @property
    def selects(self) -> bool:
        """Whether there is a selection set."""
        return bool(self.plan.selection_set)

    async def measure(self, candidate: Candidate) -> Evaluation:
        """The program on the selection set, looked up by content or run in the sandbox."""
        key = self._evaluation_key(candidate, self._selection)

        async def make() -> Evaluation:
            name = self.plan.selection_set
            found = await self.resources.evaluator.evaluate(candidate.program.code, name)
            found = self._keep_evaluation(candidate, key, found, self._selection, True)
            failure = None if found.failure is None else found.failure.kind
            self.emit(FinalistMeasured(candidate.id, name, found.cost, found.cpu, failure))
            return found

        def find() -> Evaluation | None:
            return self.store.evaluation(self.run, key, thinned=True)

        return await self.once(key, find, make, after_budget=True)  # what is spent are calls

    def choose(self, finalists: Sequence[Candidate], winner: Candidate) -> None:
        """Record whom the winner was chosen from, and the winner, in one transaction."""
        selection = self._selection
        keys = {c.id: self._evaluation_key(c, selection) for c in finalists}
        name = self.plan.selection_set
        self.store.search_log.record_selection(self.run, name, [*keys.items()], winner.id)
        measured = self.store.evaluation(self.run, keys[winner.id], thinned=True)
        reached = None if measured is None else measured.cost
        first = finalists[0].id
        chosen = WinnerChosen(winner.id, name, winner.cost, reached, len(keys), first)
        self.emit(chosen)
        self.flush()

    def emit(self, fact: Fact, generation: int | None = None, slot: int | None = None) -> None:
        """Add an event for watchers; batches are written by `flush`."""
        self._events.append(Event(fact, generation, slot))

    def flush(self) -> None:
        """Write the events since the last time."""
        if self._events:
            self.store.search_log.record_events(self.run, self._events)
            self._events.clear()


def _is_behind(evaluation: Evaluation) -> bool:
    return evaluation.failure is not None and evaluation.failure.kind == "behind"


def _part_key(whole: str, checkpoint: Checkpoint) -> str:
    return content_key(whole, "first", checkpoint.count)


def _key_of(evaluation: Evaluation, whole: str, checkpoint: Checkpoint | None) -> str:
    """The key of an evaluation; one that ended at a checkpoint has another than the whole."""
    if checkpoint is None or not _is_behind(evaluation):
        return whole
    return _part_key(whole, checkpoint)
