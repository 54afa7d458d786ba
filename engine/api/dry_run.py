"""A dry run: the seeds, the teacher and the writers of a run are each tried once.

Nothing is booked. A model is sent one request, which is paid. A run of one child may be rehearsed
in a store of its own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import problems
from engine.api.export import write_program
from engine.api.forecast import expect
from engine.api.resolve import (
    RunRequest,
    absolute_problem,
    check_seconds,
    option_words,
    resolve_run,
)
from engine.api.run import start_run
from engine.diagnosis.teacher_process import TeacherSpec
from engine.domain.events import NO_DIAGNOSTICS, Note
from engine.domain.specs.endpoint import Endpoint
from engine.domain.specs.settings import resolve
from engine.domain.values import Diagnostics, Evaluation, Failure, Reply, Request
from engine.evaluate.pool import Limits
from engine.llm.base import ParameterRefused, Writer
from engine.llm.folder import PREFIX, FolderWriter
from engine.llm.openai.secret import Secret
from engine.runtime.executors.executor import open_executor
from engine.runtime.measure.solvers import Solver, SolverResources
from engine.runtime.plan import Plan
from engine.runtime.writers.estimate import (
    Estimate,
    default_caps,
    describe,
    first_asked,
    sample_request,
    seed_candidates,
)
from engine.runtime.writers.open_writer import open_writer
from engine.runtime.writers.own_writer import OwnWriter
from engine.runtime.writers.writer_config import collect_keys
from engine.search.reply_parser import parse_reply
from engine.store.reader import Reader
from problems.errors import TeacherUnavailable, WriterUnavailable
from problems.examine import Examination, examine
from problems.own_code import WAITING, Overlong, blame_overlong, limited

GOALS = ("generations", "children", "calls", "total_children")
"""Settings that say how long a run is."""

TELLING = ("no-brief", NO_DIAGNOSTICS, "no-facts")
"""Notes of a run that say that something of a user's own does not work."""

A_WHILE = 30.0
"""Seconds without an answer after which one hears of it."""


@dataclass(frozen=True, slots=True)
class TeacherCheck:
    """A teacher asked about one seed; `error` says why there are no diagnostics."""

    name: str
    diagnostics: Diagnostics | None
    seconds: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class WriterCheck:
    """A writer asked for one program.

    `refused` are parameters that the model does not take, `error` why no program came of it.
    """

    name: str
    reply: Reply | None
    seconds: float
    refused: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class DryRun:
    """What was found out; `seeds` are rules by name, with their evaluations."""

    plan: Plan
    seeds: tuple[tuple[str, Evaluation], ...]
    teacher: TeacherCheck | None
    writers: tuple[WriterCheck, ...]
    expected: Estimate

    @property
    def cost(self) -> str:
        """What a whole run is expected to cost, and where it ends, in a line."""
        return describe(self.expected, default_caps(self.plan.spec.caps, self.expected))

    @property
    def is_free(self) -> bool:
        """Whether a run would cost nothing, and wait for nobody."""
        writers = (writer.name for writer in self.writers)
        return not self.expected.paid and not any(name.startswith(PREFIX) for name in writers)

    @property
    def exit_code(self) -> int:
        """0 when a run would work, else that of the error it would meet first."""
        if any(evaluation.failure for _, evaluation in self.seeds):
            return 1
        wordless = any(writer.reply is None for writer in self.writers)
        if wordless or (self.teacher and self.teacher.error):
            return 3
        return 2 if any(writer.refused for writer in self.writers) else 0


def examine_own(request: RunRequest, tell: Callable[[str], None]) -> Examination | None:
    """The contract suite over the problem of a run; None for one that comes with Preceptor.

    Raises UnknownName and UserError for options that do not exist.
    """
    words = option_words(request.options)
    ref, settings = resolve(absolute_problem(request.problem), words, request.preset)
    if problems.is_shipped(ref.name):
        return None
    tell(f"the contract suite is run over {request.problem}")
    found = examine(ref, check_seconds(settings))
    return found if found.checks else None  # whoever loads it hears why there are none


def rehearse(request: RunRequest, tell: Callable[[str], None]) -> str:
    """What goes wrong in a run of one child, whose best program is exported; empty for nothing.

    It is made in a store of its own, which is then thrown away.
    """
    tell("a run of one child is made, and its best program exported")
    asked = [w for w in option_words(request.options) if w.partition("=")[0] not in GOALS]
    small = replace(request, options=(*asked, "generations=1", "children=1"))
    with TemporaryDirectory(ignore_cleanup_errors=True) as place:
        store = Path(place) / "runs.db"
        run = start_run(small, store)
        facts = [event.fact for event in run.events()]
        notes = [fact.text for fact in facts if isinstance(fact, Note) and fact.topic in TELLING]
        if run.status != "done" or notes:
            return f"in a run of one child: {notes[0] if notes else run.row.reason or run.status}"
        write_program(store, run.number, Path(place) / "best.py")
    return ""


async def dry_run(request: RunRequest, store: Path, tell: Callable[[str], None]) -> DryRun:
    """Try every part of a run; `tell` receives each step. Raises what `resolve_run` does."""
    with Reader(store) as reader:
        planned = resolve_run(request, reader)
        keys = collect_keys(planned.spec.endpoints)
        secrets = {name: Secret(key) for name, key in keys.items()}
        return await _try(_Stage(planned, reader, secrets, tell))


async def _try(stage: _Stage) -> DryRun:
    spec = stage.plan.spec
    settings = spec.settings
    limits = Limits(settings.eval_seconds, settings.memory_mb)
    async with SolverResources(spec.problem, limits, open_executor(settings)) as bench:
        seeds = await stage.try_seeds(bench)
        asked = stage.plan.spec.teacher
        teacher = await stage.try_teacher(bench, seeds[0][1]) if asked else None
    request = stage.sample_request([evaluation for _, evaluation in seeds], teacher)
    names = (*spec.writers, spec.reflector)
    writers = [await stage.try_writer(name, request) for name in dict.fromkeys(names)]
    return DryRun(stage.plan, seeds, teacher, tuple(writers), expect(stage.plan, stage.reader))


@dataclass(frozen=True, slots=True)
class _Stage:
    """What every trial needs."""

    plan: Plan
    reader: Reader
    secrets: Mapping[str, Secret]
    tell: Callable[[str], None]

    async def try_seeds(self, bench: SolverResources) -> tuple[tuple[str, Evaluation], ...]:
        """Every seed on the design set."""
        design = self.plan.design_set
        rules = self.plan.problem.seeds()
        several = len(rules) > 1
        self.tell(f"{len(rules)} seeds solve {design}" if several else f"the seed solves {design}")
        solvers = [Solver(rule.name, "program", rule) for rule in rules]
        return tuple([(solver.name, await bench.solve(solver, design)) for solver in solvers])

    async def try_teacher(self, bench: SolverResources, seed: Evaluation) -> TeacherCheck:
        """The teacher on one seed's states."""
        plan = self.plan
        name = plan.spec.teacher
        began = time.monotonic()
        self.tell(f"{name} comments on {plan.sampling.states} states")
        seconds = check_seconds(plan.spec.settings)
        spec = TeacherSpec(
            plan.spec.problem, name, plan.design_set, plan.sampling, seconds=seconds
        )
        found = None
        trouble = "there is no seed to comment on"
        try:
            await bench.consult(spec)
            if seed.failure is None:
                rule = plan.problem.seeds()[0]
                solver = Solver(rule.name, "program", rule)
                settings = plan.spec.settings
                answer = await bench.diagnose(spec, settings, solver, seed, plan.checks)
                found = answer.diagnostics
                trouble = answer.failure
        except TeacherUnavailable as error:
            trouble = str(error)
        return TeacherCheck(name, found, time.monotonic() - began, "" if found else trouble)

    async def try_writer(self, name: str, request: Request) -> WriterCheck:
        """A writer on one request, without the parameters that turn out to be refused."""
        asks = f"{name} is sent one request"
        if name.startswith(PREFIX):
            asks = f"{asks}: a file NAME.prompt.md there, answer it in NAME.reply.md"
        self.tell(asks)
        began = time.monotonic()
        refused = list[str]()
        endpoints = self.plan.spec.endpoints
        reply = None
        trouble = ""
        while reply is None and not trouble:
            try:
                work = self._ask(self.open(name, endpoints), request)
                reply = await tell_waiting(work, lambda s: self.tell(f"{name}: no answer for {s}"))
            except ParameterRefused as refusal:
                refused.append(refusal.parameter)
                endpoints = tuple(_without(e, refusal.parameter) for e in endpoints)
            except WriterUnavailable as error:
                trouble = str(error)
        seconds = time.monotonic() - began
        if reply is not None:
            found = parse_reply(reply.text, self.plan.problem.contract, reply.finish)
            trouble = found.message if isinstance(found, Failure) else ""
        return WriterCheck(name, reply, seconds, tuple(refused), trouble)

    async def _ask(self, writer: Writer, request: Request) -> Reply:
        """The answer of a writer; one of the user's own is stopped where it takes for ever."""
        if isinstance(writer, FolderWriter):
            try:
                return await self._ask_patiently(writer, request)
            finally:
                writer.withdraw(request)
        if isinstance(writer, OwnWriter):
            return await self._ask_patiently(writer, request)
        return await writer.complete(request)

    async def _ask_patiently(self, writer: Writer, request: Request) -> Reply:
        """The answer, for which it may use as much time as a check."""
        seconds = check_seconds(self.plan.spec.settings)
        try:
            with limited(seconds):
                async with asyncio.timeout(WAITING * seconds - 1):
                    return await writer.complete(request)
        except Overlong as error:
            raise WriterUnavailable(blame_overlong(error, seconds, writer.name)) from error
        except TimeoutError as error:
            told = f"{writer.name} has not answered within {WAITING * seconds - 1:g} s"
            raise WriterUnavailable(told) from error

    def open(self, name: str, endpoints: Sequence[Endpoint]) -> Writer:
        """The writer of that name."""
        return open_writer(name, self.plan.problem, self.reader, self.secrets, endpoints)

    def sample_request(self, seeds: Sequence[Evaluation], teacher: TeacherCheck | None) -> Request:
        """What the first slot of the first generation asks for, near enough."""
        blank = seed_candidates(self.plan.problem)
        parents = [
            replace(c, cost=e.cost, costs=e.costs) for c, e in zip(blank, seeds, strict=True)
        ]
        if teacher:
            parents[0] = replace(parents[0], diagnostics=teacher.diagnostics)
        method = self.plan.method
        operator = first_asked(method, self.plan.spec.settings)
        return sample_request(self.plan.problem, operator, parents)


async def tell_waiting(
    work: Awaitable[Reply], tell: Callable[[str], None], every: float = A_WHILE
) -> Reply:
    """What comes of some work; `tell` receives how long it has taken, `every` so many seconds."""
    task = asyncio.ensure_future(work)
    began = time.monotonic()
    while not (await asyncio.wait({task}, timeout=every))[0]:
        tell(f"{time.monotonic() - began:.0f} s")
    return task.result()


def _without(endpoint: Endpoint, parameter: str) -> Endpoint:
    """The endpoint with one parameter less."""
    kept = tuple(pair for pair in endpoint.parameters if pair[0] != parameter)
    return replace(endpoint, parameters=kept)
