"""The default writer: pure, in the reply format, valid for every operator and every task."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import problems
from engine.domain.values import Program
from engine.evaluate.gate.inspect import Inspection, inspect
from engine.llm.builtin import Builtin
from engine.llm.builtin.programs import parse_program, write_program
from engine.llm.builtin.trees import (
    Call,
    Product,
    Ratio,
    Sum,
    Term,
    parts_of,
    places,
    terms,
    walk,
)
from problems import ProblemRef
from problems.base import Contract, Rule, rollout
from problems.errors import UserError
from tests.conftest import ROOT
from tests.contracts.variants import WHOLE, label
from tests.engine.llm.family import (
    OPERATORS,
    ask,
    candidate,
    child,
    jssp_family,
    make_family,
    question,
)
from tests.toy.problem import build

JSSP = problems.load("jssp")
LLM_WRITTEN = """\
import math

def score(feature, state):
    progress = float(feature.job_progress)
    if progress < 0:
        progress = 0.0
    urgency = feature.remaining_work ** 0.9 / (1.0 + feature.processing_time)
    late = math.exp(-progress) if progress > 0.5 else 1.0
    return urgency * late - 0.3 * feature.earliest_start + [1, 2][progress > 0.2]
"""


def writer() -> Builtin:
    return Builtin(JSSP.contract, JSSP.seeds())


def seeds(count: int = 2) -> list[Any]:
    return [candidate(seed.code or "") for seed in JSSP.seeds()[:count]]


def test_equal_requests_get_equal_replies() -> None:
    for operator in OPERATORS:
        request = question(operator, seeds(), draw=7)
        assert ask(writer(), request) == ask(writer(), request)


def test_other_dice_give_other_programs() -> None:
    replies = {ask(writer(), question("s", seeds(), draw)) for draw in range(20)}
    assert len(replies) > 10


def test_a_reply_is_a_sentence_in_braces_and_a_fenced_function() -> None:
    text = ask(writer(), question("s", seeds()))
    assert text.startswith("{Prefers ") and ".}\n\n```python\n" in text and text.endswith("```\n")


def test_the_reply_says_that_no_language_model_wrote_it() -> None:
    import asyncio

    reply = asyncio.run(writer().complete(question("s", seeds())))
    assert "no language model" in reply.model


def test_a_child_differs_from_its_parents() -> None:
    for draw, operator in enumerate(OPERATORS * 10):
        parents = seeds()
        made = child(writer(), question(operator, parents, draw))
        assert made.hash not in {parent.program.hash for parent in parents}


def test_twins_still_have_a_child_of_their_own() -> None:
    (parent,) = seeds(1)
    made = child(writer(), question("m", [parent, parent]))
    assert made.hash != parent.program.hash


def test_no_child_is_its_parent_at_another_scale_or_with_another_length() -> None:
    """MOPNR is the length of a list less the place in it, and the length tells no jobs apart."""
    most = seeds(3)[2]
    index = Term("feature.op_index")
    idle = {index, Term("len(state.instance.durations[feature.job_id])")}
    for operator in ("s", "p", "m"):
        for draw in range(30):
            made = child(writer(), question(operator, [most, most], draw))
            draft = parse_program(made.code, JSSP.contract)
            assert draft is not None
            weights = {part: weight for weight, part in parts_of(draft.score)}
            assert weights.keys() - idle or weights[index] > 0, made.code


def test_calibrating_a_single_term_keeps_it_or_varies_it() -> None:
    (_, parent) = seeds()
    made = [draft_terms(child(writer(), question("p", [parent], d)).code) for d in range(40)]
    assert sum("feature.remaining_work" in terms for terms in made) == 40


def test_a_fusion_keeps_the_main_part_of_the_first() -> None:
    code = (
        "def score(feature, state):\n    return feature.remaining_work - 0.1 * feature.op_index\n"
    )
    for draw in range(30):
        pair = [candidate(code), *seeds(1)]
        made = draft_terms(child(writer(), question("m", pair, draw)).code)
        assert "feature.remaining_work" in made and len(made) > 1


def test_every_child_passes_the_gate() -> None:
    for program in jssp_family():
        found = inspect(program.code, JSSP.contract)
        assert isinstance(found, Inspection) and found.reads is not None, program.code


def test_what_it_wrote_it_reads_back_to_the_same_score_and_text() -> None:
    for program in jssp_family():
        draft = parse_program(program.code, JSSP.contract)
        assert draft is not None
        assert write_program(draft) == program.code


def test_programs_stay_small() -> None:
    for program in jssp_family():
        lines = program.code.splitlines()
        assert len(lines) <= 30 and all(len(line) <= 140 for line in lines), program.code


def test_scores_are_finite_whatever_the_fields_hold() -> None:
    rng = random.Random(3)
    for program in jssp_family():
        scope: dict[str, Any] = {}
        exec(program.code, scope)
        for _ in range(5):
            assert math.isfinite(scope["score"](*_arguments(JSSP.contract, rng))), program.code


def _arguments(contract: Contract, rng: random.Random) -> list[SimpleNamespace]:
    values = (0, 1, -3, 0.5, 99, 1e6)
    feature, state = (
        SimpleNamespace(**{f.name: rng.choice(values) for f in a.fields if "." not in f.name})
        for a in contract.arguments
    )
    feature.job_id, feature.op_index = 0, rng.randrange(3)
    state.instance = SimpleNamespace(durations=((5, 7, 2),), machines=((1, 0, 2),))
    return [feature, state]


def test_only_like_units_are_added_or_compared_inside_a_part() -> None:
    vocabulary = writer().vocabulary
    for program in jssp_family():
        draft = parse_program(program.code, JSSP.contract)
        assert draft is not None
        for path, node in places(draft.score):
            if path and isinstance(node, Sum | Call):
                assert vocabulary.unit(node) is not None, program.code


def test_every_form_of_the_grammar_turns_up() -> None:
    drafts = [parse_program(program.code, JSSP.contract) for program in jssp_family()]
    nodes = {type(n) for d in drafts if d is not None for n in walk(d.score)}
    calls = {n.name for d in drafts if d for n in walk(d.score) if isinstance(n, Call)}
    assert nodes == {Term, Sum, Product, Ratio, Call}
    assert calls == {"max", "min", "abs", "math.log1p"}


def test_renamed_fields_get_the_same_edits() -> None:
    plain, renamed = (
        [
            (draft.score, [terms(part) for part in (draft.score,)])
            for program in make_family(toy.contract, toy.seeds(), 200)
            if (draft := parse_program(program.code, toy.contract)) is not None
        ]
        for toy in (build(), build(rename="_renamed"))
    )
    assert len(plain) == 200
    assert repr(renamed).replace("_renamed", "") == repr(plain)


def test_a_parent_it_cannot_read_whole_keeps_its_code_and_gains_terms() -> None:
    made = child(writer(), question("s", [candidate(LLM_WRITTEN)], draw=4))
    assert "if progress < 0:" in made.code and "[1, 2][progress > 0.2]" in made.code
    assert isinstance(inspect(made.code, JSSP.contract), Inspection)


def test_a_language_models_numbers_can_be_recalibrated() -> None:
    codes = {child(writer(), question("p", [candidate(LLM_WRITTEN)], d)).code for d in range(20)}
    assert len(codes) > 10
    assert all("feature.earliest_start" in code for code in codes)


def test_a_parent_without_a_score_gives_way_to_a_seed() -> None:
    endless = "def score(feature, state):\n    while True:\n        pass\n"
    made = child(writer(), question("s", [candidate(endless)]))
    assert "while" not in made.code


def test_parts_that_lean_on_a_parents_own_variables_are_not_fused_elsewhere() -> None:
    for draw in range(30):
        made = child(writer(), question("m", [*seeds(1), candidate(LLM_WRITTEN)], draw))
        assert "progress >" not in made.code and "urgency" not in made.code


def test_a_repair_is_a_program_too() -> None:
    made = child(writer(), question("s", seeds(), draw=3, role="repair"))
    assert isinstance(inspect(made.code, JSSP.contract), Inspection)


def test_an_operator_of_a_users_own_fuses_two_parents_and_restructures_one() -> None:
    slowest, _, most = seeds(3)
    pair = (slowest, most)
    first, second = (draft_terms(parent.program.code) for parent in pair)
    fused = [draft_terms(child(writer(), question("x1", pair, d)).code) for d in range(20)]
    assert sum(bool(made & first and made & second) for made in fused) > 10
    alone = {child(writer(), question("x1", seeds(1), draw)).code for draw in range(20)}
    assert len(alone) > 5


def draft_terms(code: str) -> set[str]:
    """The words that a program's score is made of."""
    draft = parse_program(code, JSSP.contract)
    assert draft is not None
    return set(terms(draft.score))


def test_reflections_are_one_fixed_sentence() -> None:
    texts = {
        ask(writer(), question("crossover", seeds(), draw, role=role))
        for role in ("short-term", "long-term")
        for draw in range(3)
    }
    assert len(texts) == 1 and texts.pop().count(".") == 1


@pytest.mark.parametrize("name", ["tsp", "cvrp", "maxcut"])
def test_programs_that_return_an_action_are_edited_inside_their_loop(name: str) -> None:
    problem = problems.load(name)
    made = make_family(problem.contract, problem.seeds(), 60)
    assert all(isinstance(inspect(p.code, problem.contract), Inspection) for p in made)
    assert all("for " in program.code for program in made)
    instance = problem.load(problem.example)[0]
    for program in made[::6]:
        scope: dict[str, Any] = {}
        exec(program.code, scope)
        assert math.isfinite(rollout(problem, scope[problem.contract.function], instance).cost)


@pytest.mark.parametrize("ref", [ref for ref in WHOLE if ref.name in ("cvrp", "jssp")], ids=label)
def test_a_program_that_looks_ahead_gets_another_rule_to_look_ahead_by(ref: ProblemRef) -> None:
    problem = problems.load(ref)
    parent = candidate(problem.seeds()[-1].code or "")
    author = Builtin(problem.contract, problem.seeds())
    instance = problem.load(problem.example)[0]
    walks = set()
    for draw in range(8):
        made = child(author, question("sp"[draw % 2], [parent], draw))
        draft = parse_program(made.code, problem.contract)
        assert draft is not None and draft.looks_ahead
        assert "Looks ahead" in ask(author, question("sp"[draw % 2], [parent], draw))
        assert isinstance(inspect(made.code, problem.contract), Inspection)
        scope: dict[str, Any] = {}
        exec(made.code, scope)
        walks.add(rollout(problem, scope[problem.contract.function], instance).actions)
    assert len(walks) > 2


def test_a_list_is_in_the_unit_that_the_contract_gives_it() -> None:
    problem = problems.load("cvrp")
    *others, demands, matrix = problem.contract.arguments
    arguments = (*others, replace(demands, unit="load"), matrix)
    words = Builtin(replace(problem.contract, arguments=arguments), problem.seeds()).vocabulary
    units = {word.source: word.unit for word in words.words}
    assert units["demands[node]"] == (("load", 1),)


def test_children_of_different_seeds_of_a_task_share_their_words() -> None:
    problem = problems.load("maxcut")
    reads = {
        term
        for program in make_family(problem.contract, problem.seeds(), 60)
        if isinstance(program, Program)
        and (draft := parse_program(program.code, problem.contract)) is not None
        for term in terms(draft.score)
    }
    assert {"gains[vertex]", "ages[vertex]", "counts[vertex]"} <= reads


def test_seeds_without_a_score_are_refused_before_anything_is_asked() -> None:
    contract = replace(problems.load("jssp").contract, function="choose", answer="action")
    with pytest.raises(UserError, match="no seed program has one"):
        Builtin(contract, [Rule("last", "The last.", "def choose(a):\n    return a[-1]\n")])


def test_the_key_of_a_whole_solution_is_edited_without_piling_up_parentheses() -> None:
    problem = problems.load(str(ROOT / "tui/template/whole"))
    made = make_family(problem.contract, problem.seeds(), 40, seed=3)
    instance = problem.load("design")[0]
    orders = set()
    for program in made:
        assert "(\n        (" not in program.code
        scope: dict[str, Any] = {}
        exec(program.code, scope)
        orders.add(rollout(problem, scope["solve"], instance).actions)
    assert len(orders) > 10


def test_the_key_by_which_a_loop_goes_is_edited_too() -> None:
    contract = problems.load("tests/toy").contract
    whole = replace(contract, function="solve", answer="solution")
    code = (
        "def solve(item, state):\n"
        "    order = []\n"
        "    for node in sorted(range(9), key=lambda n: -item[n] * 2.0):\n"
        "        order.append(node)\n"
        "    return order\n"
    )
    draft = parse_program(code, whole)
    assert draft is not None
    assert write_program(draft) == code.replace("-item[n] * 2.0", "-2 * item[n]")
