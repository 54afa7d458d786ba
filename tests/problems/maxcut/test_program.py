"""Programs on whole graphs: the fast rollout is the plain one, seeds are what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.evaluate.gate.inspect import Inspection, inspect
from engine.llm.builtin.programs import parse_program
from problems.base import rollout
from problems.errors import InvalidAction
from problems.maxcut.instances import Instance
from problems.maxcut.problem import Maxcut, build
from tests.problems.partitions import graph, graphs
from tests.problems.programs import compiled

PROBLEM = Maxcut()
TWICE = build(steps="7", attempts="2")
SEEDS = {seed.name: seed for seed in PROBLEM.seeds()}
STAR = graph(5, (0, 1, 1), (0, 2, 1), (0, 3, 1), (0, 4, 1))
HEAD = f"def {PROBLEM.contract.signature()}:\n"


def taken(name: str, instance: Instance, steps: int) -> list[int]:
    """The first flips of a seed from equal spins."""
    problem: Maxcut = build(steps=str(steps), start="equal")
    return problem.rollout(compiled(SEEDS[name].code or ""), instance, None)


@pytest.mark.parametrize("seed", SEEDS.values(), ids=lambda seed: seed.name)
@settings(max_examples=15, derandomize=True)
@given(instance=graphs())
def test_the_fast_rollout_takes_the_actions_of_the_plain_one(
    seed: Any, instance: Instance
) -> None:
    function = compiled(seed.code)
    plain = rollout(TWICE, function, instance)
    assert TWICE.rollout(function, instance, None) == list(plain.actions)
    assert TWICE.replay(instance, plain.actions) == plain.cost


@settings(max_examples=60, derandomize=True)
@given(graphs(), st.integers(0, 100))
def test_the_fast_rollout_shows_what_the_plain_one_shows(instance: Instance, pick: int) -> None:
    def watch(calls: list[Any]) -> Callable[..., int]:
        def program(spins: Any, adjacency: Any, *rest: Any) -> int:
            calls.append((spins.tolist(), adjacency.tolist(), rest, [*map(type, rest)]))
            return (pick + len(calls) * 7) % len(spins)

        return program

    plain: list[Any] = []
    fast: list[Any] = []
    rollout(TWICE, watch(plain), instance)
    TWICE.rollout(watch(fast), instance, None)
    assert fast == plain


@pytest.mark.parametrize("state", ["dense", "sparse"])
def test_forced_flips_are_taken_first_and_go_on_into_the_next_attempt(state: str) -> None:
    problem = build(steps="3", attempts="2", state=state)
    for forced, walk in (
        ((), [4, 4, 4, 4, 4, 4]),
        ((0, 1), [0, 1, 4, 4, 4, 4]),
        ((0, 1, 2, 3), [0, 1, 2, 3, 4, 4]),
        ((0, 1, 2, 3, 2, 1), [0, 1, 2, 3, 2, 1]),
    ):
        assert problem.rollout(lambda *_: 4, STAR, None, forced) == walk
        assert rollout(problem, lambda *_: 4, STAR, forced).actions == tuple(walk)


def test_what_a_program_raises_says_at_which_step() -> None:
    def program(*arguments: Any) -> int:
        return int(1 / (3 - arguments[4]))

    with pytest.raises(ZeroDivisionError) as caught:
        PROBLEM.rollout(program, STAR, None)
    assert caught.value.__notes__ == ["step 3"]


@pytest.mark.parametrize("answer", ["5", "-1", "1.5", "True", "None", "spins[:1]"])
def test_a_wrong_answer_fails_the_fast_rollout_as_it_fails_the_plain_one(answer: str) -> None:
    function = compiled(f"{HEAD}    return {answer} if step == 3 else 0\n")
    messages = []
    for walk in (rollout, lambda problem, f, i: problem.rollout(f, i, None)):
        with pytest.raises(InvalidAction, match=r"^small, step 3: ") as caught:
            walk(PROBLEM, function, STAR)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("seed", SEEDS.values(), ids=lambda seed: seed.name)
def test_the_gate_lets_every_seed_pass(seed: Any) -> None:
    assert isinstance(inspect(seed.code, PROBLEM.contract), Inspection)
    assert seed.idea.endswith(".") and "\n" not in seed.idea
    assert '"""' not in seed.code


def test_the_default_writer_finds_the_scores_and_their_words_in_the_loops() -> None:
    drafts = {
        name: parse_program(seed.code or "", PROBLEM.contract) for name, seed in SEEDS.items()
    }
    readable = {name: draft for name, draft in drafts.items() if draft is not None}
    assert drafts.keys() - readable.keys() == {"greedy-flip", "tabu-flip"}
    heads = {draft.skeleton.head for draft in readable.values()}
    assert len(heads) == 1, "a part of one score would mean something else in another"
    words = {name for draft in readable.values() for _, name in draft.names}
    fields = PROBLEM.fields(PROBLEM.start(STAR), 0)
    assert {"gain", "age", "count"} <= words & fields.keys()


def test_no_two_seeds_walk_alike() -> None:
    instances, walks = PROBLEM.load("design")[:3], set()
    for seed in SEEDS.values():
        function = compiled(seed.code or "")
        walks.add(tuple(tuple(PROBLEM.rollout(function, one, None)) for one in instances))
    assert len(walks) == len(SEEDS)


def test_greedy_flips_the_largest_gain_and_then_to_and_fro() -> None:
    assert taken("greedy-flip", STAR, 4) == [0, 1, 1, 1]


def test_tabu_leaves_a_vertex_alone_unless_it_leads_to_a_new_best() -> None:
    assert taken("tabu-flip", STAR, 4) == [0, 1, 2, 3]
    path = graph(3, (0, 1, 2), (1, 2, 3))
    assert taken("tabu-flip", path, 4) == [1, 0, 2, 0]


def test_soft_tabu_flips_a_vertex_again_when_the_gain_is_worth_it() -> None:
    heavy = graph(3, (0, 1, 20))
    assert taken("tabu-flip", heavy, 3) == [0, 2, 1]
    assert taken("soft-tabu", heavy, 3) == [0, 2, 2]


def test_oldest_of_the_best_breaks_ties_by_age() -> None:
    pair = graph(4, (0, 1, 1), (2, 3, 1))
    assert taken("oldest-of-the-best", pair, 4) == [0, 2, 1, 0]


def test_seldom_flipped_counts_every_flip() -> None:
    assert taken("seldom-flipped", graph(2), 4) == [0, 1, 0, 1]
