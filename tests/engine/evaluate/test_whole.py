"""Programs that return whole solutions: checked, scored and asked again by trusted code."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain.values import Evaluation
from engine.evaluate.pool import Evaluator, Limits
from problems import ProblemRef
from problems.errors import BadModule
from tests.conftest import ROOT
from tests.problems.test_whole import COST, write

HEAD = "def solve(durations, weights, dues):\n"

FAILURES = {
    "no order": ("    return [0] * 30\n", "invalid action", "not an order of the jobs 0 to 29"),
    "no list": ("    return None\n", "invalid action", "the answer is None, not a list"),
    "no int": ("    return [0.5]\n", "invalid action", "item 0 of the answer is of type float"),
    "too large": ("    return [1 << 40]\n", "invalid action", "a number beyond 2147483647"),
    "too long": ("    return range(1 << 19)\n", "invalid action", "the answer has 524288 numbers"),
    "an error": ("    return dues[30]\n", "smoke", "IndexError"),
    "an order of its own": (
        "    import numpy as np\n"
        "    seed = None\n"
        "    return np.random.default_rng(seed).permutation(len(dues)).tolist()\n",
        "nondeterministic",
        "asked again in another process",
    ),
}


async def evaluate(folder: Path, *codes: str, seconds: float = 60) -> list[Evaluation]:
    """Programs on the design set of a problem."""
    async with Evaluator.start(ProblemRef(str(folder)), Limits(seconds), 1) as evaluator:
        return [await evaluator.evaluate(code, "design") for code in codes]


async def test_a_solution_costs_what_the_problem_says_and_another_is_a_failure() -> None:
    codes = [HEAD + body for body, _, _ in FAILURES.values()]
    good = HEAD + "    return sorted(range(len(dues)), key=lambda job: dues[job])\n"
    solved, *failed = await evaluate(ROOT / "tui/template/whole", good, *codes)
    assert solved.failure is None
    assert solved.cost == sum(cost or 0.0 for cost in solved.costs) / 32 == 3404.78125
    for evaluation, (_, kind, words) in zip(failed, FAILURES.values(), strict=True):
        assert evaluation.failure is not None
        assert evaluation.failure.kind == kind, evaluation.failure
        assert words in evaluation.failure.message


async def test_a_program_compiles_arrays_that_numpy_leaves_unset() -> None:
    code = (
        "import numpy as np\nfrom numba import njit\n\n\n@njit\ndef order(n):\n"
        "    jobs = np.empty(n, np.int64)\n    jobs[:] = np.arange(n)\n    return jobs\n\n\n"
        f"{HEAD}    return order(len(dues)).tolist()\n"
    )
    (solved,) = await evaluate(ROOT / "tui/template/whole", code)
    assert solved.failure is None, solved.failure


async def test_an_evaluate_that_fails_is_the_fault_of_the_problem(tmp_path: Path) -> None:
    change = f"        1 / (instance.name != 'design/7')\n{COST}"
    folder = write(tmp_path / "jobs", COST, change)
    with pytest.raises(BadModule, match=r"jobs/problem\.py:\d+: ZeroDivisionError.*design/7"):
        await evaluate(folder, f"{HEAD}    return range(len(dues))\n")


ENDLESS = "        while instance.name == 'design/7': pass\n"
ARGUMENTS = "        return instance.durations, instance.weights, instance.dues"


@pytest.mark.parametrize("where", [COST, ARGUMENTS], ids=["evaluate", "arguments"])
async def test_a_call_of_the_problem_that_does_not_end_is_stopped(
    where: str, tmp_path: Path
) -> None:
    folder = write(tmp_path / "jobs", where, ENDLESS + where)
    told = r"jobs/problem\.py:\d+: stopped, it took too long in \w+\(\) \(instance design/7\)"
    with pytest.raises(BadModule, match=told):
        await evaluate(folder, f"{HEAD}    return range(len(dues))\n", seconds=3)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("1 / (instance.name != 'design/7')", r"ZeroDivisionError.*arguments\(\).*design/7"),
        ("if instance.name == 'design/7': return (1,)", r"returned 1 values, and .*design/7"),
    ],
)
async def test_arguments_that_are_wrong_are_the_fault_of_the_problem(
    change: str, told: str, tmp_path: Path
) -> None:
    folder = write(tmp_path / "jobs", ARGUMENTS, f"        {change}\n{ARGUMENTS}")
    with pytest.raises(BadModule, match=told):
        await evaluate(folder, f"{HEAD}    return range(len(dues))\n")


async def test_a_problem_that_stumbles_over_its_own_seed_fails_and_over_others_goes_on(
    tmp_path: Path,
) -> None:
    """What a writer's program answers is that program's doing; a seed is part of the problem."""
    encode = "\n\n    def encode(self, answer):\n        return [int(one) for one in answer]"
    folder = write(tmp_path / "jobs", COST, COST + encode)
    odd = f"{HEAD}    return ['first']\n"
    (found,) = await evaluate(folder, odd)
    assert found.failure is not None
    assert "problem.py" in found.failure.message and "in encode()" in found.failure.message
    text = (folder / "problem.py").read_text("utf-8")
    other = tmp_path / "others"
    folder.rename(other)
    seed = "    return sorted(range(len(dues)), key=lambda job: dues[job])"
    assert seed in text
    (other / "problem.py").write_text(text.replace(seed, "    return ['first']"), "utf-8")
    with pytest.raises(BadModule, match=r"in encode\(\).*for seed program earliest-due"):
        await evaluate(other, odd)
