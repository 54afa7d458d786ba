"""Where a search goes: what ends it, of how many generations it is, how large they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.domain.records import CallKey
from engine.domain.specs.method_definition import Definition, StepText
from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.domain.values import Request
from engine.monitor.goals import Reached, RunGoals, count_generations, count_inherited
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef


def spec(method: str = "ours", caps: Caps | None = None, **settings: Any) -> RunSpec:
    """A run of a method under some settings."""
    return RunSpec(ProblemRef("jssp"), method, settings=Settings(**settings), caps=caps or Caps())


@pytest.mark.parametrize(
    ("run", "generations"),
    [
        (spec(), 5),
        (spec("reevo"), 5),
        (spec("ours", calls=30), 5),
        (spec("reevo", calls=30), 4),
        (spec("ours", total_children=12), 3),
        (spec("no-analyzer", calls=30), 6),
        (spec("of tomorrow"), 5),
    ],
)
def test_generations_are_counted_as_calls_or_children_end_them(
    run: RunSpec, generations: int
) -> None:
    assert count_generations(run, done=False, last=1) == generations


def test_repairs_may_make_generations_more_or_fewer_than_planned() -> None:
    run = spec("ours", calls=30)
    assert count_generations(run, done=True, last=4) == 4
    assert count_generations(run, done=False, last=6) == 6


@pytest.mark.parametrize(
    ("run", "at", "size"),
    [
        (spec("ours", children=7), Reached(1, 7, 8), 7),
        (spec("reevo", calls=30), Reached(0, 0, 0), 5),
        (spec("reevo", calls=30), Reached(3, 15, 27), 2),
        (spec("ours", calls=30), Reached(4, 18, 29), 1),
        (spec("ours", total_children=12), Reached(2, 10, 12), 2),
        (spec("reevo", total_children=9), Reached(1, 5, 9), 4),
        (spec("ours", Caps(calls=9)), Reached(1, 5, 6), 2),
    ],
)
def test_a_generation_is_as_large_as_calls_and_children_allow(
    run: RunSpec, at: Reached, size: int
) -> None:
    assert RunGoals(run).size(at) == size


def test_a_run_is_ended_by_what_is_reached_first() -> None:
    goals = RunGoals(spec("ours", calls=40, total_children=12))
    first, second = goals.goals(Reached(1, 5, 6))
    assert (first.name, first.made, first.whole) == ("children", 5, 12)
    assert (second.name, second.made, second.whole) == ("calls", 6, 40)
    assert goals.ahead(Reached(1, 5, 6)) == 7 / 5


def test_without_calls_or_children_to_reach_generations_end_a_run_or_its_cap() -> None:
    goals = RunGoals(spec("ours", Caps(calls=9)))
    assert [goal.name for goal in goals.goals(Reached(1, 5, 6))] == ["gen"]
    assert goals.ahead(Reached(1, 5, 6)) == 0.5


def test_what_a_fork_took_over_counts_but_is_not_paid_again() -> None:
    goals = RunGoals(spec("ours", Caps(calls=12), calls=30), inherited=12)
    assert goals.ahead(Reached(2, 10, 12)) == 2.0
    assert goals.goals(Reached(2, 10, 12))[0].made == 12


def test_a_method_whose_file_has_gone_is_counted_as_it_was_recorded() -> None:
    steps = (StepText(("e1",), "none", 3),)
    mine = Definition("gone.toml", "mine", "", False, "cost", "lowest-cost", steps, ())
    run = replace(spec("mine", calls=12), definition=mine)
    assert count_generations(run, done=False, last=None) == 4


def test_the_calls_of_a_source_are_counted_up_to_where_it_was_left(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    with Store(db) as store:
        source = store.jobs.create_run(spec("ours", calls=30))
        for generation in (0, 1, 2):
            store.search_log.open_generation(source, generation)
            key = CallKey(source, "program", generation, 0)
            store.search_log.record_sent(key, Request("program", "s", (), ()))
        for generation in (0, 1):
            store.search_log.close_generation(source, generation, [], "digest", None)
        fork = store.jobs.create_run(spec("ours", calls=30), source)
        store.search_log.inherit(fork, source)
    with Reader(db) as reader:
        assert count_inherited(reader, fork) == 2
        assert count_inherited(reader, source) == 0
