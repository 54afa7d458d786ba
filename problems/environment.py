"""A decision problem out of an environment that is reset and stepped, as Gymnasium's are.

    build = lambda: EnvironmentProblem("taxi", lambda: gymnasium.make("Taxi-v3"), ...)

An instance is an episode, named by the seed of its reset. The environment has to do the same after
the same actions: trusted code steps it again, and the sum of the rewards is the objective.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Protocol

from problems.base import Argument, Contract, Function, InstanceSet, Problem, Rule
from problems.errors import InvalidAction, UnknownName

NUMBERS = 16
"""Numbers of an observation that cases show."""

DRAWN = 22
"""Lines of an observation that are drawn."""


class GymEnvironment(Protocol):
    """What is asked of an environment, in Gymnasium's words."""

    def reset(self, *, seed: int | None = None) -> tuple[Any, Mapping[str, Any]]:
        """The first observation of the episode of a seed, and what else is known."""

    def step(self, action: int) -> tuple[Any, Any, bool, bool, Mapping[str, Any]]:
        """Observation, reward, whether that is the end, or is cut off, and what else is known."""


def all_actions(environment: Any, _observation: Any) -> Sequence[int]:
    """What `actions()` of an environment says, else every action of its discrete space."""
    if hasattr(environment, "actions"):
        return tuple(environment.actions())
    return range(int(environment.action_space.n))


@dataclass(frozen=True, slots=True)
class Episode:
    """The instance of one seed, which is in a tuple: instances are told apart by their tables."""

    name: str
    seeds: tuple[int]
    reference: float | None = None

    @property
    def seed(self) -> int:
        """What the environment is reset with."""
        return self.seeds[0]


@dataclass(frozen=True, slots=True)
class Visited:
    """A state: the actions that led here, what is seen, what may be done, rewards so far."""

    episode: Episode
    taken: tuple[int, ...]
    observation: Any = field(compare=False)
    actions: tuple[int, ...]
    reward: float


@dataclass(frozen=True)
class EnvironmentProblem(Problem):
    """A `Problem` whose programs choose an environment's actions, `choose(observation, actions)`.

    `make` returns a new environment, `observation` says what an observation holds. `sets` are the
    seeds of the episodes by set, "design" and "selection" among them; `feasible` tells the actions
    that may be taken where an environment stands.
    """

    name: str
    make: Callable[[], Any]
    task: str
    observation: str
    programs: tuple[Rule, ...]
    seeds_of: Mapping[str, Sequence[int]]
    feasible: Callable[[Any, Any], Sequence[int]] = all_actions
    design: str = "design"
    selection: str = "selection"
    states: int = 256
    _live: threading.local = field(default_factory=threading.local, repr=False, compare=False)

    @property
    def contract(self) -> Contract:
        """`choose(observation, actions) -> action`."""
        return Contract(
            task=self.task,
            function="choose",
            arguments=(
                Argument("observation", self.observation),
                Argument("actions", "tuple of int: the actions that may be taken now, ascending"),
            ),
            answer="action",
            result="one of `actions`",
            objective="maximise the sum of the rewards of an episode",
        )

    def sets(self) -> tuple[InstanceSet, ...]:
        """One for every range of seeds; searches look at "design" and "selection" alone."""
        searched = (self.design, self.selection)
        return tuple(
            InstanceSet(name, len(seeds), f"{len(seeds)} episodes", design=name in searched)
            for name, seeds in self.seeds_of.items()
        )

    def load(self, name: str) -> tuple[Episode, ...]:
        """The episodes of a set. Raises UnknownName."""
        if name not in self.seeds_of:
            raise UnknownName("set", name, self.seeds_of)
        return tuple(Episode(f"{name}/{seed}", (seed,)) for seed in self.seeds_of[name])

    def seeds(self) -> tuple[Rule, ...]:
        """The programs that every search starts from."""
        return self.programs

    def rules(self) -> tuple[Rule, ...]:
        """The same."""
        return self.programs

    def start(self, instance: Episode) -> Visited:
        """The environment is reset."""
        environment = self.make()
        observation, _ = environment.reset(seed=instance.seed)
        return self._arrive(environment, instance, (), observation, 0.0, False)

    def actions(self, state: Visited) -> tuple[int, ...]:
        """What may be done here; nothing at the end of an episode."""
        return state.actions

    def decide(self, function: Function, state: Visited) -> int:
        """The action that a program returns. Raises InvalidAction for any other answer."""
        answer = function(copy.deepcopy(state.observation), state.actions)
        if isinstance(answer, bool) or not isinstance(answer, Integral):
            raise InvalidAction(f"an action is an int, not {type(answer).__name__}")
        if int(answer) not in state.actions:
            raise InvalidAction(f"{int(answer)} is none of the actions")
        return int(answer)

    def fields(self, state: Visited, action: int) -> Mapping[str, float]:
        """The action, and the first numbers of the observation."""
        numbers = zip(range(NUMBERS), _numbers(state.observation), strict=False)
        return {"action": float(action), **{f"seen_{k}": number for k, number in numbers}}

    def step(self, state: Visited, action: int) -> Visited:
        """The environment is stepped. Raises InvalidAction for an action that may not be taken."""
        if action not in state.actions:
            raise InvalidAction(f"step {len(state.taken)}: {action} is none of the actions")
        environment = self._stand_at(state)
        observation, reward, ended, cut, _ = environment.step(action)
        taken = (*state.taken, action)
        total = state.reward + float(reward)
        return self._arrive(environment, state.episode, taken, observation, total, ended or cut)

    def cost(self, state: Visited) -> float:
        """Minus the rewards; costs are always minimised."""
        return -state.reward

    def objective(self, cost: float) -> float:
        """The sum of the rewards."""
        return -cost

    def draw(self, state: Visited) -> str:
        """What is seen, as text of at most 80 columns and 24 lines."""
        lines = str(state.observation).splitlines()[:DRAWN]
        head = f"{len(state.taken)} steps, reward {state.reward:g}"
        return "\n".join([head, *(line[:80] for line in lines)])

    def _arrive(
        self,
        environment: Any,
        episode: Episode,
        taken: tuple[int, ...],
        observation: Any,
        reward: float,
        ended: bool,
    ) -> Visited:
        """The state where an environment stands now, which is remembered to be gone on from."""
        found = () if ended else tuple(sorted(map(int, self.feasible(environment, observation))))
        self._live.place = (episode, taken, environment)
        return Visited(episode, taken, copy.deepcopy(observation), found, reward)

    def _stand_at(self, state: Visited) -> Any:
        """An environment that stands there: the one used last, or a new one that is led there."""
        episode, taken, environment = getattr(self._live, "place", (None, (), None))
        self._live.place = (
            None,
            (),
            None,
        )  # no one continues from a half-made step
        if episode == state.episode and taken == state.taken:
            return environment
        environment = self.make()
        environment.reset(seed=state.episode.seed)
        for action in state.taken:
            environment.step(action)
        return environment


def _numbers(value: Any) -> Iterator[float]:
    """The numbers of an observation, in order, however it is nested."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(plain, Real):
        yield float(plain)
    elif isinstance(plain, dict):
        for one in plain.values():
            yield from _numbers(one)
    elif isinstance(plain, list | tuple):
        for one in plain:
            yield from _numbers(one)
