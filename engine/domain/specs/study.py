"""A study: problems x arms x seeds under one budget, as values; what its runs are.

Equal studies are one study: booked again, it continues where it stood.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from engine.domain.specs.endpoint import Endpoint
from engine.domain.specs.method_definition import Definition
from engine.domain.specs.settings import RESULT_NEUTRAL, Caps, RunSpec, Settings, amend
from engine.domain.text.codec import content_key
from problems import ProblemRef

READ_OFF = {"max-align": "ours"}
"""Methods without runs of their own: another winner from the final populations of a method."""

PATIENCE = 3600.0
"""CPU seconds that a program may take for a held-out set: the largest instances are hundreds of
times larger than those it was designed on."""


@dataclass(frozen=True, slots=True)
class Task:
    """One problem of a study: settings of its runs, its teacher, who is measured on which sets.

    `teacher` empty: none is asked; methods with another default have theirs in `defaults`. `sets`
    empty: every benchmark set that is here when it is time to measure. `solvers` are measured
    beside the winners, in the words of `bench --solver`; empty: all classical rules, and all
    teachers of the problem that have weights.
    """

    problem: ProblemRef
    teacher: str = ""
    settings: Settings = field(default_factory=Settings)
    sets: tuple[str, ...] = ()
    solvers: tuple[str, ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()

    @property
    def teachers(self) -> tuple[str, ...]:
        """The names of all its teachers, once each."""
        named = (self.teacher, *(teacher for _, teacher in self.defaults))
        return tuple(dict.fromkeys(name for name in named if name))


@dataclass(frozen=True, slots=True)
class Arm:
    """A method under a name of its own, with what it does otherwise than the study's other arms.

    `teacher`, `writer` and `analyzer` are the study's where empty; `settings` are options as text.
    `{arm}`, `{problem}` and `{seed}` in a writer are those of each run: `folder:{arm}-{seed}`.
    """

    name: str
    method: str
    teacher: str = ""
    writer: str = ""
    analyzer: str = ""
    settings: tuple[tuple[str, str], ...] = ()


def substitute(text: str, values: Mapping[str, str]) -> str:
    """`text` with each key that it contains replaced by its value."""
    for key, value in values.items():
        text = text.replace(key, value)
    return text


def warn_of_overlap(sets: Iterable[str], design: str, selection: str) -> Iterator[str]:
    """That programs are measured on a set on which they were found or chosen."""
    for name in sets:
        if name in (design, selection):
            what = "the design set" if name == design else "the selection set"
            yield f"WARNING: {name} is {what}: what programs reach there says nothing of others"


@dataclass(frozen=True, slots=True)
class StudySpec:
    """Everything that a study is a function of; `caps` are those of every run.

    `budget` is what its runs may spend together: once it is used up, the study pauses.

    `methods` are its arms by name, each a method as it is or one of `arms`. `definitions` are
    those of the methods that come from a file of the user's, `without_teacher` names those that
    use no teacher.
    At most `at_once` runs of a problem are under way together, 0 is all of them; `measure_seconds`
    limit one program on one held-out set.
    """

    name: str
    tasks: tuple[Task, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...] = (0, 1, 2)
    writer: str = "builtin"
    analyzer: str = ""
    caps: Caps = field(default_factory=Caps)
    budget: Caps = field(default_factory=Caps)
    endpoints: tuple[Endpoint, ...] = ()
    definitions: tuple[Definition, ...] = ()
    without_teacher: tuple[str, ...] = ()
    arms: tuple[Arm, ...] = ()
    at_once: int = 0
    measure_seconds: float = PATIENCE

    def runs(self) -> tuple[RunSpec, ...]:
        """The runs in their order: by problem, arm, seed. Raises UserError, UnknownName."""
        own = [name for name in self.methods if name not in READ_OFF]
        return tuple(self._run(*place) for place in product(self.tasks, own, self.seeds))

    @property
    def side_by_side(self) -> int:
        """How many runs are under way together at most."""
        each = len(self.runs()) // len(self.tasks)
        return min(self.at_once, each) if self.at_once else max(1, each)

    def arm(self, name: str) -> Arm:
        """What an arm of that name does; a method under its own name does nothing otherwise."""
        return {arm.name: arm for arm in self.arms}.get(name, Arm(name, name))

    def _run(self, task: Task, name: str, seed: int) -> RunSpec:
        arm = self.arm(name)
        defined = {definition.name: definition for definition in self.definitions}
        of_run = {"{arm}": name, "{problem}": task.problem.name, "{seed}": str(seed)}
        writer = substitute(arm.writer or self.writer, of_run)
        analyzer = substitute(arm.analyzer or ("" if arm.writer else self.analyzer), of_run)
        usual = dict(task.defaults).get(arm.method, task.teacher)
        teacher = "" if arm.method in self.without_teacher else arm.teacher or usual
        return RunSpec(
            problem=task.problem,
            method=arm.method,
            seed=seed,
            writer=writer,
            analyzer=analyzer,
            teacher=teacher,
            settings=amend(task.settings, dict(arm.settings)),
            caps=self.caps,
            endpoints=tuple(e for e in self.endpoints if e.name in (writer, analyzer)),
            definition=defined.get(arm.method),
            arm="" if arm.method == name else name,
        )

    def on(self, executor: str) -> StudySpec:
        """The same study with its programs evaluated elsewhere. Raises UserError."""
        tasks = (replace(t, settings=replace(t.settings, executor=executor)) for t in self.tasks)
        return replace(self, tasks=tuple(tasks))

    def identity(self) -> str:
        """Equal for studies whose runs have equal results; what is measured may change."""
        usual = {name: getattr(Settings(), name) for name in RESULT_NEUTRAL}
        runs = (replace(run, settings=replace(run.settings, **usual)) for run in self.runs())
        return content_key(self.name, *runs)
