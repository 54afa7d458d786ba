"""The policy: what it reads of the toy problem, scores by hand, rules, refusals."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch

import problems
from engine.domain.values import Failure
from engine.evaluate.gate.inspect import inspect
from problems.base import Decision, Problem, as_problem, rollout
from problems.errors import TeacherUnavailable, UserError
from problems.promises import compile_program
from teachers.family import Learned
from teachers.field_policy.policy import Fields, Weights, follow, look_at_fields, score
from teachers.field_policy.rule import write_rule
from teachers.field_policy.teacher import FieldNetwork, build_for, describe, family
from teachers.rollout import rollouts
from teachers.weights import Header
from tests.conftest import TOY

TOYS = problems.load(TOY)
DESIGN = TOYS.load("design")
FIELDS = Fields(("long", "heavy"), ("left",), (2.0, 1.0), (5.0,), (2.0,))
TABLE = {"long": [2, 4], "heavy": [3, 1], "left": [9, 9]}
LINEAR = Weights(np.array([[1, 0.5], [0, 1.0]]), np.zeros((0, 3)), np.zeros(0), np.zeros(0))


def policy(weights: list[list[float]], hidden: int = 0) -> Learned:
    """A teacher of the toy problem with these weights of its linear part."""
    network = FieldNetwork(look_at_fields(TOYS, DESIGN), hidden)
    with torch.no_grad():
        network.linear.copy_(torch.tensor(weights))
    return family(TOYS).teacher(network, "toy", "policy-toy")


MIXED = [[-2.0, 0.3, -0.4], [1.5, -0.2, 0.1]]


def test_fields_are_of_actions_or_of_states() -> None:
    found = look_at_fields(TOYS, DESIGN)
    assert found.actions == ("duration", "weight", "finish")
    assert found.states == ("elapsed", "left")
    assert found.centres[1] == 6.0  # of 10 items down to the last two


def test_what_a_step_of_a_field_is_worth_depends_on_the_state() -> None:
    # left 9 is 2 spreads above 5: long counts 1 + .5 * 2 a unit of 2, heavy 1 * 2
    assert score(FIELDS, LINEAR, TABLE).tolist() == [2 + 6, 4 + 2]


def test_hidden_units_read_places_among_the_actions() -> None:
    hidden = LINEAR._replace(
        linear=np.zeros((2, 2)), enter=np.array([[1.0, 0, 0]]), bias=np.zeros(1), leave=np.ones(1)
    )
    assert score(FIELDS, hidden, TABLE) == pytest.approx([np.tanh(-1), np.tanh(1)])


def test_what_is_followed_is_what_the_teacher_says() -> None:
    teacher = policy([*MIXED, [0, 0, 0]], hidden=2)
    weights = teacher.network.weights()
    costs = [follow(TOYS, one, teacher.network.fields, weights) for one in DESIGN]
    assert costs == [one.cost for one in rollouts(teacher, TOYS, DESIGN) if one]
    lost = weights._replace(linear=weights.linear * np.nan)
    assert follow(TOYS, DESIGN[0], teacher.network.fields, lost) == float("inf")


def test_a_linear_policy_is_a_rule_that_passes_the_gate_and_acts_alike() -> None:
    teacher = policy([*MIXED, [0.5, 0, 0.7]])
    text = write_rule(teacher, TOYS)
    assert text.splitlines()[:2] == [
        "# policy-toy, learned from whole rollouts.",
        "def score(item, state):",
    ]
    assert not isinstance(inspect(text, TOYS.contract), Failure)
    function = compile_program(TOYS, SimpleNamespace(name="rule", code=text))  # type: ignore[arg-type]
    own = [rollout(TOYS, function, one).actions for one in DESIGN]
    assert own == [one.actions for one in rollouts(teacher, TOYS, DESIGN) if one]


class Changed:
    """The toy problem with other fields, or another contract."""

    def __init__(self, fields: Any = TOYS.fields, **contract: Any) -> None:
        self.fields = fields
        self.table: Any = partial(Problem.table, cast("Any", self))
        self.contract = replace(TOYS.contract, **contract)

    def __getattr__(self, name: str) -> Any:
        return getattr(TOYS, name)


def changed(**changes: Any) -> Any:
    """The toy problem with these changes."""
    return as_problem(Changed(**changes))


def test_what_becomes_no_rule_is_refused() -> None:
    with pytest.raises(UserError, match="has 2 hidden units; only a linear policy"):
        write_rule(policy([*MIXED, [0, 0, 0]], hidden=2), TOYS)
    linear = policy([*MIXED, [0, 0, 0]])
    with pytest.raises(UserError, match="choose among all actions at once"):
        write_rule(linear, changed(answer="action"))
    with pytest.raises(UserError, match=r"not given all that policy-toy reads \(elapsed, left\)"):
        write_rule(linear, changed(arguments=TOYS.contract.arguments[:1]))


def test_a_problem_without_numbers_or_decisions_is_refused() -> None:
    alike = changed(fields=lambda state, action: {"left": len(state.picked)})
    with pytest.raises(UserError, match=r"toy: fields\(\) tells its actions apart by no number"):
        look_at_fields(alike, DESIGN)
    with pytest.raises(UserError, match="programs of toy return whole solutions"):
        look_at_fields(changed(answer="solution"), DESIGN)


def test_weights_of_other_fields_are_refused() -> None:
    network = policy([*MIXED, [0, 0, 0]]).network
    arrays = {name: value.numpy() for name, value in network.state_dict().items()}
    header = Header("policy-toy", "toy", "field_policy", "", describe(network), {}, sha256="0")
    other = changed(fields=lambda state, action: {"weight": action})
    teacher = build_for(other)(header, arrays, torch.device("cpu"))
    state = TOYS.start(DESIGN[0])
    decision = Decision(0, 0, state, TOYS.actions(state), 0)
    with pytest.raises(TeacherUnavailable, match="toy has no field 'duration' any more; train"):
        teacher.verdicts([decision])
    with pytest.raises(TeacherUnavailable, match="do not fit"):
        build_for(TOYS)(header, {}, torch.device("cpu"))
