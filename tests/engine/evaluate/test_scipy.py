"""SciPy in programs that return solutions, where a problem allows it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.domain.values import Failure
from engine.evaluate.gate.inspect import inspect
from engine.evaluate.pool import Evaluator, Limits
from problems import ProblemRef
from problems.base import Contract
from problems.evaluator import EvaluatorProblem

HEAD = "def solve(seed):\n    "
CHANCE = "makes the answer depend on chance"
BODIES = {
    "from scipy.optimize import minimize\n": ("return minimize(abs, [1.0]).x", ""),
    "import scipy\n": ("return scipy.optimize.linprog([1.0]).fun", ""),
    "import scipy.optimize as so\n": ("return so.OptimizeResult().message", ""),
    "from scipy import spatial\n": ("return spatial.ConvexHull([[0, 0]]).vertices", ""),
    "from scipy.spatial import KDTree as T\n": ("return T([[0, 0]]).query([1, 1])", ""),
    "from scipy.optimize import dual_annealing as f\n": ("return f(abs, [(0, 1)], rng=7).x", ""),
    "from scipy.optimize import dual_annealing as g\n": ("return g(abs, [(0, 1)]).x", CHANCE),
    "from scipy.optimize import dual_annealing\n": (
        "return dual_annealing(abs, [(0, 1)], seed=None).x",
        CHANCE,
    ),
    "from scipy import io\n": ("return io.loadmat('a')", "not available to programs"),
    "import scipy.io\n": ("return scipy.io.loadmat('a')", "`scipy.io` may not be imported, only"),
    "from scipy.optimize import show_options\n": ("return show_options()", "not available"),
}
"""Imports, what is done with them, and why they are refused."""

PROBLEM = """
from types import SimpleNamespace

from preceptor import EvaluatorProblem, Rule

CODE = "def solve(seed): return [min([0.0], key=lambda x: x)]"


def build():
    evaluator = SimpleNamespace(evaluate=lambda solution: sum((x - 2) ** 2 for x in solution))
    return EvaluatorProblem("own", evaluator, "Find 2.", (Rule("a", "0.", code=CODE),), scipy=True)
"""
PROGRAM = """
import numpy as np
from scipy.optimize import linear_sum_assignment, linprog, minimize
from scipy.spatial import ConvexHull


def solve(seed):
    found = minimize(
        lambda x: (x[0] - 3.0) ** 2,
        [0.0],
        method="SLSQP",
        constraints=[{"type": "ineq", "fun": lambda x: 2.0 - x[0]}],
    )
    lowest = linprog([1.0, 1.0], A_ub=[[-1.0, 0.0], [0.0, -1.0]], b_ub=[-2.0, -2.0]).x
    rows, columns = linear_sum_assignment(np.array([[2.0, 3.0], [3.0, 2.0]]))
    hull = ConvexHull(np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]]))
    return [round(found.x[0], 5), *lowest, 2.0 * len(rows) - 2.0, hull.volume]
"""


def contract(scipy: bool) -> Contract:
    """That of an evaluator's problem."""
    return EvaluatorProblem("own", SimpleNamespace(), "Find 2.", (), scipy=scipy).contract


@pytest.mark.parametrize("imports", BODIES)
def test_what_a_program_may_import_of_scipy(imports: str) -> None:
    body, reason = BODIES[imports]
    found = inspect(f"{imports}{HEAD}{body}\n", contract(scipy=True))
    assert isinstance(found, Failure) == bool(reason), found
    if isinstance(found, Failure):
        assert reason in found.message
    assert isinstance(inspect(f"{imports}{HEAD}{body}\n", contract(scipy=False)), Failure)


def test_a_contract_tells_of_scipy_where_it_may_be_imported() -> None:
    assert "may import scipy" in contract(scipy=True).text()
    assert "scipy" not in contract(scipy=False).text()


async def test_programs_solve_with_scipy_in_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "problem.py").write_text(PROBLEM)
    async with Evaluator.start(ProblemRef(str(tmp_path)), Limits(20), 1) as evaluator:
        found = await evaluator.evaluate(PROGRAM, "design")
    assert found.failure is None, found.failure
    assert found.cost == pytest.approx(0.0, abs=1e-8)
