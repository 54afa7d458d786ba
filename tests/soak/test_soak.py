"""Kills, crowds, an outage, a full disk: nothing acknowledged is lost, nothing paid twice."""

from __future__ import annotations

import itertools
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.domain.records import CallKey
from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.status import Job
from engine.runtime.launch import launch
from engine.store.reader import Reader, status
from engine.store.store import Store
from problems import ProblemRef
from problems.errors import JobTaken
from tests.engine.llm.faults import FAULTS
from tests.engine.llm.provider import Call
from tests.engine.runtime.killer import CHILDREN, STAGES
from tests.engine.runtime.test_disk import fill, small_disk, start, wait_until
from tests.engine.runtime.test_paid_run import population as paid_population
from tests.engine.runtime.test_paid_run import run_against
from tests.engine.runtime.test_resume import TEACHER, TOY, WRITER, drive, population
from tests.scripted import LOG

Note = Callable[[str, str, int, int], None]

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(3600)]
__all__ = ["small_disk"]

SEEDS = 20
KILLS = int(os.environ.get("TEST_PRECEPTOR_KILLS", "200"))
LAUNCHES = 20
OUTAGE = float(os.environ.get("TEST_PRECEPTOR_OUTAGE", "60"))
CROWD = 600.0
"""Seconds that so many engines may take on two cores."""

GENERATIONS = 8
"""Enough work that no kill comes too late."""


def book(db: Path, seed: int, generations: int = GENERATIONS) -> int:
    """A run of our method on the toy, not started yet."""
    settings = Settings(
        generations=generations, llm_concurrency=4, eval_concurrency=2, eval_seconds=10
    )
    problem = ProblemRef(TOY)
    spec = RunSpec(problem, seed=seed, writer=WRITER, teacher=TEACHER, settings=settings)
    with Store(db) as store:
        return store.jobs.create_run(spec)


def moments(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """So many random moments; over the seeds every stage has its turn."""
    rng = random.Random(seed)
    stages = (*STAGES, *CHILDREN)
    late = {"start-up": 1, "retention": 1, "close": 1, "closed": 1, "teacher process": 2}
    for stage in itertools.islice(itertools.cycle(stages), seed, seed + count):
        yield stage, str(rng.randint(1, late.get(stage, 4)))


def acknowledged(db: Path, run: int) -> set[tuple[str, ...]]:
    """Every row that the store has told somebody of: replies, candidates, generations."""
    with Reader(db) as reader:
        calls = {("reply", _place(c.key), c.request_sha) for c in reader.calls(run) if c.reply}
        made = {("candidate", c.id, c.program.hash) for c in reader.candidates(run)}
        closed = {
            ("closed", f"{g.number}", g.digest or "") for g in reader.generations(run) if g.closed
        }
    return calls | made | closed


def missing(undisturbed: Path, db: Path, run: int) -> int:
    """How many rows a run lacks that an undisturbed one has.

    A request quotes the CPU seconds of programs, which differ from run to run: replies are told
    apart by their place.
    """
    expected, found = (
        {row[:2] if row[0] == "reply" else row for row in rows}
        for rows in (acknowledged(undisturbed, 1), acknowledged(db, run))
    )
    return len(expected - found)


def _place(key: CallKey) -> str:
    return f"{key.purpose} {key.generation} {key.slot} {key.attempt}"


def count_log(log: Path) -> Counter[str]:
    """How often each request was asked for."""
    return Counter(log.read_text().split() if log.exists() else [])


def kill_again_and_again(
    db: Path, run: int, log: Path, seed: int, count: int
) -> tuple[int, int, int]:
    """A run killed so many times and resumed to its end; returns kills, rows lost, paid twice."""
    told: set[tuple[str, ...]] = set()
    paid: dict[str, int] = {}
    kills = 0
    for moment in moments(seed, count):
        assert drive(db, run, *moment, log=log) == -9, f"{moment} came too late"
        kills += 1
        told |= acknowledged(db, run)
        asked = count_log(log)
        for kind, *rest in told:
            if kind == "reply":
                paid.setdefault(rest[1], asked[rest[1]])
    assert drive(db, run, log=log) == 0
    asked = count_log(log)
    lost = len(told - acknowledged(db, run))
    return kills, lost, sum(asked[sha] - before for sha, before in paid.items())


def same(equal: bool) -> str:
    """Whether a population is that of the undisturbed run, in words."""
    return f"population {'equal' if equal else 'DIFFERENT'}"


def test_kills_at_every_stage_lose_nothing_and_change_nothing(tmp_path: Path, note: Note) -> None:
    total = lost = twice = equal = 0
    for seed in range(SEEDS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        undisturbed, db = folder / "undisturbed.db", folder / "runs.db"
        assert drive(undisturbed, book(undisturbed, seed)) == 0
        run = book(db, seed)
        share = KILLS // SEEDS
        killed, gone, again = kill_again_and_again(db, run, folder / "asked.log", seed, share)
        total += killed
        lost += gone
        twice += again
        equal += population(db, run) == population(undisturbed, 1)
    note(
        f"{total} kills over {SEEDS} seeds at {len(STAGES)} stages, and of children",
        f"{equal} of {SEEDS} final populations equal",
        lost,
        twice,
    )
    assert (total, equal, lost, twice) == (KILLS // SEEDS * SEEDS, SEEDS, 0, 0)


def test_a_crowd_of_launches_on_one_store(tmp_path: Path, note: Note) -> None:
    undisturbed = tmp_path / "undisturbed.db"
    assert drive(undisturbed, book(undisturbed, seed=3, generations=2)) == 0
    db, log = tmp_path / "runs.db", tmp_path / "asked.log"
    runs = [book(db, seed=3, generations=2) for _ in range(LAUNCHES)]
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(LAUNCHES) as crowd:
        patch.setenv(LOG, str(log))
        list(crowd.map(lambda run: launch(db, Job("run", run), {}), runs))
    with Reader(db) as reader:
        wait_until(lambda: all(status(reader.run(run)) == "done" for run in runs), CROWD)
    lost = sum(missing(undisturbed, db, run) for run in runs)
    twice = sum(count - LAUNCHES for count in count_log(log).values())
    equal = sum(population(db, run) == population(undisturbed, 1) for run in runs)
    told = f"{LAUNCHES} done, {equal} populations equal"
    note(f"{LAUNCHES} runs launched at once on one store", told, lost, twice)
    assert (equal, lost, twice) == (LAUNCHES, 0, 0)


def test_a_crowd_of_launches_of_one_run(tmp_path: Path, note: Note) -> None:
    undisturbed = tmp_path / "undisturbed.db"
    assert drive(undisturbed, book(undisturbed, seed=3)) == 0
    db, log = tmp_path / "runs.db", tmp_path / "asked.log"
    run = book(db, seed=3)

    def begin(_: int) -> str:
        try:
            launch(db, Job("run", run), {})
        except JobTaken as error:
            assert re.search("is at work in process|is done", str(error)), error
            return "refused"
        return "launched"

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(LAUNCHES) as crowd:
        patch.setenv(LOG, str(log))
        said = Counter(crowd.map(begin, range(LAUNCHES)))
    with Reader(db) as reader:
        wait_until(lambda: status(reader.run(run)) == "done", CROWD)
    lost = missing(undisturbed, db, run)
    twice = sum(count - 1 for count in count_log(log).values())
    equal = population(db, run) == population(undisturbed, 1)
    told = f"{said['launched']} began, {said['refused']} told that it has; {same(equal)}"
    note(f"{LAUNCHES} launches of one run at once", told, lost, twice)
    assert (said["launched"], equal, lost, twice) == (1, True, 0, 0)


def test_a_provider_that_is_down_for_a_minute(tmp_path: Path, note: Note) -> None:
    (tmp_path / "clean").mkdir()
    (tmp_path / "down").mkdir()
    clean, _ = run_against(tmp_path / "clean", FAULTS["fine"].act, "--option", "generations=2")
    back: list[float] = []
    refused: list[float] = []

    def act(call: Call) -> None:
        if call.number == 5:
            back.append(time.monotonic() + OUTAGE)
        if back and time.monotonic() < back[0]:
            refused.append(time.monotonic())
            return FAULTS["reset-at-once"].act(call)
        return call.answer()

    done, provider = run_against(tmp_path / "down", act, "--option", "generations=2")
    assert done.code == 0, done.err
    answered = len(provider.asked) - len(refused)
    with Reader(done.db) as reader:
        lost = sum(call.reply is None for call in reader.calls(1))
        twice = answered - len(reader.calls(1))
    equal = paid_population(done.db) == paid_population(clean.db)
    note(
        f"provider down for {OUTAGE:.0f} s",
        f"done; {len(refused)} requests met it; {same(equal)}",
        lost,
        twice,
    )
    assert (equal, lost, twice) == (True, 0, 0)


def test_a_disk_that_is_filled_and_freed_again(
    small_disk: Path, tmp_path: Path, note: Note
) -> None:
    undisturbed = tmp_path / "runs.db"
    assert drive(undisturbed, book(undisturbed, 0, 3)) == 0
    db, log = small_disk / "runs.db", tmp_path / "asked.log"
    run = book(db, 0, 3)
    engine = start(db, run, log)
    pauses = 0
    told: set[tuple[str, ...]] = set()
    with Reader(db) as reader:
        for calls in (3, 9, 15):
            wait_until(lambda: len(reader.calls(run)) >= calls)  # noqa: B023
            filler = fill(small_disk)
            wait_until(lambda: reader.run(run).state == "paused")
            pauses += "disk is full" in reader.run(run).reason
            told |= acknowledged(db, run)
            filler.unlink()
            wait_until(lambda: reader.run(run).state != "paused")
        wait_until(lambda: engine.poll() is not None)
        assert reader.run(run).state == "done"
    lost = len(told - acknowledged(db, run))
    twice = sum(count - 1 for count in count_log(log).values())
    equal = population(db, run) == population(undisturbed, 1)
    note(
        f"a disk of 1 MB filled and freed {pauses} times",
        f"went on by itself; {same(equal)}",
        lost,
        twice,
    )
    assert (pauses, equal, lost, twice) == (3, True, 0, 0)
