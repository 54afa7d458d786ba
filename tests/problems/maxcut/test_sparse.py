"""Maximum cut by edges: gains kept flip by flip, graphs of any size, the dense task as it was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.base import Problem, rollout
from problems.errors import UserError
from problems.maxcut import instances as named
from problems.maxcut.heuristics import tabu_search
from problems.maxcut.instances import (
    Instance,
    as_spins,
    build_adjacency,
    build_edges,
    flip_records,
)
from problems.maxcut.problem import Maxcut, SparseMaxcut, build
from problems.maxcut.profile import WalkProfile
from tests.problems.partitions import graphs, order
from tests.problems.programs import compiled, solve_alone

SPARSE = SparseMaxcut(WalkProfile(steps=3, per_vertex=False))


@given(instance=graphs(), flips=st.lists(st.integers(0, 1), max_size=12))
def test_gains_kept_flip_by_flip_are_those_of_the_matrix(
    instance: Instance, flips: list[int]
) -> None:
    graph = build_edges(instance)
    matrix = build_adjacency(instance)
    spins = as_spins(bytes(instance.size))
    gains = graph.gains(spins)
    for vertex in flips:
        graph.flip(spins, gains, vertex)
        assert gains.tolist() == (spins * (matrix @ spins)).tolist()
    assert graph.gains(spins).tolist() == gains.tolist()


def test_a_program_is_shown_what_the_contract_says() -> None:
    instance = named.generated_sparse("sparse-12")[0]
    seen: list[tuple[Any, ...]] = []

    def flip_one(*given: Any) -> int:
        seen.append(given)
        return 1

    assert SPARSE.rollout(flip_one, instance, None) == [1, 1, 1]
    spins, gains, starts, neighbours, weights, last, counts, cut, best, step, longest = seen[-1]
    assert starts.tolist() == np.cumsum([0, *map(len, instance.neighbours)]).tolist()
    assert neighbours[starts[3] : starts[4]].tolist() == [*instance.neighbours[3]]
    assert weights[starts[3] : starts[4]].tolist() == [*instance.weights[3]]
    assert (last[1], counts[1], last[0], counts[0]) == (1, 2, -1, 0)
    assert gains.tolist() == (spins * (build_adjacency(instance) @ spins)).tolist()
    assert (step, longest) == (2, 3)
    assert best >= cut
    for array in (starts, neighbours, weights):
        with pytest.raises(ValueError, match=r"WRITEABLE"):
            array.flags.writeable = True


def test_what_a_program_writes_changes_no_walk() -> None:
    instance = named.generated_sparse("sparse-12")[0]

    def scribble(spins: Any, gains: Any, *rest: Any) -> int:
        vertex = int(gains.argmax())
        for array in (spins, gains, rest[3], rest[4]):
            array[:] = 7
        return vertex

    greedy = compiled(SPARSE.seeds()[0].code or "")
    assert SPARSE.rollout(scribble, instance, None) == SPARSE.rollout(greedy, instance, None)


@pytest.mark.parametrize("seed", SPARSE.seeds(), ids=lambda seed: seed.name)
@given(instance=graphs())
@settings(max_examples=10, derandomize=True)
def test_a_seed_takes_the_same_actions_everywhere(seed: Any, instance: Instance) -> None:
    plain = rollout(SPARSE, compiled(seed.code), instance)
    assert tuple(SPARSE.rollout(compiled(seed.code), instance, None)) == plain.actions
    taken, cost = solve_alone(SPARSE, seed.code, instance)
    assert (tuple(taken), cost) == (plain.actions, plain.cost)
    assert Problem.replay(SPARSE, instance, plain.actions) == plain.cost


@pytest.mark.parametrize("seed", SPARSE.seeds(), ids=lambda seed: seed.name)
def test_a_seed_leaves_alone_what_it_is_given(seed: Any) -> None:
    function = compiled(seed.code)

    def watched(*given: Any) -> Any:
        for value in given:
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        return function(*given)

    (instance, *_) = named.generated_sparse("sparse-30")
    problem = SparseMaxcut()
    assert problem.rollout(watched, instance, None) == problem.rollout(function, instance, None)


def test_a_wrong_answer_names_its_step() -> None:
    instance = named.generated_sparse("sparse-12")[0]
    with pytest.raises(Exception, match=r"step 1: 12 is no vertex to flip \(0 to 11\)"):
        SPARSE.rollout(order(0, 12), instance, None)


def dense_search(instance: Instance, sides: bytes, steps: int, tenure: int) -> list[int]:
    """Tabu search as it was, on a matrix."""
    matrix = build_adjacency(instance)
    spins = as_spins(sides)
    gains = spins * (matrix @ spins)
    free_from = np.zeros(instance.size)
    cut = best = 0.0
    taken = []
    for step in range(steps):
        allowed = (free_from <= step) | (cut + gains > best)
        vertex = int(np.where(allowed, gains, -np.inf).argmax())
        cut += gains[vertex]
        best = max(best, cut)
        gains -= 2 * spins[vertex] * matrix[vertex] * spins
        gains[vertex] = -gains[vertex]
        spins[vertex] = -spins[vertex]
        free_from[vertex] = step + 1 + tenure
        taken.append(vertex)
    return taken


def test_tabu_search_takes_the_flips_that_it_took_on_a_matrix() -> None:
    for instance in Maxcut().load("design")[:4]:
        sides = WalkProfile().start(instance, 0)
        assert tabu_search(instance, sides, 300, 9) == dense_search(instance, sides, 300, 9)


def write_gset(path: Path, size: int) -> None:
    """A ring of `size` vertices in Gset's text."""
    lines = [f"{vertex} {vertex % size + 1} 1" for vertex in range(1, size + 1)]
    path.write_text("\n".join([f"{size} {size}", *lines]))


def test_a_graph_of_20000_vertices_is_walked_without_a_matrix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "G81"
    write_gset(file, 20000)
    asked: list[Sequence[object]] = []
    used = "problems.maxcut.problem.adjacency"
    monkeypatch.setattr(used, lambda *given: asked.append(given))
    problem = build(steps="40", start="equal", state="sparse")
    (instance,) = problem.load(str(file))
    greedy = compiled(problem.seeds()[0].code or "")
    actions = problem.rollout(greedy, instance, None)
    assert problem.replay(instance, actions) == -80.0
    assert asked == []


def test_graphs_too_large_for_a_matrix_are_refused_in_a_sentence(tmp_path: Path) -> None:
    write_gset(tmp_path / "big.txt", 10001)
    with pytest.raises(UserError, match=r"10001 vertices, too many .* maxcut.state=sparse"):
        Maxcut().load(str(tmp_path / "big.txt"))
    with pytest.raises(UserError, match="state must be 'dense' or 'sparse', not 'thin'"):
        build(state="thin")


def test_sparse_graphs_have_edges_of_their_own_number_and_no_pair_twice() -> None:
    (instance,) = named.generated_sparse("sparse-5000")
    pairs = [(u, v) for u, v, _ in instance.edges()]
    assert len(pairs) == len(set(pairs)) == 12500
    assert {abs(weight) for _, _, weight in instance.edges()} == {1}
    assert named.generated_sparse("sparse-20001") == ()


def test_flips_are_counted_and_dated() -> None:
    last, counts = flip_records([2, 0, 2], 4)
    assert (last.tolist(), counts.tolist()) == ([1, -1, 2, -1], [1, 0, 2, 0])
