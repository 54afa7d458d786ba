"""Policies over the fields of any problem: what they read, how they learn, their rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from problems.base import PlainProblem, rollout
from problems.errors import TeacherUnavailable, UserError
from problems.promises import compile_program
from teachers.conformance import CHECKS, decisions
from teachers.field_policy.network import FieldNetwork, find_places, read_fields
from teachers.field_policy.teacher import write_rule
from teachers.field_policy.train import FieldLearner, FieldSettings, split_design, train
from teachers.rollout import rollouts
from teachers.training.checkpoint import restore, save
from teachers.weights import Header, read
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

TOY = str(ROOT / "tests/toy")
SMALL = FieldSettings("toy", population=4, batch=2, validate_every=1)
FIELDS = ("duration", "weight", "finish", "elapsed", "left")


def without(**answers: Any) -> Any:
    """The toy with other answers to some questions."""
    made = PlainProblem(problems.load(TOY))  # type: ignore[abstract]
    vars(made).update(answers)
    return made


def test_a_place_lies_between_the_least_and_the_largest_of_its_own_state() -> None:
    values = torch.tensor([[1.0, 5.0], [2.0, 5.0], [5.0, 5.0], [7.0, 0.0], [9.0, 2.0]])
    places = find_places(values, [3, 2])
    assert places.tolist() == [[-1, 0], [-0.5, 0], [1, 0], [-1, -1], [1, 1]]


def test_a_linear_score_is_in_deviations_and_a_constant_field_counts_nothing() -> None:
    network = FieldNetwork(("a", "b"), hidden=0)
    network.settle(np.array([[1.0, 4.0], [3.0, 4.0]]))
    with torch.no_grad():
        network.straight.weight.copy_(torch.tensor([[2.0, 5.0]]))
    assert network(torch.tensor([[1.0, 4.0], [5.0, 4.0]]), [2]).tolist() == [-2.0, 6.0]


def test_numbers_that_are_not_finite_are_read_as_far_or_nothing() -> None:
    odd = {"a": float("nan"), "b": float("-inf")}
    task = without(fields=lambda state, action: odd)
    (taken,) = decisions(problems.load(TOY), task.load("design")[:1], each=1)
    values = read_fields(task, ("a", "b"), [taken])
    assert values.tolist() == [[0.0, -1e12]] * len(taken.actions)


def test_a_field_that_went_is_named() -> None:
    (taken,) = decisions(problems.load(TOY), problems.load(TOY).load("design")[:1], each=1)
    told = r"toy: fields\(\) gives no 'gone', .* train it again"
    with pytest.raises(TeacherUnavailable, match=told):
        read_fields(problems.load(TOY), ("duration", "gone"), [taken])


def test_an_interrupted_training_goes_on_as_an_uninterrupted_one(tmp_path: Path) -> None:
    straight, broken, resumed = (FieldLearner(SMALL, 3, problems.load(TOY)) for _ in range(3))
    for _ in range(3):
        straight.advance()
    broken.advance()
    save(broken, tmp_path / "partial")
    restore(resumed, tmp_path / "partial")
    for _ in range(2):
        resumed.advance()
    one, other = (each.average.state_dict() for each in (straight, resumed))
    assert all(torch.equal(one[key], other[key]) for key in one)
    assert straight.state.best_cost == resumed.state.best_cost


def test_a_trained_policy_is_the_teacher_of_its_problem_from_then_on(own_folder: Path) -> None:
    assert teachers.default("toy") is None
    header = train(TOY, 0.0, seed=4)
    assert teachers.default("toy") == header.name == "fields-toy"
    assert header.architecture == {"fields": list(FIELDS), "hidden": 16}
    assert header.origin["command"] == f"preceptor teachers train {TOY} --seed 4 --minutes 0"
    assert set(header.measured) == {"design"}
    teacher = teachers.load("fields-toy", ProblemRef(TOY), "cpu")
    task = problems.load(TOY)
    found = [one.cost for one in rollouts(teacher, task, task.load("design")) if one]
    assert sum(found) / 8 == header.measured["design"]
    taken = decisions(task, task.load("design")[:2], each=4)
    for check in CHECKS:
        check(teacher, taken)


def test_a_linear_policy_is_written_down_as_a_rule_that_acts_like_it(own_folder: Path) -> None:
    header = train(TOY, 0.0, linear=True)
    _, arrays = read(own_folder / "fields-toy.json")
    task = problems.load(TOY)
    text = write_rule(header, arrays, task.contract)
    assert text.startswith("def score(item, state):\n    return (\n")
    seed = task.seeds()[0]
    function = compile_program(task, replace(seed, code=text))
    teacher = teachers.load("fields-toy", ProblemRef(TOY), "cpu")
    instances = task.load("held-out")
    followed = [one.actions for one in rollouts(teacher, task, instances) if one]
    assert [rollout(task, function, one).actions for one in instances] == followed


def test_what_cannot_be_written_down_says_why() -> None:
    contract = problems.load(TOY).contract
    deep = Header("fields-toy", "toy", "field_policy", "", {"fields": ["x"], "hidden": 16}, {})
    linear = replace(deep, architecture={"fields": ["x"], "hidden": 0})
    arrays = {"straight.weight": np.ones((1, 1)), "scale": np.ones(1)}
    with pytest.raises(UserError, match="fields-toy is not linear: train one with --linear"):
        write_rule(deep, arrays, contract)
    with pytest.raises(UserError, match="do not score actions one by one"):
        write_rule(linear, arrays, replace(contract, answer="action"))
    with pytest.raises(UserError, match="lists no field of fields-toy"):
        write_rule(linear, arrays, contract)


def test_problems_without_anything_to_learn_from_are_refused() -> None:
    with pytest.raises(UserError, match="return whole solutions: nothing is decided"):
        train(str(ROOT / "tui/template/whole"), 0.0)
    with pytest.raises(UserError, match="gives no numbers to learn from"):
        FieldLearner(SMALL, 0, without(fields=lambda state, action: {}))
    one = problems.load(TOY).load("design")[:1]
    with pytest.raises(UserError, match="on two instances or more"):
        split_design(without(load=lambda name: one, selection=""))


def test_without_a_selection_set_every_fourth_instance_chooses_the_weights() -> None:
    task = without(selection="")
    training, held_back = split_design(task)
    design = task.load("design")
    assert [design.index(one) for one in held_back] == [3, 7]
    assert [design.index(one) for one in training] == [0, 1, 2, 4, 5, 6]
