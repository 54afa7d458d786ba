"""Runs as objects: start one, follow it, read what it found, continue it, export programs."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import problems
from engine.api.job import JobHandle
from engine.domain.events import Event
from engine.domain.names import DEFAULT_DB, command
from engine.domain.records import RunRow, StudyRow, whose_code
from engine.domain.specs.settings import (
    RESULT_NEUTRAL,
    Caps,
    RunSpec,
    Settings,
    amend,
    refuse_generations,
    split_options,
)
from engine.domain.status import REASONS, Job, JobKind
from engine.domain.values import Candidate
from engine.monitor.event_stream import EventStream
from engine.monitor.frames import RUN_TABLES, read_table
from engine.monitor.run_result import RunResult, read_run_result
from engine.monitor.run_summary import last_closed
from engine.runtime import control
from engine.runtime.provenance import code_version, refuse_imported
from engine.runtime.writers.open_writer import refuse_unreachable
from engine.search.methods.method_file import reload_method
from engine.search.prompts.custom import load_prompts
from engine.store.connection import update
from engine.store.reader import Reader, liveness, status
from engine.store.store import Store
from problems.errors import PreceptorError, UserError

if TYPE_CHECKING:
    from engine.api.export import Export
    from engine.api.resolve import Answering, Options, RunRequest

RunMoment = RunRow | Event | RunResult

RunTable = Literal["programs", "events", "held-out"]

UNRAISED = Caps()

GOAL = "generations"
"""The setting that may grow when a run continues: what came before would come out the same."""

INHERITED_UNDER = ("design", "states", "phases", "sampling_seed")
"""Settings under which a fork's inherited costs and diagnostics were found: it keeps them."""


class Stop(Exception):
    """Raised by a callback of `Run.wait`: the run shall stop.

    It is an exception, since much that a callback may return is an accident: a progress bar's
    `update` returns True, and that shall end no search.
    """


def _ignore(_: Run) -> None:
    """Nobody waits for the run's number."""


@dataclass(frozen=True, slots=True, repr=False)
class Run(JobHandle):
    """One run of a store, at work or long finished; every property reads the store again.

    Example: `run = start_run("jssp"); print(run.wait().status, run.best)`
    """

    KIND: ClassVar[JobKind] = "run"

    def __repr__(self) -> str:
        try:
            result = self.result
        except PreceptorError as error:
            return f"<run {self.number} of {self.store}: {error}>"
        spec = result.row.spec
        best = result.best
        won = f", best {best.id} cost {best.cost:.6g}" if best and best.cost is not None else ""
        if best and best.selection_cost is not None:
            won += f", on the selection set {best.selection_cost:.6g}"
        return (
            f"<run {self.number} of {self.store}: {spec.problem.name}, {spec.method}, "
            f"seed {spec.seed}, {result.status}{won}>"
        )

    @property
    def word(self) -> str:
        """Its number."""
        return str(self.number)

    @property
    def row(self) -> RunRow:
        """Its specification and state. Raises UnknownName."""
        with Reader(self.store) as reader:
            return self.read(reader)

    @property
    def result(self) -> RunResult:
        """How it stands: status, best, objective, population, totals."""
        with Reader(self.store) as reader:
            return read_run_result(reader, self.number)

    @property
    def best(self) -> Candidate | None:
        """The program that it returns, None before a generation has closed."""
        return self.result.best

    @property
    def population(self) -> tuple[Candidate, ...]:
        """The survivors of the last closed generation, in their order."""
        return self.result.population

    @property
    def programs(self) -> tuple[Candidate, ...]:
        """Every candidate so far, by generation and slot."""
        with Reader(self.store) as reader:
            return reader.candidates(self.number)

    def table(self, of: RunTable = "programs") -> list[dict[str, Any]]:
        """Flat rows of plain values, for `pandas.DataFrame(run.table())`; None where one is not.

        `programs` so far: `id`, `generation`, `slot`, `operator`, `writer`, `parents` (ids),
        `cost` on the design set and `selection_cost` (minimised means), `agreement` and `value`
        (0 to 1), `milliseconds` (CPU, a decision), `seconds` (CPU, all), `failure` and `message`,
        `idea`, `code`.

        `events`: `number`, `time` (Unix seconds), `kind`, `generation`, `slot`, and a column for
        each field of any kind of event, such as `cost`, `tokens`, `usd`, `cpu` (seconds), `text`.

        `held-out`, a row for each program of it that a study measured on a set, as in
        `Study.table`. Raises UnknownName for another table.
        """
        with Reader(self.store) as reader:
            self.read(reader)
            return read_table(reader, RUN_TABLES, of, self.number)

    def lineage(self, program: str = "") -> tuple[Candidate, ...]:
        """A program, by default the best, and all that it descends from, the newest first.

        Raises UnknownName for no such program, UserError while there is no best.
        """
        known = {candidate.id: candidate for candidate in self.programs}
        with Reader(self.store) as reader:
            first = _chosen(reader, self.number, program)
        found = {first.id: first}
        open_ids = list(first.parents)
        while open_ids:
            id = open_ids.pop()
            if id in known and id not in found:
                found[id] = known[id]
                open_ids += known[id].parents
        return tuple(sorted(found.values(), key=lambda c: c.id, reverse=True))

    def events(self, new: bool = False) -> Iterator[Event]:
        """What happens in it, live until it is over; what a resumed engine repeats is left out.

        Of a finished run everything again; only what comes from now on where `new`. Example:
        `for event in run.events(): print(event.kind)`
        """
        return _until_over(self._stream(new))

    def _stream(self, new: bool) -> EventStream:
        stream = EventStream(Reader(self.store), self.number)
        if new:
            stream.skip()
        return stream

    def moments(self, new: bool = False) -> Iterator[RunMoment]:
        """The run, its events, and last its result: what a viewer tells.

        All from the file that is open now, so that a run whose store is deleted has an ending.
        """
        stream = self._stream(new)

        def tell() -> Iterator[RunMoment]:
            with stream.reader as reader:
                yield self.read(reader)
                yield from stream.follow()
                yield read_run_result(reader, self.number)

        return tell()

    def wait(
        self,
        timeout: float | None = None,
        callback: Callable[[Run, Event], object] | None = None,
    ) -> RunResult:
        """Wait until it is over, and say what came of it.

        `callback(run, event)` hears every event, from the first one on. Where it raises
        `preceptor.Stop` the run is stopped, as by `stop()`: it hears no more, and the result is
        that of the stopped run. Another exception of it ends the waiting, and the run continues.
        Raises TimeoutError after `timeout` seconds; the run continues then, too.
        """
        with Reader(self.store) as reader:
            stream = EventStream(reader, self.number)

            def tell() -> None:
                nonlocal callback
                if callback is None:
                    return
                try:
                    for event in stream.news():
                        callback(self, event)
                except Stop:
                    callback = None
                    with suppress(UserError):  # it has ended meanwhile
                        self.order("stop")

            self._wait(reader, timeout, tell)
            return read_run_result(reader, self.number)

    def resume(
        self,
        caps: Caps = UNRAISED,
        fork: bool = False,
        ready: Callable[[Run], None] = _ignore,
        answering: Answering | None = None,
        options: Options = (),
    ) -> Run:
        """Let an engine continue it, with caps raised where one is given; returns the run.

        A run that waits for its provider tries again at once, the engine of a run at work takes
        over raised caps. `options` say how many generations
        it shall have, so that a finished run continues: `run.resume(options={"generations": 10})`.
        `fork` books a new run that continues from the last closed generation, with others
        `answering` where any are named and under other `options`. `ready` receives the run before
        its engine starts. Raises UserError for a run at work, a finished one without a larger
        goal, one whose budget stays spent, and an imported one that asks writers of its own.
        """
        from engine.api.resolve import THE_SAME, option_words  # it takes the engine to load

        if not fork and answering not in (None, THE_SAME):
            raise UserError("another writer or teacher makes it another run: add --fork")
        words = option_words(options)
        if not fork and not words and any((order_caps(self, caps), retry_provider(self))):
            return self
        run = fork_run(self, caps, answering, words) if fork else prepare_resume(self, caps, words)
        ready(run)
        run.launch()
        return run

    def export(
        self,
        file: Path | str,
        program: str = "",
        force: bool = False,
        under: str = "",
        problem: str = "",
    ) -> Export:
        """Write a program, by default the best, to a file that needs nothing of Preceptor.

        `under` asks for the best of those that decide as quickly: `run.export(f, under="1ms")`;
        `problem` is where the folder of a problem of your own lies now.
        Raises UserError for a file that is there and a program that the gate refuses, unless
        `force`, and for a program that failed.
        """
        from engine.api.export import write_program  # it takes the engine to load

        return write_program(self.store, self.number, Path(file), program, force, under, problem)

    def read(self, reader: Reader) -> RunRow:
        """Its row of the store. Raises UnknownName."""
        return reader.run(self.number)


def start_run(
    request: RunRequest | str,
    store: Path | str = DEFAULT_DB,
    booked: Callable[[Run], None] = _ignore,
) -> Run:
    """Book a run and start its engine, a process of its own that outlives its caller.

    A text is the problem's name. `booked` receives the run before its engine starts. Raises what
    `forecast` does, WriterUnavailable for a language model that cannot be reached with its key,
    StoreError for a file that is no run store or cannot be written, WorldError for an engine that
    does not come up. Example:
    `start_run(RunRequest("jssp", options={"generations": 2}), store="runs.db").wait()`
    """
    run = book_run(request, store)
    booked(run)
    run.launch()
    return run


def book_run(request: RunRequest | str, store: Path | str = DEFAULT_DB) -> Run:
    """Check what is asked for and book it, without an engine.

    Raises what `resolve_run` raises, StoreError, and WriterUnavailable for a language model that
    cannot be reached with its key; nothing is written unless all is well.
    """
    from engine.api.resolve import RunRequest, resolve_run  # it takes the engine to load

    asked = RunRequest(request) if isinstance(request, str) else request
    db = Path(store)
    update(db)
    with Reader(db) as reader:
        spec = resolve_run(asked, reader).spec
    refuse_unreachable(spec.endpoints)
    with Store(db) as opened:
        return Run(db, opened.jobs.create_run(spec))


def retry_provider(run: Run) -> bool:
    """Let an engine that waits for its provider try again now; False for any other run."""
    row = run.row
    waiting = row.reason and row.reason not in REASONS
    waits = row.state == "running" and waiting and liveness(row) != "gone"
    if waits:
        control.send(run.store, run.job, control.Command("resume"))
    return bool(waits)


def order_caps(run: Run, raised: Caps) -> bool:
    """Let the engine of a run at work continue under raised caps; False for any other run."""
    row = run.row
    if raised == UNRAISED or row.state != "running" or liveness(row) == "gone":
        return False
    caps = raise_caps(row.spec.caps, raised)
    control.send(run.store, run.job, control.Command("set-cap", caps))
    return True


def prepare_resume(run: Run, raised: Caps, options: tuple[str, ...] = ()) -> Run:
    """Ready a run to be launched again, with caps raised and more generations where given.

    Settings that change no result, such as its executor, may change as well.
    Raises UserError for a run at work, a finished one without a larger goal, one whose budget
    stays spent, and what `extend` raises.
    """
    with Store(run.store) as store:
        row = run.read(store)
        problems.refuse_gone(row.spec.problem)
        _refuse_working(run, row)
        words = split_options(options)
        others = {name: text for name, text in words.items() if name not in RESULT_NEUTRAL}
        if row.state == "done" and not others:
            longer = command(f"resume {run.number} --option {GOAL}=N", run.store)
            raise UserError(
                f"{run.job} is done; there is nothing left to do, unless it shall have more "
                f"generations: {longer}"
            )
        if row.state == "budget" and raised == UNRAISED:
            raise UserError(
                f"{run.job} has spent its budget; raise it: --max-calls, --max-tokens, --max-usd "
                f"or --max-time"
                f"{f' ({row.reason})' if row.reason else ''}"
            )
        refuse_imported(row.spec, run.number)
        refuse_unreachable(row.spec.endpoints)
        if words:
            grown = extend(store, row, others) if others else row.spec
            neutral = {name: text for name, text in words.items() if name not in others}
            spec = replace(grown, settings=amend(grown.settings, neutral))
            store.jobs.extend_run(run.number, spec)
        store.jobs.set_caps(run.number, raise_caps(row.spec.caps, raised))
        control.drop_pending(store, run.job)
    return run


def extend(reader: Reader, row: RunRow, words: Mapping[str, str]) -> RunSpec:
    """What a run is with more generations, given as text by the setting's name.

    Raises UserError for another setting, for generations that it has made, and where more of them
    would change those that it has made: in a study, under a goal of calls or children, which may
    have cut the last one short, by other code, and where its problem's folder is gone.
    """
    asked = " ".join(f"--option {shlex.quote(f'{n}={text}')}" for n, text in words.items())
    fork = command(f"resume {row.number} --fork {asked}", reader.path)
    settings = row.spec.settings
    if set(words) != {GOAL}:
        raise UserError(f"only {GOAL} may grow; another run goes on from it with: {fork}")
    if settings.calls or settings.total_children:
        goal = "calls" if settings.calls else "total_children"
        more = command(f"resume {row.number} --fork --option {goal}=N", reader.path)
        raise UserError(f"run {row.number} ends by its {goal}; a fork may have more: {more}")
    if reader.study_of(row.number) is not None:
        raise UserError(f"run {row.number} belongs to a study and stays as long as it is: {fork}")
    begun_with = row.provenance.code
    name = row.spec.problem.name
    if problems.is_missing(name):
        raise UserError(f"{name}: run {row.number}'s problem is no longer there; move it back")
    if begun_with and begun_with != (code := code_version(row.spec.problem)):
        whose = whose_code(begun_with, code)
        raise UserError(f"{whose} changed since run {row.number} ended; fork it: {fork}")
    longer = amend(settings, words)
    begun = len(reader.generations(row.number)) - 1
    if longer.generations <= begun:
        raise UserError(f"run {row.number} has begun {begun} generations; name more of them")
    return replace(row.spec, settings=longer)


def fork_run(
    run: Run, raised: Caps, answering: Answering | None = None, options: tuple[str, ...] = ()
) -> Run:
    """Book a new run that continues from the last closed generation, its files read again.

    Raises UserError for a run at work, one without a closed generation, an imported one that asks
    writers of its own, `options` that a fork keeps, and what `resolve_run` raises for the others.
    """
    from engine.api.resolve import THE_SAME, complete  # it takes the engine to load

    with Store(run.store) as store:
        row = run.read(store)
        _refuse_working(run, row)
        if last_closed(store, run.number) is None:
            raise UserError(f"{run.job} closed no generation that a fork could begin from")
        settings = _change_settings(row.spec.settings, split_options(options))
        caps = raise_caps(row.spec.caps, raised)
        spec = replace(row.spec, caps=caps, settings=settings)
        spec = (answering or THE_SAME).within(load_prompts(reload_method(spec)), store)
        refuse_imported(spec, run.number)
        if options:
            complete(spec, store)
        refuse_unreachable(spec.endpoints)
        return Run(run.store, store.jobs.create_run(spec, forked_from=run.number))


def raise_caps(caps: Caps, raised: Caps) -> Caps:
    """Caps with those replaced that are given."""
    given = {name: cap for name, cap in asdict(raised).items() if cap is not None}
    return replace(caps, **given)


def _change_settings(settings: Settings, words: Mapping[str, str]) -> Settings:
    kept = [name for name in words if name in INHERITED_UNDER]
    if kept:
        raise UserError(f"a fork inherits what was found under its {kept[0]}: start a new run")
    changed = amend(settings, words)
    if GOAL in words:
        refuse_generations(changed)
    return changed


def refuse_halting(job: Job, row: RunRow | StudyRow) -> None:
    """Raise UserError for a job whose engine is on its way to a rest."""
    now = status(row)
    if now in REASONS.values():
        raise UserError(f"{job} is {now}: wait until its engine has ended, then resume it")


def _refuse_working(run: Run, row: RunRow) -> None:
    refuse_halting(run.job, row)
    if status(row) == "starting" or liveness(row) != "gone":
        watch = command(f"watch {run.number}", run.store)
        raise UserError(f"{run.job} is at work; see it with: {watch}")


def _until_over(stream: EventStream) -> Iterator[Event]:
    with closing(stream.reader):
        yield from stream.follow()


def _chosen(reader: Reader, run: int, program: str) -> Candidate:
    from engine.runtime.measure.program_file import recorded

    return recorded(reader, run, program or None)
