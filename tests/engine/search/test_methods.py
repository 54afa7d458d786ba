"""The baselines do what their papers say: calls, order, parents, prompts, survivors."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.domain.specs.settings import Settings
from engine.domain.values import Advice, Candidate, Diagnostics, Evaluation, Recipe, Request
from engine.search.budget_plan import planned_generations
from engine.search.loop import draw_parents, evaluate_first, search
from engine.search.methods.methods import (
    EOH,
    METHODS,
    OURS,
    PRECEPTOR,
    REEVO,
    count_checks,
    refuse_misfit,
)
from engine.search.methods.types import Method
from engine.search.prompts.formatting import number
from problems.errors import UnknownName, UserError
from tests.engine.builders import diagnostics
from tests.engine.search.memory import InMemoryEnvironment, healthy, run

DEFAULTS = Settings()
REEVO_ORDER = (
    *(("short-term", slot) for slot in (0, 1, 2)),
    *(("program", slot) for slot in (0, 1, 2)),
    ("long-term", 3),
    *(("program", slot) for slot in (3, 4)),
)


def searched(method: Method, settings: Settings = DEFAULTS) -> InMemoryEnvironment:
    """A search whose replies all hold a program."""
    environment = InMemoryEnvironment(method, settings, answer=healthy)
    run(environment)
    return environment


def programs(environment: InMemoryEnvironment, generation: int) -> list[Request]:
    """The program requests of a generation in slot order."""
    keys = sorted(key for key in environment.asked if key[:2] == ("program", generation))
    return [environment.asked[key] for key in keys]


def prompt(request: Request) -> str:
    """What a model sees."""
    return request.messages[-1].content


@pytest.mark.parametrize(("method", "calls"), [(OURS, 6), (EOH, 5), (REEVO, 9)])
def test_a_generation_has_the_calls_that_the_design_counts(method: Method, calls: int) -> None:
    environment = searched(method)
    assert Counter(generation for _, generation, _, _ in environment.asked) == dict.fromkeys(
        range(1, 6), calls
    )


@pytest.mark.parametrize("name", METHODS)
def test_thirty_calls_and_twenty_five_children_are_met_exactly_by_every_method(name: str) -> None:
    by_calls = InMemoryEnvironment(METHODS[name], Settings(calls=30))
    by_children = InMemoryEnvironment(METHODS[name], Settings(total_children=25))
    assert run(by_calls).status == run(by_children).status == "done"
    assert len(by_calls.asked) == 30
    assert sum(c.generation > 0 for c in by_children.recorded) == 25


@pytest.mark.parametrize(
    ("method", "settings", "generations"),
    [
        (OURS, Settings(calls=30), 5),
        (EOH, Settings(calls=30), 6),
        (REEVO, Settings(calls=30), 4),
        (REEVO, Settings(total_children=25), 5),
        (REEVO, Settings(total_children=25, calls=18), 2),
        (OURS, DEFAULTS, 5),
    ],
)
def test_the_generations_to_come_are_foretold(
    method: Method, settings: Settings, generations: int
) -> None:
    assert planned_generations(method, settings) == generations
    assert searched(method, settings).closed[-1][0] == generations


def costs_told(environment: InMemoryEnvironment) -> Iterator[str]:
    """Every place where a prompt holds the cost of a program."""
    costs = {number(c.cost) for c in environment.recorded if c.cost is not None}
    costs |= {str(c.cost) for c in environment.recorded if c.cost is not None}
    for request in environment.asked.values():
        text = " ".join(message.content for message in request.messages)
        yield from (cost for cost in costs if cost in text)
        yield from (word for word in ("agreement", "mean cost") if word in text)


def test_no_prompt_of_eoh_or_reevo_holds_an_objective_value() -> None:
    assert list(costs_told(searched(OURS)))
    assert list(costs_told(searched(EOH))) == []
    assert list(costs_told(searched(REEVO))) == []


CLAUSES_OF_OURS = (
    "Failures of earlier",
    "ms a decision.",
    "winners are judged",
    "## Brief",
    "best so far",
    "variant",
    "## States",
)


@pytest.mark.parametrize("method", [EOH, REEVO])
def test_prompts_of_the_baselines_have_no_clause_of_ours(method: Method) -> None:
    environment = InMemoryEnvironment(method, Settings(generations=4))
    run(environment)
    assert any(c.failure for c in environment.recorded)
    for request in environment.asked.values():
        told = " ".join(message.content for message in request.messages[:2])
        assert not any(clause in told for clause in CLAUSES_OF_OURS)


def test_reevo_has_a_generator_and_a_reflector_and_shows_code_in_order_of_merit() -> None:
    environment = searched(REEVO, Settings(generations=2))
    duties: dict[str, set[str]] = {}
    for (purpose, _, _, _), request in environment.asked.items():
        system, user = request.messages
        assert (system.role, user.role) == ("system", "user")
        duties.setdefault(purpose, set()).add(system.content)
        assert "Idea: " not in user.content
        if request.operator in ("crossover", "short-term"):
            better, worse = request.recipes[0].parents
            places = [user.content.index(parent.program.code) for parent in (worse, better)]
            assert places == sorted(places)
    assert all(len(texts) == 1 for texts in duties.values())
    assert duties["short-term"] == duties["long-term"] != duties["program"]


def test_eohs_operators_make_equally_many_children() -> None:
    environment = searched(EOH, Settings(generations=4))
    made = Counter(c.operator for c in environment.recorded if c.generation > 0)
    assert made == dict.fromkeys(("e1", "e2", "m1", "m2"), 5)
    second = [request.operator for request in programs(environment, 2)]
    assert second == ["e2", "m1", "m2", "e1", "e2"]


def test_eoh_asks_its_operators_in_turn_and_keeps_the_best_of_distinct_cost() -> None:
    environment = InMemoryEnvironment(EOH, Settings(generations=4, population=4), answer=healthy)
    outcome = run(environment)
    operators = [request.operator for request in programs(environment, 1)]
    assert operators == ["e1", "e2", "m1", "m2", "e1"]
    parents = [len(request.recipes[0].parents) for request in programs(environment, 1)]
    assert parents == [2, 2, 1, 1, 2]
    alive = [c.cost for c in environment.recorded if c.cost is not None]
    assert [c.cost for c in outcome.state.population] == sorted(set(alive))[:4]
    assert all(c.diagnostics is None for c in environment.recorded)


CONTRACT_START = Settings(generations=2, population=4, start="contract")


@pytest.mark.parametrize("method", [EOH, REEVO, OURS])
def test_a_search_may_begin_with_programs_written_from_the_contract(method: Method) -> None:
    environment = InMemoryEnvironment(method, CONTRACT_START)
    run(environment)
    first = [c for c in environment.recorded if c.generation == 0]
    assert [(c.id, c.operator) for c in first] == [(f"p000{k}", "i1") for k in range(4)]
    ids = [c.id for c in environment.recorded]
    assert len(set(ids)) == len(ids) and "p0004" in ids
    asked = programs(environment, 0)
    assert len({request.draw for request in asked}) == len(asked) >= 4
    for seed in environment.seeds():
        assert all(seed.code and seed.code not in prompt(request) for request in asked)
    assert len({prompt(request) for request in asked if request.role == "program"}) == 1


def test_first_programs_take_calls_from_the_budget_and_no_more_than_there_are() -> None:
    for calls in (2, 4, 9):
        settings = replace(CONTRACT_START, calls=calls)
        environment = InMemoryEnvironment(EOH, settings, answer=healthy)
        assert run(environment).status == "done"
        assert environment.calls_made() == calls
    capped = InMemoryEnvironment(EOH, CONTRACT_START, calls=3, answer=healthy)
    assert run(capped).status == "budget"
    assert [key[1] for key in capped.asked] == [0, 0, 0]


@pytest.mark.parametrize("method", [EOH, REEVO, OURS, PRECEPTOR])
def test_while_no_program_lives_writers_are_asked_for_a_first_one(method: Method) -> None:
    def late(request: Request, attempt: int) -> str | None:
        recipe = request.recipes[0]
        return healthy(request, attempt) if recipe.generation > 1 else "nothing"

    environment = InMemoryEnvironment(method, replace(CONTRACT_START, generations=3), answer=late)
    outcome = run(environment)
    assert {request.operator for request in programs(environment, 1)} == {"i1"}
    assert {request.operator for request in programs(environment, 2)[:1]} == {"i1"}
    assert outcome.best is not None
    assert "i1" not in {request.operator for request in programs(environment, 3)}
    assert ("no-program", None) in environment.noted


def test_a_search_from_the_contract_is_repeated_to_the_digit_and_goes_on_alike() -> None:
    settings = replace(CONTRACT_START, generations=3)
    one, two = (InMemoryEnvironment(EOH, settings) for _ in range(2))
    assert run(one).state == run(two).state and one.asked == two.asked
    other = InMemoryEnvironment(EOH, settings, seed=1)
    assert run(other).state != run(one).state
    middle = run(InMemoryEnvironment(EOH, replace(settings, generations=0))).state
    rest = InMemoryEnvironment(EOH, settings)
    assert asyncio.run(search(rest, start=middle)).state == run(one).state


def test_reevo_reflects_on_pairs_crosses_them_remembers_and_mutates_the_elite() -> None:
    environment = searched(REEVO, Settings(generations=2))
    asked = [
        (purpose, slot) for purpose, generation, slot, _ in environment.asked if generation == 2
    ]
    assert asked == [*REEVO_ORDER]
    crossed, mutated = programs(environment, 2)[:3], programs(environment, 2)[3:]
    for request in crossed:
        better, worse = request.recipes[0].parents
        assert better.cost is not None and worse.cost is not None
        assert better.cost < worse.cost
    known = [c for c in environment.recorded if c.cost is not None]
    so_far = [c for c in known if c.generation < 2 or c.slot < 3]
    elite = min(so_far, key=lambda c: (c.cost, c.generation, c.slot))
    assert [r.recipes[0].parents[0].id for r in mutated] == [elite.id, elite.id]


def test_reevos_hints_reach_the_crossover_and_its_memory_the_mutation() -> None:
    environment = searched(REEVO, Settings(generations=2))
    hints = [environment.asked["short-term", 2, slot, 0].draw % 1000 for slot in (0, 1, 2)]
    for hint, request in zip(hints, programs(environment, 2), strict=False):
        assert f"short-term advice number {hint}" in prompt(request)
    memory = prompt(environment.asked["long-term", 2, 3, 0])
    assert all(f"short-term advice number {hint}" in memory for hint in hints)
    earlier, now = (environment.asked["long-term", g, 3, 0].draw % 1000 for g in (1, 2))
    assert f"long-term advice number {earlier}" in memory
    assert "Nothing yet." in prompt(environment.asked["long-term", 1, 3, 0])
    for request in programs(environment, 2)[3:]:
        assert f"long-term advice number {now}" in prompt(request)


def test_reevo_remembers_its_latest_advice_alone() -> None:
    environment = searched(REEVO, Settings(generations=3))
    oldest, latest = (environment.asked["long-term", g, 3, 0].draw % 1000 for g in (1, 2))
    memory = prompt(environment.asked["long-term", 3, 3, 0])
    assert f"long-term advice number {latest}" in memory
    assert f"long-term advice number {oldest}" not in memory


def test_a_generation_of_reevo_replaces_the_one_before_all_but_the_elite() -> None:
    environment = searched(REEVO, Settings(generations=3))
    for generation, survivors in environment.closed[1:]:
        best = min(
            (c for c in environment.recorded if c.cost is not None and c.generation <= generation),
            key=lambda c: (c.cost, c.generation, c.slot),
        )
        born = {
            c.id for c in environment.recorded if c.generation == generation and c.failure is None
        }
        assert {*survivors} == born | {best.id}
        assert survivors[0] == best.id


def test_where_all_cost_the_same_reevo_looks_back_and_says_so() -> None:
    def only_the_best(request: Request, attempt: int) -> str | None:
        """The optimal rule for slot 0, nothing for the others: the elite is left alone."""
        rule = "def score(item, state):\n    return item.weight / item.duration"
        if request.role not in ("program", "repair"):
            return None
        return f"{{Smith.}}\n```python\n{rule}\n```" if not request.recipes[0].slot else "nothing"

    environment = InMemoryEnvironment(REEVO, Settings(generations=2), answer=only_the_best)
    run(environment)
    assert len(environment.closed[1][1]) == 1
    assert [slot for kind, slot in environment.noted if kind == "no-pair"] == [0, 1, 2]
    for request in programs(environment, 2)[:3]:
        better, worse = request.recipes[0].parents
        assert better.cost != worse.cost


def test_a_reflection_that_says_nothing_leaves_its_slots_without_a_brief() -> None:
    def silent(request: Request, attempt: int) -> str | None:
        return healthy(request, attempt) or " "

    environment = InMemoryEnvironment(REEVO, Settings(generations=1), answer=silent)
    assert run(environment).status == "done"
    assert [slot for kind, slot in environment.noted if kind == "no-brief"] == [0, 1, 2, 3, 4]
    assert all("## Reflection" not in prompt(request) for request in programs(environment, 1))


def test_briefs_are_told_once_where_constants_are_tuned_after_them() -> None:
    method = METHODS["preceptor"]
    environment = InMemoryEnvironment(method, Settings(generations=2), answer=healthy)
    assert run(environment).status == "done"
    assert len(method.steps) == 2
    assert len(environment.given) == 2


def test_three_calls_are_a_reflected_and_a_plain_crossover() -> None:
    environment = InMemoryEnvironment(REEVO, Settings(calls=3), answer=healthy)
    run(environment)
    assert [*environment.asked] == [
        ("short-term", 1, 0, 0),
        ("program", 1, 0, 0),
        ("program", 1, 1, 0),
    ]
    assert [bool(brief) for brief in environment.given[-1]] == [True, False]


def test_mutations_wait_for_their_long_term_reflection() -> None:
    environment = InMemoryEnvironment(REEVO, Settings(calls=8), answer=healthy)
    run(environment)
    assert [key[:3] for key in environment.asked][6:] == [("long-term", 1, 3), ("program", 1, 3)]


@pytest.mark.parametrize("method", [EOH, REEVO])
def test_a_search_continued_from_a_pool_ends_where_the_whole_one_does(method: Method) -> None:
    whole = InMemoryEnvironment(method, Settings(generations=4, population=4))
    end = run(whole)
    middle = run(InMemoryEnvironment(method, Settings(generations=2, population=4)))
    rest = InMemoryEnvironment(method, Settings(generations=4, population=4))
    continued = asyncio.run(search(rest, start=replace(middle.state)))
    assert continued.state == end.state
    assert {key: r for key, r in whole.asked.items() if key[1] > 2} == rest.asked


def test_settings_that_a_method_has_no_use_for_are_refused() -> None:
    refuse_misfit(REEVO, Settings())
    refuse_misfit(OURS, Settings(children=7, operators="e1"))
    with pytest.raises(UserError, match="children: method reevo makes 5"):
        refuse_misfit(REEVO, Settings(children=7))
    with pytest.raises(UserError, match="operators: method reevo"):
        refuse_misfit(REEVO, Settings(operators="e1"))


def test_advice_is_checked_by_preceptor_alone_unless_it_is_asked_for() -> None:
    assert count_checks(METHODS["preceptor"], Settings()) > 0
    assert count_checks(METHODS["preceptor"], Settings(advice=0)) == 0
    assert {count_checks(METHODS[name], Settings()) for name in ("ours", "placebo", "eoh")} == {0}
    assert count_checks(OURS, Settings(advice=7)) == 7


def test_advice_that_is_not_checked_is_no_alignment() -> None:
    refuse_misfit(METHODS["preceptor"], Settings(align="advice"))
    refuse_misfit(OURS, Settings(align="advice", advice=7))
    refuse_misfit(METHODS["eoh"], Settings(align="advice"))
    with pytest.raises(UserError, match="option align"):
        refuse_misfit(OURS, Settings(align="advice"))
    with pytest.raises(UserError, match="option prompt_teacher"):
        refuse_misfit(PRECEPTOR, Settings(prompt_teacher="helpful", advice=0))


def test_an_unknown_operator_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'crossover'"):
        REEVO.operator("crosover")


def recipes(environment: InMemoryEnvironment, generation: int) -> list[Recipe]:
    """What the slots of a generation were asked to make."""
    return [request.recipes[0] for request in programs(environment, generation)]


def test_preceptor_gives_the_leader_the_first_slot_and_nobody_twice_to_an_operator() -> None:
    environment = searched(PRECEPTOR, Settings(generations=8))
    by_id = {c.id: c for c in environment.recorded}
    for (_, survivors), generation in zip(environment.closed, range(1, 9), strict=False):
        leader = min((by_id[id] for id in survivors), key=lambda c: c.cost or 0.0)
        asked = recipes(environment, generation)
        assert [recipe.operator for recipe in asked] == ["s", "m", "p", "s", "free"]
        assert asked[0].parents == (leader,)
        assert asked[3].parents != (leader,)
        assert len(set(asked[1].parents)) == 2


def test_preceptor_thinks_over_all_slots_but_the_free_one() -> None:
    environment = searched(PRECEPTOR)
    for generation in range(1, 6):
        reflected = environment.asked["analyzer", generation, 0, 0]
        assert [recipe.operator for recipe in reflected.recipes] == ["s", "m", "p", "s"]
        free = environment.asked["program", generation, 4, 0]
        assert free.recipes[0].parents == ()
        assert free.recipes[0].brief is None


def test_a_free_slot_sees_ideas_and_costs_but_no_code_and_no_teacher() -> None:
    environment = searched(PRECEPTOR)
    text = prompt(environment.asked["program", 5, 4, 0])
    best = min(c.cost for c in environment.recorded if c.cost is not None)
    assert f"- cost {number(best)}: " in text
    assert "def score(item, state):\n    " not in text
    assert not any(word in text for word in ("agreement", "teacher", "Brief", "TEACHER"))
    assert len(text) < min(len(prompt(r)) for r in programs(environment, 5)[:4])


def test_preceptor_asks_the_teacher_about_survivors_only() -> None:
    environment = InMemoryEnvironment(PRECEPTOR, Settings(generations=6, population=4))
    outcome = run(environment)
    assert all(c.diagnostics is not None for c in outcome.state.population)
    told = {c.id for c in environment.recorded if c.diagnostics is not None}
    survived = {id for _, survivors in environment.closed for id in survivors}
    assert survived <= told
    assert len(told) < sum(c.failure is None for c in environment.recorded)
    assert set(outcome.state.population) <= set(outcome.state.seen)


class KnowingTeacher(InMemoryEnvironment):
    """A teacher whom the cheaper programs agree with."""

    async def diagnose(self, candidate: Candidate, evaluation: Evaluation) -> Diagnostics | None:
        """An agreement that falls with the cost."""
        return diagnostics(1 / (1 + evaluation.cost)) if evaluation.cost is not None else None


def test_it_is_said_once_when_agreement_begins_to_count() -> None:
    environment = KnowingTeacher(PRECEPTOR, Settings(generations=12), answer=healthy)
    run(environment)
    assert [kind for kind, _ in environment.noted if kind == "second-axis"] == ["second-axis"]


class AdvisingTeacher(InMemoryEnvironment):
    """A teacher whose advice saves a share of the cost of every program."""

    gain = 0.0

    async def diagnose(self, candidate: Candidate, evaluation: Evaluation) -> Diagnostics | None:
        """Twenty disagreements were checked, with a standard error of a hundredth."""
        return replace(diagnostics(0.5), advice=Advice(20, 9, 1, self.gain, 0.01))


def advised(gain: float, method: Method = PRECEPTOR, told: str = "") -> AdvisingTeacher:
    """A search with a teacher whose advice gains so much."""
    settings = Settings(generations=2, prompt_teacher=told)
    environment = AdvisingTeacher(method, settings, answer=healthy)
    environment.gain = gain
    run(environment)
    return environment


def names_teacher(environment: InMemoryEnvironment) -> bool:
    """Whether any prompt tells what the teacher says."""
    return any("What the teacher says" in prompt(r) for r in environment.asked.values())


def test_prompts_of_preceptor_leave_out_a_teacher_whose_advice_costs_more() -> None:
    assert names_teacher(advised(0.001))
    environment = advised(-0.05)
    assert not names_teacher(environment)
    assert not any(p.diagnostics for p in shown(environment))
    assert ("teacher-left-out", None) in environment.noted
    assert any(c.diagnostics for c in environment.recorded)
    assert names_teacher(advised(-0.05, told="always"))


def test_prompts_of_ours_tell_what_the_teacher_says_whatever_its_worth() -> None:
    environment = advised(-0.05, OURS)
    assert names_teacher(environment)
    assert not any(kind.startswith("teacher-") for kind, _ in environment.noted)
    assert not names_teacher(advised(-0.05, OURS, told="helpful"))


def shown(environment: InMemoryEnvironment) -> list[Candidate]:
    """All programs that writers are given as values."""
    requests = environment.asked.values()
    parents = [p for request in requests for r in request.recipes for p in r.parents]
    return [*parents, *(c for request in requests for c in request.population)]


def test_who_is_drawn_and_who_survives_hangs_not_on_what_is_told() -> None:
    silent = advised(-0.001)
    told = advised(-0.001, told="always")
    assert [r.parents for r in drawn(silent)] != []
    assert [[p.id for p in r.parents] for r in drawn(silent)] == [
        [p.id for p in r.parents] for r in drawn(told)
    ]
    assert silent.closed == told.closed


def drawn(environment: InMemoryEnvironment) -> list[Recipe]:
    """The recipes of the first generation."""
    return [recipe for request in programs(environment, 1) for recipe in request.recipes]


def test_a_program_alone_is_not_fused_with_itself() -> None:
    async def draw() -> list[str]:
        environment = InMemoryEnvironment(METHODS["performance-only"], Settings())
        state = await evaluate_first(environment)
        alone = replace(state, population=state.population[:1], seen=state.population[:1])
        step = environment.method.steps[0]
        return [r.operator for r in draw_parents(environment, step, alone, 1, range(5))]

    assert asyncio.run(draw()) == ["s", "p", "s", "p", "s"]
