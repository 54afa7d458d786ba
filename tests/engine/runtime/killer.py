"""The engine, killed by itself at the n-th pass of a stage: `killer.py DB RUN [study] STAGE N`.

The stages are wrapped from outside, so that the product knows nothing of being killed. At the
stages of `CHILDREN` it is a child that is killed, and at the next pass the engine.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from engine.diagnosis.queries import Diagnose, TeacherQuery
from engine.diagnosis.teacher_process import TeacherProcess
from engine.evaluate.pool import Evaluator
from engine.runtime.launch import serve
from engine.runtime.run import run_booked
from engine.runtime.study import carry_out_study
from engine.search.methods import methods
from engine.store.jobs import Jobs
from engine.store.search_log import SearchLog
from engine.store.study_log import StudyLog

STAGES = ("start-up", "call", "answer", "evaluation", "teacher", "retention", "close", "closed")
CHILDREN = ("zygote", "teacher process")


def arm(stage: str, passes: int) -> None:
    """Make the engine of this process die at the given pass of a stage."""
    places: dict[str, tuple[Any, str]] = {
        "start-up": (Jobs, "claim"),
        "call": (SearchLog, "record_sent"),
        "answer": (SearchLog, "record_done"),
        "evaluation": (Evaluator, "evaluate"),
        "trial": (Evaluator, "try_out"),
        "trials": (SearchLog, "record_trials"),
        "teacher": (TeacherProcess, "ask"),
        "advice": (Evaluator, "continue_from"),
        "close": (SearchLog, "close_generation"),
        "closed": (SearchLog, "open_generation"),
        "selection": (SearchLog, "record_selection"),
        "measured": (StudyLog, "record_measurement"),
        "zygote": (Evaluator, "evaluate"),
        "teacher process": (TeacherProcess, "ask"),
    }
    if stage == "retention":
        retain = _deadly(methods.OURS.retain, passes)
        methods.METHODS["ours"] = replace(methods.OURS, retain=retain)
        return
    owner, name = places[stage]
    more = int(stage in CHILDREN)
    setattr(owner, name, _deadly(getattr(owner, name), passes + more, more))


def _deadly(function: Callable[..., Any], passes: int, more: int = 0) -> Callable[..., Any]:
    left = [passes]

    def call(*arguments: Any, **named: Any) -> Any:
        if isinstance(arguments[-1], TeacherQuery) and not isinstance(arguments[-1], Diagnose):
            return function(*arguments, **named)
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if more and left[0] == more:
            _kill_child_of(arguments[0])
        return function(*arguments, **named)

    return call


def _kill_child_of(owner: Evaluator | TeacherProcess) -> None:
    if isinstance(owner, Evaluator):
        os.kill(owner._zygote.process.pid, signal.SIGKILL)
        return
    for process in owner._process._processes or ():
        os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    _, db, number, *of_study, stage, passes = sys.argv
    arm(stage, int(passes))
    sys.argv = ["engine", db, number]
    sys.exit(serve(carry_out_study, "study") if of_study else serve(run_booked, "run"))
