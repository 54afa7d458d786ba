"""Curves of best costs so far, over generations, calls and seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from engine.domain.events import Event, read_fact
from engine.domain.records import CallKey, PacedProgram
from engine.domain.specs.settings import RunSpec
from engine.domain.values import Failure, Reply, Request, Usage
from engine.monitor.timeline import Clock
from engine.report.curves import envelope, read_series, trace
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from tests.engine.builders import candidate

MADE = (
    replace(candidate(0, 9.0), operator="seed"),
    replace(candidate(1, 7.0, generation=1), slot=0),
    replace(candidate(2, None, generation=1, failure=Failure("timeout", "")), slot=1),
    replace(candidate(3, 8.0, generation=2), slot=0),
    replace(candidate(4, 4.0, generation=2), slot=1),
    replace(candidate(5, 3.0, generation=2), slot=2, operator="tune"),
)
"""A seed and two generations of two children each, and one that no call made."""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A run that rested for 1,000 seconds between its generations; a candidate a second."""
    path = tmp_path / "runs.db"
    now = 0.0
    with patch("time.time", lambda: now), Store(path) as store:
        run = store.jobs.create_run(RunSpec(ProblemRef("tests/toy")))
        store.search_log.record_events(run, [Event(read_fact("run-started", {}))])
        for made in MADE:
            if made.id == "p0003":
                now += 1000.0
                store.search_log.record_events(run, [Event(read_fact("run-started", {}))])
            for purpose in ("analyzer", "program"):
                if (
                    made.generation
                    and made.operator != "tune"
                    and (made.slot == 0 or purpose == "program")
                ):
                    key = CallKey(run, purpose, made.generation, made.slot)
                    store.search_log.record_sent(key, Request("program", "s", (), ()))
                    if purpose == "program" and made.id != "p0003":
                        paid = Reply("", usage=Usage(1, 1, 0.25))
                        store.search_log.record_done(key, paid)
            now += 1.0
            store.search_log.record_candidate(run, made, None, None)
            store.search_log.record_events(
                run, [Event(read_fact("candidate", {"program": made.id}))]
            )
    return path


@pytest.mark.parametrize(
    ("clock", "curve"),
    [
        ("generation", ((0.0, 9.0), (1.0, 7.0), (2.0, 3.0))),
        ("call", ((0.0, 9.0), (2.0, 7.0), (5.0, 7.0), (6.0, 3.0))),
        ("second", ((1.0, 9.0), (2.0, 7.0), (4.0, 7.0), (5.0, 4.0), (6.0, 3.0))),
        ("dollar", ((0.0, 9.0), (0.25, 7.0), (0.5, 7.0), (0.75, 3.0))),
    ],
)
def test_a_curve_goes_down_with_every_better_child(
    db: Path, clock: Clock, curve: tuple[tuple[float, float], ...]
) -> None:
    with Reader(db) as reader:
        assert trace(reader, 1, clock) == curve


def test_the_front_of_quality_and_time_leaves_out_what_is_worse_and_slower() -> None:
    reader = Mock(spec=Reader)
    reader.survivors.return_value = {}
    reader.call_costs.return_value = reader.events.return_value = ()
    reader.paces.return_value = (
        PacedProgram("p0000", 9.0, 2e-6),
        PacedProgram("p0001", 5.0, 2e-4),
        PacedProgram("p0002", 6.0, 3e-4),
    )
    series = read_series(reader, "ours", {1: ()})
    assert [list(map(pytest.approx, front)) for front in series.paces] == [
        [(5.0, 0.2), (9.0, 0.002)]
    ]


def test_runs_over_one_another_have_a_mean_and_bounds_at_every_step() -> None:
    short, long = ((0.0, 8.0), (1.0, 6.0)), ((0.0, 10.0), (2.0, 4.0))
    told = [(m.time, m.mean, m.low, m.high) for m in envelope([short, long, ()])]
    assert told == [(0.0, 9.0, 8.0, 10.0), (1.0, 8.0, 6.0, 10.0), (2.0, 5.0, 4.0, 6.0)]


def test_runs_without_a_cost_have_no_curve() -> None:
    assert envelope([(), ()]) == ()
