"""Evolution strategies (Salimans et al. 2017): a step along the noise that led to lower costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn.utils import parameters_to_vector

from teachers.training.learner import Learner


def evolve(
    learner: Learner[Any], rng: np.random.Generator, follow: Callable[[np.ndarray], np.ndarray]
) -> float:
    """Improve a learner by one step; returns the mean cost of all that was tried.

    Noise is drawn for half of the population, the others get its opposite; then `follow` gives the
    costs [population, instances] of networks with the weights in the rows that it gets.
    """
    weights = parameters_to_vector(learner.network.parameters())
    settings = learner.settings
    half = rng.standard_normal((settings.population // 2, len(weights)))
    noise = np.concatenate([half, -half])
    costs = follow(weights.detach().cpu().numpy() + settings.deviation * noise)
    direction = torch.from_numpy(worth(costs) @ noise / len(noise)).to(weights)
    learner.improve(-direction @ weights, 1 - settings.average, clip=False)
    return float(costs.mean())


def worth(costs: np.ndarray) -> np.ndarray:
    """What each network is worth: minus the mean over instances of its standardised costs."""
    known = np.where(np.isfinite(costs), costs, np.nanmax(np.where(np.isfinite(costs), costs, 0)))
    spread = np.maximum(known.std(axis=0), 1e-9)
    found: np.ndarray = -((known - known.mean(axis=0)) / spread).mean(axis=1)
    return found
