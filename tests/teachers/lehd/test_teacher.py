"""The teachers' verdicts on foreign states: columns, returns, refusals."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

import problems
from problems.base import Decision
from problems.cvrp.instances import Instance as Cvrp
from problems.cvrp.state import State
from problems.errors import TeacherUnavailable
from problems.tsp.instances import Instance as Tsp
from teachers.base import Verdict
from teachers.conformance import CHECKS, Check, decisions
from teachers.family import Learned
from teachers.lehd.batched_states import BatchedStates
from teachers.lehd.network import LEHD, Size
from teachers.lehd.teacher import FAMILY, see_routes

POINTS = ((0.5, 0.5), (0.1, 0.2), (0.9, 0.3), (0.4, 0.8), (0.7, 0.1))
ROUTES = Cvrp("four", POINTS, (0, 4, 3, 5, 2), 10)
CVRP = problems.load("cvrp")


def constructor(problem: str) -> Learned:
    """An untrained one."""
    torch.manual_seed(0)
    network = LEHD(Size(2 if problem == "cvrp" else 1, width=32, layers=2))
    return FAMILY.teacher(network, problem, "any", "any")


def after(*actions: int) -> State:
    """The state of `ROUTES` that actions lead to."""
    state: State = CVRP.start(ROUTES)
    for action in actions:
        state = CVRP.step(state, action)
    return state


def asked(state: State) -> Decision:
    """A decision in that state."""
    actions = CVRP.actions(state)
    return Decision(0, state.step, state, actions, actions[0])


def logits(teacher: Learned, rows: list[int], rest: float) -> torch.Tensor:
    """The network's own word on depot, current and open nodes of `ROUTES`: [L, 2]."""
    shares = torch.tensor([[0.0, 0.0, *(ROUTES.demands[i] / 10 for i in rows[2:])]])
    points = torch.tensor([[POINTS[i] for i in rows]])
    points = (points - points.min()) / 0.8
    real = torch.ones(1, len(rows), dtype=torch.bool)
    found: torch.Tensor = teacher.network(
        BatchedStates(points, shares, torch.tensor([rest]), real)
    )
    return found[0]


@pytest.mark.parametrize("problem", ["tsp", "cvrp"])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_untrained_teachers_keep_the_contract(problem: str, check: Check) -> None:
    task = problems.load(problem)
    sizes = ("tsp9", "tsp30") if problem == "tsp" else ("random-9", "random-30")
    check(constructor(problem), decisions(task, [task.load(size)[0] for size in sizes]))


def test_customers_that_fit_are_scored_directly_and_the_return_by_the_best_via_the_depot() -> None:
    teacher, decision = constructor("cvrp"), asked(after(1, 2))
    assert decision.actions == (0, 4)
    found = logits(teacher, [0, 2, 3, 4], rest=0.3)
    expected = [found[:, 1].max().item(), found[1, 0].item()]
    assert teacher.verdicts([decision])[0].scores == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("actions", [(1, 2, 0), (3, 1)], ids=["chosen", "forced"])
def test_after_a_return_the_last_customer_asks_which_one_to_reach_by_the_depot(
    actions: tuple[int, ...],
) -> None:
    teacher, state = constructor("cvrp"), after(*actions)
    assert state.current == 0
    open_ = list(CVRP.actions(state))
    last = [action for action in actions if action][-1]
    rest = 1 - sum(ROUTES.demands[action] for action in actions) / 10
    found = logits(teacher, [0, last, *open_], rest)
    assert teacher.verdicts([asked(state)])[0].scores == pytest.approx(
        found[:, 1].tolist(), abs=1e-5
    )


def test_the_first_customer_is_reached_from_the_depot() -> None:
    seen = see_routes(after())
    assert (seen.points[0] == seen.points[1]).all()
    assert (seen.rest, seen.column, seen.nodes) == (1.0, 1, (1, 2, 3, 4))


def test_a_state_says_the_same_alone_and_among_larger_ones() -> None:
    teacher, task = constructor("tsp"), problems.load("tsp")
    mixed = decisions(task, [task.load(name)[0] for name in ("tsp200", "tsp8", "tsp60")])
    alone = [teacher.verdicts([decision])[0] for decision in mixed]
    for one, other in zip(alone, teacher.verdicts(mixed), strict=True):
        assert one.preferred == other.preferred
        assert one.scores == pytest.approx(other.scores, abs=1e-5)


def test_scores_that_are_no_numbers_prefer_nothing() -> None:
    teacher = constructor("cvrp")
    torch.nn.init.constant_(teacher.network.score.bias, math.nan)
    assert teacher.verdicts([asked(after(1))]) == [Verdict(None, None)]


def test_an_instance_without_coordinates_is_refused() -> None:
    task = problems.load("tsp")
    decision = decisions(task, task.load("tsp5")[:1], each=1)[0]
    state = replace(decision.state, instance=Tsp("matrix", ()))
    with pytest.raises(TeacherUnavailable, match="matrix has no coordinates"):
        constructor("tsp").verdicts([replace(decision, state=state)])
