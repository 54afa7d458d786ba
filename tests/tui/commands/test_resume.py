"""Making a run ready to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.api.run import Run, fork_run, prepare_resume, raise_caps, retry_provider
from engine.domain.specs.settings import Caps
from engine.domain.status import Job
from engine.runtime import control
from engine.store import process_identity as identity
from engine.store.reader import Reader
from engine.store.store import Store
from problems.errors import UserError
from tests.engine.samples import SPEC

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A store with one run, at work in this very process."""
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(SPEC)
        store.jobs.claim(Job("run", 1), identity.current())
        return store.path


def test_only_caps_that_are_given_are_raised() -> None:
    assert raise_caps(Caps(30, None, 0.5), Caps(calls=60)) == Caps(60, None, 0.5)


def test_a_run_that_waits_for_its_provider_is_told_to_try_again(db: Path) -> None:
    with Store(db) as store:
        store.jobs.set_reason(Job("run", 1), "waiting for the provider")
    assert retry_provider(Run(db, 1))
    with Reader(db) as reader:
        assert [order.kind for order in control.pending(reader, Job("run", 1))] == ["resume"]


def test_a_run_at_work_is_neither_nudged_nor_resumed_nor_forked(db: Path) -> None:
    assert not retry_provider(Run(db, 1))
    for ready in (prepare_resume, fork_run):
        with pytest.raises(UserError, match="at work"):
            ready(Run(db, 1), Caps())


def test_a_fork_needs_a_closed_generation(db: Path) -> None:
    with Store(db) as store:
        store.jobs.release(Job("run", 1), "running")
    with pytest.raises(UserError, match="closed no generation"):
        fork_run(Run(db, 1), Caps())
