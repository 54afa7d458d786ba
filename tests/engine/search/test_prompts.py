"""What a writer is shown: history, standing, whole states, sizes; bounded, and always the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

import problems
from engine.diagnosis.diagnostics import diagnose
from engine.diagnosis.sampling import plan_sampling, sample
from engine.domain.specs.settings import Settings
from engine.domain.values import Failure, Recipe
from engine.search import prompts
from engine.search.loop import number_variants
from engine.search.methods.methods import METHODS
from engine.search.paired import compare, correlate_ranks
from engine.search.prompts.field_ranges import summarise_design
from engine.search.prompts.formatting import clip, cut, rough
from engine.search.prompts.history import list_attempts
from engine.search.prompts.states import tabulate_states
from problems.jssp.problem import Jssp
from teachers.base import Verdict, verdict
from tests.engine.builders import candidate
from tests.engine.search.memory import InMemoryEnvironment, run

if TYPE_CHECKING:
    from typing import Any

    from engine.domain.values import Candidate, Diagnostics, Evaluation, Request
    from problems.base import Decision


class SmallShop(Jssp):
    """The job shop with a design set that is solved in no time."""

    def load(self, name: str) -> tuple[Any, ...]:
        """Eight shops of six jobs."""
        return super().load("random-6x6")[:8]


@dataclass
class TaughtEnvironment(InMemoryEnvironment):
    """Its teacher prefers the action of the largest first field that is not an id."""

    async def diagnose(self, candidate: Candidate, evaluation: Evaluation) -> Diagnostics | None:
        """Real diagnostics over the states that were visited."""
        instances = self.problem.load("design")
        sampled = sample(
            self.problem, instances, evaluation.actions, plan_sampling(len(instances), 64)
        )
        return diagnose(self.problem, sampled, [self._verdict(d) for d in sampled.decisions], 12)

    def _verdict(self, decision: Decision) -> Verdict:
        rows = [self.problem.fields(decision.state, action) for action in decision.actions]
        return verdict(decision.actions, [float([*row.values()][-3]) for row in rows])


def weigh(request: Request, attempt: int) -> str | None:
    """Two fields weighted by the request's draw; a brief for every slot."""
    if request.role == "analyzer":
        return "\n".join(f"## {name}\n{_paragraphs(request, name)}" for name in "spm")
    first, second = (
        ("item.weight", "item.finish")
        if "item.weight" in request.messages[0].content
        else ("feature.remaining_work", "feature.earliest_start")
    )
    arguments = "item, state" if first.startswith("item") else "feature, state"
    weight = request.draw % 997 / 100
    return (
        f"{{Weighs {weight} of the second.}}\n```python\ndef score({arguments}):\n"
        f"    return {first} - {weight} * {second}\n```"
    )


def _paragraphs(request: Request, name: str) -> str:
    slots = [recipe.slot + 1 for recipe in request.recipes if recipe.operator == name]
    return "\n".join(f"Slot {slot}: aim for {name}{slot}." for slot in slots)


@cache
def asked(problem: str, method: str = "ours") -> dict[tuple[str, int, int, int], Request]:
    """The questions of three generations on a problem."""
    found = SmallShop() if problem == "jssp" else problems.load("tests/toy")
    environment = TaughtEnvironment(
        METHODS[method], Settings(generations=3), answer=weigh, problem=found
    )
    run(environment)
    return environment.asked


def text(request: Request) -> str:
    """What the writer reads."""
    return request.messages[0].content


def prompt(problem: str, operator: str, generation: int = 3) -> str:
    """The last prompt of an operator."""
    requests = [r for key, r in asked(problem).items() if key[1] == generation]
    return text(next(r for r in requests if r.operator == operator))


ALL = [(problem, name) for problem in ("tests/toy", "jssp") for name in ("s", "p", "m")]


@pytest.mark.parametrize(("problem", "operator"), ALL)
def test_a_revision_prompt_tells_all_that_its_writer_needs(problem: str, operator: str) -> None:
    shown = prompt(problem, operator)
    assert "judges one candidate at a time" in shown
    assert "8 instances, " in shown and "ms a call" in shown
    assert "programs so far" in shown
    assert "## What was tried before" in shown and " better on " in shown
    assert "PROGRAM | " in shown and "TEACHER | 1.00" in shown
    assert "Cost of p" in shown and "The same for all: " in shown
    assert "field | range early | middle | late | spread in a state" in shown
    assert "Rank correlation of agreement with cost" in shown
    assert "$" not in shown


@pytest.mark.parametrize("problem", ["tests/toy", "jssp"])
def test_the_analyzer_sees_the_population_the_attempts_the_best_and_the_slots(
    problem: str,
) -> None:
    shown = prompt(problem, "analyzer")
    assert "## The population, best cost first" in shown and " ± " in shown
    assert "- slot 1: s (structural rewrite) of p" in shown
    assert "Slot 4: ..." in shown
    assert shown.count("```python") >= 3
    assert "## What was tried before" in shown
    assert "field | range early" in shown and "PROGRAM | " in shown
    assert "Rank correlation of agreement with cost" in shown


def test_prompts_are_the_same_in_every_run() -> None:
    first, again = asked("tests/toy"), asked.__wrapped__("tests/toy")
    assert {k: text(r) for k, r in first.items()} == {k: text(r) for k, r in again.items()}


@pytest.mark.parametrize("problem", ["tests/toy", "jssp"])
def test_prompts_keep_their_bounds(problem: str) -> None:
    for request in asked(problem).values():
        assert len(text(request)) <= (20_000 if request.role == "analyzer" else 13_000)


def test_each_slot_gets_the_paragraph_that_the_analyzer_wrote_for_it() -> None:
    for (purpose, _, slot, _), request in asked("tests/toy").items():
        if purpose == "program":
            goal = f"aim for {request.operator}{slot + 1}."
            assert goal in text(request) and text(request).count("aim for ") == 1


def test_without_a_teacher_no_prompt_speaks_of_one() -> None:
    for operators in ("", "s,p,m"):
        environment = TaughtEnvironment(
            METHODS["performance-only"],
            Settings(generations=2, operators=operators),
            answer=weigh,
        )
        run(environment)
        for request in environment.asked.values():
            for word in ("teacher", "agreement", "TEACHER", "analyst"):
                assert word not in text(request)


def test_slots_with_the_same_task_are_told_to_take_different_routes() -> None:
    parent = candidate(0, 5.0, 0.2)
    same = [Recipe(1, slot, "s", (parent,)) for slot in (0, 3)]
    other = Recipe(1, 1, "p", (parent,))
    one, two, three = number_variants((same[0], same[1], other))
    assert [(r.variant, r.variants) for r in (one, two, three)] == [(1, 2), (2, 2), (1, 1)]
    contract = problems.load("tests/toy").contract
    texts = [prompts.render(r.operator, contract, r)[0].content for r in (one, two, three)]
    assert "This is variant 1 of 2" in texts[0] and "This is variant 2 of 2" in texts[1]
    assert "variant" not in texts[2]


def test_questions_on_one_program_show_different_states() -> None:
    parent = next(
        p
        for r in asked("jssp").values()
        for p in r.recipes[0].parents
        if p.diagnostics and len([c for c in p.diagnostics.cases if c.alternatives]) > 6
    )
    assert len({tabulate_states(parent, (), 2, draw) for draw in range(8)}) > 1


def test_a_child_is_told_with_its_difference_and_a_fallen_one_with_its_reason() -> None:
    parent = replace(candidate(0, 11.0), costs=(10.0, 12.0))
    better = replace(
        candidate(1, 9.0, generation=1), costs=(9.0, 9.0), parents=("p0000",), operator="s"
    )
    fallen = replace(
        candidate(2, None, generation=1, failure=Failure("duplicate", "as p0001")),
        parents=("p0000",),
        operator="p",
    )
    listed = list_attempts((parent,), (parent, better, fallen))
    assert "p0001 (s of p0000): cost 9; -2 ± 1 against p0000, better on 2 of 2" in listed
    assert "p0002 (p of p0000): rejected, duplicate: as p0001" in listed
    assert "+     return 1" in listed


def test_the_best_known_cost_is_a_scale_only_where_it_is_known() -> None:
    one = candidate(0, 5.0)
    assert summarise_design(one, "score", 60, None) == ""
    assert "Mean best known cost: 1575" in summarise_design(one, "score", 60, 1575.0)


def test_paired_costs_give_mean_error_and_wins() -> None:
    found = compare((1.0, 2.0, 3.0), (2.0, 2.0, 5.0))
    assert found is not None
    assert (found.mean, found.better, found.count) == (-1.0, 2, 3)
    assert found.stderr == pytest.approx((1 / 3) ** 0.5)
    assert compare((1.0, None), (1.0, 2.0)) is None
    assert compare((1.0,), (1.0, 2.0)) is None


def test_rank_correlation_shares_ties_and_is_silent_over_few() -> None:
    rising = [1.0, 2.0, 3.0, 4.0, 5.0, 60.0]
    assert correlate_ranks(rising, rising) == pytest.approx(1.0)
    assert correlate_ranks(rising, [-x for x in rising]) == pytest.approx(-1.0)
    assert correlate_ranks(rising, [1.0] * 6) is None
    assert correlate_ranks(rising[:5], rising[:5]) is None


def test_long_texts_are_cut_at_words_and_programs_at_lines() -> None:
    assert cut("one  two\nthree", 40) == "one two three"
    assert cut("x" * 50, 20) == "x" * 16 + " ..."
    assert clip("a\nb\nc\nd\ne\nf\n", 9) == "a\n# ... 7 characters left out ...\ne\nf\n"
    assert [rough(v) for v in (0.12345, 12.345, 1234.5, 1e9, None)] == [
        "0.123",
        "12.3",
        "1234",
        "1e+09",
        "-",
    ]
