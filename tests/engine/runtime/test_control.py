"""Orders wait as files until an engine deals with them, once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.domain.specs.settings import Caps
from engine.domain.status import Job
from engine.runtime import control
from engine.runtime.control import Command
from engine.store.reader import Reader
from engine.store.store import Store
from problems.errors import StoreError
from tests.engine.samples import SPEC

RUN = Job("run", 1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as store:
        store.jobs.create_run(SPEC)
        yield store


def folder(store: Store) -> Path:
    return Path(f"{store.path}.ctl") / "1"


def test_without_orders_nothing_is_pending(store: Store) -> None:
    assert control.pending(store, RUN) == ()


def test_orders_are_read_oldest_first_with_their_caps(store: Store) -> None:
    first = control.send(store.path, RUN, Command("pause"))
    second = control.send(store.path, RUN, Command("set-cap", Caps(calls=40, usd=0.1)))
    assert control.pending(store, RUN) == (first, second)
    assert (first.kind, second.caps) == ("pause", Caps(calls=40, usd=0.1))


def test_an_order_waits_for_an_engine_that_is_down(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    order = control.send(path, RUN, Command("stop"))
    with Store(path) as store:
        store.jobs.create_run(SPEC)
        assert control.pending(store, RUN) == (order,)


def test_an_order_goes_to_its_own_run(store: Store) -> None:
    control.send(store.path, Job("run", 2), Command("stop"))
    assert control.pending(store, RUN) == ()


def test_a_settled_order_is_recorded_and_gone(store: Store) -> None:
    order = control.send(store.path, RUN, Command("pause"))
    control.finish(store, RUN, order)
    assert control.pending(store, RUN) == ()
    assert store.finished_commands(RUN) == {order.id}
    assert not list(folder(store).iterdir())


def test_settling_again_changes_nothing(store: Store) -> None:
    order = control.send(store.path, RUN, Command("pause"))
    control.finish(store, RUN, order, "done")
    control.finish(store, RUN, order, "refused")
    rows = store._rows("SELECT command, outcome FROM control")
    assert [tuple(row) for row in rows] == [("pause", "done")]


def test_an_order_settled_just_before_a_kill_is_not_carried_out_again(store: Store) -> None:
    order = control.send(store.path, RUN, Command("pause"))
    store.jobs.record_command(
        RUN, order.id, order.kind, order.asked, "done"
    )  # killed before unlinking
    assert control.pending(store, RUN) == ()
    control.finish(store, RUN, control.send(store.path, RUN, Command("resume")))
    assert not list(folder(store).iterdir())


def test_an_order_sent_twice_is_one_order(store: Store) -> None:
    order = control.send(store.path, RUN, Command("stop"))
    assert control.send(store.path, RUN, order) == order
    assert control.pending(store, RUN) == (order,)


def test_a_reader_sees_what_is_pending(store: Store) -> None:
    order = control.send(store.path, RUN, Command("pause"))
    with Reader(store.path) as reader:
        assert control.pending(reader, RUN) == (order,)


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"kind": "dance"}', '"stop"'])
def test_files_that_are_no_orders_are_passed_over(store: Store, text: str) -> None:
    order = control.send(store.path, RUN, Command("pause"))
    (folder(store) / "0.json").write_text(text)
    (folder(store) / "half-written.tmp").write_text("{")
    assert control.pending(store, RUN) == (order,)


def test_a_folder_that_cannot_be_made_is_named(store: Store) -> None:
    folder(store).parent.write_text("a file stands in the way")
    with pytest.raises(StoreError, match=r"runs\.db\.ctl/1: the command cannot be left"):
        control.send(store.path, RUN, Command("pause"))
