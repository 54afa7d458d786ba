"""Training: what is imitated, tiny trainings, interruptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from problems.base import replay
from problems.errors import TeacherUnavailable
from problems.jssp.sets.data import Instance, as_rows
from teachers.slim.learner import SlimLearner, SlimSettings, draw_shops
from teachers.slim.network import DispatchNetwork
from teachers.slim.teacher import build
from teachers.slim.train import train
from teachers.suite import decisions
from teachers.training.checkpoint import restore, save
from teachers.training.measure import measure
from teachers.weights import Header, read

if TYPE_CHECKING:
    from pathlib import Path

    from teachers.base import Teacher
    from teachers.training.progress import TrainingProgress

SETTINGS = SlimSettings(
    sizes=((3, 3), (4, 2)),
    shops=2,
    samples=4,
    batch=8,
    validate_every=2,
    validation=("validation-3x3",),
    validation_size=2,
)
CPU = torch.device("cpu")
HEADER = Header("untrained", "jssp", "slim", "", {"network": "slim"}, {}, sha256="0")


def training() -> SlimLearner:
    """One that has not begun."""
    return SlimLearner(SETTINGS, 0, CPU)


def untrained() -> Teacher:
    """A teacher with random weights."""
    torch.manual_seed(1)
    arrays = {name: value.numpy() for name, value in DispatchNetwork().state_dict().items()}
    return build(HEADER, arrays, CPU)


def test_a_label_is_the_best_sample_in_order_of_start() -> None:
    learner = training()
    durations, machines = draw_shops(np.random.default_rng(2), 3, 4, 3)
    torch.manual_seed(5)
    _, makespans = learner.sample(np.repeat(durations, 4, axis=0), np.repeat(machines, 4, axis=0))
    torch.manual_seed(5)
    labels = learner.label(durations, machines)
    problem = problems.load("jssp")
    for shop, label in enumerate(labels):
        instance = Instance("any", as_rows(durations[shop]), as_rows(machines[shop]))
        assert (
            replay(problem, instance, label.tolist()) == makespans[4 * shop : 4 * shop + 4].min()
        )


def test_only_choices_are_imitated() -> None:
    durations, machines = np.ones((1, 2, 2)), np.array([[[0, 1], [0, 1]]])
    _, open_jobs, taken = training().imitated(durations, machines, np.array([[1, 0, 1, 0]]))
    assert open_jobs.all() and taken.tolist() == [1, 0, 1], "the last job is alone"


def test_finished_jobs_have_no_chance() -> None:
    scores = DispatchNetwork()(torch.ones(1, 3, 30), torch.tensor([[True, False, True]]))
    assert scores.isinf().tolist() == [[False, True, False]]


def test_learning_brings_the_validation_cost_down() -> None:
    learner = SlimLearner(SlimSettings(sizes=((6, 6),), validation=("validation-6x6",)), 0, CPU)
    before = learner.validation_cost()
    for _ in range(12):
        learner.learn()
    learner.average.load_state_dict(learner.network.state_dict())
    assert learner.validation_cost() < before


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
        "slim", 0.0, 4, None, "cpu", heard.append, settings=SETTINGS, measured=("random-3x3",)
    )
    kept, _ = read(own_folder / "slim.json")
    assert (kept.sha256, kept.measured) == (header.sha256, header.measured)
    assert header.origin["command"] == "preceptor teachers train slim --seed 4 --minutes 0"
    assert header.validation == {"validation-3x3, first 2": heard[0].best}
    teacher = teachers.load("slim", ProblemRef("jssp"), "cpu")
    assert measure(teacher, problems.load("jssp"), ["random-3x3"], heard.append) == header.measured


def test_states_of_different_sizes_share_one_call() -> None:
    task = problems.load("jssp")
    mixed = [
        decision
        for name in ("random-3x3", "random-5x2", "random-3x3")
        for decision in decisions(task, task.load(name)[:1], each=3)
    ]
    sizes = [len(found.scores or ()) for found in untrained().verdicts(mixed)]
    assert sizes == [len(decision.actions) for decision in mixed]


def test_weights_of_another_network_are_refused() -> None:
    with pytest.raises(TeacherUnavailable, match="do not fit"):
        build(HEADER, {}, CPU)
