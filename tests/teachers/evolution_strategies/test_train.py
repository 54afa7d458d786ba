"""Training: tiny trainings, interruptions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from problems.errors import TeacherUnavailable
from problems.maxcut.instances import GraphGenerator
from teachers.evolution_strategies.teacher import TASKS, build
from teachers.evolution_strategies.train import (
    EvolutionLearner,
    EvolutionSettings,
    GraphKind,
    ShopKind,
    train,
)
from teachers.training.measure import TrainingProgress, measure
from teachers.training.training_loop import restore, save
from teachers.weights import Header, read

GRAPHS = (
    GraphKind(GraphGenerator("ba", 12, signed=True)),
    GraphKind(GraphGenerator("er", 14, signed=False)),
)
SETTINGS = {
    "es-jssp": EvolutionSettings(
        "jssp",
        (ShopKind(3, 3, 2), ShopKind(4, 2, 1)),
        ("validation-3x3",),
        validation_size=2,
        population=8,
        validate_every=2,
    ),
    "es-maxcut": EvolutionSettings(
        "maxcut", GRAPHS, ("ba10w",), validation_size=2, population=8, validate_every=2
    ),
}
MEASURED = {"es-jssp": "random-3x3", "es-maxcut": "ba10w"}
CPU = torch.device("cpu")

each = pytest.mark.parametrize("name", SETTINGS)


def training(name: str) -> EvolutionLearner:
    """One that has not begun."""
    return EvolutionLearner(SETTINGS[name], 0, CPU)


def test_weights_go_along_the_noise_that_led_to_lower_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Costs of this test are the distance of one weight from 3."""
    learner = training("es-maxcut")
    monkeypatch.setattr(
        "teachers.evolution_strategies.train.follow_all",
        lambda networks, drawn: np.array([[abs(one.straight[0, 0] - 3)] for one in networks]),
    )
    assert learner.network.straight.weight[0, 0] == 2
    for _ in range(100):
        learner.learn()
    assert learner.network.straight.weight[0, 0].item() == pytest.approx(3, abs=0.4)
    assert learner.average.straight.weight[0, 0].item() == pytest.approx(3, abs=0.5)


@each
def test_an_interrupted_training_goes_on_as_an_uninterrupted_one(
    name: str, tmp_path: Path
) -> None:
    straight, broken, resumed = (training(name) for _ in range(3))
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


@each
def test_training_writes_a_teacher_that_keeps_its_figures(name: str, own_folder: Path) -> None:
    heard: list[TrainingProgress] = []
    learn = partial(train, name, device="cpu", settings=SETTINGS[name])
    header = learn(0.0, seed=4, report=heard.append, measured=(MEASURED[name],))
    kept, _ = read(own_folder / f"{name}.json")
    assert (kept.sha256, kept.measured) == (header.sha256, header.measured)
    assert header.origin["command"] == f"preceptor teachers train {name} --seed 4 --minutes 0"
    assert list(header.validation.values()) == [heard[0].best]
    problem = problems.load(header.problem)
    teacher = teachers.load(name, ProblemRef(header.problem), "cpu")
    assert measure(teacher, problem, [MEASURED[name]], heard.append) == header.measured


@each
def test_weights_of_another_network_are_refused(name: str) -> None:
    problem = SETTINGS[name].problem
    header = Header(name, problem, "evolution_strategies", "", {}, {}, sha256="0")
    arrays = {key: value.numpy() for key, value in TASKS[problem].network().state_dict().items()}
    del arrays["leave.weight"]
    with pytest.raises(TeacherUnavailable, match="do not fit"):
        build(header, arrays, CPU)
    with pytest.raises(TeacherUnavailable, match="do not fit"):
        build(replace(header, problem="tsp"), arrays, CPU)
