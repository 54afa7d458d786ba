"""The tree is grown, walked and widened as MCTS-AHD's is."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.specs.settings import Settings
from engine.domain.values import Candidate
from engine.search.parents.tree import (
    DEEPEST,
    grow,
    spent,
    tree_ancestor,
    tree_branch,
    tree_due,
    tree_leaf,
)
from engine.search.selection import any_ranked
from tests.engine.builders import candidate
from tests.engine.search.parents.histories import draw_from, histories


def child(number: int, cost: float, *parents: int, operator: str = "m1") -> Candidate:
    """A child of programs by their numbers."""
    above = tuple(f"p{k:04d}" for k in parents)
    return replace(candidate(number, cost, generation=1, parents=above), operator=operator)


SEEDS = [candidate(0, 10.0), candidate(1, 8.0)]


def test_a_child_hangs_under_its_first_parent_and_a_branch_under_the_root() -> None:
    seen = [*SEEDS, child(2, 9.0, 0, 1), child(3, 7.0, 2), child(4, 6.0, 2, 1, operator="branch")]
    draw = replace(draw_from(seen), samplers={"branch": (tree_branch,), "m1": (any_ranked,)})
    root, nodes = grow(draw)
    tops = [top.candidate.id for top in root.children if top.candidate]
    assert tops == ["p0000", "p0001", "p0004"]
    below = nodes["p0000"]
    assert [node.candidate.id for node in below.under() if node.candidate] == [
        "p0000",
        "p0002",
        "p0003",
    ]
    assert (below.visits, below.quality, root.visits) == (3, -7.0, 5)
    assert nodes["p0003"].quality == -7.0 and nodes["p0003"].visits == 1


def test_quality_is_that_of_the_best_child_not_the_programs_own() -> None:
    seen = [*SEEDS, child(2, 9.0, 1), child(3, 12.0, 1)]
    _, nodes = grow(draw_from(seen))
    assert nodes["p0001"].quality == -9.0


def test_the_path_goes_to_the_highest_bound() -> None:
    # The tops are of quality 0 and 1, far more than visits make up for.
    seen = [*SEEDS, child(2, 12.0, 0), child(3, 9.0, 1), child(4, 8.0, 1), child(5, 8.5, 1)]
    leaf = tree_leaf(draw_from(seen))
    assert leaf is not None and leaf.id == "p0004"


def test_the_bound_weighs_visits_while_a_search_is_young() -> None:
    seen = [candidate(0, 10.0), candidate(1, 10.01), candidate(2, 20.0)]
    seen += [child(3 + k, 10.0, 0) for k in range(4)]
    bonus = 0.1 * (math.sqrt(math.log(8)) - math.sqrt(math.log(8) / 5))
    assert bonus > 0.01 / 10
    young = tree_leaf(draw_from(seen, settings=Settings(generations=10)))
    old = tree_leaf(draw_from(seen, settings=Settings(generations=10), generation=11))
    assert young is not None and young.id == "p0001"
    assert old is not None and old.id == "p0003"


def test_the_share_that_is_over_is_reckoned_by_what_ends_the_search() -> None:
    seen = [*SEEDS, *(child(2 + k, 9.0, 0) for k in range(5))]

    def share(settings: Settings) -> float:
        return spent(draw_from(seen, settings=settings, generation=3))

    assert share(Settings(generations=4)) == 0.5
    assert share(Settings(total_children=20)) == share(Settings(calls=20)) == 0.25
    assert share(Settings(calls=2)) == share(Settings(generations=0)) == 1.0


def test_an_inner_node_is_due_while_its_visits_call_for_more_children() -> None:
    chain = [candidate(0, 10.0), child(1, 9.0, 0), child(2, 8.0, 1)]
    assert tree_due(draw_from(chain)) == chain[2]  # 3 visits, 1 child: floor(sqrt 3) = 1
    longer = [*chain, child(3, 7.0, 2)]
    assert tree_due(draw_from(longer)) == chain[0]  # 4 visits, 1 child
    assert tree_leaf(draw_from(longer)) == longer[3]


def test_no_deeper_node_is_looked_for() -> None:
    chain = [candidate(0, 50.0), *(child(k, 50.0 - k, k - 1) for k in range(1, 15))]
    leaf = tree_leaf(draw_from(chain))
    assert leaf is not None and leaf.slot == DEEPEST - 1


def test_ancestors_go_up_to_the_root() -> None:
    chain = [candidate(0, 10.0), child(1, 9.0, 0)]
    assert tree_ancestor(draw_from(chain, [chain[1]])) == chain[0]
    assert tree_ancestor(draw_from(chain, [chain[1], chain[0]])) is None
    assert tree_ancestor(draw_from(chain)) is None


def test_branches_are_drawn_once_each_and_their_programs_alike() -> None:
    seen = [*SEEDS, child(2, 9.0, 0), child(3, 9.0, 0)]
    first = Counter[str]()
    for seed in range(3000):
        found = tree_branch(draw_from(seen, seed=seed))
        assert found is not None
        first[found.id] += 1
        other = tree_branch(draw_from(seen, [found], seed=seed))
        assert other is not None and (other.id == "p0001") is (found.id != "p0001")
        assert tree_branch(draw_from(seen, [found, other], seed=seed)) is None
    assert first["p0001"] / 3000 == pytest.approx(1 / 2, abs=0.04)
    assert first["p0003"] / 3000 == pytest.approx(1 / 6, abs=0.04)


@given(histories(), st.integers(1, 6))
def test_the_tree_holds_every_living_program_once(seen: list[Candidate], generation: int) -> None:
    draw = draw_from(seen, generation=generation)
    root, nodes = grow(draw)
    living = {c.id for c in seen if c.failure is None}
    reached = [node.candidate.id for node in root.under() if node.candidate]
    assert sorted(reached) == sorted(living) and nodes.keys() == living
    assert root.visits == len(living)
    for node in nodes.values():
        assert node.visits == sum(1 for _ in node.under())
    leaf = tree_leaf(draw)
    due = tree_due(draw)
    assert leaf is not None and due is not None and leaf.id in living
    path = [leaf]
    while (above := tree_ancestor(draw_from(seen, path))) is not None:
        path.append(above)
    assert due in path and len(path) <= DEEPEST
    assert nodes[leaf.id].children == [] or len(path) == DEEPEST
