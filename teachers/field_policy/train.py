"""How a policy is found: by evolution strategies, from the costs of whole rollouts alone.

Salimans et al. 2017, as in `teachers.evolution_strategies`, for the rules of any problem as they
are, in processes of their own; begun with the single field whose order costs least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.utils import vector_to_parameters

import problems
from problems import ProblemRef
from problems.base import Problem
from problems.identity import digest_rooms
from teachers.device import count_cores
from teachers.field_policy.policy import (
    Place,
    Weights,
    end_with_parent,
    follow_at,
    load_problem,
    load_set,
    look_at_fields,
    solve_at,
)
from teachers.field_policy.teacher import FieldNetwork, build_for, describe, family
from teachers.training import training_loop
from teachers.training.evolution import evolve
from teachers.training.learner import Learner
from teachers.training.training_loop import Report
from teachers.weights import Header, user_folder, write_header

Run = Callable[[Callable[..., Any], Iterable[Any]], Iterable[Any]]

MINUTES = 5.0
PREFIX = "policy-"
"""What teachers of this family are called, before the name of their problem."""


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Everything beside seed and minutes that decides what is learned.

    `problem` is a name or a path, `code` the digest of its files. An iteration follows a
    `population` of policies, half of them the opposites of the others, on `instances` of the
    design set; the first `validation_size` of the selection set choose the weights, without one
    the last quarter of the design set, which is not trained on.
    """

    problem: str
    code: str
    hidden: int = 0
    population: int = 24
    instances: int = 4
    deviation: float = 0.2
    learning_rate: float = 0.05
    average: float = 0.9
    validate_every: int = 5
    validation_size: int = 32


def settings_of(ref: ProblemRef, hidden: int = 0) -> PolicySettings:
    """The settings of a problem as its files are now."""
    content = digest_rooms.__wrapped__((str(problems.source(ref.name)),))  # files may have changed
    return PolicySettings(problems.home(ref.name), content[:16], hidden)


def split(problem: Problem, settings: PolicySettings) -> tuple[list[Place], list[Place]]:
    """Where the instances to learn from lie, and those to validate on: their set and number."""
    design = [(problem.design, number) for number in range(len(problem.load(problem.design)))]
    if problem.selection:
        count = min(settings.validation_size, len(problem.load(problem.selection)))
        return design, [(problem.selection, number) for number in range(count)]
    cut = max(1, len(design) - max(1, len(design) // 4))
    return design[:cut], design[cut:] or design


class PolicyLearner(Learner[PolicySettings]):
    """Evolution strategies on instances of the problem's design set.

    Iteration i draws its instances and its noise from (seed, i) alone.
    """

    network: FieldNetwork
    average: FieldNetwork

    def __init__(self, settings: PolicySettings, seed: int, run: Run = map) -> None:
        """`run` maps a function over tasks, in order. Raises UserError as `look_at_fields`."""
        super().__init__(settings, seed, torch.device("cpu"))
        self.problem = load_problem(settings.problem)
        self.run = run
        self.training, self.places = split(self.problem, settings)
        looked_at = [load_set(settings.problem, name)[k] for name, k in self.training[:4]]
        self.network = FieldNetwork(look_at_fields(self.problem, looked_at), settings.hidden)
        self.average = deepcopy(self.network).eval().requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.network.parameters(), settings.learning_rate)

    def teacher(self) -> Any:
        """A copy of the averaged weights, in the form for queries."""
        return family(self.problem).teacher(deepcopy(self.average), self.problem.name)

    def learn(self) -> float:
        """One step along the noise that led to lower costs; the mean cost of all policies."""
        self.state.iteration += 1
        rng = np.random.default_rng([self.seed, self.state.iteration])
        count = min(self.settings.instances, len(self.training))
        drawn = [self.training[k] for k in rng.choice(len(self.training), count, replace=False)]
        if self.state.iteration == 1 and self.state.start is None:
            return self._begin(drawn)
        return evolve(self, rng, lambda rows: self.costs([*map(self._weights, rows)], drawn))

    def _begin(self, drawn: Sequence[Place]) -> float:
        """Prefer the high or the low values of the field that so costs least."""
        fields = self.network.fields
        rules = [(k, sign) for k in range(len(fields.actions)) for sign in (1.0, -1.0)]
        tried = [deepcopy(self.average) for _ in rules]
        for network, (field, sign) in zip(tried, rules, strict=True):
            network.linear[field, 0] = sign
        costs = self.costs([network.weights() for network in tried], drawn).mean(axis=1)
        chosen = tried[int(costs.argmin())].state_dict()
        self.network.load_state_dict(chosen)
        self.average.load_state_dict(chosen)
        return float(costs.min())

    def costs(self, policies: Sequence[Weights], places: Sequence[Place]) -> np.ndarray:
        """The cost of each policy on each instance, [policies, instances]."""
        name, fields = self.settings.problem, self.network.fields
        tasks = [(name, fields, weights, place) for weights in policies for place in places]
        found = np.array(list(self.run(follow_at, tasks)))
        return found.reshape(len(policies), len(places))

    def validation_cost(self) -> float:
        """Mean cost of greedy rollouts."""
        return float(self.costs([self.average.weights()], self.places).mean())

    def best_rule(self) -> tuple[str, float]:
        """The seed program or classical rule of the lowest mean cost on these instances."""
        known = {rule.name: rule for rule in (*self.problem.seeds(), *self.problem.rules())}
        tasks = [(self.settings.problem, name, place) for name in known for place in self.places]
        found = np.array(list(self.run(solve_at, tasks))).reshape(len(known), -1).mean(axis=1)
        return [*known][int(found.argmin())], float(found.min())

    def _weights(self, row: np.ndarray) -> Weights:
        network = deepcopy(self.average)
        vector_to_parameters(torch.from_numpy(row), network.parameters())
        return network.weights()


def train(
    ref: ProblemRef,
    minutes: float | None = None,
    seed: int = 0,
    out: Path | None = None,
    device: str = "auto",
    report: Report = lambda _: None,
    resume: bool = True,
    start: str = "",
    hidden: int = 0,
    settings: PolicySettings | None = None,
    cores: int = 0,
) -> Header:
    """Train the teacher policy-PROBLEM as `training_loop.train` does, on all cores or so many.

    The policy is linear but for `hidden` units; `device` is not looked at, it takes no GPU. The
    header's origin says which rule costs least on the validation instances, and how much. Raises
    UserError for a problem that has no decisions or no numbers in them, and as `learn_for`.
    """
    settings = settings or settings_of(ref, hidden)
    task = load_problem(settings.problem)
    name = PREFIX + task.name
    with _processes(cores or count_cores()) as run:
        learner = PolicyLearner(settings, seed, run)
        training = training_loop.FamilyTraining(
            family="field_policy",
            about="A policy over the fields of actions, learned by evolution strategies",
            minutes=MINUTES,
            settings=lambda *_: settings,
            learner=lambda *_: learner,
            build=build_for(task),
            architecture=lambda _: describe(learner.network),
            validated=lambda _: _name_places(learner.places),
            measured={name: ()},
        )
        header = training_loop.train(
            training, name, minutes, seed, out, "cpu", report, resume, start, settings
        )
        rule, cost = learner.best_rule()
    command = header.origin["command"].replace(name, settings.problem, 1)
    command += f" --hidden {settings.hidden}" if settings.hidden else ""
    told = {**header.origin, "command": command, "best_rule": {"name": rule, "cost": cost}}
    header = replace(header, origin=told)
    write_header(header, out or user_folder())
    return header


def _name_places(places: Sequence[Place]) -> str:
    """In words; they are neighbours in one set."""
    (name, first), (_, last) = places[0], places[-1]
    return f"{name}, {first + 1} to {last + 1}"


@contextmanager
def _processes(cores: int) -> Iterator[Run]:
    """A map over so many processes; over none of its own for a single core."""
    if cores == 1:
        yield map
        return
    with ProcessPoolExecutor(cores, get_context("spawn"), end_with_parent) as pool:
        yield partial(pool.map, chunksize=4)
