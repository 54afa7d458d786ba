"""Which recorded programs are compiled, why the others are not, and whether actions stay the same.

    python benchmarks/compiled_programs.py RECORDING.run... [--measure N]

`--measure N` compiles up to N programs of a recording, each in a process of its own, and solves
the design set that it was recorded on: the actions have to be those that Python took then.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import problems
from engine.evaluate.compiled.compile import Helpers, try_faster, warm_up
from engine.evaluate.constants import plain_caches
from engine.evaluate.gate.inspect import Inspection, inspect
from engine.evaluate.speed import choose_pilots
from engine.store.reader import Reader
from engine.store.transfer import import_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

    from problems import ProblemRef

DESIGNS = ("design", "design-64", "design-16")
"""Design sets of today and of the time of the recordings."""

LIMIT = 240.0
"""CPU seconds that a program may use, as runs have it by default."""


@dataclass(frozen=True)
class Recorded:
    """A program of a run, and what Python made of it then."""

    ref: ProblemRef
    id: str
    code: str
    actions: tuple[tuple[int, ...], ...]
    cpu: float

    @property
    def problem(self) -> Any:
        """Its problem."""
        return problems.load(self.ref)

    def instances(self) -> tuple[Any, ...]:
        """The design set that it was evaluated on."""
        sets = (self.problem.load(one.name) for one in self.problem.sets() if one.name in DESIGNS)
        return next(found for found in sets if len(found) == len(self.actions))


def read(files: Iterable[Path]) -> Iterator[Recorded]:
    """The distinct children of recorded runs that were evaluated without a failure."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "runs.db"
        for file in files:
            run = import_run(db, file)
            with Reader(db) as reader:
                yield from _read(reader, run)


def _read(reader: Reader, run: int) -> Iterator[Recorded]:
    ref = reader.run(run).spec.problem
    seen = set()
    for candidate in reader.candidates(run):
        evaluation = reader.evaluation_of(run, candidate.id)
        code = candidate.program.code
        if candidate.generation and evaluation and evaluation.failure is None and code not in seen:
            seen.add(code)
            yield Recorded(ref, candidate.id, code, evaluation.actions, evaluation.cpu)


def reason(program: Recorded) -> str:
    """Why the text of a program is not compiled; nothing where it is."""
    inspection = inspect(program.code, program.problem.contract)
    if not isinstance(inspection, Inspection):
        return f"gate: {inspection.kind}"
    return inspection.obstacle.partition(" uses ")[2]


def pays(program: Recorded) -> bool:
    """Whether compiling pays on the design set of today."""
    problem = program.problem
    inspection = inspect(program.code, problem.contract)
    assert isinstance(inspection, Inspection)
    design = problem.load(problem.design)
    return choose_pilots(problem, inspection, design, LIMIT) is not None


@dataclass(frozen=True)
class Measured:
    """What became of a compiled program; `seconds` of CPU, those of the compiler included."""

    outcome: str
    compiling: float = 0.0
    seconds: float = 0.0


def measure(program: Recorded) -> Measured:
    """Solve the recorded design set in a process of its own."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=_solve, args=(program, there), daemon=True
    )
    process.start()
    there.close()
    try:
        found: Measured = here.recv()
    except EOFError:
        found = Measured("died")
    process.join()
    return found


def _solve(program: Recorded, answer: Connection) -> None:
    problem = program.problem
    name = problem.contract.function
    inspection = inspect(program.code, problem.contract)
    reads = inspection.reads if isinstance(inspection, Inspection) else None
    repeated = list[int]()

    def plain(instance: Any, forced: Sequence[int], helpers: Helpers | None = None) -> list[int]:
        namespace: dict[str, Any] = {}
        with plain_caches():
            exec(program.code, namespace)
        if helpers is None:
            repeated.append(1)
        else:
            helpers.install(namespace)
        actions: list[int] = problem.rollout(namespace[name], instance, reads, forced)
        return actions

    started = time.process_time()
    solve = try_faster(problem, program.code, name, plain, problem.load(problem.example), reads)
    compiling = time.process_time() - started
    if solve is plain:
        answer.send(Measured("left to Python", compiling))
        return
    repeated.clear()
    taken = [tuple(solve(instance, ())) for instance in program.instances()]
    outcome = "equal" if taken == [*map(tuple, program.actions)] else "DIFFERENT"
    if repeated:
        outcome += f", Python solved {len(repeated)} of {len(taken)}"
    answer.send(Measured(outcome, compiling, time.process_time() - started))


def main() -> None:
    """Print a count of programs and reasons for each recording, and what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="RECORDING.run")
    parser.add_argument("--measure", type=int, default=0, metavar="N")
    options = parser.parse_args()
    warm_up()
    for file in options.files:
        programs = [*read([file])]
        reasons = Counter(map(reason, programs))
        worth = [one for one in programs if not reason(one) and pays(one)]
        print(f"{file.name}: {len(programs)} programs, {reasons.pop('', 0)} fit to be compiled,")
        print(f"  of them {len(worth)} where it pays on the design set")
        for words, count in reasons.most_common():
            print(f"  {count:4} not: {words}")
        _print_measured(worth[:: max(1, len(worth) // max(1, options.measure))][: options.measure])


def _print_measured(programs: Sequence[Recorded]) -> None:
    found = []
    for one in programs:
        measured = measure(one)
        found.append((one, measured))
        print(
            f"  {one.id}  Python {one.cpu:6.1f} s  compiled {measured.seconds:6.1f} s, of them "
            f"{measured.compiling:5.1f} s the compiler  {measured.outcome}",
            flush=True,
        )
    solved = [pair for pair in found if pair[1].seconds]
    if solved:
        before = median(one.cpu for one, _ in solved)
        after = median(measured.seconds for _, measured in solved)
        print(f"  median of {len(solved)}: Python {before:.1f} s, compiled {after:.1f} s")


if __name__ == "__main__":
    main()
