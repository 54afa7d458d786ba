"""How the weights are found: by evolution strategies on the problem's own design set."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn.utils import vector_to_parameters

import problems
from problems.base import Decision, rollout, visited
from problems.errors import UserError
from problems.promises import compile_program
from teachers.field_policy import PREFIX
from teachers.field_policy.network import FieldNetwork, read_fields
from teachers.field_policy.teacher import FAMILY
from teachers.rollout import rollouts
from teachers.training import training_loop
from teachers.training.evolution import Evolution

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.base import Problem
    from teachers.family import Learned
    from teachers.weights import Header

MINUTES = 5.0

HELD_BACK = 4
"""One instance in so many of the design set validates where there is no selection set."""

VALIDATED = 32
"""Instances at most on which weights are chosen."""

HIDDEN = 16
"""Units of the hidden layer."""

SAMPLED = 8
"""Instances on which a seed program is imitated, and whose states tell how large fields are."""

IMITATIONS, IMITATION_RATE, DECAY = 30, 0.03, 0.1
"""Few steps on all that was seen, their size, and what keeps the weights small: ES goes on from
there, and from a sharp imitation it hardly moves."""


@dataclass(frozen=True, slots=True)
class FieldSettings:
    """Everything beside seed and minutes that decides what is learned.

    An iteration follows a `population` of networks with `hidden` units (0: linear) on `batch`
    instances of the design set. `deviation`, `average`: see `teachers.training.evolution`.
    """

    problem: str
    hidden: int = HIDDEN
    population: int = 24
    batch: int = 4
    deviation: float = 0.1
    learning_rate: float = 0.03
    average: float = 0.9
    validate_every: int = 5


class FieldLearner(Evolution[FieldSettings]):
    """Evolution strategies on the instances that a search looks at, too."""

    family = FAMILY
    network: FieldNetwork
    average: FieldNetwork

    def __init__(
        self, settings: FieldSettings, seed: int, problem: Problem, words: str = ""
    ) -> None:
        super().__init__(settings, seed, torch.device("cpu"))
        self.asked = words
        self.problem = problem
        self.training, held_back = split_design(problem)
        self.validation = [held_back[:VALIDATED]]
        seen = observe(problem, self.training[:SAMPLED])
        names = tuple(problem.fields(seen[0].state, seen[0].actions[0])) if seen else ()
        if not names:
            raise UserError(f"{problem.name}: fields() gives no numbers to learn from")
        self.network = FieldNetwork(names, settings.hidden).double()
        values = read_fields(problem, names, seen)
        self.network.settle(values)
        imitate(self.network, values, seen)
        self.average = deepcopy(self.network).eval().requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.network.parameters(), settings.learning_rate)

    def prepare(self) -> None:
        """The imitation is validated, too: nothing worse is kept."""
        if self.state.iteration == 0:
            self.validate(float("nan"))

    def teacher(self) -> Learned:
        """A copy of the averaged weights, in the form for queries."""
        return FAMILY.teacher(deepcopy(self.average), self.problem.name).bind(self.problem)

    def follow(self, disturbed: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The costs on a batch of the design set, drawn anew; a process for each core."""
        batch = min(self.settings.batch, len(self.training))
        chosen = rng.choice(len(self.training), batch, replace=False)
        instances = [self.training[index] for index in sorted(chosen)]
        start = (self.average, self.problem, instances)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        if cores == 1:
            return np.array([_follow_one(*start, weights) for weights in disturbed])
        context = get_context("fork")
        with ProcessPoolExecutor(cores, context, _settle, start) as pool:
            share = max(1, len(disturbed) // (2 * cores))
            return np.array(list(pool.map(_follow_next, disturbed, chunksize=share)))


_followed: list[Any] = []
"""What a process follows: a network for its form, a problem, instances."""


def _settle(*work: Any) -> None:
    _followed[:] = work


def _follow_next(weights: np.ndarray) -> list[float]:
    network, problem, instances = _followed
    return _follow_one(network, problem, instances, weights)


def _follow_one(
    network: FieldNetwork, problem: Problem, instances: Sequence[Any], weights: np.ndarray
) -> list[float]:
    own = deepcopy(network)
    vector_to_parameters(torch.from_numpy(weights), own.parameters())
    teacher = FAMILY.teacher(own, problem.name).bind(problem)
    return [np.nan if one is None else one.cost for one in rollouts(teacher, problem, instances)]


def split_design(problem: Problem) -> tuple[Sequence[Any], Sequence[Any]]:
    """The instances to learn from and those to choose weights by.

    Raises UserError for a problem with a single instance.
    """
    design = problem.load(problem.design)
    if problem.selection:
        return design, problem.load(problem.selection)
    if len(design) < 2:
        raise UserError(f"{problem.name}: a teacher is trained on two instances or more")
    return [one for k, one in enumerate(design) if (k + 1) % HELD_BACK], design[HELD_BACK - 1 :: 4]


def observe(problem: Problem, instances: Sequence[Any]) -> list[Decision]:
    """The decisions with a choice on the walks of the seed program that costs least."""
    walks = []
    for rule in problem.seeds():
        function = compile_program(problem, rule)
        walks.append([rollout(problem, function, one) for one in instances])
    best = min(walks, key=lambda found: sum(one.cost for one in found))
    found = []
    for index, (instance, walk) in enumerate(zip(instances, best, strict=True)):
        for step, state in enumerate(visited(problem, instance, walk.actions)):
            actions = problem.actions(state)
            if len(actions) > 1:
                found.append(Decision(index, step, state, actions, walk.actions[step]))
    return found


def imitate(network: FieldNetwork, values: np.ndarray, seen: Sequence[Decision]) -> None:
    """Let a network choose about as a program did that was `seen`: where its learning begins.

    `values` are the fields of all actions of these decisions, [A, K].
    """
    sizes = [len(decision.actions) for decision in seen]
    starts = np.cumsum([0, *sizes[:-1]])
    places = [decision.actions.index(decision.chosen) for decision in seen]
    chosen = torch.from_numpy(starts + np.array(places))
    owner = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    rows = torch.from_numpy(values)
    optimizer = torch.optim.AdamW(network.parameters(), IMITATION_RATE, weight_decay=DECAY)
    for _ in range(IMITATIONS):
        scores = network(rows, sizes)
        high = torch.full((len(sizes),), -torch.inf, dtype=scores.dtype)
        high = high.scatter_reduce(0, owner, scores.detach(), "amax")
        total = torch.zeros(len(sizes), dtype=scores.dtype)
        total = total.index_add(0, owner, torch.exp(scores - high[owner]))
        loss = (torch.log(total) + high - scores[chosen]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train(name: str, minutes: float | None = None, linear: bool = False, **more: Any) -> Header:
    """Train a policy over the fields of a problem; `name` as in `preceptor run NAME`.

    See `teachers.training.training_loop.train`. Raises UserError for a problem of whole solutions,
    for one without fields, and for one with a single instance.
    """
    problem = problems.load(name)
    if problem.contract.whole:
        raise UserError(f"programs of {problem.name} return whole solutions: nothing is decided")
    settings = FieldSettings(problem.name, hidden=0 if linear else HIDDEN)
    family = training_of(problem, f"{name} --linear" if linear else name)
    return training_loop.train(family, name_teacher(problem), minutes, settings=settings, **more)


def name_teacher(problem: Problem) -> str:
    """What the teacher of a problem is called."""
    return f"{PREFIX}{problem.name}"


def training_of(problem: Problem, words: str) -> training_loop.FamilyTraining[FieldSettings]:
    """What the training of a problem's teacher is made of; `words` name it to the command."""
    by = problem.selection or f"every fourth instance of {problem.design}"
    by = f"{by}, first {VALIDATED}"
    learners: list[FieldLearner] = []

    def learn(settings: FieldSettings, seed: int, *_: Any) -> FieldLearner:
        learners.append(FieldLearner(settings, seed, problem, words))
        return learners[-1]

    def architecture(settings: FieldSettings) -> Mapping[str, Any]:
        return {"fields": list(learners[-1].network.names), "hidden": settings.hidden}

    return training_loop.FamilyTraining(
        family="field_policy",
        about=f"A policy over the fields of {problem.name}, learned by evolution strategies",
        minutes=MINUTES,
        settings=lambda _name, _device: FieldSettings(problem.name),
        learner=learn,
        build=lambda *given: FAMILY.build(*given).bind(problem),
        architecture=architecture,
        validated=lambda _: by,
        measured={name_teacher(problem): [problem.selection] if problem.selection else []},
    )
