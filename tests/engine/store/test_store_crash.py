"""Kills, crowds and full disks cost no row that the store had acknowledged."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.events import Event, read_fact
from engine.domain.records import CallKey
from engine.domain.values import Usage
from engine.store.reader import Reader
from engine.store.store import Store
from problems.errors import StoreError
from tests.engine.samples import CANDIDATE, REPLY, REQUEST, SPEC, ended_well, in_child

KILLS = 20
SURVIVORS = 5
BARE = replace(CANDIDATE, costs=(), diagnostics=None)


def live(path: Path, acknowledge: int) -> None:
    """An engine's life: generations of calls and candidates, each told once it is on disk."""
    with Store(path) as store:
        run = store.jobs.create_run(SPEC)
        for generation in range(1000):
            ids = [f"{generation}.{slot}" for slot in range(SURVIVORS)]
            for slot, id in enumerate(ids):
                key = CallKey(run, "program", generation, slot)
                store.search_log.record_sent(key, REQUEST)
                store.search_log.record_done(key, replace(REPLY, text=id * 500))
                store.search_log.record_candidate(
                    run, replace(BARE, id=id, generation=generation, slot=slot)
                )
                os.write(acknowledge, f"{run} {id}\n".encode())
            store.search_log.close_generation(run, generation, ids, "sha", ids[0])


def kill_after(path: Path, lines: int, seconds: float) -> set[str]:
    """Kill an engine a while after it told so many lines; returns all that it had told."""
    reading, acknowledge = os.pipe()
    pid = in_child(lambda: live(path, acknowledge))
    os.close(acknowledge)
    with os.fdopen(reading) as told:
        begun = [told.readline().rstrip("\n") for _ in range(lines)]
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return {*begun, *told.read().split("\n")[:-1]}


def stored(reader: Reader) -> set[str]:
    """Run and id of every candidate whose call is answered in full."""
    found = set()
    for row in reader.runs():
        answered = {
            f"{call.key.generation}.{call.key.slot}"
            for call in reader.calls(row.number)
            if call.reply is not None
            and call.reply.text == f"{call.key.generation}.{call.key.slot}" * 500
        }
        ids = {candidate.id for candidate in reader.candidates(row.number)}
        found |= {f"{row.number} {id}" for id in ids & answered}
    return found


def test_no_kill_loses_or_tears_what_was_acknowledged(tmp_path: Path) -> None:
    path, dice, told = tmp_path / "runs.db", random.Random(5), set[str]()
    Store(path).close()
    for kills in range(20 * KILLS):
        if kills >= KILLS and len(told) > KILLS:
            break
        told |= kill_after(path, dice.randrange(20), dice.uniform(0.0, 0.05))
        with Reader(path) as reader:  # the WAL is still there
            assert told <= stored(reader)
    with Store(path) as store:
        assert store._rows("PRAGMA integrity_check")[0][0] == "ok"
        assert told <= stored(store)
        for row in store.runs():
            closed = [g.number for g in store.generations(row.number) if g.closed]
            survivors = [len(store.population(row.number, number)) for number in closed]
            assert survivors == [SURVIVORS] * len(closed)
    assert len(told) > KILLS, "the engines hardly lived: the test proves nothing"


def test_a_kill_while_the_store_is_made_leaves_one_that_can_be_made(tmp_path: Path) -> None:
    dice = random.Random(6)
    for number in range(10):
        path = tmp_path / f"{number}.db"
        kill_after(path, 0, dice.uniform(0.0, 0.03))
        with Reader(path) as reader:
            reader.runs()
        with Store(path) as store:
            assert store.jobs.create_run(SPEC) >= 1


def test_two_writers_lose_no_update(tmp_path: Path) -> None:
    path, rounds = tmp_path / "runs.db", 100
    with Store(path) as store:
        run = store.jobs.create_run(SPEC)
    key = CallKey(run, "program", 1, 0)

    def write() -> None:
        with Store(path) as store:
            for _ in range(rounds):
                store.search_log.record_sent(key, REQUEST, most=Usage(9, 3, 0.1))  # reads, writes

    assert all([ended_well(pid) for pid in (in_child(write), in_child(write))])
    with Reader(path) as reader:
        assert reader.totals(run).calls == 2 * rounds


def test_a_reader_sees_whole_generations_while_an_engine_writes(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    Store(path).close()
    reading, acknowledge = os.pipe()
    pid = in_child(lambda: live(path, acknowledge))
    seen = set[int]()
    with Reader(path) as reader:
        while len(seen) < 5:
            latest = reader.latest()
            population = reader.population(latest.number) if latest else ()
            assert len(population) in (0, SURVIVORS)
            seen |= {candidate.generation for candidate in population}
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(reading)
    os.close(acknowledge)


def test_a_full_disk_says_what_to_do_and_writing_goes_on_once_there_is_room(
    tmp_path: Path,
) -> None:
    with Store(tmp_path / "runs.db") as store:
        run = store.jobs.create_run(SPEC)
        (pages,) = store._rows("PRAGMA page_count")[0]
        store._rows(f"PRAGMA max_page_count = {pages + 3}")  # what SQLite does on a full disk
        big = replace(BARE.program, code="".join(map(chr, range(40_000, 55_000))))
        with pytest.raises(StoreError, match="disk is full; free some space"):
            store.search_log.record_candidate(run, replace(BARE, program=big))
        assert store.candidates(run) == ()
        store._rows("PRAGMA max_page_count = 1000000")
        store.search_log.record_candidate(run, replace(BARE, program=big))
        assert store.candidate(run, BARE.id).program == big


def test_a_stuck_writer_is_reported_and_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.store.connection.PATIENCE", 0.05)
    path = tmp_path / "runs.db"
    with Store(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as stuck:
        run = store.jobs.create_run(SPEC)
        stuck.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another program holds the run store"):
            store.search_log.record_events(run, [Event(read_fact("note", {}))])
        assert store.events(run) == ()
