"""Rules in machine code and in Python: which are compiled, the same actions, CPU seconds.

python benchmarks/compiled_rules.py PROBLEM [FILE.run...] [--instances N]

Without recordings the problem's seeds are measured, on N instances of its design set (all).
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import problems
from engine.domain.values import Failure
from engine.evaluate.compiled.compile import compile_rule, warm_up
from engine.evaluate.gate.inspect import inspect
from engine.store.reader import Reader
from engine.store.transfer import import_run


def read(files: Sequence[Path], name: str) -> Iterator[str]:
    """The texts of recorded runs of a problem under its default options."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "runs.db"
        for file in files:
            run = import_run(db, file)
            with Reader(db) as reader:
                ref = reader.run(run).spec.problem
                if (ref.name, ref.options) == (name, ()):
                    yield from (one.program.code for one in reader.candidates(run))


def timed(step: Callable[[], Any]) -> tuple[Any, float]:
    """What a step returns, and its CPU seconds."""
    started = time.process_time()
    return step(), time.process_time() - started


def measure(problem: Any, code: str, instances: Sequence[Any]) -> tuple[str, list[float]]:
    """`equal`, or what became of a rule; CPU seconds of Python, compiling, the compiled walk."""
    inspection = inspect(code, problem.contract)
    if isinstance(inspection, Failure):
        return f"refused: {inspection.message[:60]}", []
    kernel = problem.kernel()
    try:
        function, compiling = timed(lambda: compile_rule(code, problem.contract, kernel))
    except Exception as error:  # numba has many ways to say no
        return f"Python: {str(error).splitlines()[0][:60]}", []
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    plain = namespace[problem.contract.function]
    reads = inspection.reads
    expected, python = timed(lambda: [problem.rollout(plain, one, reads) for one in instances])
    try:
        found, quick = timed(lambda: [kernel.walk(function, one, reads) for one in instances])
    except Exception as error:
        return f"Python, on an instance: {type(error).__name__}", []
    return ("equal" if found == expected else "DIFFERENT"), [python, compiling, quick]


def main() -> None:
    """Print a line for each outcome, and medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--instances", type=int, default=None)
    given = parser.parse_args()
    problem: Any = problems.load(given.problem)
    instances = problem.load(problem.design)[: given.instances]
    codes = read(given.files, given.problem) if given.files else (r.code for r in problem.seeds())
    _, warming = timed(lambda: warm_up(problem))
    results = [measure(problem, code, instances) for code in dict.fromkeys(codes)]
    for outcome, count in Counter(outcome for outcome, _ in results).most_common():
        print(f"{count:5}  {outcome}")
    seconds = [
        median(column) for column in zip(*filter(None, (s for _, s in results)), strict=True)
    ]
    if seconds:
        print("CPU s, medians: Python {:.3f}, compiling {:.3f}, compiled {:.3f}".format(*seconds))
    print(f"to warm up once: {warming:.2f} s")


if __name__ == "__main__":
    main()
