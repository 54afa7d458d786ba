"""Assembly: a booked run becomes parts, the parts a ledger, and the loop runs over it.

`python -P -m engine.runtime.run DB RUN` is the engine process: one per launch, in its own session.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from engine.domain.events import EstimateMade, RunEnded, RunStarted, TeacherMeasured
from engine.domain.names import IMPORTED
from engine.domain.records import Provenance, RunRow
from engine.domain.search_state import SearchState
from engine.domain.status import Job, State
from engine.llm.base import Writer
from engine.llm.openai.secret import Secret
from engine.runtime import provenance
from engine.runtime.job import Ending, Halted, attended, carry_out, outwait
from engine.runtime.launch import serve
from engine.runtime.ledger import Ledger
from engine.runtime.measure.landmarks import Survey
from engine.runtime.plan import Plan, plan
from engine.runtime.resources import RunResources
from engine.runtime.writers.estimate import default_caps, describe, estimate
from engine.runtime.writers.open_writer import open_writer
from engine.search.judging.final_selection import choose_winner
from engine.search.loop import SearchResult, search
from engine.search.methods.method_file import refuse_changed
from engine.search.teacher_choice import reason_to_leave_out
from engine.store.store import Store
from problems.errors import ClusterLost, RunMismatch, StoreBlocked, StoreError, WriterUnavailable


async def run_booked(store: Store, run: int, secrets: Mapping[str, Secret]) -> State:
    """Run one booked run to its end, or to the halt it is told; returns its state."""

    async def work() -> Ending:
        try:
            async with _opened(store, run) as resources:
                return await outwait(lambda: _search(store, run, resources, secrets))
        except ClusterLost as lost:
            return "paused", str(lost)
        except Halted as halt:
            return halt.state, halt.reason

    return await carry_out(store, Job("run", run), work)


@asynccontextmanager
async def _opened(store: Store, run: int) -> AsyncIterator[RunResources]:
    """What a run needs; while that is waited for, the run is attended.

    Raises Halted when it is told to end meanwhile, ClusterLost.
    """
    spec = store.run(run).spec
    resources = RunResources(spec.problem, spec.settings)
    async with AsyncExitStack() as stack:
        async with attended(store, Job("run", run), resources):
            resources.opening = asyncio.ensure_future(stack.enter_async_context(resources))
            try:
                await resources.opening
            except asyncio.CancelledError:
                if resources.halted is not None:
                    raise resources.halted from None
                raise
        yield resources


async def run_with(
    store: Store, run: int, resources: RunResources, secrets: Mapping[str, Secret]
) -> State:
    """The same with resources that other runs of the problem may share."""
    return await carry_out(store, Job("run", run), lambda: _search(store, run, resources, secrets))


async def _search(
    store: Store, run: int, resources: RunResources, secrets: Mapping[str, Secret]
) -> Ending:
    """The loop, and how it leaves the run."""
    row = store.run(run)
    _refuse_foreign(row)
    the_plan = plan(row.spec)
    ledger = await _open_ledger(store, row, the_plan, resources, secrets)
    resources.admit(ledger.queue)
    async with attended(store, Job("run", run), ledger.queue, ledger.flush):
        ledger.emit(RunStarted(_name_writers(ledger), resources.evaluator.level))
        _open_account(ledger)
        survey = Survey(store, the_plan, ledger.design)
        ledger.landmarks = await survey.find(ledger.teacher, ledger.fingerprint)
        if ledger.landmarks.teacher is not None:
            ledger.emit(TeacherMeasured(the_plan.spec.teacher, ledger.landmarks.teacher))
        ledger.larger = survey.larger
        state, reason = await _search_to_end(ledger, row)
        ledger.emit(RunEnded(state, reason))
    return state, reason


def _refuse_foreign(row: RunRow) -> None:
    """Raises RunMismatch when a run depends on what this engine does not have."""
    provenance.refuse_older_scheme(row)
    provenance.refuse_imported(row.spec, row.number)
    refuse_changed(row.spec)


async def _open_ledger(
    store: Store,
    row: RunRow,
    the_plan: Plan,
    resources: RunResources,
    secrets: Mapping[str, Secret],
) -> Ledger:
    """The parts of a run, from its row. Raises RunMismatch when it depends on something else."""
    spec = row.spec

    def opened(name: str) -> Writer:
        slots = spec.settings.llm_concurrency
        return open_writer(name, the_plan.problem, store, secrets, spec.endpoints, slots)

    teacher, fingerprint = await resources.teacher(the_plan)
    writers = {name: opened(name) for name in spec.writers}
    analyzer = writers.get(spec.reflector) or opened(spec.reflector)
    place = (store, row.number, the_plan, resources)
    ledger = Ledger(*place, writers, analyzer, teacher, fingerprint)
    made_with = Provenance(provenance.code_version(spec.problem), ledger.design, fingerprint)
    store.jobs.record_provenance(row.number, made_with)
    return ledger


def _open_account(ledger: Ledger) -> None:
    """What was spent before counts; what is to come is estimated, and capped where it costs."""
    ledger.queue.budget.seconds = ledger.store.run(ledger.run).seconds
    writers = tuple(ledger.writers.values())
    expected = estimate(ledger.problem, ledger.method, ledger.settings, writers, ledger.analyzer)
    if expected.calls == 0:
        return
    ledger.queue.set_caps(default_caps(ledger.queue.caps, expected))
    ledger.emit(
        EstimateMade(
            _name_writers(ledger),
            ledger.analyzer.name,
            expected.calls,
            expected.usage.tokens_in,
            expected.usage.tokens_out,
            expected.usage.usd,
            f"{_name_writers(ledger)}: {describe(expected, ledger.queue.caps)}",
        )
    )


def _name_writers(ledger: Ledger) -> str:
    return " and ".join(writer.name for writer in ledger.writers.values())


async def _search_to_end(ledger: Ledger, row: RunRow) -> Ending:
    try:
        return await _search_or_spend(ledger, row)
    except Halted as halt:
        return halt.state, halt.reason
    except RunMismatch:
        raise
    except (WriterUnavailable, ClusterLost, StoreError) as error:
        return "paused", str(error)


async def _search_or_spend(ledger: Ledger, row: RunRow) -> Ending:
    """The loop; where tokens or money end it, the winner comes from what is closed by then."""
    try:
        outcome = await _search_with_space(ledger, row)
    except Halted as halt:
        if halt.state != "budget":
            raise
        if population := ledger.store.population(ledger.run):
            await choose_winner(ledger, population)
        return halt.state, halt.reason
    return outcome.status, ""


async def _search_with_space(ledger: Ledger, row: RunRow) -> SearchResult:
    """The loop, and once more from what is recorded after each time that the store was blocked."""
    while True:
        try:
            return await search(ledger, _find_start(ledger, row))
        except StoreBlocked as blocked:
            await ledger.wait_for_store(blocked)
            ledger.restart()


def _find_start(ledger: Ledger, row: RunRow) -> SearchState | None:
    """Where a run continues: with its last closed generation, made once more from the record.

    So it shows that the run is the same, and no resume takes longer for all that came before. A
    forked run begins with what its source had when it last closed a generation; None is the
    beginning.
    """
    first = _inherit(ledger, row)
    closed = [found.number for found in ledger.store.generations(row.number) if found.closed]
    start = max(closed[-2:-1] or [0], default=0)
    if first is not None:
        start = max(start, first)
    elif not start:
        return None
    return _closed_state(ledger, start, _last_of_others(ledger, row.number))


def _inherit(ledger: Ledger, row: RunRow) -> int | None:
    """The last generation that a forked run takes over, None for any other run."""
    if row.forked_from is None:
        return None
    generation = ledger.store.search_log.inherit(row.number, row.forked_from)
    ledger.inherited = ledger.store.count_inherited(row.number)
    return generation


def _last_of_others(ledger: Ledger, run: int) -> int:
    """The last generation that a forked run has from one with another teacher; -1 for none."""
    rows = {row.number: row for row in ledger.store.runs()}
    row = rows.get(run)
    while row is not None and row.forked_from in rows and row.forked_at is not None:
        source = rows[row.forked_from]
        if _name_teacher(source) != _name_teacher(row):
            return row.forked_at
        row = source
    return -1


def _name_teacher(row: RunRow) -> str:
    return row.spec.teacher.removeprefix(IMPORTED)


def _closed_state(ledger: Ledger, generation: int, of_others: int) -> SearchState:
    """The state that a search had when it closed a generation.

    What was found out at the end of a run, on the selection set, was not known then; what another
    teacher said of the programs up to generation `of_others` does not count.
    """
    run = ledger.run
    seen = [replace(c, selection_cost=None) for c in ledger.store.candidates(run)]
    seen = [replace(c, diagnostics=None) if c.generation <= of_others else c for c in seen]
    past = tuple(candidate for candidate in seen if candidate.generation <= generation)
    known = {candidate.id: candidate for candidate in past}
    kept = ledger.store.survivors(run)
    populations = [tuple(known[id] for id in kept.get(g, ())) for g in range(generation + 1)]
    if populations[-1]:
        ledger.guide = ledger.method.winner(populations[-1], ledger.settings).program
    briefs = tuple(one for one in ledger.store.briefs(run) if one.generation <= generation)
    ledger.go_on_after(generation)
    earlier = enumerate(populations[:-1])
    left_out = any(reason_to_leave_out(ledger, one, g + 1) for g, one in earlier)
    return SearchState(generation, populations[-1], past, briefs, left_out)


if __name__ == "__main__":
    sys.exit(serve(run_booked, "run"))
