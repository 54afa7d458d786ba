"""The contract suite over one problem of the user's own, in a process that can be stopped.

    examine(ref, limits) -> python -m problems.examine -> one line of JSON a check

What the user wrote may loop, eat memory or end its process: the process has a limit on time and
memory for every check, and whatever happens is reported with the line at which it happened.
"""

from __future__ import annotations

import json
import os
import queue
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from problems import ProblemRef, is_path, is_shipped, load
from problems.base import as_problem, count_decisions, rollout
from problems.conformance import CHECKS, NEEDED, identify_sets
from problems.errors import BadModule, PreceptorError
from problems.own_code import WAITING, Overlong, blame, blame_overlong, describe, limited, show
from problems.promises import Watched, compile_program, expect, watch

SECONDS = 30.0
"""CPU seconds that a check may use, unless a run gives its programs another limit."""

MEMORY = 2048
"""MiB of memory that the checks may use, beside what Python needs."""

LOADING = "the_problem_can_be_loaded"
"""What is done before the first check."""

ELSEWHERE = "sets_are_the_same_in_every_process"
"""What is done after the last check: programs are judged in other processes than this one."""

SETS = "sets"
"""What a process is asked that tells its instances, and checks nothing."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of the suite; `broken` says what is wrong and where, "" for nothing."""

    name: str
    broken: str = ""


@dataclass(frozen=True, slots=True)
class TimedRollout:
    """One instance solved by a seed: its decisions, 0 for a whole solution, and the seconds."""

    seed: str
    instance: str
    decisions: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found out about a problem; no `rollout` where a seed cannot solve an instance."""

    checks: tuple[CheckResult, ...]
    rollout: TimedRollout | None = None

    @property
    def broken(self) -> tuple[str, ...]:
        """What is wrong, each once: one mistake may break several checks."""
        return tuple(dict.fromkeys(check.broken for check in self.checks if check.broken))


def examine(
    ref: ProblemRef,
    seconds: float = SECONDS,
    needed: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Examination:
    """Run the suite over a problem, only what every run needs if so wished.

    Each check may use so many CPU seconds; `tell` receives the name of each as it begins.
    There are no checks of a problem whose options do not exist: loading it here says why.
    """
    process = _open_process(ref, seconds, "needed" if needed else "all")
    assert process.stdout is not None
    with process:
        try:
            return _gather(process.stdout, (WAITING + 1) * seconds, tell, seconds)
        finally:
            process.kill()


def _open_process(
    ref: ProblemRef, seconds: float, which: str, hashing: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """A process of this module at work on a problem; `hashing` is added to its environment."""
    return subprocess.Popen(
        [
            sys.executable,
            "-P",
            "-m",
            f"{__package__}.examine",
            ref.name,
            json.dumps(ref.options),
            str(seconds),
            which,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        | dict(hashing or {}),
    )


def refuse_broken(ref: ProblemRef, seconds: float) -> None:
    """Raise BadModule for a problem of the user's own that no run could work on."""
    if is_shipped(ref.name):
        return
    found = examine(ref, seconds, needed=True)
    if found.broken:
        word = show(Path(ref.name)) if is_path(ref.name) else ref.name
        more = f" ({len(found.broken) - 1} more)" if len(found.broken) > 1 else ""
        hint = f"{more}; see all with: preceptor check {word}" if more else ""
        raise BadModule(f"{found.broken[0]}{hint}")


def _gather(
    lines: IO[str], patience: float, tell: Callable[[str], None], seconds: float
) -> Examination:
    """What the process says, until it ends or says nothing for longer than a check may take."""
    heard: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(lines, heard), daemon=True).start()
    checks: list[CheckResult] = []
    running = LOADING
    while True:
        try:
            line = heard.get(timeout=patience)
        except queue.Empty:
            told = f"{running} could not be stopped after {seconds:g} CPU seconds"
            return Examination((*checks, CheckResult(running, told)))
        match json.loads(line or "null"):
            case {"begins": str(running)}:
                tell(running)
            case {"check": str(name), "broken": str(broken)}:
                checks.append(CheckResult(name, broken))
            case {"rollout": [seed, instance, decisions, taken]}:
                return Examination(tuple(checks), TimedRollout(seed, instance, decisions, taken))
            case {"ends": _}:
                return Examination(tuple(checks))
            case _:
                told = f"the process that checks the problem ended during {running}"
                return Examination((*checks, CheckResult(running, told)))


def _listen(lines: IO[str], heard: queue.SimpleQueue[str]) -> None:
    """Hand every line on, and an empty one at the end."""
    with suppress(ValueError):  # closed meanwhile
        for line in lines:
            heard.put(line)
    heard.put("")


@dataclass(frozen=True, slots=True)
class Examiner:
    """The suite at work in its own process."""

    say: Callable[[Mapping[str, Any]], None]
    seconds: float
    results: list[CheckResult] = field(default_factory=list)

    def run(self, ref: ProblemRef, needed: bool) -> None:
        """Load the problem and run the checks; the first that is stopped is the last."""
        self.say({"begins": LOADING})
        found: list[Watched] = []
        stopped = self._attempt(LOADING, lambda: found.append(watch(load(ref))))
        for check in CHECKS:
            if stopped or not found or (needed and check.__name__ not in NEEDED):
                continue
            self.say({"begins": check.__name__})
            stopped = self._attempt(check.__name__, lambda: check(found[0]), found[0])  # noqa: B023
        if found and not stopped and not needed:
            self.say({"begins": ELSEWHERE})
            self._attempt(ELSEWHERE, lambda: self._compare_sets(ref, found[0]), found[0])
        if found and not any(result.broken for result in self.results):
            self.say({"rollout": _time_rollout(found[0])})
        self.say({"ends": True})

    def _attempt(self, name: str, act: Callable[[], object], problem: Any = None) -> bool:
        """Do something within the limit, say what came of it; returns whether it was stopped."""
        broken = ""
        overlong = False
        try:
            with limited(self.seconds):
                act()
        except BadModule as error:
            broken = str(error)
        except PreceptorError as error:
            if name == LOADING:  # an option that does not exist: whoever loads it hears this
                return True
            broken = blame(error) or describe(error)
        except Overlong as error:
            overlong = True
            broken = self._explain_stop(error, problem, name)
        except AssertionError as error:
            broken = str(error) or blame(error) or name
        except BaseException as error:
            broken = blame(error) or describe(error)
        if name != LOADING or broken:
            self.results.append(CheckResult(name, broken))
            self.say({"check": name, "broken": broken})
        return overlong

    def _compare_sets(self, ref: ProblemRef, problem: Watched) -> None:
        """Raise Broken where a process that hashes text otherwise loads other instances."""
        here = identify_sets(problem)
        there = _ask_for_sets(ref, self.seconds)
        expect(
            "broken" not in there,
            problem,
            "load",
            f"() failed in a second process: {there.get('broken')}",
        )
        for name, found in here.items():
            told = (
                f"({name!r}) returned other instances in a second process: draw them from "
                "random.Random(NUMBER) with a fixed number, neither without one nor from hash() "
                "of a text, nor in the order of a set"
            )
            expect(there.get(name) == found, problem, "load", told)

    def _explain_stop(self, error: Overlong, problem: Any, name: str) -> str:
        """Where the time went, and how far a walk has come."""
        told = blame_overlong(error, self.seconds, name)
        steps = 0 if problem is None else problem.asked["step"]
        return f"{told}, after {steps} calls of step(): does a walk end?" if steps else told


def _ask_for_sets(ref: ProblemRef, seconds: float) -> Mapping[str, str]:
    """The identity of every set as a process finds it that hashes text otherwise than this one.

    What went wrong there stands under "broken".
    """
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    process = _open_process(ref, seconds, SETS, {"PYTHONHASHSEED": other})
    with process:
        try:
            out, _ = process.communicate()
        finally:
            process.kill()
    found: dict[str, str] = json.loads(out or '{"broken": "it ended without an answer"}')
    return found


def _tell_sets(ref: ProblemRef, seconds: float) -> Mapping[str, str]:
    """What `_ask_for_sets` is answered."""
    try:
        with limited(seconds):
            return identify_sets(load(ref))
    except BaseException as error:
        return {"broken": blame(error) or describe(error)}


def _time_rollout(problem: Watched) -> list[object]:
    seed = problem.seeds()[0]
    instance = problem.load(problem.design)[0]
    solved = rollout(as_problem(problem.own), compile_program(problem, seed), instance)
    decisions = count_decisions(problem.contract, [solved.actions])
    return [seed.name, instance.name, decisions, solved.seconds]


def _limit_memory() -> None:
    """No more than `MEMORY` beside what is mapped now; macOS refuses to limit it."""
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + (MEMORY << 20)
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def main(name: str, options: str, seconds: str, which: str) -> None:
    """Examine one problem; what its code prints goes nowhere, our lines to stdout."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)

        def say(line: Mapping[str, Any]) -> None:
            out.write(json.dumps(line) + "\n")
            out.flush()

        _limit_memory()
        ref = ProblemRef(name, tuple((key, value) for key, value in json.loads(options)))
        if which == SETS:
            say(_tell_sets(ref, float(seconds)))
        else:
            Examiner(say, float(seconds)).run(ref, which == "needed")


if __name__ == "__main__":
    main(*sys.argv[1:])
