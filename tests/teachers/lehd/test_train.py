"""Tiny trainings: they learn, they can be interrupted, they write a teacher."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from teachers.lehd import train as module
from teachers.lehd.network import Size
from teachers.lehd.solved_instances import RoutingPart, SolvedInstances
from teachers.lehd.train import LehdLearner, LehdSettings, train
from teachers.rollout import mean_cost
from teachers.training.measure import TrainingProgress, measure
from teachers.training.training_loop import restore, save, start_from
from teachers.weights import read

SETTINGS = {
    f"lehd-{problem}": LehdSettings(
        Size(columns, width=32, layers=1),
        (RoutingPart(problem, 12, 30),),
        ((small, 2),),
        tokens=256,
        validate_every=3,
    )
    for problem, columns, small in (("tsp", 1, "tsp6"), ("cvrp", 2, "random-6"))
}
LONG = 1e12


def circle(
    part: RoutingPart, seed: int = 0, report: object = None, until: float = 0.0
) -> SolvedInstances:
    """Nodes around a depot in the order of their angle: no solver needed."""
    rng = np.random.default_rng(seed)
    angles = np.sort(rng.random((part.instances, part.nodes)) * 2 * np.pi, axis=1)
    points = np.stack([np.cos(angles), np.sin(angles)], -1) / 2 + 0.5
    shape = angles.shape
    depots, demands = np.full((shape[0], 2), 0.5), np.full(shape, 0.24)
    routes = np.tile(np.arange(shape[1]) // 4, (shape[0], 1))
    if part.problem == "tsp":
        depots, demands, routes = 0 * depots, 0 * demands, 0 * routes
    return SolvedInstances(
        points.astype(np.float32),
        depots.astype(np.float32),
        demands.astype(np.float32),
        routes.astype(np.int16),
    )


@pytest.fixture(autouse=True)
def no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solutions of these tests are at hand."""
    monkeypatch.setattr(module, "load_or_solve", circle)


def training(name: str) -> LehdLearner:
    """One that has not begun and hardly ever ends."""
    settings = SETTINGS[name]
    return LehdLearner(settings, 0, [circle(settings.parts[0])], LONG, torch.device("cpu"))


@pytest.mark.parametrize("name", SETTINGS)
def test_learning_brings_the_loss_down(name: str) -> None:
    learner = training(name)
    learner.advance()
    first = learner.state.loss
    for _ in range(12):
        learner.advance()
    assert learner.state.loss < 0.8 * first


def test_the_learning_rate_rises_then_falls_to_the_last() -> None:
    learner, rates = training("lehd-tsp"), list[float]()
    for iteration, share in [(1, 0.0), (100, 0.0), (200, 0.5), (300, 1.0)]:
        learner.state.iteration = iteration
        learner.state.seconds = share * LONG
        rates.append(learner.learning_rate())
    assert rates == pytest.approx([1e-5, 1e-3, 0.505e-3, 1e-5])


@pytest.mark.parametrize("name", SETTINGS)
def test_an_interrupted_training_goes_on_as_an_uninterrupted_one(
    name: str, tmp_path: Path
) -> None:
    straight, broken, resumed = (training(name) for _ in range(3))
    for _ in range(2):
        straight.advance()
    broken.advance()
    save(broken, tmp_path / "partial")
    restore(resumed, tmp_path / "partial")
    resumed.advance()
    one, other = (t.learned.state_dict() for t in (straight, resumed))
    assert all(torch.equal(one[key], other[key]) for key in one)
    assert straight.state.best_cost == resumed.state.best_cost


@pytest.mark.parametrize(("name", "small"), [("lehd-tsp", "tsp7"), ("lehd-cvrp", "random-7")])
def test_training_writes_a_teacher_that_keeps_its_figures(name: str, small: str) -> None:
    heard: list[TrainingProgress] = []
    header = train(
        name, 0.0, device="cpu", report=heard.append, settings=SETTINGS[name], measured=(small,)
    )
    assert header.origin["command"] == f"preceptor teachers train {name} --seed 0 --minutes 0"
    assert list(header.validation.values()) == [heard[0].best]
    teacher = teachers.load(name, ProblemRef(header.problem), "cpu")
    problem = problems.load(header.problem)
    assert measure(teacher, problem, [small], heard.append) == header.measured


def test_a_training_may_start_from_the_weights_of_another(own_folder: Path) -> None:
    learn = partial(
        train, "lehd-tsp", 0.0, device="cpu", settings=SETTINGS["lehd-tsp"], measured=()
    )
    learn(seed=1)
    header, first = read(own_folder / "lehd-tsp.json")
    learner = training("lehd-tsp")
    start_from(learner, header.name)
    assert all(np.array_equal(first[k], v) for k, v in learner.average.state_dict().items())
    assert learn(start=header.name).origin["command"].endswith(" --start lehd-tsp")


@pytest.mark.parametrize(
    ("name", "small", "gap"), [("lehd-tsp", "tsp50", 0.04), ("lehd-cvrp", "cvrp50", 0.1)]
)
def test_the_shipped_teachers_are_near_the_best_known(name: str, small: str, gap: float) -> None:
    problem = problems.load(module.SETTINGS[name].parts[0].problem)
    instances = problem.load(small)[:4]
    teacher = teachers.load(name, ProblemRef(problem.name), "cpu")
    best = sum(instance.reference for instance in instances) / 4
    assert mean_cost(teacher, problem, instances) < (1 + gap) * best
