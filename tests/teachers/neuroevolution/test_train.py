"""Training: the worth of cuts by hand, tiny trainings, interruptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from problems.errors import TeacherUnavailable
from problems.maxcut.sets.graphs import GraphGenerator
from teachers.neuroevolution.learner import NeuroevolutionLearner, NeuroevolutionSettings, worth
from teachers.neuroevolution.network import FlipNetwork
from teachers.neuroevolution.teacher import build
from teachers.neuroevolution.train import train
from teachers.training.checkpoint import restore, save
from teachers.training.measure import measure
from teachers.weights import Header, read

if TYPE_CHECKING:
    from pathlib import Path

    from teachers.training.progress import TrainingProgress

KINDS = (GraphGenerator("ba", 12, signed=True), GraphGenerator("er", 14, signed=False))
SETTINGS = NeuroevolutionSettings(KINDS, population=8, validate_every=2, validation="ba10w")
CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def two_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Validations of these tests look at two graphs."""
    load = problems.load("maxcut").load
    monkeypatch.setattr("problems.maxcut.problem.Maxcut.load", lambda _, name: load(name)[:2])


def training(settings: NeuroevolutionSettings = SETTINGS) -> NeuroevolutionLearner:
    """One that has not begun."""
    return NeuroevolutionLearner(settings, 0, CPU)


def test_worth_is_told_by_the_deviation_on_each_graph() -> None:
    cuts = np.array([[10.0, 200.0], [12.0, 200.0], [14.0, 200.0]])
    assert worth(cuts) == pytest.approx(np.array([-1, 0, 1]) * np.sqrt(1.5) / 2)


def test_weights_follow_the_noise_that_led_to_larger_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuts of this test fall with the distance of one weight from 3."""
    learner = training()
    monkeypatch.setattr(
        "teachers.neuroevolution.learner.walk_all",
        lambda networks, instances, rng: np.array(
            [[-abs(layers.straight[0, 0] - 3)] * len(instances) for layers in networks]
        ),
    )
    assert learner.network.straight.weight[0, 0] == 2
    for _ in range(60):
        learner.learn()
    assert learner.network.straight.weight[0, 0].item() == pytest.approx(3, abs=0.4)
    assert learner.average.straight.weight[0, 0].item() == pytest.approx(3, abs=0.5)


def test_an_interrupted_training_goes_on_as_an_uninterrupted_one(tmp_path: Path) -> None:
    straight, broken, resumed = training(), training(), training()
    for _ in range(3):
        straight.advance()
    broken.advance()
    save(broken, tmp_path / "partial")
    restore(resumed, tmp_path / "partial")
    for _ in range(2):
        resumed.advance()
    one, other = (t.average.state_dict() for t in (straight, resumed))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert straight.state.best_cost == resumed.state.best_cost


def test_training_writes_a_teacher_that_keeps_its_figures(own_folder: Path) -> None:
    heard: list[TrainingProgress] = []
    header = train(
        "neuroevolution", 0.0, 4, None, "cpu", heard.append, settings=SETTINGS, measured=("ba10w",)
    )
    kept, _ = read(own_folder / "neuroevolution.json")
    assert (kept.sha256, kept.measured) == (header.sha256, header.measured)
    assert header.validation == {"ba10w": heard[0].best}
    teacher = teachers.load("neuroevolution", ProblemRef("maxcut"), "cpu")
    assert measure(teacher, problems.load("maxcut"), ["ba10w"], heard.append) == header.measured


def test_weights_of_another_network_are_refused() -> None:
    header = Header("other", "maxcut", "neuroevolution", "", {}, {}, sha256="0")
    arrays = {name: value.numpy() for name, value in FlipNetwork().state_dict().items()}
    del arrays["leave.weight"]
    with pytest.raises(TeacherUnavailable, match="do not fit"):
        build(header, arrays, CPU)
