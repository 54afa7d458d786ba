"""Tuned children in a search: whose constants, at what price, and what writers read of them."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from engine.domain.checkpoint import Checkpoint
from engine.domain.specs.settings import Settings
from engine.domain.tuning import Effect, TunedConstant, Tuning
from engine.domain.values import Candidate, Evaluation, Facts, Failure, Parting
from engine.search.budget_plan import (
    asked_children,
    generation_calls,
    planned_calls,
    planned_generations,
    share_out,
)
from engine.search.methods.methods import METHODS, OURS, refuse_misfit
from engine.search.methods.types import Reflection, Step
from engine.search.prompts.history import list_attempts
from engine.search.selection import Draw
from engine.search.tuning.budget import best_untuned
from problems.errors import UserError
from tests.engine.builders import candidate, program
from tests.engine.search.memory import InMemoryEnvironment, healthy, run

TUNED = replace(
    OURS, name="tuned", steps=(*OURS.steps, Step(("tune",), children=1)), about="with a tune step"
)
SETTINGS = Settings(generations=4, tune_rollouts=120)


class Poor(InMemoryEnvironment):
    """Programs cost as much as their weight of durations lies away from 3, and a little noise."""

    async def evaluate(
        self, candidate: Candidate, checkpoint: Checkpoint | None = None
    ) -> Evaluation:
        costs = self._costs(candidate.program.code, range(8))
        known = [cost for cost in costs if cost is not None]
        actions = tuple((int(1000 * cost),) for cost in known)
        return Evaluation(sum(known) / 8, costs, actions, None, 0.0)

    async def observe(self, candidate: Candidate, evaluation: Evaluation) -> Facts | None:
        """Nothing: its actions are numbers that no item has."""
        return None

    async def part(self, one: Candidate, other: Candidate) -> Parting | None:
        """Nowhere."""
        return None

    def _costs(self, code: str, chosen: object) -> tuple[float | None, ...]:
        assert isinstance(chosen, range | tuple)
        found = re.search(r"weight - ([0-9.e+-]+) \*", code)
        weight = float(found[1]) if found else 30.0 + len(code)
        return tuple(100 + abs(weight - 3) * (1 + 0.3 * (k % 4)) for k in chosen)


def tuned_children(environment: InMemoryEnvironment) -> list[Candidate]:
    """The children of operator tune in order."""
    return [c for c in environment.recorded if c.operator == "tune"]


def test_a_step_of_its_own_makes_better_children_without_a_call() -> None:
    environment = Poor(TUNED, SETTINGS, answer=healthy)
    plain = Poor(OURS, SETTINGS, answer=healthy)
    outcome, without = run(environment), run(plain)
    assert len(environment.asked) == len(plain.asked) == planned_calls(TUNED, SETTINGS) == 24
    children = tuned_children(environment)
    assert [(c.generation, c.slot) for c in children] == [(1, 5), (2, 5), (3, 5), (4, 5)]
    better = [c for c in children if c.failure is None]
    assert better and outcome.best in better
    assert without.best is not None and without.best.cost is not None
    assert outcome.best is not None and outcome.best.cost is not None
    assert outcome.best.cost < without.best.cost
    for child in better:
        assert child.tuning is not None and child.tuning.accepted
        (parent,) = child.parents
        before = next(c for c in environment.recorded if c.id == parent)
        assert before.cost is not None and child.cost is not None and child.cost < before.cost
        assert child.program.idea == before.program.idea
        assert child.diagnostics is not None


def test_the_tuned_are_not_tuned_again_while_others_are_left() -> None:
    environment = Poor(TUNED, SETTINGS, answer=healthy)
    run(environment)
    made = {c.id for c in tuned_children(environment)}
    parents = [c.parents[0] for c in tuned_children(environment)]
    assert len(set(parents)) == len(parents)
    assert not made & set(parents)


class Slow(Poor):
    """Every program takes a minute."""

    async def evaluate(
        self, candidate: Candidate, checkpoint: Checkpoint | None = None
    ) -> Evaluation:
        return replace(await super().evaluate(candidate, checkpoint), cpu=60.0)


def test_where_programs_are_too_slow_to_tune_the_slot_is_left_out() -> None:
    environment = Slow(TUNED, Settings(total_children=12), answer=healthy)
    state = run(environment).state
    assert tuned_children(environment) == [] and environment.tried == []
    assert ("no-tuning", 5) in environment.noted
    assert [c.id for c in environment.recorded if c.generation == 2] == [
        "p0009", "p0010", "p0011", "p0012", "p0013",
    ]  # fmt: skip
    assert state.children == 12 and state.generation == 3


def test_a_run_that_only_tunes_ends_where_programs_are_too_slow() -> None:
    settings = Settings(operators="tune", total_children=6)
    environment = Slow(METHODS["eoh"], settings, answer=healthy)
    assert run(environment).status == "done"
    children = tuned_children(environment)
    assert len(children) == 6
    assert {c.failure and c.failure.kind for c in children} == {"no gain"}


def test_the_best_program_that_the_time_allows_to_tune_is_drawn() -> None:
    pool = [
        replace(candidate(k, cost, costs=(cost, cost + 1, cost + 2, cost + 3)), cpu=cpu)
        for k, (cost, cpu) in enumerate([(5.0, 60.0), (5.0, 0.1), (5.0, 0.01)])
    ]
    text = "def score(item, state):\n    return item.weight * 2.{}5\n"
    constant = [replace(c, program=program(text.format(c.slot))) for c in pool]
    draw = Draw(constant, [], Settings(), random.Random(1))
    found = best_untuned(draw)
    assert found is not None and found.id == "p0001"
    nobody = replace(draw, population=[replace(c, cpu=60.0) for c in constant])
    assert best_untuned(nobody) is None
    assert best_untuned(replace(nobody, settings=Settings(tune_rollouts=500))) is not None
    assert best_untuned(replace(draw, population=[])) is None


def test_ours_stays_as_it_was() -> None:
    traces = []
    for settings in (Settings(generations=2), SETTINGS):
        environment = InMemoryEnvironment(OURS, replace(settings, generations=2), answer=healthy)
        run(environment)
        traces.append((environment.asked, environment.recorded, environment.tried))
    assert traces[0] == traces[1]
    assert traces[0][2] == []


def test_any_method_may_tune_by_an_option_and_the_slots_take_turns() -> None:
    settings = replace(SETTINGS, operators="m1,tune", generations=2)
    environment = InMemoryEnvironment(METHODS["eoh"], settings, answer=healthy)
    run(environment)
    assert [c.operator for c in environment.recorded if c.generation == 1] == [
        "m1", "tune", "m1", "tune", "m1",
    ]  # fmt: skip
    assert len(environment.asked) == 6


def test_a_run_may_tune_and_nothing_else_but_not_for_a_number_of_calls() -> None:
    settings = replace(SETTINGS, operators="tune", generations=2)
    environment = InMemoryEnvironment(METHODS["eoh"], settings, answer=healthy)
    assert run(environment).status == "done"
    assert environment.asked == {}
    assert planned_generations(METHODS["eoh"], settings) == 2
    with pytest.raises(UserError, match="make no calls"):
        refuse_misfit(METHODS["eoh"], replace(settings, calls=30))


def test_a_generation_that_has_spent_its_calls_still_tunes() -> None:
    environment = Poor(TUNED, replace(SETTINGS, calls=9), answer=healthy)
    assert run(environment).status == "done"
    assert len(environment.asked) == 9
    assert [c.generation for c in tuned_children(environment)] == [1, 2]


@pytest.mark.parametrize("left", range(8))
@pytest.mark.parametrize(("reflect", "needed"), [("none", 2), ("analyzer", 3)])
def test_slots_without_a_call_come_up_to_the_first_call_that_is_not_left(
    left: int, reflect: Reflection, needed: int
) -> None:
    step = Step(("s", "tune", "tune"), reflect, children=6)
    share = share_out(step, Settings(), 0, left, frozenset({"tune"}))
    asked = asked_children(step, Settings(), share.children, frozenset({"tune"}))
    thought = asked_children(step, Settings(), share.reflected, frozenset({"tune"}))
    assert asked + (min(thought, 1) if reflect == "analyzer" else 0) <= left
    assert share.children == (6 if left >= needed else 3 if left else 0)
    alone = Step(("tune",), children=2)
    assert share_out(alone, Settings(), 0, left, frozenset({"tune"})).children == 2


def test_no_brief_is_asked_for_a_slot_that_nobody_writes() -> None:
    environment = Poor(OURS, replace(SETTINGS, operators="s,tune", generations=1), answer=healthy)
    run(environment)
    request = environment.asked["analyzer", 1, 0, 0]
    assert [recipe.operator for recipe in request.recipes] == ["s", "s", "s"]
    assert generation_calls(OURS, environment.settings) == 4 == len(environment.asked)


def test_every_child_may_be_touched_up_before_it_is_judged() -> None:
    settings = replace(SETTINGS, tune_child_seconds=1.0, generations=1)
    environment = Poor(METHODS["eoh"], settings, answer=healthy)
    run(environment)
    children = [c for c in environment.recorded if c.generation == 1 and not c.failure]
    touched = [c for c in children if c.tuning is not None and c.tuning.accepted]
    assert touched and {c.operator for c in touched} <= {"e1", "e2", "m1", "m2"}
    for child in touched:
        assert child.tuning is not None and child.tuning.parent == child.id
        (moved,) = child.tuning.constants
        assert f"weight - {moved.after}" in child.program.code
        assert child.cost is not None and child.cost < 102
    kept = [c for c in children if c.tuning is not None and not c.tuning.accepted]
    assert all(f"{c.tuning.constants[0].before}" in c.program.code for c in kept if c.tuning)


def child(slot: int, accepted: bool) -> Candidate:
    """A tuned child of p0001, taken over or not."""
    constants = (
        TunedConstant("SLACK", 0.35, 0.412, Effect(0.667, 3.1, 0.8), Effect(1.5, 2.0, 0.9)),
        TunedConstant("line 4", -2.0, -2.0, Effect(0.667, 0.1, 0.2), Effect(1.5, 0.0, 0.0)),
        TunedConstant("REACH", 7.0, 9.0, Effect(0.667, 4.0, 1.0), Effect(1.5, -3.0, 1.0)),
        TunedConstant("NEW", 1.0, 1.5),
    )
    tuning = Tuning("p0001", constants, 40, 900, 105.0, 104.0, -1.0, 0.3, accepted)
    failure = (
        None if accepted else Failure("no gain", "p0001: 4 constants, 40 trials, none better")
    )
    cost = 104.0 if accepted else None
    made = candidate(slot, cost, generation=1, failure=failure)
    return replace(made, operator="tune", parents=("p0001",), tuning=tuning)


def test_writers_read_how_steep_each_constant_is_and_no_fault() -> None:
    parent = candidate(1, 105.0)
    good, idle = child(2, True), child(3, False)
    text = list_attempts([parent], [parent, good, idle])
    assert "p0003" not in text, "a search that gained nothing tells of no idea"
    assert (
        "\n    SLACK 0.35 -> 0.412, steep both ways, from 0.35: x0.667 +3.1 ± 0.8, x1.5 +2 ± 0.9"
        in text
    )
    assert "\n    SLACK 0.35, steep both ways: x0.667 +3.1 ± 0.8, x1.5 +2 ± 0.9" in text
    assert "\n    no effect beyond two standard errors: line 4 -2" in text
    assert ", less of it costs more and more of it costs less, from 7: " in text
    assert "\n    NEW 1 -> 1.5" in text
    own = list_attempts([good], [parent, good])
    assert own.startswith("- p0002 by its constants\n    SLACK 0.35 -> 0.412")


def test_a_slot_without_a_gain_is_no_lesson() -> None:
    environment = InMemoryEnvironment(OURS, replace(SETTINGS, operators="s,tune"), answer=healthy)
    state = run(environment).state
    assert any(c.failure and c.failure.kind == "no gain" for c in state.seen)
    assert all(failure.kind != "no gain" for failure in state.failure_examples())
