"""A problem out of `evaluator.py`: a program returns what its `evaluate` takes.

Say in TASK what has to be found, and in RESULT what a solution looks like: a language
model is told this and the seed program, `seed.py`, and nothing else.
"""

from __future__ import annotations

from pathlib import Path

from preceptor import EvaluatorProblem, Rule

from . import evaluator

TASK = (evaluator.__doc__ or evaluator.evaluate.__doc__ or "Find a good solution.").strip()
RESULT = "a solution, as `evaluate` of the evaluator takes it"
METRIC = ""  # the key of a dict that is optimised: "cost", "combined_score" or "score" if empty
MAXIMIZE = None  # True, False, or None: only a number of the key "cost", or of none, is minimised
SCIPY = False  # whether programs may import SciPy's optimize, spatial, sparse and special
SEEDS = sorted(Path(__file__).parent.glob("seed*.py"))


def build() -> EvaluatorProblem:
    """The problem."""
    return EvaluatorProblem(
        name=Path(__file__).parent.name,
        evaluator=evaluator,
        task=TASK,
        programs=tuple(
            Rule(one.stem, "A program that the search begins with.", code=one.read_text("utf-8"))
            for one in SEEDS
        ),
        metric=METRIC,
        maximize=MAXIMIZE,
        result=RESULT,
        scipy=SCIPY,
    )
