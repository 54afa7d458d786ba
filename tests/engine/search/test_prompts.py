"""What a writer is shown: history, standing, whole states, sizes; bounded, and always the same."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

import problems
from engine.diagnosis.diagnostics import diagnose
from engine.diagnosis.facts import observe
from engine.diagnosis.placebo import shuffle_scores
from engine.domain.checkpoint import Checkpoint
from engine.domain.search_state import pool_advice
from engine.domain.specs.settings import Settings
from engine.domain.tuning import Effect, Trial, TunedConstant, Tuning
from engine.domain.values import (
    Advice,
    Brief,
    Candidate,
    ChoiceProfile,
    Diagnostics,
    Evaluation,
    Failure,
    FieldProfile,
    Landmarks,
    Recipe,
    Request,
    Span,
)
from engine.search import prompts
from engine.search.methods.methods import METHODS
from engine.search.paired import compare, correlate_ranks
from engine.search.prompts.context import PromptContext
from engine.search.prompts.design import describe_design
from engine.search.prompts.formatting import clip, cut, rough, share_room, two_digits
from engine.search.prompts.history import (
    find_base,
    list_attempts,
    list_constants,
    list_newest,
)
from engine.search.prompts.programs import compare_with_best, show_variant
from engine.search.prompts.verdicts import describe, relate_agreement
from problems.base import Decision
from problems.jssp.problem import Jssp
from teachers.base import Verdict, verdict
from tests.conftest import ROOT
from tests.engine.builders import candidate, diagnostics, program
from tests.engine.search.memory import InMemoryEnvironment, run


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

    async def comment(self, candidate: Candidate) -> str:
        """Nothing is said."""
        return ""

    async def scale(self, candidate: Candidate) -> Trial | None:
        """The second program takes too long."""
        failure = "timeout" if candidate.id == "p0001" else ""
        return Trial((1.0,), failure, 0.4321) if self.larger else None

    def _verdict(self, decision: Decision) -> Verdict:
        rows = [self.problem.fields(decision.state, action) for action in decision.actions]
        by = "lower_bound_after" if "lower_bound_after" in rows[0] else [*rows[0]][-3]
        return verdict(decision.actions, [float(row[by]) for row in rows])


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
    assert "numba (njit)" in told
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


def test_every_number_in_a_table_of_states_is_defined() -> None:
    for name in ("jssp", "tsp", "cvrp", "maxcut"):
        problem = problems.load(name)
        contract = problem.contract
        defined = {f.name for a in contract.arguments for f in a.fields}
        defined |= {f.name.rpartition(".")[2] for a in contract.arguments for f in a.fields}
        defined |= {argument.name for argument in contract.arguments}
        defined |= {field.name for field in contract.shown}
        state = problem.start(problem.load(problem.example)[0])
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


def test_methods_whose_prompts_show_no_facts_look_for_none() -> None:
    environment = TaughtEnvironment(METHODS["eoh"], Settings(generations=1), answer=weigh)
    run(environment)
    assert all(candidate.facts is None for candidate in environment.recorded)


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
    assert f"p0001 (s of p0000): {told}. Tries." in listed
    assert "p0002 (p of p0000): rejected, duplicate: as p0001" in listed
    assert "+     return 1" in listed


def searched(accepted: bool) -> Tuning:
    """A search over two constants, one of which matters only by being there."""
    gone = TunedConstant("A", 1.0, 2.0, zero=Effect(0.0, 3.0, 0.5))
    level = TunedConstant("B", 5.0, 5.0, Effect(0.667, 0.1, 0.2), Effect(1.5, 0.0, 0.2))
    return Tuning("p0001", (gone, level), 9, 90, 9.5, 9.0, accepted=accepted)


def test_constants_of_a_program_are_shown_once_by_the_latest_search() -> None:
    parent = replace(candidate(0, 11.0), costs=(10.0, 12.0))
    best = attempt(1, 9.0, tuning=searched(accepted=True))
    none = Failure("no gain", "p0001: 2 constants")
    kept = attempt(2, None, operator="tune", parents=("p0001",), failure=none)
    later = replace(kept, tuning=searched(accepted=False))
    for listed in (list_attempts((best,), (parent, best)), list_newest((parent, best))):
        assert (
            listed.count("A 1 -> 2, from 1: at 0 +3 ± 0.5")
            == listed.count("    no effect beyond two standard errors: B 5\n")
            == 1
        )
    for listed in (list_attempts((best,), (parent, best, later)), list_newest((best, later))):
        assert listed.startswith("- p0001 by its constants\n    A 1: at 0 +3 ± 0.5")
        assert listed.count("at 0") == 1


def test_a_constant_that_matters_only_where_it_is_0_keeps_its_effects() -> None:
    near = Effect(0.667, 0.1, 0.2), Effect(1.5, 0.0, 0.2)
    deep = TunedConstant("DEEP", 2.0, 2.0, *near, zero=Effect(0.0, 196.0, 19.0))
    idle = TunedConstant("IDLE", 3.0, 3.0, *near, zero=Effect(0.0, 1.0, 19.0))
    cap = TunedConstant("CAP", 8.0, 8.0, zero=Effect(0.0, 0.0, 0.0))
    assert list_constants(Tuning("p0001", (idle, deep, cap), 9, 90, 9.5, 9.0)) == (
        "\n    DEEP 2, flat nearby: x0.667 +0.1 ± 0.2, x1.5 +0 ± 0.2, at 0 +196 ± 19"
        "\n    no effect beyond two standard errors: IDLE 3, CAP 8"
    )


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


def test_the_best_known_cost_is_a_scale_only_where_it_is_known() -> None:
    contract = problems.load("tests/toy").contract
    assert describe_design(contract, PromptContext()) == ""
    shown = describe_design(contract, PromptContext(reference=1575.0))
    assert "Best known mean cost of the design set: 1575." in shown and "others" not in shown


def test_what_the_teacher_reaches_is_told_in_its_own_section_and_no_solvers_cost() -> None:
    page = text([r for r in asked("jssp", "preceptor").values() if r.operator == "s"][-1])
    common, _, teacher = page.partition("## What the teacher says")
    assert "500.25" not in common and "it reaches a mean cost of 500.25" in teacher
    assert "smith" not in page


def test_measured_times_have_two_digits() -> None:
    assert [two_digits(t) for t in (0.0123456, 1.2345, 12.345, 123.4)] == [
        "0.012",
        "1.2",
        "12",
        "120",
    ]


def test_times_on_a_larger_instance_stand_beside_the_programs_shown() -> None:
    pages = [
        text(request)
        for request in asked("tests/toy", "preceptor").values()
        if request.operator in ("s", "p", "m", "analyzer")
    ]
    assert all(
        "On 1 instance of larger ones, where programs are judged, too: p00" in page
        for page in pages
    )
    assert any("p0001 over 0.43 s" in page for page in pages)
    assert any(" costs 1, 0.43 s for 1 instance" in page for page in pages)
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


def test_a_partner_is_said_to_be_picked_for_its_agreement_where_it_is() -> None:
    fused = [
        text(request)
        for method in ("ours", "preceptor")
        for key, request in asked("tests/toy", method).items()
        if request.operator == "m" and key[0] == "program"
    ]
    told = ["by its agreement with the teacher" in page for page in fused]
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


OF_PRECEPTOR = (
    "What was tried",
    "Failures of earlier",
    "winners are judged",
    "smith",
    "left alone it reaches",
    "How programs are judged",
    "ms a decision",
    "The fields of p",
    "programs so far",
    "parts from",
    "found by search",
    "real agreement",
    "larger ones",
)
"""Words of what the papers' prompts do not have."""

OF_PLANNERS = re.compile(
    r"simulat|\bplan\b|repair|compil|numba|functools\.cache|local search|oracle|best known"
)


@pytest.mark.parametrize("problem", ["tests/toy", "jssp"])
@pytest.mark.parametrize("method", ["ours", "placebo", "blind", "no-analyzer", "eoh", "reevo"])
def test_prompts_of_the_papers_methods_say_what_the_papers_say(problem: str, method: str) -> None:
    for request in asked(problem, method).values():
        page = text(request)
        assert not [word for word in OF_PRECEPTOR if word in page]
        assert not OF_PLANNERS.search(page.split("Rules:")[-1])


@pytest.mark.parametrize("operator", ["s", "p", "m", "free", "analyzer"])
def test_prompts_of_preceptor_ask_for_rules_too(operator: str) -> None:
    requests = asked("jssp", "preceptor").values()
    pages = [text(r).split("Rules:")[-1] for r in requests if r.operator == operator]
    assert pages
    for page in pages:
        assert "found by search" in page and "$" not in page
        assert not OF_PLANNERS.search(page)


@pytest.mark.parametrize(
    ("operator", "words"),
    [
        ("s", "Modify one higher-level decision component of this program"),
        ("p", "Preserve the backbone of this program. Adjust its weights, thresholds, gates"),
        ("m", "at the same\ndecision layer"),
    ],
)
@pytest.mark.parametrize("problem", ["tests/toy", "jssp"])
def test_operators_of_ours_say_what_the_paper_says_and_show_cases_and_brief(
    problem: str, operator: str, words: str
) -> None:
    shown = prompt(problem, operator)
    assert words in shown and "$" not in shown
    assert f"aim for {operator}" in shown
    assert "Mean cost on the design set" in shown
    assert " and the teacher\nplaces | p" in shown and "\nchoice of | score | " in shown


@pytest.mark.parametrize("problem", ["tests/toy", "jssp"])
def test_the_analyzer_of_ours_sees_statistics_and_cases_of_every_program_that_is_revised(
    problem: str,
) -> None:
    shown = prompt(problem, "analyzer")
    assert "## The population, best cost first" in shown and " ± " in shown
    assert "- slot 1: s of p" in shown and "Slot 4 (s of p" in shown
    for id in re.findall(r"slot \d: . of (p\d+)", shown):
        assert f"### Program {id}\n" in shown and f"### {id} and the teacher\n" in shown
    assert "agreement 0." in shown and "Rank correlation of agreement with cost" in shown


@pytest.mark.parametrize("operator", ["s", "p", "m"])
def test_a_prompt_of_preceptor_tells_what_else_is_known(operator: str) -> None:
    page = text([r for r in asked("jssp", "preceptor").values() if r.operator == operator][-1])
    assert "## How programs are judged\nCost is the mean over 8 design instances: " in page
    assert "Winners are judged on 10 jobs" in page
    assert "## What was tried before" in page and " better on " in page
    assert "field | spread in a state | places of p" in page
    assert "programs so far" in page and " ms a decision." in page


@pytest.mark.parametrize("method", ["ours", "preceptor", "eoh", "reevo"])
@pytest.mark.parametrize("problem", ["tests/toy", "jssp"])
def test_all_prompts_of_a_run_begin_with_the_same_contract_and_rules(
    problem: str, method: str
) -> None:
    texts = [r.messages[-1].content for r in asked(problem, method).values() if r.role != "repair"]
    ends = enumerate(zip(min(texts), max(texts), strict=False))
    common = texts[0][: next(k for k, (a, b) in ends if a != b)]
    assert common.startswith(problems.load(problem).contract.text())
    rules = common.split("\nRules:\n")[1].split("\n\n")[0].splitlines()
    assert (
        len(rules) == 6
        and rules[4].startswith("- Time: at most 0.1 ms of CPU time a decision, all its ")
        and "machine code" in rules[4]
    )
    assert ("## How programs are judged" in common) == (method == "preceptor")


def test_the_best_program_is_not_compared_with_itself() -> None:
    seen = tuple(replace(candidate(k, 5.0 + k), costs=(5.0 + k,) * 2) for k in range(3))
    again = replace(seen[0], diagnostics=diagnostics(0.5))
    told = compare_with_best((again,), seen, 60.0, 1_000)
    assert told == (
        "p0000 is the best of 3 programs so far; the next, p0001, costs 6 "
        "(+1 ± 0 against p0000, better on 0 of 2)."
    )


def test_costs_of_a_single_instance_stand_alone() -> None:
    seen = tuple(replace(candidate(k, 5.0 + k), costs=(5.0 + k,)) for k in range(2))
    best, next_one = (compare_with_best((one,), seen, 60.0, 1_000) for one in seen)
    assert best == "p0000 is the best of 2 programs so far; the next, p0001, costs 6."
    assert next_one.startswith("p0001 is number 2 of 2 programs so far. The best is p0000, cost 5")
    assert "()" not in next_one and "( instances)" not in next_one


def test_agreement_is_set_against_cost_over_the_better_half() -> None:
    def agreeing(slot: int, agreement: float) -> Candidate:
        return replace(candidate(slot, 100.0 + slot), diagnostics=diagnostics(agreement))

    better = [agreeing(k, k / 10) for k in range(6)]
    hopeless = [agreeing(k, 0.0) for k in range(6, 12)]
    assert "over the better half, 6 programs: +1.00" in relate_agreement([*better, *hopeless])
    assert relate_agreement(better) == ""


def test_a_teacher_that_tries_actions_is_not_called_a_learned_policy() -> None:
    shown = replace(candidate(1, 1801.0), diagnostics=diagnostics(0.5))
    contract = problems.load("tests/toy").contract
    tries = PromptContext(landmarks=Landmarks(tries=True))
    told = describe([shown], [], contract, tries, 1)
    assert "the best program so far went on to the end" in told
    assert "learned" not in told
    assert "learned" in describe([shown], [], contract, PromptContext(), 1)


@pytest.mark.parametrize(
    ("place", "told"),
    [(0.52, "places: in no field 0.05 or more apart"), (0.6, "places | p0000 | teacher\nload | ")],
)
def test_what_is_announced_of_places_is_there_even_where_none_are_apart(
    place: float, told: str
) -> None:
    span = Span(0.0, 9.0, 5.0, chosen=0.5, preferred=place)
    profile = ChoiceProfile(8.0, 3, (FieldProfile("load", (span, span, span)),))
    judged = replace(candidate(0, 10.0), diagnostics=replace(diagnostics(0.5), profile=profile))
    contract = problems.load("tests/toy").contract
    page = describe((judged,), (judged,), contract, PromptContext(), 1)
    assert f"### p0000 and the teacher\n{told}" in page
