"""A study: problems x methods x seeds under one budget, as values; what its runs are.

Equal studies are one study: booked again, it goes on where it stood.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product

from engine.domain.specs.endpoint import Endpoint  # noqa: TC001 (the same)
from engine.domain.specs.method_definition import Definition  # noqa: TC001 (the codec reads annotations at run time)
from engine.domain.specs.settings import RESULT_NEUTRAL, Caps, RunSpec, Settings
from engine.domain.text.codec import content_key
from problems import ProblemRef  # noqa: TC001 (the same)

READ_OFF = {"max-align": "ours"}
"""Methods without runs of their own: another winner from the final populations of a method."""

PATIENCE = 3600.0
"""CPU seconds that a program may take for a held-out set: the largest instances are hundreds of
times larger than those it was designed on."""


@dataclass(frozen=True, slots=True)
class Task:
    """One problem of a study: settings of its runs, its teacher, who is measured on which sets.

    `teacher` empty: none is asked. `sets` empty: every benchmark set that is here when it is time
    to measure. `solvers` are measured beside the winners, in the words of `bench --solver`;
    empty: all classical rules, and all teachers of the problem that have weights.
    """

    problem: ProblemRef
    teacher: str = ""
    settings: Settings = field(default_factory=Settings)
    sets: tuple[str, ...] = ()
    solvers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StudySpec:
    """Everything that a study is a function of; `caps` are those of every run.

    `definitions` are those of its `methods` that come from a file of the user's,
    `without_teacher` names those that use no teacher.
    `at_once` runs are under way together; `measure_seconds` limit one program on one held-out set.
    """

    name: str
    tasks: tuple[Task, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...] = (0, 1, 2)
    writer: str = "builtin"
    analyzer: str = ""
    caps: Caps = field(default_factory=Caps)
    endpoints: tuple[Endpoint, ...] = ()
    definitions: tuple[Definition, ...] = ()
    without_teacher: tuple[str, ...] = ()
    at_once: int = 4
    measure_seconds: float = PATIENCE

    def runs(self) -> tuple[RunSpec, ...]:
        """The runs in their order: by problem, method, seed."""
        own = [method for method in self.methods if method not in READ_OFF]
        return tuple(self._run(*place) for place in product(self.tasks, own, self.seeds))

    def _run(self, task: Task, method: str, seed: int) -> RunSpec:
        defined = {definition.name: definition for definition in self.definitions}.get(method)
        return RunSpec(
            problem=task.problem,
            method=method,
            seed=seed,
            writer=self.writer,
            analyzer=self.analyzer,
            teacher="" if method in self.without_teacher else task.teacher,
            settings=task.settings,
            caps=self.caps,
            endpoints=self.endpoints,
            definition=defined,
        )

    def identity(self) -> str:
        """Equal for studies whose runs have equal results; what is measured may be chosen anew."""
        usual = {name: getattr(Settings(), name) for name in RESULT_NEUTRAL}
        runs = (replace(run, settings=replace(run.settings, **usual)) for run in self.runs())
        return content_key(self.name, *runs)
