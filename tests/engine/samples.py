"""Sample values for tests of the store: awkward numbers, nested all the way down."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from engine.domain.specs.settings import Caps, RunSpec
from engine.domain.tuning import Effect, Trial, TrialBatch, TunedConstant, Tuning
from engine.domain.values import (
    ActionRow,
    Advice,
    Brief,
    Candidate,
    Case,
    ChoiceProfile,
    Diagnostics,
    Evaluation,
    Facts,
    Failure,
    FieldProfile,
    Message,
    Program,
    RealFigures,
    Recipe,
    Reply,
    Request,
    Scene,
    Span,
    Usage,
)
from problems import ProblemRef

THIRD = 0.1 + 0.2  # 0.30000000000000004

SPEC = RunSpec(ProblemRef("toy", (("size", "3"),)), seed=7, caps=Caps(calls=30, usd=THIRD))
CASE = Case(3, 17, 1 / 3, 4, 2, 9, 1e-17, (("work", THIRD), ("queue", 2.0)), (("work", -1.5),))
TRIED = replace(CASE, costs=(THIRD, -1 / 3), later=True)
DIAGNOSTICS = Diagnostics(
    THIRD,
    0.25,
    1 / 7,
    None,
    2 / 3,
    512,
    3,
    1,
    (CASE, TRIED),
    advice=Advice(20, 3, 1, -THIRD, 1 / 7),
    real=RealFigures(2 / 3, THIRD, 1 / 7, None, 1 / 3),
)
ROWS = (ActionRow(2, (THIRD, 2.0)), ActionRow(9, (-1.5, 1e-17)))
SCENE = Scene(3, 17, 1 / 3, 4, 2, "work", ("work", "queue"), ROWS)
PROFILE = ChoiceProfile(48.5, 49, (FieldProfile("work", (Span(0, THIRD, 1 / 7, 0.5), None)),))
FACTS = Facts(PROFILE, (SCENE, SCENE))
EVALUATION = Evaluation(THIRD, (1 / 3, None, 1e300), ((0, 2, 1), (), (5,)), None, 0.125)
TIMEOUT = Evaluation(None, (None,), (), Failure("timeout", "60 s are over", 3, True), 60.0)
INVALID = Evaluation(None, (None,), (), Failure("invalid action", "7 at step 2"), 0.5)
CANDIDATE = Candidate(
    id="1.0",
    program=Program("Shortest first.", "def score(feature, state):\n    return -1\n", "abc"),
    operator="s",
    generation=1,
    slot=0,
    parents=("0.1", "0.0"),
    cost=EVALUATION.cost,
    costs=EVALUATION.costs,
    diagnostics=DIAGNOSTICS,
    behaviour="f00",
    failure=Failure("duplicate", "acts like 0.1"),
    cpu=EVALUATION.cpu,
    decisions=4,
    tuning=Tuning(
        "0.1",
        (TunedConstant("W['näh']", -THIRD, -1 / 3, Effect(0.667, -1e-17, 0.0)),),
        40,
        640,
        1850.4,
        1844.2,
        -THIRD,
        1 / 7,
    ),
    facts=FACTS,
)
BATCH = TrialBatch("tune", 1, 0, 0, ("def score(feature, state):\n    return 2\n",), (4, 0), 3.0)
TRIALS = (Trial((1 / 3, None), "timeout", THIRD),)
BRIEF = Brief("Weigh the queue less late in the schedule.", "s")
REQUEST = Request(
    "program",
    "s",
    (Message("system", "You write programs."), Message("user", "a \u201cline\u201d\n\x00")),
    (Recipe(1, 0, "s", (CANDIDATE,), BRIEF, 2**63),),
    (CANDIDATE,),
    5,
)
REPLY = Reply("{idea} code", "stop", "model-1", Usage(100, 20, THIRD), '{"id": "x"}')


def in_child(work: Callable[[], object]) -> int:
    """Do `work` in a forked process; returns its number at once."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return pid


def ended_well(pid: int) -> bool:
    """Wait for a child; whether it came to its end without an error."""
    return os.waitpid(pid, 0)[1] == 0
