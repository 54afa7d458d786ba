"""What the solutions of a program leave to gain, as an evaluation recorded them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import problems
from engine.diagnosis.leftover import find_leftover, list_gaps
from engine.domain.values import Evaluation, Failure, Figure, Half
from problems.base import rollout
from tests.toy.problem import Instance, Toy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from engine.domain.values import Leftover
    from problems.base import Problem


def evaluate(problem: Problem, instances: Sequence[Any]) -> Evaluation:
    """The first seed on some instances."""
    space: dict[str, Any] = {}
    exec(problem.seeds()[0].code or "", space)
    function = space[problem.contract.function]
    runs = [rollout(problem, function, instance) for instance in instances]
    costs = tuple(run.cost for run in runs)
    return Evaluation(sum(costs) / len(costs), costs, tuple(r.actions for r in runs), None, 0.0)


@pytest.fixture(scope="module")
def routes() -> tuple[Problem, Sequence[Any], Evaluation]:
    """Nearest neighbour on the first design instances of vehicle routing."""
    problem = problems.load("cvrp")
    instances = problem.load("design")[:12]
    return problem, instances, evaluate(problem, instances)


def test_figures_are_means_over_the_instances_and_gaps_are_of_each(
    routes: tuple[Problem, Sequence[Any], Evaluation],
) -> None:
    found = find_leftover(*routes)
    problem, instances, evaluation = routes
    assert found is not None and found.instances == 12
    told = [
        problem.leftover(one, actions)  # type: ignore[attr-defined]
        for one, actions in zip(instances, evaluation.actions, strict=True)
    ]
    for figure in found.figures:
        values = [one[figure.name] for one in told]
        assert figure.mean == pytest.approx(sum(values) / 12)
        assert figure.count == sum(value != 0 for value in values)
    assert evaluation.costs[0] is not None
    known = instances[0].reference
    assert found.gaps[0] == pytest.approx(100 * (evaluation.costs[0] / known - 1))
    assert len(found.gaps) == 12 and min(found.gaps) > 0


def test_where_the_gaps_lie_is_told_only_where_it_is_clear(
    routes: tuple[Problem, Sequence[Any], Evaluation],
) -> None:
    problem, instances, evaluation = routes
    traits = [problem.traits(one)["customers a full route"] for one in instances]  # type: ignore[attr-defined]
    middle = sorted(traits)[len(traits) // 2 - 1]
    worse = tuple(
        one.reference * (1.5 if trait > middle else 1.1) + 0.001 * k
        for k, (one, trait) in enumerate(zip(instances, traits, strict=True))
    )
    alike = tuple(one.reference + 0.1 * (k % 2) for k, one in enumerate(instances))
    clear = find_leftover(problem, instances, replace(evaluation, costs=worse))
    none = find_leftover(problem, instances, replace(evaluation, costs=alike))
    assert clear is not None and none is not None
    half = next(half for half in clear.halves if half.trait == "customers a full route")
    assert [half.low, half.high] == pytest.approx([10, 50], abs=0.2)
    assert "customers a full route" not in [half.trait for half in none.halves]


def test_of_a_cut_the_gap_is_what_is_missing() -> None:
    problem = problems.load("maxcut")
    instances = problem.load("design")[:2]
    costs = [-0.9 * one.reference for one in instances]
    assert list_gaps(problem, instances, costs) == pytest.approx([10.0, 10.0])


def test_without_best_known_costs_there_are_no_gaps(
    routes: tuple[Problem, Sequence[Any], Evaluation],
) -> None:
    problem, instances, evaluation = routes
    unknown = [replace(instances[0], reference=None), *instances[1:]]
    found = find_leftover(problem, unknown, evaluation)
    assert found is not None and found.figures and not found.gaps and not found.halves


def test_a_problem_that_does_not_tell_and_a_failed_program_have_none(
    routes: tuple[Problem, Sequence[Any], Evaluation],
) -> None:
    toy = problems.load("tests/toy")
    instances = toy.load("design")
    assert find_leftover(toy, instances, evaluate(toy, instances)) is None
    problem, of_routes, evaluation = routes
    failed = replace(evaluation, failure=Failure("timeout", "too slow"))
    assert find_leftover(problem, of_routes, failed) is None


class Scrap(Toy):
    """The toy with something to gain that its instances' names tell: `gain trait`."""

    def leftover(self, instance: Instance, actions: Sequence[int]) -> dict[str, float]:
        """The gain."""
        return {"scrap": float(instance.name.split()[0])}

    def traits(self, instance: Instance) -> dict[str, float]:
        """The trait."""
        return {"size": float(instance.name.split()[1])}


def scrap(*rows: tuple[float, float, float]) -> Leftover:
    """Of instances of known cost 100, by gain, trait and cost."""
    instances = [Instance(f"{gain} {trait}", (1,), (1,), 100.0) for gain, trait, _ in rows]
    costs = tuple(cost for _, _, cost in rows)
    evaluation = Evaluation(100.0, costs, ((0,),) * len(rows), None, 0.0)
    found = find_leftover(Scrap(), instances, evaluation)
    assert found is not None
    return found


def test_instances_at_the_median_of_a_trait_are_in_the_lower_half() -> None:
    rows = [(0, 1, 110), (0, 1, 110), (0, 1, 110), (0, 5, 150), (0, 5, 150)]
    assert scrap(*rows).halves == (Half("size", 1, 10, 50),)
    odd = [(0, 1, 110), (0, 2, 110), (0, 3, 110), (0, 4, 150), (0, 5, 150)]
    assert scrap(*odd).halves == (Half("size", 3, 10, 50),)
    assert scrap(*odd[1:4]).halves == ()  # one instance alone is no half


def test_a_difference_between_halves_counts_from_three_standard_errors_on() -> None:
    # both halves have a variance of 8: the error is the root of 8 / 2 + 8 / 2, three are 8.49
    near = [(0, 1, 108), (0, 2, 112), (0, 3, 116), (0, 4, 120)]
    far = [(0, 1, 108), (0, 2, 112), (0, 3, 117), (0, 4, 121)]
    assert scrap(*near).halves == ()
    assert scrap(*far).halves == (Half("size", 2.5, 10, 19),)


def test_a_figure_is_a_mean_over_all_and_a_count_of_those_with_anything_to_gain() -> None:
    found = scrap((0, 1, 100), (3, 1, 101), (0, 1, 102), (1, 1, 105))
    assert (found.instances, found.figures) == (4, (Figure("scrap", 1.0, 2),))
    assert found.gaps == (0, 1, 2, 5)
