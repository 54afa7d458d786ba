"""Training states: what is open, what is left, what comes next along the solution."""

from __future__ import annotations

import pytest
import torch

from teachers.lehd.training_windows import (
    SolvedTensors,
    WindowBatch,
    draw,
    route_batch,
    route_directions,
    shuffled,
    tour_batch,
)

ROUTES = [0, 0, 0, 1, 2, 2, 3]
DEMANDS = [0.1, 0.2, 0.3, 0.9, 0.4, 0.5, 0.7]
ENDS = (1, 3, 4, 5, 6, 7)


def rng() -> torch.Generator:
    """The same every time."""
    return torch.Generator().manual_seed(0)


def solved_tensors(routes: list[int], demands: list[float]) -> SolvedTensors:
    """Two instances; node i lies at x = i + 1, in the second at x = -i - 1, the depot at 0."""
    x = torch.arange(1.0, len(routes) + 1)
    points = torch.stack([torch.stack([x, 0 * x], -1), torch.stack([-x, 0 * x], -1)])
    twice = torch.tensor([demands] * 2), torch.tensor([routes] * 2, dtype=torch.int16)
    return SolvedTensors(points, torch.zeros(2, 2), *twice)


def numbers(batch: WindowBatch) -> torch.Tensor:
    """The nodes in the rows, from 1 on; 0 is the depot."""
    return batch.states.points[..., 0].abs().int()


def route(customer: int) -> list[int]:
    """The customers of the same route; none for the depot."""
    return [i for i in range(1, 8) if customer and ROUTES[i - 1] == ROUTES[customer - 1]]


TOURS = solved_tensors([0] * 6, [0.0] * 6)
VEHICLES = solved_tensors(ROUTES, DEMANDS)


def test_a_window_holds_a_part_of_a_tour_from_the_current_node_to_the_end() -> None:
    batch = tour_batch(TOURS, 64, 3, rng())
    seen = set()
    for end, *way in numbers(batch).tolist():
        steps = {(b - a) % 6 for a, b in zip(way, [*way[1:], end], strict=True)}
        assert steps in ({1}, {5})
        seen |= {(way[0], *steps)}
    assert len(seen) == 12
    assert batch.right[..., 0].tolist() == [[True, False, False]] * 64
    assert batch.states.fits.all()


def test_a_whole_tour_ends_where_it_starts_and_may_go_either_way() -> None:
    batch = tour_batch(TOURS, 4, 5, rng())
    rows = numbers(batch)
    assert (rows[:, 0] == rows[:, 1]).all()
    assert batch.right[..., 0].tolist() == [[True, False, False, False, True]] * 4


def test_neighbours_of_a_tour_are_those_in_the_order_of_the_rows() -> None:
    batch = tour_batch(TOURS, 1, 3, rng())
    assert batch.after.tolist() == [[2, 3, 4, 0]]
    assert batch.before.tolist() == [[2, 1, 2, 3]]


def test_routes_are_shuffled_whole_and_some_reversed() -> None:
    routes, directions = torch.tensor([ROUTES] * 2000), torch.zeros(2000, 7)
    orders = shuffled(routes, directions, rng())[0].tolist()
    parts = {"".join(map(str, order)) for order in orders}
    assert all(
        ("012" in part or "210" in part) and ("45" in part or "54" in part) for part in parts
    )
    assert len(parts) == 24 * 2 * 2


def test_a_sweep_takes_routes_in_the_order_of_their_directions() -> None:
    places = torch.tensor([[3.0, 0], [3, 1], [0, 2], [-1, 0], [-4, 0], [0, -1], [1, -2]])[None]
    routes = torch.tensor([[0, 0, 3, 1, 1, 2, 2]])
    directions = route_directions(routes, places)
    assert directions[0, :4].tolist() == pytest.approx([0.026, 0.5, -0.199, 0.25], abs=1e-3)
    order, is_sweep = shuffled(routes.expand(300, -1), directions.expand(300, -1), rng())
    taken = routes[0][order[is_sweep[:, 0]]].tolist()
    ways = {tuple(dict.fromkeys(way)) for way in taken}
    round_ = [0, 3, 1, 2]
    turns = [tuple((round_ * 2)[at : at + 4]) for at in range(4)]
    assert ways == {*turns, *(turn[::-1] for turn in turns)}
    assert 100 < len(taken) < 200


@pytest.mark.parametrize("left", [2, 4, 7])
def test_what_is_left_of_routes_is_what_the_solution_has_not_served(left: int) -> None:
    batch = route_batch(VEHICLES, 100, left, rng())
    for nodes, rest in zip(numbers(batch).tolist(), batch.states.rest.tolist(), strict=True):
        served = [DEMANDS[i - 1] for i in route(nodes[1]) if i not in nodes[2:]]
        assert nodes[0] == 0 and rest == pytest.approx(1 - sum(served))


@pytest.mark.parametrize("left", [2, 4, 7])
def test_a_route_goes_on_and_after_it_the_end_of_another_is_right(left: int) -> None:
    batch = route_batch(VEHICLES, 100, left, rng())
    seen = set()
    for nodes, right in zip(numbers(batch).tolist(), batch.right.tolist(), strict=True):
        open_ = nodes[2:]
        chosen = [(open_[i], c) for i, row in enumerate(right) for c in (0, 1) if row[c]]
        if any(i in open_ for i in route(nodes[1])):
            assert chosen == [(open_[0], 0)]
            continue
        ends = [(i, 1) for i in open_ if i in ENDS]
        outer = {*route(open_[0]), *route(open_[-1])}
        assert chosen in (ends, [(i, 1) for i, _ in ends if i in outer])
        seen.add(chosen == ends)
    assert seen == ({True, False} if left == 4 else {True})


def test_demands_stand_beside_their_customers() -> None:
    batch = route_batch(VEHICLES, 20, 4, rng())
    expected = torch.tensor([0.0, *DEMANDS])[numbers(batch)[:, 2:].long()]
    assert torch.equal(batch.states.demands[:, 2:], expected)


def test_neighbours_of_a_route_are_its_customers_and_the_depot() -> None:
    batch = route_batch(VEHICLES, 50, 7, rng())
    for nodes, after, before in zip(
        numbers(batch).tolist(), batch.after.tolist(), batch.before.tolist(), strict=True
    ):
        for row in range(2, 9):
            beside = {nodes[after[row - 1]], nodes[before[row - 1]]}
            node = nodes[row]
            inside = {n for n in (node - 1, node + 1) if n in route(node)}
            assert beside == (inside if len(inside) == 2 else inside | {0})


def test_batches_have_about_as_many_nodes_as_asked_and_all_sizes() -> None:
    one = rng()
    sizes = set()
    for _ in range(60):
        batch = draw(VEHICLES, 100, "cvrp", one)
        count, rows = batch.states.real.shape
        assert 100 <= count * rows < 100 + rows
        sizes.add(rows - 2)
    assert sizes == {2, 3, 4, 5, 6, 7}
