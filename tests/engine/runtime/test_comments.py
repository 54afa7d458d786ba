"""What a problem says of a solution reaches the prompts of whoever goes on from it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.domain.specs.settings import RunSpec, Settings
from engine.runtime.run import run_booked
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef

TOLD = {"score": 0.5, "width": 3, "feedback": "the left\n half is empty"}
EVALUATOR = """
def evaluate(solution, instance):
    if solution != [0.0]:
        raise ValueError("only zero will do")
    return dict(TOLD, score=instance)

INSTANCES = (0.75, 0.5, 0.625)
"""
PROBLEM = """
from preceptor import EvaluatorProblem, Rule

from . import evaluator

CODE = '''def solve(instance, seed):
    return [min((1.0, 0.0), key=lambda one: 2.0 * one)]
'''


def build():
    seeds = (Rule("seed", "Zero.", code=CODE),)
    return EvaluatorProblem("own", evaluator, "Find zero.", seeds, metric="score")
"""


def search(folder: Path, said: object) -> list[str]:
    """The prompts of a generation where the evaluator says so of every solution."""
    (folder / "problem.py").write_text(PROBLEM)
    (folder / "evaluator.py").write_text(f"TOLD = {said!r}\n{EVALUATOR}")
    settings = Settings(generations=1, children=2, eval_seconds=10)
    spec = RunSpec(ProblemRef(str(folder)), "performance-only", settings=settings)
    with Store(folder / "runs.db") as store:
        run = store.jobs.create_run(spec)
        assert asyncio.run(run_booked(store, run, {})) == "done"
    with Reader(folder / "runs.db") as reader:
        sent = [one for one in reader.exchanges(run) if one.call.key.generation]
    return ["\n".join(message.content for message in one.request.messages) for one in sent]


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (TOLD, "Said of the solution of p0000: 1: width 3; the left half is empty"),
        ({"score": 1}, ""),
    ],
)
def test_prompts_tell_what_an_evaluator_says_of_the_costliest_instance(
    tmp_path: Path, said: object, shown: str
) -> None:
    prompts = search(tmp_path, said)
    assert len(prompts) == 3  # the analyzer's and two children's
    for prompt in prompts:
        assert (shown or "Said of") in prompt if shown else "Said of" not in prompt
