"""Reference costs of sets, computed once by scripts and kept as data with each problem.

`problems/PROBLEM/references/references.json` maps a set to the solver with its effort and the
command that computed them, the fingerprint of the instances, and one best known objective an
instance, in order.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import nan
from pathlib import Path
from typing import TypeVar

import problems
from problems.base import Instance
from problems.sets.library import Record, fingerprint

One = TypeVar("One", bound="Instance")

FILE = "references.json"


@dataclass(frozen=True, slots=True)
class References:
    """What is known of a set: `objectives` in the natural sense, by whom, of which instances.

    `solver` names the solver and its effort; `content` is the `library.fingerprint` of the
    instances; tests compare it.
    """

    solver: str
    command: str
    content: str
    objectives: tuple[float, ...]


def read(folder: Path) -> dict[str, References]:
    """The references in the folder of a problem, by set."""
    file = folder / FILE
    if not file.exists():
        return {}
    entries = json.loads(file.read_text("utf-8"))
    return {
        name: References(**{**entry, "objectives": tuple(entry["objectives"])})
        for name, entry in entries.items()
    }


def of_problem(problem: str) -> dict[str, References]:
    """The references that ship with a problem, by set; none for a problem that is not built in."""
    return read(Path(problems.__file__).parent / problem / "references")


def attach(
    folder: Path,
    name: str,
    instances: tuple[One, ...],
    better: Callable[[float, float], float] = min,
) -> tuple[One, ...]:
    """The instances of a set, dataclasses, each with the best that is known of it.

    That is the `better` of what is known here and of what the instance came with.
    """
    computed = read(folder).get(name)
    if computed is None:
        return instances
    pairs = zip(instances, computed.objectives, strict=True)
    return tuple(
        replace(one, reference=ours if one.reference is None else better(ours, one.reference))  # type: ignore[type-var]
        for one, ours in pairs
    )


def write(
    folder: Path,
    name: str,
    found: References,
    better: Callable[[float, float], float] = min,
) -> None:
    """Keep the references of a set: of each instance the better of those there and those found.

    An objective found may be NaN, for an instance that was not solved again. Solvers and commands
    of both are named. Raises ValueError where those there are of other instances.
    """
    known = read(folder)
    before = known.get(name)
    if before is not None:
        if before.content != found.content:
            raise ValueError(f"the references of {name} are of other instances; remove them")
        pairs = zip(before.objectives, found.objectives, strict=True)
        found = References(
            _joined(before.solver, found.solver),
            _joined(before.command, found.command),
            found.content,
            tuple(old if new != new else better(old, new) for old, new in pairs),
        )
    entries = {set_name: asdict(one) for set_name, one in {**known, name: found}.items()}
    lines = json.dumps(dict(sorted(entries.items())), indent=1)
    (folder / FILE).write_text(lines + "\n", "utf-8")


def _joined(before: str, after: str) -> str:
    """Two texts of parts after semicolons, each part once."""
    return "; ".join(dict.fromkeys([*before.split("; "), after]))


@dataclass(frozen=True, slots=True)
class ReferenceTask:
    """What a script shall compute: the references of some sets, with some effort.

    `effort` are whole numbers by name, 0 for the script's own choice; `only` are places of the
    instances to solve again, `7` or `0-7`, all where it is empty.
    """

    script: str
    sets: tuple[str, ...]
    effort: Mapping[str, int]
    only: tuple[str, ...] = ()

    def improve(
        self,
        folder: Path,
        name: str,
        instances: Sequence[One],
        as_record: Callable[[One], Record],
        solver: str,
        solve: Callable[[One], float],
        better: Callable[[float, float], float] = min,
    ) -> None:
        """Solve instances of a set, keep the better objective of each, and print a line."""
        found = {place: solve(instances[place]) for place in self.places(len(instances))}
        objectives = tuple(found.get(place, nan) for place in range(len(instances)))
        content = fingerprint(list(map(as_record, instances)))
        shown = f"{solver} (instances {' '.join(self.only)})" if self.only else solver
        write(folder, name, References(shown, self._command(name), content, objectives), better)
        kept = read(folder)[name].objectives
        print(f"{name}: mean {sum(kept) / len(kept):.4f}")

    def places(self, size: int) -> list[int]:
        """The places of the instances to solve, in a set of so many. Raises ValueError."""
        ends = [word.partition("-") for word in self.only or (f"0-{size - 1}",)]
        return [
            place for first, _, last in ends for place in range(int(first), int(last or first) + 1)
        ]

    def _command(self, name: str) -> str:
        words = [f"--{word} {number}" for word, number in self.effort.items() if number]
        words += [f"--only {' '.join(self.only)}"] if self.only else []
        return " ".join([f"python -m {self.script} {name}", *words])


def parse_task(script: str, words: Sequence[str], *effort: str) -> ReferenceTask:
    """What is asked of a script by its arguments: sets, and options of whole numbers."""
    parser = ArgumentParser(f"python -m {script}")
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--only", nargs="*", default=[], metavar="PLACE")
    for word in effort:
        parser.add_argument(f"--{word}", type=int, default=0, metavar="N")
    found = vars(parser.parse_args(words))
    numbers = {word: found[word] for word in effort}
    return ReferenceTask(script, tuple(found["sets"]), numbers, tuple(found["only"]))
