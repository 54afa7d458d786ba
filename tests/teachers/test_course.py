"""A course of training: what is kept, when it ends, how it is taken up again."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from torch import nn

from problems.errors import UnknownName, UserError, WorldError
from teachers.training.training_loop import (
    TrainingLoop,
    draft_file,
    follow,
    origin,
    pursue,
    restore,
    save,
)
from teachers.weights import Header, read_header, write

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from teachers.training.progress import TrainingProgress


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe with one ingredient."""

    step: float = 0.5


@dataclass(slots=True)
class Counting:
    """A training whose weight counts its validations, of 6 seconds each."""

    recipe: Recipe = field(default_factory=Recipe)
    seed: int = 7
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    course: TrainingLoop = field(default_factory=TrainingLoop)
    network: nn.Linear = field(default_factory=lambda: nn.Linear(1, 1).requires_grad_(False))
    average: nn.Linear = field(default_factory=lambda: nn.Linear(1, 1).requires_grad_(False))

    def __post_init__(self) -> None:
        self.network.bias.zero_()

    def advance(self) -> None:
        """Costs 3, 2, 3, 2, ..."""
        self.network.bias.add_(1)
        self.course.iteration += 1
        self.course.seconds += 6
        self.course.take_down(1.0, 2.0 + self.course.iteration % 2, self.network)

    def parts(self) -> Mapping[str, nn.Module]:
        """The network alone."""
        return {"network": self.network}


def test_the_weights_of_the_first_lowest_cost_are_kept(tmp_path: Path) -> None:
    training = Counting()
    heard: list[TrainingProgress] = []
    pursue(training, tmp_path / "draft", 0.4, heard.append, resume=True)
    assert [progress.cost for progress in heard] == [3, 2, 3, 2]
    assert training.course.best is not None
    assert training.course.best["bias"].item() == 2
    assert heard[1].best == 2 and (heard[1].done, heard[1].left) == (0.5, 12)


def test_without_a_minute_there_are_weights_all_the_same(tmp_path: Path) -> None:
    training = Counting()
    pursue(training, tmp_path / "draft", 0.0, lambda progress: None, resume=True)
    assert training.course.iteration == 1 and training.course.best is not None


@pytest.mark.parametrize(("resume", "iterations"), [(True, 3), (False, 1)])
def test_a_training_goes_on_where_it_was_unless_told_otherwise(
    resume: bool, iterations: int, tmp_path: Path
) -> None:
    draft, again = tmp_path / "draft", Counting()
    pursue(Counting(), draft, 0.2, lambda progress: None, resume=True)
    pursue(again, draft, 0.3 if resume else 0.1, lambda progress: None, resume)
    assert again.course.iteration == again.network.bias.item() == iterations


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
    pursue(training, tmp_path / "draft", 0.1, lambda _: None, resume=True, start="other")
    assert (training.network.bias.item(), training.average.bias.item()) == (41, 40)
    told = origin(training, "own", 0.1, "other")
    assert told["command"].endswith("--start other")
    assert told["start"]["origin"] == {"seed": 7}
    assert told["start"]["sha256"] == read_header(own_folder / "other.json").sha256


def test_an_interrupted_training_does_not_begin_again(own_folder: Path, tmp_path: Path) -> None:
    stored(own_folder, 1)
    draft, training = tmp_path / "draft", Counting()
    pursue(Counting(), draft, 0.1, lambda _: None, resume=True)
    pursue(training, draft, 0.2, lambda _: None, resume=True, start="other")
    assert training.network.bias.item() == 2


def test_weights_that_do_not_fit_are_refused(own_folder: Path, tmp_path: Path) -> None:
    stored(own_folder, 2)
    begin = partial(pursue, Counting(), tmp_path / "draft", 0.1, lambda _: None, False)
    with pytest.raises(UserError, match="the weights of other do not fit"):
        begin("other")
    with pytest.raises(UnknownName, match="did you mean 'other'"):
        begin("ohter")


def test_each_recipe_and_seed_has_a_checkpoint_of_its_own(tmp_path: Path) -> None:
    trainings = Counting(), Counting(seed=8), Counting(Recipe(0.1))
    assert len({draft_file(training, "own", tmp_path) for training in trainings}) == 3
    assert draft_file(Counting(), "own", tmp_path) == draft_file(Counting(), "own", tmp_path)


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
