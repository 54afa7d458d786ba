"""The frame of a training: what is kept, when it ends, how it is taken up again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from problems.errors import UnknownName, UserError, WorldError
from teachers.base import Teacher
from teachers.training import learner
from teachers.training.learner import Learner, follow
from teachers.training.measure import TrainingProgress
from teachers.training.training_loop import checkpoint_file, learn_for, origin, restore, save
from teachers.weights import Header, read_header, write


@dataclass(frozen=True, slots=True)
class StepSettings:
    """Settings with one ingredient."""

    step: float = 0.5
    validate_every: int = 1


class Counting(Learner[StepSettings]):
    """A training whose weight counts its validations, of 6 seconds each."""

    def __init__(self, settings: StepSettings = StepSettings(), seed: int = 7) -> None:
        super().__init__(settings, seed, torch.device("cpu"))
        self.network: nn.Linear = nn.Linear(1, 1).requires_grad_(False)
        self.average: nn.Linear = nn.Linear(1, 1).requires_grad_(False)
        self.network.bias.zero_()

    def learn(self) -> float:
        """Counts."""
        self.network.bias.add_(1)
        self.state.iteration += 1
        self.state.seconds += 6
        return 1.0

    def advance(self, seconds: float = math.inf) -> None:
        """Costs 3, 2, 3, 2, ..."""
        loss = self.learn()
        self.state.add_validation(loss, 2.0 + self.state.iteration % 2, self.network)

    def teacher(self) -> Teacher:
        """It is never asked."""
        raise NotImplementedError

    def parts(self) -> dict[str, nn.Module]:
        """The network alone."""
        return {"network": self.network}


def test_the_weights_of_the_first_lowest_cost_are_kept(tmp_path: Path) -> None:
    training = Counting()
    heard: list[TrainingProgress] = []
    learn_for(0.4, training, tmp_path / "draft", heard.append, resume=True)
    assert [progress.cost for progress in heard] == [3, 2, 3, 2]
    assert training.state.best is not None
    assert training.state.best["bias"].item() == 2
    assert heard[1].best == 2 and (heard[1].done, heard[1].left) == (0.5, 12)


def test_without_a_minute_there_are_weights_all_the_same(tmp_path: Path) -> None:
    training = Counting()
    learn_for(0.0, training, tmp_path / "draft", lambda progress: None, resume=True)
    assert training.state.iteration == 1 and training.state.best is not None


@pytest.mark.parametrize(("resume", "iterations"), [(True, 3), (False, 1)])
def test_a_training_goes_on_where_it_was_unless_told_otherwise(
    resume: bool, iterations: int, tmp_path: Path
) -> None:
    draft, again = tmp_path / "draft", Counting()
    learn_for(0.2, Counting(), draft, lambda progress: None, resume=True)
    learn_for(0.3 if resume else 0.1, again, draft, lambda progress: None, resume)
    assert again.state.iteration == again.network.bias.item() == iterations


def stored(folder: Path, width: int) -> None:
    """The weights of another teacher."""
    header = Header("other", "jssp", "offline_l2d", "a test", {}, {"seed": 7})
    arrays = {"weight": np.ones((1, width), np.float32), "bias": np.full(1, 40, np.float32)}
    write(header, arrays, folder)


def test_a_training_may_begin_with_the_weights_of_another(
    own_folder: Path, tmp_path: Path
) -> None:
    stored(own_folder, 1)
    training = Counting()
    learn_for(0.1, training, tmp_path / "draft", lambda _: None, resume=True, start="other")
    assert (training.network.bias.item(), training.average.bias.item()) == (41, 40)
    told = origin(training, "own", 0.1)
    assert told["command"].endswith("--start other")
    assert told["start"]["origin"] == {"seed": 7}
    assert told["start"]["sha256"] == read_header(own_folder / "other.json").sha256


def test_an_interrupted_training_does_not_begin_again(own_folder: Path, tmp_path: Path) -> None:
    stored(own_folder, 1)
    draft, training = tmp_path / "draft", Counting()
    learn_for(0.1, Counting(), draft, lambda _: None, resume=True)
    learn_for(0.2, training, draft, lambda _: None, resume=True, start="other")
    assert training.network.bias.item() == 2
    told = origin(training, "own", 0.2)
    assert (told["resumed"], "start" in told) == (1, False)
    assert "--start" not in told["command"]


def test_a_training_taken_up_again_still_tells_what_it_began_with(
    own_folder: Path, tmp_path: Path
) -> None:
    stored(own_folder, 1)
    draft = tmp_path / "draft"
    learn_for(0.1, Counting(), draft, lambda _: None, resume=True, start="other")
    stored(own_folder, 2)  # the same name stands for others by now
    again = Counting()
    learn_for(0.2, again, draft, lambda _: None, resume=True)
    told = origin(again, "own", 0.2)
    assert told["command"].endswith("--start other")
    assert told["start"]["sha256"] != read_header(own_folder / "other.json").sha256
    assert told["resumed"] == 1


def test_what_was_spent_before_counts_as_time(tmp_path: Path) -> None:
    training = Counting()
    learn_for(0.4, training, tmp_path / "draft", lambda _: None, spent=13.0)
    assert (training.state.iteration, training.state.begun) == (2, 13.0)
    assert training.state.seconds == 25.0


def test_weights_that_do_not_fit_are_refused(own_folder: Path, tmp_path: Path) -> None:
    stored(own_folder, 2)
    begin = partial(learn_for, 0.1, Counting(), tmp_path / "draft", lambda _: None, False)
    with pytest.raises(UserError, match="the weights of other do not fit"):
        begin("other")
    with pytest.raises(UnknownName, match="did you mean 'other'"):
        begin("ohter")


def test_each_settings_and_seed_has_a_checkpoint_of_its_own(tmp_path: Path) -> None:
    recipes = [(StepSettings(), 7), (StepSettings(), 8), (StepSettings(0.1), 7)]
    assert len({checkpoint_file(*recipe, "own", tmp_path) for recipe in recipes}) == 3
    assert checkpoint_file(*recipes[0], "own", tmp_path) == checkpoint_file(
        *recipes[0], "own", tmp_path
    )


def test_a_damaged_checkpoint_says_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "draft"
    save(Counting(), file)
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(WorldError, match="remove it to start again"):
        restore(Counting(), file)


def test_an_average_moves_a_share_of_the_way_norms_included() -> None:
    average, network = nn.BatchNorm1d(1), nn.BatchNorm1d(1)
    network(torch.tensor([[10.0], [30.0]]))
    with torch.no_grad():
        network.bias.fill_(4.0)
    follow(average, network, 0.25)
    assert network.running_mean is not None and average.running_mean is not None
    assert average.bias.item() == 1.0
    assert average.running_mean.item() == pytest.approx(network.running_mean.item() / 4)


def test_memory_is_given_back_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    given = list[int]()
    training = Counting()
    monkeypatch.setattr(learner, "GIVE_BACK", 3)
    monkeypatch.setattr(
        learner, "give_back_memory", lambda: given.append(training.state.iteration)
    )
    for _ in range(7):
        training.step()
    assert given == [3, 6]
