"""Training: the first field, interruptions, what is written, whose default it becomes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from problems.errors import UnknownName
from teachers.conformance import CHECKS, decisions
from teachers.field_policy.train import (
    PolicyLearner,
    PolicySettings,
    settings_of,
    split,
    train,
)
from teachers.training.evolution import worth
from teachers.training.measure import TrainingProgress
from teachers.training.training_loop import restore, save
from teachers.weights import read
from tests.conftest import TOY

SMALL = PolicySettings(TOY, "", hidden=1, population=4, instances=2, validate_every=2)


def test_worth_is_told_by_the_deviation_on_each_instance() -> None:
    costs = np.array([[14.0, 200.0], [12.0, 200.0], [10.0, 200.0]])
    assert worth(costs) == pytest.approx(np.array([-1, 0, 1]) * np.sqrt(1.5) / 2)
    assert (
        worth(np.array([[np.inf], [2.0], [1.0]]))[0] == worth(np.array([[2.0], [2.0], [1.0]]))[0]
    )


def test_it_begins_with_the_field_whose_order_costs_least() -> None:
    learner = PolicyLearner(SMALL, 0)
    learner.learn()
    # the heavy first: 4406.2 on the first six instances, the short 4507.5, the long 8266.5
    assert learner.network.linear.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]


def test_weights_go_along_the_noise_that_led_to_lower_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Costs of this test are the distance of one weight from 3."""
    learner = PolicyLearner(SMALL, 0)
    learner.learn()
    monkeypatch.setattr(
        learner,
        "costs",
        lambda policies, drawn: np.array([[abs(one.linear[0, 0] - 3)] for one in policies]),
    )
    for _ in range(150):
        learner.learn()
    assert learner.network.weights().linear[0, 0] == pytest.approx(3, abs=0.5)


def test_a_training_whose_time_is_over_is_validated_at_once() -> None:
    learner = PolicyLearner(SMALL, 3)
    learner.advance(seconds=0.0)
    assert learner.state.iteration == 1
    assert learner.state.best is not None
    learner.advance()
    assert learner.state.iteration == 1 + SMALL.validate_every


def test_an_interrupted_training_goes_on_as_an_uninterrupted_one(tmp_path: Path) -> None:
    straight, broken, resumed = (PolicyLearner(SMALL, 3) for _ in range(3))
    for _ in range(3):
        straight.advance()
    broken.advance()
    save(broken, tmp_path / "partial")
    restore(resumed, tmp_path / "partial")
    for _ in range(2):
        resumed.advance()
    one, other = (t.average.state_dict() for t in (straight, resumed))
    assert all(torch.equal(one[key], other[key]) for key in one)
    assert straight.state.best_cost == resumed.state.best_cost


def test_instances_to_validate_on_are_none_to_learn_from() -> None:
    training, places = split(problems.load(TOY), SMALL)
    assert training == [("design", number) for number in range(6)]
    assert places == [("design", 6), ("design", 7)]
    training, places = split(problems.load("jssp"), settings_of(ProblemRef("jssp")))
    assert (len(training), training[0]) == (128, ("design", 0))
    assert (len(places), places[0]) == (32, ("selection", 0))


def test_training_writes_the_default_teacher_of_a_problem(own_folder: Path) -> None:
    heard: list[TrainingProgress] = []
    learn = teachers.trainer(TOY)
    header = learn(minutes=0.0, seed=4, report=heard.append, settings=SMALL, cores=1)
    kept, _ = read(own_folder / "policy-toy.json")
    assert kept.origin == header.origin
    assert header.origin["command"] == (
        f"preceptor teachers train {TOY} --seed 4 --minutes 0 --hidden 1"
    )
    assert header.origin["best_rule"] == {"name": "smith", "cost": 2664.0}
    assert header.validation == {"design, 7 to 8": heard[0].best}
    assert teachers.problem_of(kept) == ProblemRef(TOY)
    assert teachers.default("toy") == teachers.default("toy", place=TOY) == "policy-toy"
    assert teachers.default("toy", place="/elsewhere/toy") is None
    assert teachers.default("toy", paper=True) is None
    teacher = teachers.load("policy-toy", ProblemRef(TOY))
    toy = problems.load(TOY)
    for check in CHECKS:
        check(teacher, decisions(toy, toy.load("held-out")[:2]))


def test_a_trained_policy_can_be_trained_again_by_its_name(own_folder: Path) -> None:
    train(ProblemRef(TOY), 0.0, settings=SMALL, cores=1)
    again = teachers.trainer("policy-toy")(minutes=0.0, start="policy-toy", hidden=1, cores=1)
    assert again.origin["start"]["name"] == "policy-toy"


def test_what_is_neither_teacher_nor_problem_has_no_training() -> None:
    with pytest.raises(UnknownName, match="did you mean 'es-jssp'"):
        teachers.trainer("es-jsp")
