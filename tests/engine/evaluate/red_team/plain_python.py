"""What exported files reach in an ordinary Python, without sandbox, gate and proof.

    python -m tests.engine.evaluate.red_team.plain_python CONTRACT INSTANCES FILE ...

answers, one line a file, with the status of its check of itself and its costs in a plain walk.
"""

from __future__ import annotations

import io
import json
import runpy
import sys
import warnings
from contextlib import redirect_stdout
from typing import Any

from problems import ProblemRef, load
from problems.base import rollout
from tests.engine.evaluate.red_team.asking import SMALL


def check_itself(file: str) -> int | str:
    """The exit status of the file as a script; 0 for one without an end of its own."""
    try:
        with redirect_stdout(io.StringIO()):
            runpy.run_path(file, run_name="__main__")
    except SystemExit as end:
        return end.code or 0
    return 0


def walk(contract: str, file: str, count: int) -> list[float]:
    """The costs of the file's function on the first instances of a small set."""
    name, small = SMALL[contract]
    problem: Any = load(ProblemRef(name))
    costs = []
    for instance in problem.load(small)[:count]:
        function = runpy.run_path(file, run_name="exported")[problem.contract.function]
        with redirect_stdout(io.StringIO()):
            costs.append(rollout(problem, function, instance).cost)
    return costs


def main() -> None:
    """Answer for every file."""
    contract, count, *files = sys.argv[1:]
    warnings.simplefilter("ignore")
    for file in files:
        print(json.dumps([check_itself(file), walk(contract, file, int(count))]), flush=True)


if __name__ == "__main__":
    main()
