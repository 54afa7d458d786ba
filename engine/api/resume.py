"""Making a run ready to go on: as itself, or as a fork where the code has changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.domain.names import command
from engine.domain.status import Job
from engine.monitor.run_summary import last_closed
from engine.runtime import control
from engine.search.methods.method_file import reload_method
from engine.search.prompts.custom import load_prompts
from engine.store.reader import Reader, liveness, status
from engine.store.store import Store
from problems.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.records import RunRow
    from engine.domain.specs.settings import Caps


def retry_provider(db: Path, run: int) -> bool:
    """Let an engine that waits for its provider try again now; False for any other run."""
    with Reader(db) as reader:
        row = reader.run(run)
    waits = row.state == "running" and row.reason != "" and liveness(row) != "gone"
    if waits:
        control.send(db, Job("run", run), control.Command("resume"))
    return waits


def prepare_resume(db: Path, run: int, raised: Caps) -> int:
    """Ready a run to be launched again, with caps raised where one is given; returns its number.

    Raises UserError for a run at work, a finished one, or one whose budget stays spent.
    """
    with Store(db) as store:
        row = store.run(run)
        _refuse_working(db, row)
        if row.state == "done":
            raise UserError(f"run {run} is done; there is nothing left to do")
        if row.state == "budget" and raised == type(raised)():
            raise UserError(f"run {run} has spent its budget; raise it, e.g. with --max-calls N")
        store.jobs.set_caps(run, raise_caps(row.spec.caps, raised))
        control.drop_pending(store, Job("run", run))
    return run


def fork(db: Path, run: int, raised: Caps) -> int:
    """Book a new run that goes on from the last closed generation; returns its number.

    Raises UserError for a run at work, or one without a closed generation.
    """
    with Store(db) as store:
        row = store.run(run)
        _refuse_working(db, row)
        if last_closed(store, run) is None:
            raise UserError(f"run {run} closed no generation that a fork could begin from")
        spec = load_prompts(
            reload_method(replace(row.spec, caps=raise_caps(row.spec.caps, raised)))
        )
        return store.jobs.create_run(spec, forked_from=run)


def raise_caps(caps: Caps, raised: Caps) -> Caps:
    """Caps with those replaced that are given."""
    return replace(
        caps,
        calls=caps.calls if raised.calls is None else raised.calls,
        tokens=caps.tokens if raised.tokens is None else raised.tokens,
        usd=caps.usd if raised.usd is None else raised.usd,
    )


def _refuse_working(db: Path, row: RunRow) -> None:
    if status(row) == "starting" or liveness(row) != "gone":
        watch = command(f"watch {row.number}", db)
        raise UserError(f"run {row.number} is at work; see it with: {watch}")
