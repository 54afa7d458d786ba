"""A problem out of `evaluator.py`: a program returns what its `evaluate` takes.

Say in TASK what has to be found, and in RESULT what a solution looks like: this and the seed
program, `seed.py`, is all that a language model is told.
"""

from __future__ import annotations

from pathlib import Path

from preceptor import EvaluatorProblem, Rule

from . import evaluator

TASK = (evaluator.__doc__ or evaluator.evaluate.__doc__ or "Find a good solution.").strip()
RESULT = "a list of 26 tuples (x, y, radius), floats, in the unit square"
METRIC = "score"
MAXIMIZE = True
SCIPY = True
SEED = Path(__file__).with_name("seed.py").read_text(encoding="utf-8")


def build() -> EvaluatorProblem:
    """The problem."""
    return EvaluatorProblem(
        name=Path(__file__).parent.name,
        evaluator=evaluator,
        task=TASK,
        programs=(Rule("seed", "The program that the search begins with.", code=SEED),),
        metric=METRIC,
        maximize=MAXIMIZE,
        result=RESULT,
        scipy=SCIPY,
    )
