"""What the scripts have in common that compute references: their arguments, and what is kept."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, TypeVar

from problems.sets.records import fingerprint
from problems.sets.references import References, read, write

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from problems.sets.records import Record

One = TypeVar("One")


@dataclass(frozen=True, slots=True)
class Task:
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


def parse_task(script: str, words: Sequence[str], *effort: str) -> Task:
    """What is asked of a script by its arguments: sets, and options of whole numbers."""
    parser = ArgumentParser(f"python -m {script}")
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--only", nargs="*", default=[], metavar="PLACE")
    for word in effort:
        parser.add_argument(f"--{word}", type=int, default=0, metavar="N")
    found = vars(parser.parse_args(words))
    numbers = {word: found[word] for word in effort}
    return Task(script, tuple(found["sets"]), numbers, tuple(found["only"]))
