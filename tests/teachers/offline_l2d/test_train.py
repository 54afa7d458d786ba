"""Training: the loss by hand, tiny trainings, interruptions."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from problems.jssp.instances import random_instances
from teachers.offline_l2d import train as module
from teachers.offline_l2d.episodes import draw, record_episodes
from teachers.offline_l2d.expert_schedules import ExpertSchedules, ShopPart
from teachers.offline_l2d.network import OfflineL2D
from teachers.offline_l2d.train import (
    OfflineL2DLearner,
    OfflineL2DSettings,
    ahead,
    loss,
    quantile_huber,
    train,
)
from teachers.training.measure import TrainingProgress, measure
from teachers.training.training_loop import restore, save
from teachers.weights import read

SETTINGS = OfflineL2DSettings(
    parts=(ShopPart(3, 3, 4, 1.0),),
    batch=8,
    validate_every=2,
    validation=("validation-3x3",),
    validation_size=2,
)
CPU = torch.device("cpu")


def played(part: ShopPart = SETTINGS.parts[0]) -> ExpertSchedules:
    """Instances with the schedule of one job after the other: no CP-SAT needed."""
    shops = random_instances("any", 5, part.instances, part.jobs, part.machines)
    actions = np.repeat(np.arange(part.jobs), part.machines)
    durations, machines = ([getattr(s, key) for s in shops] for key in ("durations", "machines"))
    return ExpertSchedules(
        np.array(durations), np.array(machines), np.tile(actions, (len(shops), 1))
    )


@pytest.fixture(autouse=True)
def no_cp_sat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedules of these tests are at hand."""
    monkeypatch.setattr(module, "load_or_solve", lambda part, *_: played(part))


def training() -> OfflineL2DLearner:
    """One that has not begun."""
    return OfflineL2DLearner(
        SETTINGS, 0, [record_episodes(played(), np.random.default_rng(0))], CPU
    )


def test_the_quantile_loss_weighs_overshooting_by_one_minus_the_level() -> None:
    found, goal = torch.tensor([[0.0, 0.0]]), torch.tensor([[0.5, 0.5]])
    assert quantile_huber(found, goal).item() == pytest.approx((0.25 + 0.75) * 0.5 * 0.5**2)
    assert quantile_huber(goal, found).item() == pytest.approx((0.75 + 0.25) * 0.5 * 0.5**2)
    assert quantile_huber(found[:, :1], goal[:, :1]).item() == pytest.approx(0.5 * 0.125)


def test_a_finished_schedule_has_nothing_ahead() -> None:
    batch = draw(
        [record_episodes(played(), np.random.default_rng(0))], 64, np.random.default_rng(0)
    )
    found = ahead(OfflineL2D().eval(), batch.then)
    finished = ~batch.then.feasible.any(axis=1)
    assert finished.any() and not finished.all()
    assert (found.numpy()[finished] == 0).all()
    assert (found.numpy()[~finished] != 0).any(axis=1).all()


def test_the_conservative_term_is_the_logarithm_of_the_choices_when_all_look_alike() -> None:
    pool = record_episodes(played(), np.random.default_rng(0))
    network = OfflineL2D(dropout=0.0)
    with torch.no_grad():
        for weight in network.head[-1].parameters():
            weight.zero_()
    batch = draw([pool], 16, np.random.default_rng(0))
    apart = loss(network, network, batch, 1.0) - loss(network, network, batch, 0.0)
    choices = batch.now.feasible.sum(axis=1)
    assert apart.item() == pytest.approx(np.log(choices).mean(), abs=1e-6)


def test_learning_brings_the_loss_down() -> None:
    learner = training()
    learner.advance()
    first = learner.state.loss
    for _ in range(15):
        learner.advance()
    assert learner.state.loss < first


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
    learn = partial(
        train, "offline-l2d", device="cpu", settings=SETTINGS, measured=("random-3x3",)
    )
    header = learn(0.0, seed=4, report=heard.append)
    kept, _ = read(own_folder / "offline-l2d.json")
    assert (kept.sha256, kept.measured) == (header.sha256, header.measured)
    assert header.origin["command"] == "preceptor teachers train offline-l2d --seed 4 --minutes 0"
    assert header.validation == {"validation-3x3, first 2": heard[0].best}
    teacher = teachers.load("offline-l2d", ProblemRef("jssp"), "cpu")
    problem = problems.load("jssp")
    assert measure(teacher, problem, ["random-3x3"], heard.append) == header.measured
    assert [file.name for file in own_folder.iterdir() if file.name.startswith(".")] == []


def test_the_shipped_teacher_is_better_than_the_papers_and_keeps_a_figure() -> None:
    header = next(header for header in teachers.headers() if header.name == "offline-l2d")
    assert header.measured["random-20x20"] < 1971.33
    assert header.measured["taillard-20x20"] < 2071.10
    problem, name = problems.load("jssp"), "random-10x10"
    teacher = teachers.load("offline-l2d", ProblemRef("jssp"), "cpu")
    assert measure(teacher, problem, [name], lambda progress: None)[name] == pytest.approx(
        header.measured[name], abs=0.005
    )
