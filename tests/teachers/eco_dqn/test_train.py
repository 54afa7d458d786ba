"""Training: returns by hand, rollouts of environments, tiny trainings, interruptions."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from problems.maxcut.instances import GraphGenerator
from teachers.eco_dqn.environments import Environments
from teachers.eco_dqn.network import EcoDqn
from teachers.eco_dqn.train import EcoDqnLearner, EcoDqnSettings, Lesson, play, returns, train
from teachers.training.lattices import Lattice
from teachers.training.measure import TrainingProgress, measure
from teachers.training.training_loop import restore, save
from teachers.weights import read

KINDS = (GraphGenerator("ba", 10, signed=True), GraphGenerator("er", 12, signed=False))
LESSONS = (Lesson(0, KINDS[:1], 3, 1e-3), Lesson(4, KINDS, 4, 1e-4))
SETTINGS = EcoDqnSettings(LESSONS, steps=3, validate_every=2, validation="ba10w", lattices=1)
LAST = "readout_layer.layers_readout.0.bias"
CPU = torch.device("cpu")
DOUBLE = torch.empty(0, dtype=torch.float64)


@pytest.fixture(autouse=True)
def two_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Validations of these tests look at two graphs."""
    load = problems.load("maxcut").load
    monkeypatch.setattr("problems.maxcut.problem.Maxcut.load", lambda _, name: load(name)[:2])


def environments(seed: int = 0) -> Environments:
    """Four rollouts on graphs of 10 and 12 vertices."""
    return Environments(KINDS, 4, np.random.default_rng(seed), DOUBLE)


def network() -> EcoDqn:
    """One with random weights."""
    torch.manual_seed(0)
    return EcoDqn().double()


def test_environments_begin_anywhere_and_replace_only_rollouts_that_are_over() -> None:
    found = environments()
    assert len(set(found.rollouts.steps.tolist())) > 1
    ended = 0
    for _ in range(30):
        before = found.rollouts
        drawn = found.drawn
        found.renew()
        over = (before.steps >= before.lengths).tolist()
        ended += sum(over)
        for index, done in enumerate(over):
            assert (found.drawn[index] is not drawn[index]) == done
            expected = 0 if done else before.steps[index]
            assert found.rollouts.steps[index] == expected
        assert torch.equal(found.rollouts.gains, found.rollouts.graphs.gains(found.rollouts.spins))
        assert torch.equal(found.rollouts.cuts, found.rollouts.graphs.cuts(found.rollouts.spins))
        play(network(), found, 1, strays=0.5)
    assert ended > 2


def test_rewards_are_gains_on_the_best_cut_and_end_with_the_rollout() -> None:
    found = environments()
    steps, _ = play(network(), found, 30, strays=0.3)
    for step, then in pairwise(steps):
        gained = then.rollouts.best_cuts - step.rollouts.best_cuts
        assert torch.equal(step.rewards * step.rollouts.graphs.units, gained)
        assert torch.equal(step.goes_on, then.alive)
    assert steps[-1].alive.sum() < 4


def test_a_share_of_strays_goes_anywhere_in_its_own_graph() -> None:
    found = environments()
    firsts = torch.tensor([0, 10, 22, 32])
    assert torch.equal(found.stray(firsts, 0.0), firsts)
    strays = torch.stack([found.stray(firsts, 1.0) - firsts for _ in range(200)])
    assert strays.amin(dim=0).tolist() == [0, 0, 0, 0]
    assert strays.amax(dim=0).tolist() == [9, 11, 9, 11]


def test_returns_mix_all_lengths_and_stop_at_the_end_of_a_walk() -> None:
    steps, ahead = play(network(), environments(), 3, strays=0.3)
    found = returns(steps, ahead, discount=0.9, trace=0.5)
    last = steps[2].rewards + 0.9 * steps[2].goes_on * ahead
    middle = steps[1].rewards + 0.9 * steps[1].goes_on * (last + steps[2].values) / 2
    assert torch.allclose(found[2], last) and torch.allclose(found[1], middle)


def training() -> EcoDqnLearner:
    """One that has not begun."""
    return EcoDqnLearner(SETTINGS, 0, CPU)


def test_learning_fits_the_values_to_the_returns() -> None:
    learner = training()
    steps, ahead = play(learner.network, training_environments(), 3, strays=0.3)
    goals = returns(steps, ahead, 0.95, 0.8)
    losses = [learner.correct(steps[0], goals[0]) for _ in range(30)]
    assert losses[-1] < 0.5 * losses[0]


def training_environments() -> Environments:
    """Those of a training, in its precision."""
    return Environments(KINDS, 4, np.random.default_rng(0), torch.empty(0))


def test_an_interrupted_training_goes_on_as_an_uninterrupted_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        EcoDqnLearner, "validation_cost", lambda self: self.average.state_dict()[LAST].item()
    )
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


def test_lessons_follow_one_another() -> None:
    lessons = [SETTINGS.lesson(iteration) for iteration in (0, 2, 4, 6)]
    assert lessons == [LESSONS[0], LESSONS[0], LESSONS[1], LESSONS[1]]


def test_a_vertex_of_a_lattice_has_six_neighbours_one_ahead_and_one_behind_on_each_axis() -> None:
    first, second = Lattice(4).draw("any", 0, 2)
    assert first.neighbours[0] == (1, 3, 4, 12, 16, 48)
    assert {len(others) for others in first.neighbours} == {6}
    assert {weight for row in first.weights for weight in row} == {1, -1}
    assert first.weights != second.weights


def test_training_writes_a_teacher_that_keeps_its_figures(
    own_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEPTOR_DATA", str(tmp_path / "nothing imported"))
    heard: list[TrainingProgress] = []
    header = train(
        "eco-dqn",
        *(0.0, 4),
        report=heard.append,
        device="cpu",
        settings=SETTINGS,
        measured=("ba10w", "physics"),
    )
    kept, _ = read(own_folder / "eco-dqn.json")
    assert (kept.sha256, kept.measured) == (header.sha256, header.measured)
    assert header.origin["command"] == "preceptor teachers train eco-dqn --seed 4 --minutes 0"
    assert header.validation == {"mean of ba10w and 1 lattices": heard[0].best}
    teacher = teachers.load("eco-dqn", ProblemRef("maxcut"), "cpu")
    assert list(header.measured) == ["ba10w"]
    assert measure(teacher, problems.load("maxcut"), ["ba10w"], heard.append) == header.measured
    assert [file.name for file in own_folder.iterdir() if file.name.startswith(".")] == []
