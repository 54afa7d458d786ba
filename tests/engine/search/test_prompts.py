"""What a writer is shown: history, standing, whole states, sizes; bounded, and always the same."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

import problems
from engine.diagnosis.diagnostics import diagnose
from engine.diagnosis.facts import observe
from engine.diagnosis.placebo import shuffle_scores
from engine.domain.search_state import pool_advice
from engine.domain.specs.settings import Settings
from engine.domain.tuning import Trial
from engine.domain.values import (
    Advice,
    Alternative,
    Brief,
    Case,
    ChoiceProfile,
    Facts,
    Failure,
    FieldProfile,
    Landmarks,
    RealFigures,
    Recipe,
    Span,
)
from engine.search import prompts
from engine.search.loop import number_variants
from engine.search.methods.methods import METHODS
from engine.search.paired import compare, correlate_ranks
from engine.search.prompts.context import PromptContext
from engine.search.prompts.design import describe_design
from engine.search.prompts.field_ranges import find_trends
from engine.search.prompts.formatting import clip, cut, rough, share_room, two_digits
from engine.search.prompts.formulas import one_line
from engine.search.prompts.history import find_base, list_attempts, list_newest
from engine.search.prompts.programs import compare_with_best, show_variant
from engine.search.prompts.states import pick_scenes
from engine.search.prompts.verdicts import tabulate_disagreement, tell
from problems.base import Rule
from problems.jssp.problem import Jssp
from teachers.base import Verdict, verdict
from tests.conftest import ROOT
from tests.engine.builders import candidate, diagnostics, program
from tests.engine.search.memory import InMemoryEnvironment, run

if TYPE_CHECKING:
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.values import Candidate, Diagnostics, Evaluation, Request
    from problems.base import Decision


class SmallShop(Jssp):
    """The job shop with a design set that is solved in no time."""

    def load(self, name: str) -> tuple[Any, ...]:
        """Eight shops of six jobs."""
        return super().load("random-6x6")[:8]


@dataclass
class TaughtEnvironment(InMemoryEnvironment):
    """Its teacher prefers the action of the largest lower bound, or of the last field but two.

    Every program took the same time.
    """

    async def evaluate(
        self, candidate: Candidate, checkpoint: Checkpoint | None = None
    ) -> Evaluation:
        """Plain rollouts that are said to have taken 1.2345 seconds."""
        return replace(await super().evaluate(candidate, checkpoint), cpu=1.2345)

    async def diagnose(self, candidate: Candidate, evaluation: Evaluation) -> Diagnostics | None:
        """Real diagnostics over the states that were visited."""
        sampled = self.sampled(evaluation)
        verdicts = [self._verdict(decision) for decision in sampled.decisions]
        if self.method.shuffled:
            verdicts = shuffle_scores(sampled.decisions, verdicts, 0)
        return diagnose(self.problem, sampled, verdicts, 12, observe(self.problem, sampled, 6))

    @property
    def larger(self) -> str:
        """Where programs are timed besides."""
        return "larger ones" if prompts.need_facts(self.method, "") else ""

    async def scale(self, candidate: Candidate) -> Trial | None:
        """The second program takes too long."""
        failure = "timeout" if candidate.id == "p0001" else ""
        return Trial((1.0,), failure, 0.4321) if self.larger else None

    def _verdict(self, decision: Decision) -> Verdict:
        rows = [self.problem.fields(decision.state, action) for action in decision.actions]
        return verdict(decision.actions, [float([*row.values()][-3]) for row in rows])


def weigh(request: Request, attempt: int) -> str | None:
    """Two fields weighted by the request's draw; a brief for every slot."""
    if request.role == "analyzer":
        return "\n".join(f"## {name}\n{_paragraphs(request, name)}" for name in "spm")
    first, second = (
        ("item.weight", "item.finish")
        if "item.weight" in text(request)
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
    return "\n".join(message.content for message in request.messages)


@pytest.mark.parametrize("method", ["performance-only", "eoh", "reevo"])
def test_prompts_of_whole_solutions_do_not_speak_of_decisions(method: str) -> None:
    jobs = problems.load(str(ROOT / "tui/template/whole"))
    environment = InMemoryEnvironment(
        METHODS[method], Settings(generations=2), answer=sort, problem=jobs
    )
    run(environment)
    told = "\n".join(map(text, environment.asked.values()))
    assert "def solve(durations, weights, dues):" in told
    assert not re.search(r"\b(decisions?|states?)\b", told)
    if method == "performance-only":
        assert "mean over 32 design instances" in told
        assert "7.5 s an instance" in told
        assert "paired over the instances" in told


def sort(request: Request, attempt: int) -> str | None:
    """The jobs by a weight of its draw; a brief for every slot."""
    if request.role == "analyzer":
        return "\n".join(f"## {name}\n{_paragraphs(request, name)}" for name in "spm")
    weight = request.draw % 997
    key = f"dues[job] - {weight} * weights[job]"
    return (
        f"{{Weighs {weight}.}}\n```python\ndef solve(durations, weights, dues):\n"
        f"    return sorted(range(len(dues)), key=lambda job: {key})\n```"
    )


def prompt(problem: str, operator: str, generation: int = 3) -> str:
    """The last prompt of an operator."""
    requests = [r for key, r in asked(problem).items() if key[1] == generation]
    return text(next(r for r in requests if r.operator == operator))


ALL = [(problem, name) for problem in ("tests/toy", "jssp") for name in ("s", "p", "m")]


@pytest.mark.parametrize("operator", ["s", "m", "p"])
def test_prompts_say_of_each_program_whether_it_is_compiled_where_the_method_does(
    operator: str,
) -> None:
    method = replace(METHODS["ours"], compiled_facts=True)
    environment = TaughtEnvironment(method, Settings(generations=2), answer=weigh)
    run(environment)
    told = [text(r) for key, r in environment.asked.items() if r.operator == operator]
    word = "a decision; not compiled: line 1 uses a dict"
    assert told and all(page.count(word) >= page.count("Mean cost on the design") for page in told)
    assert word not in prompt("tests/toy", operator)


@pytest.mark.parametrize(("problem", "operator"), ALL)
def test_a_revision_prompt_tells_all_that_its_writer_needs(problem: str, operator: str) -> None:
    shown = prompt(problem, operator)
    assert "judges one candidate at a time" in shown
    assert "over 8 design instances: " in shown and " ms a call. " in shown
    assert "CPU 1.2 of 240 s, " in shown and " ms a decision." in shown
    assert "programs so far" in shown
    assert "## What was tried before" in shown and " better on " in shown
    assert "choice of | " in shown and "The same for all: " in shown
    assert "field | spread in a state | places of p" in shown
    assert "## What the teacher says" in shown and ": it prefers " in shown
    assert "Rank correlation of agreement with cost" in shown
    assert "$" not in shown


@pytest.mark.parametrize("problem", ["tests/toy", "jssp"])
def test_the_analyzer_sees_the_population_the_attempts_the_best_and_the_slots(
    problem: str,
) -> None:
    shown = prompt(problem, "analyzer")
    assert "## The population, best cost first" in shown and " ± " in shown
    assert "- slot 1: s of p" in shown and "Slot 4 (s of p" in shown
    assert ", the best so far." in shown
    assert shown.count("```") >= 6
    assert "## What was tried before" in shown
    assert "field | spread in a state | " in shown and "choice of | " in shown
    assert "### Where it disagrees with p" in shown and "\nteacher | 1.00 | " in shown
    assert "Rank correlation of agreement with cost" in shown


@pytest.mark.parametrize("problem", ["tests/toy", "jssp"])
def test_all_prompts_of_a_run_begin_with_the_same_contract_and_terms(problem: str) -> None:
    texts = [text(request) for request in asked(problem).values() if request.role != "repair"]
    ends = enumerate(zip(min(texts), max(texts), strict=False))
    common = texts[0][: next(k for k, (a, b) in ends if a != b)]
    contract = problems.load(problem).contract.text()
    assert common.startswith(contract) and "## How programs are judged" in common
    assert len(common) > len(contract) + 1_000


def plan(request: Request, attempt: int) -> str | None:
    """The same with an open loop: a program that plans, for all that its text tells."""
    found = weigh(request, attempt)
    loop = "    while False:\n        pass\n"
    return found and found.replace("    return", f"{loop}    return")


class Outdone(TaughtEnvironment):
    """Every child beats the only seed, which would rather do the worst."""

    def seeds(self) -> tuple[Rule, ...]:
        """The program that scores candidates the wrong way round."""
        contract = self.problem.contract
        field = contract.arguments[0].fields[-1].name
        code = f"def {contract.signature()}:\n    return {contract.arguments[0].name}.{field}\n"
        return (Rule("last", "The last field, the larger the better.", code),)


@cache
def asked_of_plans(problem: str, method: str) -> dict[tuple[str, int, int, int], Request]:
    """The questions of two generations whose programs plan."""
    found = SmallShop() if problem == "jssp" else problems.load("tests/toy")
    environment = Outdone(METHODS[method], Settings(generations=2), answer=plan, problem=found)
    run(environment)
    return environment.asked


@pytest.mark.parametrize("operator", ["s", "p", "m", "analyzer"])
def test_once_a_planner_was_the_best_prompts_tell_what_solutions_leave_to_gain(
    operator: str,
) -> None:
    requests = asked_of_plans("jssp", "preceptor")
    before, after = (
        text(next(r for k, r in requests.items() if k[1] == n and r.operator == operator))
        for n in (1, 2)
    )
    for word in ("field | spread in a state", "choice of | ", "A table of fields has"):
        assert word in before and word not in after
    assert "## What whole solutions leave to gain" not in before
    assert "## What whole solutions leave to gain" in after and ", the best" in after
    assert "results kept between calls (functools.cache) | no" in after
    assert "above the lowest cost of any program, of 8 instances (%) | " in after
    assert "Mean places of its choices" not in after
    assert "$" not in after


def test_a_calibration_and_a_fusion_look_at_plans_once_there_are_any() -> None:
    words = {"p": "starts, rounds and neighbours", "m": "what its plan does there"}
    steps = {"p": "A term that differs between", "m": "ask\nwhat the better choice saw"}
    for operator in "pm":
        for method, said, other in (("preceptor", words, steps), ("ours", steps, words)):
            requests = asked_of_plans("jssp", method).items()
            shown = [text(r) for k, r in requests if k[1] == 2 and r.operator == operator]
            assert shown and all(said[operator] in page for page in shown)
            assert not any(other[operator] in page for page in shown)


def test_the_methods_of_the_paper_tell_of_fields_whatever_programs_do() -> None:
    for request in asked_of_plans("jssp", "ours").values():
        assert "What whole solutions leave" not in text(request)
    last = [text(r) for k, r in asked_of_plans("jssp", "ours").items() if k[1] == 2]
    assert any("field | spread in a state" in page for page in last)


def test_of_a_problem_that_does_not_tell_gaps_to_the_lowest_costs_are_left() -> None:
    pages = [text(r) for k, r in asked_of_plans("tests/toy", "preceptor").items() if k[1] == 2]
    shown = next(page for page in pages if "What whole solutions leave to gain" in page)
    assert "above the lowest cost of any program, of 8 instances (%) | " in shown
    assert "by trusted code" not in shown


def test_every_number_in_a_table_of_states_is_defined() -> None:
    for name in ("jssp", "tsp", "cvrp", "maxcut"):
        problem = problems.load(name)
        contract = problem.contract
        defined = {f.name for a in contract.arguments for f in a.fields}
        defined |= {f.name.rpartition(".")[2] for a in contract.arguments for f in a.fields}
        defined |= {argument.name for argument in contract.arguments}
        defined |= {field.name for field in contract.shown}
        state = problem.start(problem.load(problem.example)[0])  # type: ignore[attr-defined]
        action = problem.actions(state)[0]
        assert set(problem.fields(state, action)) <= defined


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


@pytest.mark.parametrize("method", ["blind", "unreflected", "eoh"])
def test_without_a_teacher_no_prompt_speaks_of_one(method: str) -> None:
    environment = TaughtEnvironment(
        METHODS[method], Settings(generations=2, operators="s,p,m"), answer=weigh
    )
    run(environment)
    for request in environment.asked.values():
        for word in ("teacher", "agreement", "learned policy", "analyst"):
            assert word not in text(request)
        assert "## States" in text(request) and "## The fields of p" in text(request)


def test_methods_whose_prompts_show_no_facts_look_for_none() -> None:
    environment = TaughtEnvironment(METHODS["eoh"], Settings(generations=1), answer=weigh)
    run(environment)
    assert all(candidate.facts is None for candidate in environment.recorded)


def test_reevos_briefs_are_not_held_against_states_that_its_prompts_do_not_show() -> None:
    requests = asked("tests/toy", "reevo").values()
    crossed = [text(request) for request in requests if request.operator == "crossover"]
    assert all("## Reflection" in shown and "A brief is" not in shown for shown in crossed)
    assert "where the attempts or the states contradict it" in prompt("tests/toy", "s")


@given(st.text(), st.text(), st.text())
def test_what_fills_a_place_never_reaches_the_system_message(
    system: str, user: str, brief: str
) -> None:
    contract = problems.load("tests/toy").contract
    recipe = Recipe(1, 0, "mutation", (candidate(0, 5.0),), Brief(brief, "mutation"))
    template = f"# System\n{system}\n# User\n{user}".replace("$", "$$") + "$reflection"
    told = prompts.render("mutation", contract, recipe, text=template)
    untold = prompts.render("mutation", contract, replace(recipe, brief=None), text=template)
    assert [message.role for message in told] == ["system", "user"]
    assert told[0] == untold[0]
    alone = prompts.render("mutation", contract, recipe, text="$reflection")
    assert [message.role for message in alone] == ["user"]


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
        if p.facts and len(p.facts.scenes) > 4
    )
    assert len({tuple(pick_scenes(parent, (), 2, draw)) for draw in range(8)}) > 1


def attempt(slot: int, cost: float | None, code: str = "", **more: Any) -> Candidate:
    """A child of p0000, of generation 1 unless something else is said."""
    made = {"generation": 1, "parents": ("p0000",), "operator": "s", **more}
    found = replace(candidate(slot, cost), costs=() if cost is None else (cost, cost), **made)
    return replace(found, program=program(code, "Tries.")) if code else found


def test_a_child_is_told_with_its_difference_and_a_fallen_one_with_its_reason() -> None:
    parent = replace(candidate(0, 11.0), costs=(10.0, 12.0))
    better = attempt(1, 9.0, parent.program.code.replace("0\n", "1\n"))
    fallen = attempt(2, None, operator="p", failure=Failure("duplicate", "as p0001"))
    listed = list_attempts((parent,), (parent, better, fallen))
    told = "cost 9; -2 ± 1 against p0000, better on 2 of 2; the best so far"
    assert f"p0001 (s of p0000): {told}. In short: 1" in listed
    assert "p0002 (p of p0000): rejected, duplicate: as p0001" in listed
    assert "+     return 1" in listed


def test_attempts_that_were_the_best_when_they_came_are_never_left_out() -> None:
    seeds = [replace(candidate(k, 20.0), costs=(20.0, 20.0)) for k in (0, 1)]
    record = attempt(2, 9.0)
    later = [attempt(k, 15.0, generation=2, parents=("p0001",)) for k in range(3, 30)]
    seen = (*seeds, record, *later)
    for listed in (list_newest(seen), list_attempts((later[-1],), seen)):
        assert "- p0002 (s of p0000): cost 9" in listed


def test_a_child_is_compared_with_the_program_that_it_was_written_on() -> None:
    lines = [f"    x{k} = {k}\n" for k in range(8)]
    best = replace(candidate(1, 5.0), costs=(5.0, 5.0), program=program("".join(lines)))
    poor = replace(candidate(0, 9.0), costs=(9.0, 9.0))
    child = attempt(2, 4.0, "".join([*lines[:-1], "    x7 = 70\n"]))
    seen = (poor, best, child)
    assert find_base(child, seen) == best
    listed = list_attempts((poor,), seen)
    assert "p0002 (s of p0000, written on p0001): cost 4; -5 ± 0 against p0000" in listed
    assert "-1 ± 0 against p0001" in listed and "+     x7 = 70" in listed


def test_short_programs_are_told_as_one_formula() -> None:
    code = "def score(a, b):\n    total = a.x + 1\n    half = total / 2\n    return -half * b.y\n"
    assert one_line(code) == "-((a.x + 1) / 2) * b.y"
    assert one_line("def score(a, b):\n    for k in a:\n        pass\n    return 1\n") == ""
    assert one_line("def f(:") == one_line("") == ""
    assert one_line("def f(a):\n    return " + " + ".join("a" * 200)) == ""
    assert one_line("def f(a):\n    return " + "-" * 30_000 + "a") == ""


def test_a_program_near_another_is_shown_by_what_differs_and_whole_where_there_is_room() -> None:
    lines = [f"    x{k} = {k}\n" for k in range(40)]
    one = replace(candidate(0, 5.0), program=program("".join(lines)))
    two = replace(candidate(1, 4.0), program=program("".join([*lines[:-1], "    x39 = 0\n"])))
    shown = show_variant(two, one, 10_000)
    assert "As p0000, but for" in shown and "+    x39 = 0" in shown and "x20" not in shown
    other = replace(candidate(2, 3.0), program=program("".join(reversed(lines))))
    assert "left out" not in show_variant(other, one, 10_000)
    assert "left out" in show_variant(other, one, 450)
    assert "```" not in show_variant(other, one, 100)
    assert share_room([10, 1_000, 2_000], 1_010) == [10, 500, 500]


def test_the_best_program_is_shown_whole_to_those_who_revise_another() -> None:
    code = "".join(f"    x{k} = {k}\n" for k in range(600))
    best = replace(candidate(1, 4.0), program=program(code), costs=(4.0, 4.0))
    parent = replace(candidate(0, 5.0), costs=(5.0, 5.0))
    seen = (parent, best)
    assert code in compare_with_best((parent,), seen, 60.0, Settings().prompt_code)
    assert "left out" in compare_with_best((parent,), seen, 60.0, 2_000)


def test_where_a_program_parts_from_the_best_both_choices_are_marked() -> None:
    shown = [
        text(request)
        for request in asked("jssp").values()
        if request.operator in "sp" and "### Where p" in text(request)
    ]
    assert shown
    for page in shown:
        title, rest = page.split("### Where ")[1].split(":", 1)
        own, *_, best = title.split()
        rows = rest.partition("###")[0]
        assert f"\n{own} | " in rows and f"\n{best} | " in rows
        assert "Up to here both did the same" in rows


def test_correlations_are_taken_over_all_programs_and_shown_where_they_are_no_chance() -> None:
    def choosing(slot: int, place: float, cost: float) -> Candidate:
        spans = (Span(0, 1, 1, place),) * 3
        facts = Facts(ChoiceProfile(9, 9, (FieldProfile("size", spans),)))
        return replace(candidate(slot, cost), facts=facts)

    rising = [choosing(k, k / 20, 10.0 + k) for k in range(20)]
    trends, count = find_trends(rising)
    assert count == 20 and trends["size"] == pytest.approx(1.0)
    random = [choosing(k, (7 * k % 20) / 20, 10.0 + k) for k in range(20)]
    assert find_trends(random) == ({}, 20)


def test_the_best_known_cost_is_a_scale_only_where_it_is_known() -> None:
    contract = problems.load("tests/toy").contract
    assert describe_design(contract, PromptContext()) == ""
    shown = describe_design(contract, PromptContext(reference=1575.0))
    assert "others on these instances: best known 1575." in shown and "reach" not in shown


def test_what_others_reach_is_told_and_what_the_teacher_reaches_in_its_own_section() -> None:
    page = prompt("tests/toy", "s")
    common, _, teacher = page.partition("## What the teacher says")
    assert "Mean costs of others on these instances: smith 1234.5." in common
    assert "1300.25" not in common and "it reaches a mean cost of 1300.25" in teacher


def told_of(diagnosed: Diagnostics) -> str:
    """The teacher's section on a program, and the disagreement that is shown."""
    shown = replace(candidate(1, 1801.0), diagnostics=diagnosed)
    table = tabulate_disagreement(shown, [], 0)
    return tell([shown], [shown], [], Landmarks(), "", table)


def test_advice_that_was_checked_is_shown_by_what_came_of_it() -> None:
    both = (Alternative(2, 0.0, (3.0,)), Alternative(9, 1.0, (7.0,)))
    sides = ((("work", 3.0),), (("work", 7.0),))
    case = Case(3, 17, 0.25, 4, 2, 9, 1.0, *sides, both, costs=(1801.0, 1779.0))
    before = replace(diagnostics(0.5), cases=(case,))
    helped = told_of(replace(before, advice=Advice(20, 3, 2, 0.00062, 0.0003)))
    assert "The teacher's choice, then this program: 1779 instead of 1801." in helped
    assert (
        "of 20 of its choices tried 3 lower the cost, 2 raise it, 15 change nothing "
        "(mean saving +0.062 ± 0.030 %)"
    ) in helped
    assert "the program went on from there" in helped


def test_real_disagreements_are_told_apart_where_they_are_known() -> None:
    both = (Alternative(2, 0.0, (3.0,)), Alternative(9, 1.0, (7.0,)))
    sides = ((("work", 3.0),), (("work", 7.0),))
    case = Case(3, 17, 0.25, 4, 2, 9, 1.0, *sides, both, later=True)
    plain = replace(diagnostics(0.13), cases=(replace(case, later=False),))
    real = RealFigures(0.83, 0.6, 0.006, 0.95, 0.9)
    told = told_of(replace(plain, cases=(case,), real=real))
    assert "real agreement 0.830 ± 0.006 (chance 0.600)" in told
    assert "The program does the same later, to the same effect." in told
    assert "real agreement" not in told_of(plain).lower()
    assert "same later" not in told_of(plain)


def test_real_agreement_is_set_against_cost_where_it_is_known_of_all() -> None:
    shown = [
        replace(
            candidate(k, 100.0 + k),
            diagnostics=replace(
                diagnostics(k / 10), real=RealFigures(1 - k / 10, 0.5, 0.01, None, None)
            ),
        )
        for k in range(8)
    ]
    told = tell(shown[:1], shown, [], Landmarks())
    assert "+1.00, of real agreement -1.00 (-1: who agrees" in told
    shown[0] = replace(shown[0], diagnostics=diagnostics(0.0))
    assert "real agreement -" not in tell(shown[1:2], shown, [], Landmarks())


def test_a_teacher_that_tries_actions_is_not_called_a_learned_policy() -> None:
    shown = replace(candidate(1, 1801.0), diagnostics=diagnostics(0.5))
    told = tell([shown], [shown], [], Landmarks(tries=True))
    assert "the best program so far went on to the end" in told
    assert "learned" not in told
    assert "learned" in told_of(diagnostics(0.5))


def test_a_disagreement_that_was_tried_in_vain_is_not_shown() -> None:
    both = (Alternative(2, 0.0, (3.0,)), Alternative(9, 1.0, (7.0,)))
    sides = ((("work", 3.0),), (("work", 7.0),))
    case = Case(3, 17, 0.25, 4, 2, 9, 1.0, *sides, both)
    untried = replace(diagnostics(0.5), cases=(case,))
    in_vain = replace(untried, cases=(replace(case, costs=(1801.0, 1801.0)),))
    assert "Where it disagrees" in told_of(untried)
    assert "Where it disagrees" not in told_of(in_vain)
    assert "tried" not in told_of(untried)


def test_measured_times_have_two_digits() -> None:
    assert [two_digits(t) for t in (0.0123456, 1.2345, 12.345, 123.4)] == [
        "0.012",
        "1.2",
        "12",
        "120",
    ]


def test_a_free_slot_is_told_the_time_that_a_program_may_take() -> None:
    requests = asked("tests/toy", "preceptor").values()
    pages = [text(request) for request in requests if request.operator == "free"]
    assert pages and all("CPU seconds for all of them" in page for page in pages)


def test_times_on_a_larger_instance_stand_beside_the_programs_shown() -> None:
    pages = [text(request) for request in asked("tests/toy").values()]
    assert all("CPU time on one instance of larger ones: p00" in page for page in pages)
    assert any("p0001 over 0.43 s" in page for page in pages)
    assert not any("larger ones" in text(one) for one in asked("tests/toy", "eoh").values())


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
    tied = [2.0, 1.0, 2.0, 3.0, 1.0, 1.0]
    assert correlate_ranks(tied, rising) == pytest.approx(spearmanr(tied, rising).statistic)


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


@pytest.mark.parametrize("place", ["teacher", "attempts", "states", "brief", "leaders"])
def test_a_place_that_parents_fill_is_empty_without_any(place: str) -> None:
    contract = problems.load(problems.ProblemRef("tsp")).contract
    recipe = Recipe(1, 0, "free", ())
    (message,) = prompts.render("free", contract, recipe, text=f"<${place}>")
    assert message.content.strip() == "<>"


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("jssp", (), "compiled where loops"),
        ("tsp", (), "on the design set, too"),
        ("maxcut", (), "compiled where loops"),
    ],
)
def test_rules_tell_what_is_compiled(
    name: str, options: tuple[tuple[str, str], ...], told: str
) -> None:
    contract = problems.load(problems.ProblemRef(name, options)).contract
    (message,) = prompts.render("i1", contract)
    (line,) = (each for each in message.content.splitlines() if "step of a plain loop" in each)
    assert told in line


def test_a_partner_is_said_to_be_picked_for_its_agreement_where_it_is() -> None:
    fused = [
        text(request)
        for method in ("ours", "preceptor")
        for key, request in asked("tests/toy", method).items()
        if request.operator == "m" and key[0] == "program"
    ]
    told = ["was picked for its agreement" in page for page in fused]
    count = sum(r.operator == "m" for r in asked("tests/toy", "ours").values())
    assert told == [True] * count + [False] * (len(fused) - count)
    assert 0 < count < len(fused)


@given(
    st.lists(
        st.none() | st.tuples(st.integers(1, 50), st.floats(-1, 1), st.none() | st.floats(0, 1)),
        max_size=6,
    )
)
def test_advice_is_pooled_over_all_that_was_checked(
    found: list[tuple[int, float, float | None] | None],
) -> None:
    programs = [
        replace(
            candidate(k, 1.0),
            diagnostics=replace(
                diagnostics(0.5), advice=one and Advice(one[0], 0, 0, one[1], one[2])
            ),
        )
        for k, one in enumerate(found)
    ]
    known = [one for one in found if one is not None and one[2] is not None]
    pooled = pool_advice([*programs, candidate(9, 1.0)])
    assert (pooled is None) == (not known)
    if pooled is not None:
        assert pooled.checked == sum(one[0] for one in known)
        assert min(one[1] for one in known) - 1e-9 <= pooled.gain
        assert pooled.gain <= max(one[1] for one in known) + 1e-9
        assert pooled.stderr is not None
        assert 0 <= pooled.stderr <= max(one[2] or 0.0 for one in known) + 1e-9
