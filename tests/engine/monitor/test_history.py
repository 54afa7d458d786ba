"""How a run came to where it is: earlier generations, changes of the best, curves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.events import STEPS, Event, WinnerChosen, read_fact
from engine.domain.values import Candidate
from engine.monitor.history import Standing, last_change, stand, trace_costs
from engine.monitor.members import rank_members
from engine.monitor.monitor import Monitor
from engine.monitor.snapshot import Snapshot
from engine.monitor.timeline import CLOCKS, Closing, Timeline
from engine.store.reader import Reader
from tests.engine.builders import candidate
from tests.tui.exhibit import DONE, LIVE, NOW, choose_another


@pytest.fixture
def reader(exhibit: Path) -> Iterator[Reader]:
    """The fixed store, opened."""
    with Reader(exhibit) as reader:
        yield reader


def measured(number: int, *costs: float, generation: int = 0) -> Candidate:
    """A candidate with its cost on every instance."""
    mean = sum(costs) / len(costs)
    return replace(candidate(number, mean, generation=generation), costs=costs)


def standing(generation: int, *survivors: Candidate) -> Standing:
    """A generation of which no event tells."""
    return stand(generation, survivors, None)


def back(reader: Reader, run: int, generation: int) -> Snapshot:
    """A run as it stood."""
    monitor = Monitor(reader, run)
    assert monitor.look(NOW) is not None
    return monitor.look_back(generation)


def test_an_earlier_generation_holds_nothing_that_came_later(reader: Reader) -> None:
    snapshot = back(reader, LIVE, 1)
    assert (snapshot.closed, snapshot.opened, snapshot.left) == (1, None, None)
    assert {member.generation for member in snapshot.members} == {0, 1}
    assert {brief.generation for brief in snapshot.briefs} == {1}
    assert snapshot.events[-1].kind == "generation-closed"
    assert snapshot.events[-1].generation == 1
    assert snapshot.goals[0].made == 1
    assert snapshot.now < NOW


def test_old_steps_are_read_when_the_past_is_looked_at(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Monitor(reader, LIVE)
    seen = whole.look(NOW)
    past = whole.look_back(1)
    monkeypatch.setattr("engine.monitor.monitor.LATEST", 9)
    short = Monitor(reader, LIVE)
    assert seen is not None
    assert short.look(NOW) == replace(seen, events=seen.events[-9:])
    assert short.look_back(1) == replace(past, events=past.events[-9:])
    assert any(event.kind in STEPS for event in past.events[-9:])


def test_an_earlier_generation_shows_the_population_that_survived_it(reader: Reader) -> None:
    snapshot = back(reader, DONE, 1)
    kept = [member.id for member in snapshot.members if member.fate == "kept"]
    assert kept == [candidate.id for candidate in reader.population(DONE, 1)]
    assert snapshot.best is not None
    assert snapshot.best.id == kept[0]


def test_what_was_used_by_then_grows_from_generation_to_generation(reader: Reader) -> None:
    totals = [back(reader, DONE, generation).totals for generation in range(4)]
    assert [used.calls for used in totals] == [0, 5, 10, 15]
    assert [used.evaluations for used in totals] == [3, 8, 13, 18]
    assert totals[-1] == reader.totals(DONE)


def test_what_the_selection_set_costs_counts_at_the_end_alone(
    reader: Reader, exhibit: Path
) -> None:
    choose_another(exhibit)
    assert reader.totals(DONE).evaluations == reader.totals(DONE, 3).evaluations + 2


def test_a_change_is_measured_instance_by_instance() -> None:
    old = measured(0, 4.0, 6.0, 8.0)
    new = measured(1, 3.0, 4.0, 5.0, generation=2)
    change = last_change([standing(0, old), standing(1, old), standing(2, new, old)])
    assert change is not None and change.gain is not None
    assert (change.generation, change.new, change.old) == (2, new, old)
    assert (change.gain.mean, change.gain.better, change.gain.count) == (-2.0, 3, 3)


def test_the_best_since_the_seeds_is_in_nobodys_place() -> None:
    seed, child = measured(0, 4.0, 6.0), measured(1, 5.0, 6.0, generation=1)
    change = last_change([standing(0, seed), standing(1, seed, child)])
    assert change is not None
    assert (change.generation, change.new, change.old, change.gain) == (0, seed, None, None)


def test_a_program_that_comes_back_as_the_best_is_so_since_then() -> None:
    one, other = measured(0, 4.0, 6.0), measured(1, 3.0, 6.0)
    change = last_change([standing(0, one), standing(1, other), standing(2, one)])
    assert change is not None
    assert (change.generation, change.old) == (2, other)


def test_without_survivors_nothing_changed() -> None:
    assert last_change([]) is None
    assert last_change([standing(0)]) is None


def test_a_winner_chosen_on_the_selection_set_is_compared_with_the_best_before_it_was_made() -> (
    None
):
    seed, first = measured(0, 10.0, 12.0), measured(1, 8.0, 9.0, generation=1)
    best, rival = measured(2, 6.0, 7.0, generation=2), measured(3, 6.5, 7.5, generation=2)
    known = [standing(0, seed), standing(1, first), standing(2, best, rival, first)]
    for chosen, old in ((rival, first), (first, seed)):
        change = last_change(known, WinnerChosen(chosen.id, instances="selection"))
        assert change is not None
        assert (change.new, change.old, change.chosen_on) == (chosen, old, "selection")
    agreed = last_change(known, WinnerChosen(best.id, instances="selection"))
    assert agreed is not None
    assert (agreed.new, agreed.old, agreed.chosen_on) == (best, first, "")


def test_the_choice_on_the_selection_set_is_the_last_change(reader: Reader, exhibit: Path) -> None:
    winner, _ = choose_another(exhibit)
    snapshot = Monitor(reader, DONE).look(NOW)
    assert snapshot is not None and snapshot.change is not None
    assert snapshot.change.old is not None
    assert (snapshot.change.new.id, snapshot.change.chosen_on) == (winner, "selection")
    assert snapshot.change.old.generation < snapshot.change.new.generation


def test_the_best_is_the_one_that_was_told_of() -> None:
    cheap, aligned = measured(0, 1.0, 1.0), measured(1, 2.0, 2.0)
    closing = Closing(aligned.id, calls=0, second=0.0, event=1, time=0.0)
    assert stand(0, [cheap, aligned], closing).best == aligned
    assert stand(0, [cheap, aligned], None).best == cheap


def test_curves_know_the_time_by_every_clock(reader: Reader) -> None:
    snapshot = Monitor(reader, LIVE).look(NOW)
    assert snapshot is not None
    ends = {clock: curve.end for clock, curve in snapshot.curves.items()}
    assert (ends["generation"], ends["call"]) == (3.0, 17.0)
    assert 0 < ends["second"] < NOW - snapshot.row.created
    for curve in snapshot.curves.values():
        assert len(curve.population) == 3
        assert curve.seed == min(m.cost for m in snapshot.members if m.generation == 0 and m.cost)


def test_a_program_that_took_no_call_is_there_after_the_calls_of_its_generation() -> None:
    """It would stand at call 0 otherwise, and at no price: `tune` makes the best of many runs."""
    timeline = Timeline()
    for generation, slot, usd in ((1, 0, 0.5), (1, 1, None), (2, 0, 0.25)):
        timeline.note(Event(read_fact("call-sent", {}), generation, slot))
        timeline.note(Event(read_fact("call-answered", {"usd": usd}), generation, slot))
    places = ((0, 0), (1, 0), (1, 5), (2, 0), (2, 5), (3, 5))
    assert [timeline.call(*place) for place in places] == [0.0, 1.0, 2.0, 3.0, 3.0, 3.0]
    assert [timeline.dollar(*place) for place in places] == [0.0, 0.5, 0.5, 0.75, 0.75, 0.75]


@given(st.lists(st.tuples(st.integers(0, 4), st.none() | st.floats(-1e12, 1e12)), max_size=30))
def test_a_curve_never_rises_and_ends_at_the_lowest_cost(
    made: list[tuple[int, float | None]],
) -> None:
    known = [candidate(k, cost, generation=g) for k, (g, cost) in enumerate(made)]
    members = rank_members([], known, [], "agreement")
    for clock in CLOCKS:
        curve = trace_costs(members, [], Timeline(), clock)
        assert list(curve.best) == sorted(curve.best)
        costs = [cost for _, cost in curve.best]
        assert costs == sorted(costs, reverse=True)
        assert costs[-1:] == sorted(cost for _, cost in made if cost is not None)[:1]
        assert all(time <= curve.end for time, _ in curve.best)
