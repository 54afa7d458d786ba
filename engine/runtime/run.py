"""Assembly: a booked run becomes parts, the parts a ledger, and the loop runs over it.

`python -P -m engine.runtime.run DB RUN` is the engine process: one per launch, in its own session.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from engine.domain.codec import content_key
from engine.domain.events import EstimateMade, RunEnded, RunStarted
from engine.domain.records import Provenance
from engine.domain.search_state import SearchState
from engine.domain.values import Usage
from engine.runtime import control, provenance
from engine.runtime.launch import serve
from engine.runtime.ledger import Ledger, Parts, Versions
from engine.runtime.llm_calls import Halted
from engine.runtime.plan import Plan, plan
from engine.runtime.resources import RunResources
from engine.runtime.writers.estimate import default_caps, describe, estimate
from engine.runtime.writers.open_writer import open_writer
from engine.search.loop import search
from engine.search.methods.method_file import refuse_changed
from engine.store import process_identity as identity
from problems.errors import (
    PreceptorError,
    RunMismatch,
    StoreError,
    WriterUnavailable,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.diagnosis.teacher_process import TeacherProcess
    from engine.domain.records import RunRow
    from engine.domain.status import State
    from engine.llm.openai.secret import Secret
    from engine.store.store import Store

LISTEN = 0.25
"""Seconds between looks at the control folder."""

BEAT = 8
"""Looks between heartbeats: one every 2 s."""


async def run_booked(store: Store, run: int, secrets: Mapping[str, Secret]) -> State:
    """Run one booked run to its end, or to the halt it is told; returns its state."""
    spec = store.run(run).spec
    async with RunResources(spec.problem, spec.settings) as resources:
        return await run_with(store, run, resources, secrets)


async def run_with(
    store: Store, run: int, resources: RunResources, secrets: Mapping[str, Secret]
) -> State:
    """The same in a workshop that other runs of the problem may share."""
    row = store.run(run)
    refuse_changed(row.spec)
    the_plan = plan(row.spec)
    with ExitStack() as stack:
        store.claim(run, identity.current())
        stack.callback(store.release, run)
        teacher, fingerprint = await resources.teacher(the_plan)
        versions = _versions(the_plan, fingerprint)
        code = provenance.code_version(row.spec.problem)
        store.settle_provenance(run, Provenance(code, versions.design, fingerprint))
        ledger = _open_ledger(store, row, the_plan, versions, resources, teacher, secrets)
        resources.admit(ledger)
        listener = asyncio.create_task(attend(ledger))
        try:
            return await _search(ledger, row)
        finally:
            listener.cancel()
            ledger.flush()


def _versions(the_plan: Plan, fingerprint: str) -> Versions:
    return Versions(
        evaluator=provenance.evaluator_version(the_plan.spec.problem),
        design_set=the_plan.design_set,
        design=provenance.digest(the_plan.instances),
        fingerprint=fingerprint,
        sampling=content_key(the_plan.sampling, provenance.diagnostics_version()),
    )


def _open_ledger(
    store: Store,
    row: RunRow,
    the_plan: Plan,
    versions: Versions,
    resources: RunResources,
    teacher: TeacherProcess | None,
    secrets: Mapping[str, Secret],
) -> Ledger:
    spec, problem = row.spec, the_plan.problem
    call_slots = (spec.endpoints, spec.settings.llm_concurrency)
    writer = open_writer(spec.writer, problem, store, secrets, *call_slots)
    analyzer = writer
    if spec.analyzer:
        analyzer = open_writer(spec.analyzer, problem, store, secrets, *call_slots)
    parts = Parts(
        writer, analyzer, resources.evaluator, teacher, resources.call_slots, resources.key_locks
    )
    number, method = row.number, the_plan.method
    return Ledger(
        store,
        number,
        spec,
        problem,
        method,
        parts,
        versions,
        spec.caps,
        reference=_reference(the_plan),
    )


def _reference(the_plan: Plan) -> float | None:
    """Mean best known cost of the design set; None unless all its instances have one."""
    known = [instance.reference for instance in the_plan.instances]
    objectives = [objective for objective in known if objective is not None]
    if not objectives or len(objectives) < len(known):
        return None
    return the_plan.problem.objective(sum(objectives) / len(objectives))  # its own inverse


def _open_account(ledger: Ledger) -> None:
    """What was spent before counts; what is to come is told, and capped where it costs money."""
    totals, parts = ledger.store.totals(ledger.run), ledger.parts
    ledger.budget.spend(Usage(totals.tokens_in, totals.tokens_out, totals.usd))
    expected = estimate(
        ledger.problem, ledger.method, ledger.settings, parts.writer, parts.analyzer
    )
    if expected.calls == 0:
        return
    ledger.caps = default_caps(ledger.caps, expected)
    ledger.store.set_caps(ledger.run, ledger.caps)
    ledger.emit(
        EstimateMade(
            parts.writer.name,
            parts.analyzer.name,
            expected.calls,
            expected.usage.tokens_in,
            expected.usage.tokens_out,
            expected.usage.usd,
            f"{parts.writer.name}: {describe(expected, ledger.caps)}",
        )
    )


async def _search(ledger: Ledger, row: RunRow) -> State:
    """The loop, and the state in which it leaves the run."""
    parts = ledger.parts
    ledger.emit(RunStarted(parts.writer.name, parts.evaluator.level))
    _open_account(ledger)
    state, reason = await _ending(ledger, row)
    ledger.store.beat(ledger.run)  # the seconds since the last heartbeat count too
    ledger.store.set_state(ledger.run, state, reason)
    ledger.emit(RunEnded(state, reason))
    return state


async def _ending(ledger: Ledger, row: RunRow) -> tuple[State, str]:
    try:
        outcome = await search(ledger, _forked_pool(ledger, row))
    except Halted as halt:
        return halt.state, halt.reason
    except RunMismatch:
        raise
    except (WriterUnavailable, StoreError) as error:
        return "paused", str(error)
    return outcome.status, ""


def _forked_pool(ledger: Ledger, row: RunRow) -> SearchState | None:
    """Where a forked run begins: what its source had when it last closed a generation."""
    if row.forked_from is None:
        return None
    generation = ledger.store.adopt(row.number, row.forked_from)
    seen = ledger.store.candidates(row.number)
    population = ledger.store.population(row.number, generation)
    ledger.inherited = count_inherited(ledger.store, row.number)
    past = tuple(candidate for candidate in seen if candidate.generation <= generation)
    briefs = [row for row in ledger.store.briefs(row.number) if row.generation <= generation]
    return SearchState(generation, population, past, tuple(briefs))


def count_inherited(store: Store, run: int) -> int:
    """The calls that went into the generations which a run took over from its source."""
    row = store.run(run)
    if row.forked_from is None or row.forked_at is None:
        return 0
    taken = [c for c in store.calls(row.forked_from) if c.key.generation <= row.forked_at]
    return len(taken) + count_inherited(store, row.forked_from)


async def attend(ledger: Ledger) -> None:
    """Beside the loop: heartbeats, watchers' events, commands."""
    for tick in itertools.count():
        try:
            if tick % BEAT == 0:
                ledger.store.beat(ledger.run)
            ledger.flush()
            obey(ledger)
        except StoreError as error:
            ledger.halt = Halted("paused", str(error))
        await asyncio.sleep(LISTEN)


def obey(ledger: Ledger) -> None:
    """Carry out the commands that wait in the control folder."""
    for command in control.pending(ledger.store, ledger.run):
        if command.kind == "pause":
            ledger.halt = Halted("paused", "paused on request")
        elif command.kind == "stop":
            ledger.halt = Halted("stopped", "stopped on request")
        elif command.kind == "resume":
            ledger.breaker.probe_now()
        elif command.kind == "set-cap":
            ledger.caps = command.caps
            ledger.store.set_caps(ledger.run, command.caps)
        control.settle(ledger.store, ledger.run, command)


def main() -> int:
    """The engine process of a run."""
    return serve(_conduct_in)


def _conduct_in(store: Store, run: int, secrets: Mapping[str, Secret]) -> int:
    try:
        state = asyncio.run(run_booked(store, run, secrets))
    except PreceptorError as error:
        store.set_state(run, "failed", str(error))
        raise
    return 0 if state in ("done", "paused", "stopped") else 4


if __name__ == "__main__":
    sys.exit(main())
