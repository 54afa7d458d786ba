"""An evaluation says what the trusted simulator says, whatever happens to the processes."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.checkpoint import Checkpoint
from engine.domain.values import Failure, Prefix
from engine.evaluate.pool import Evaluator, Limits, replay_from
from engine.evaluate.sandbox import collect
from engine.evaluate.sandbox.zygote_client import environment
from problems import ProblemRef
from problems.base import Problem, rollout
from problems.errors import UnknownName, UserError, WorldError
from tests.engine.evaluate.processes import alive, session
from tests.toy.problem import Toy

TOY = ProblemRef(str(Path(__file__).parents[2] / "toy"))
LIMITS = Limits(cpu_seconds=1, memory_mb=96)
SHORTEST = "def score(item, state):\n    return -item.duration\n"
ENDLESS = "def score(item, state):\n    while True:\n        pass\n"
BEHIND = Failure("behind", "far behind")
STOPS = Checkpoint(16, lambda costs: BEHIND)

pytestmark = pytest.mark.asyncio(loop_scope="module")
linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are found through /proc")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def evaluator() -> AsyncIterator[Evaluator]:
    async with Evaluator.start(TOY, LIMITS, workers=2) as evaluator:
        yield evaluator


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that happens in another process."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


async def test_costs_are_those_of_the_plain_walk(evaluator: Evaluator) -> None:
    evaluation = await evaluator.evaluate(SHORTEST, "design")
    toy, costs = Toy(), []
    for instance, actions in zip(toy.load("design"), evaluation.actions, strict=True):
        walked = rollout(toy, lambda item, state: -item.duration, instance)
        assert actions == walked.actions
        costs.append(Problem.replay(toy, instance, actions))
    assert evaluation.costs == tuple(costs)
    assert evaluation.cost == sum(costs) / len(costs)
    assert evaluation.failure is None
    assert evaluation.cpu > 0


async def test_progress_is_told_instance_by_instance(evaluator: Evaluator) -> None:
    told: list[tuple[int, int]] = []
    await evaluator.evaluate(SHORTEST, "held-out", lambda *progress: told.append(progress))
    assert told == [(done, 8) for done in range(1, 9)]


async def test_an_evaluation_ends_at_a_checkpoint_that_finds_a_failure(
    evaluator: Evaluator,
) -> None:
    judged: list[list[float]] = []

    def judge(costs: Sequence[float]) -> Failure:
        judged.append([*costs])
        return BEHIND

    whole = await evaluator.evaluate(SHORTEST, "many")
    part = await evaluator.evaluate(SHORTEST, "many", None, Checkpoint(16, judge))
    assert judged == [[*whole.costs[:16]]]
    assert (part.failure, part.cost, part.behaviour) == (BEHIND, None, None)
    assert part.costs == (*whole.costs[:16], *(None,) * 48)
    assert part.actions == whole.actions[:16]


async def test_an_evaluation_that_passes_its_checkpoint_is_the_whole_one(
    evaluator: Evaluator,
) -> None:
    whole = await evaluator.evaluate(SHORTEST, "many")
    passed = await evaluator.evaluate(SHORTEST, "many", None, Checkpoint(16, lambda costs: None))
    assert (passed.costs, passed.actions, passed.failure) == (whole.costs, whole.actions, None)


async def test_an_evaluation_goes_on_where_a_part_of_it_ended(evaluator: Evaluator) -> None:
    whole = await evaluator.evaluate(SHORTEST, "many")
    part = await evaluator.evaluate(SHORTEST, "many", None, STOPS)
    told: list[int] = []
    rest = await evaluator.evaluate(
        SHORTEST, "many", lambda done, _: told.append(done), STOPS, part
    )
    assert told == [*range(17, 65)]
    assert (rest.cost, rest.costs, rest.actions) == (whole.cost, whole.costs, whole.actions)
    assert rest.cpu > part.cpu


async def test_a_failure_after_a_checkpoint_names_its_instance(evaluator: Evaluator) -> None:
    last = evaluator.problem.load("many")[40]
    here = f"item.duration == {last.durations[0]} and item.weight == {last.weights[0]}"
    code = f"def score(item, state):\n    if state.left == 10 and {here}:\n        1 / 0\n"
    code += "    return -item.duration\n"
    part = await evaluator.evaluate(code, "many", None, STOPS)
    assert part.failure == BEHIND
    rest = await evaluator.evaluate(code, "many", None, STOPS, part)
    assert rest.failure is not None
    assert rest.failure.kind == "exception"
    assert rest.failure.message.endswith("instance 40)")


async def test_the_limit_is_that_of_both_parts(evaluator: Evaluator) -> None:
    part = await evaluator.evaluate(SHORTEST, "many", None, STOPS)
    rest = await evaluator.evaluate(SHORTEST, "many", None, STOPS, replace(part, cpu=5.0))
    assert rest.failure is not None
    assert rest.failure.kind == "timeout"


async def test_a_program_the_gate_refuses_is_not_run(evaluator: Evaluator) -> None:
    evaluation = await evaluator.evaluate("import subprocess\n" + SHORTEST, "design")
    assert evaluation.failure is not None
    assert evaluation.failure.kind == "forbidden"
    assert (evaluation.cost, evaluation.costs, evaluation.cpu) == (None, (None,) * 8, 0.0)


async def test_costs_of_finished_instances_outlive_a_failure(evaluator: Evaluator) -> None:
    third = evaluator.problem.load("design")[2]
    here = f"state.left == 10 and item.duration == {third.durations[0]}"
    code = f"def score(item, state):\n    if {here} and item.weight == {third.weights[0]}:\n"
    raising = await evaluator.evaluate(f"{code}        1 / 0\n    return 1", "design")
    looping = await evaluator.evaluate(f"{code}        while True: pass\n    return 1", "design")
    for evaluation in (raising, looping):
        assert evaluation.cost is None
        assert [cost is None for cost in evaluation.costs] == [False] * 2 + [True] * 6
        assert len(evaluation.actions) == 2
    assert raising.failure is not None
    assert (raising.failure.kind, raising.failure.line) == ("exception", 3)
    assert raising.failure.message == "ZeroDivisionError: division by zero (step 0, instance 2)"
    assert not raising.failure.repairable
    assert looping.failure is not None
    assert looping.failure.kind == "timeout"
    assert "2 of 8 instances finished, about 3.2 times too slow" in looping.failure.message
    assert looping.failure.repairable


async def test_a_failure_on_the_first_instance_is_a_smoke_test_that_may_be_repaired(
    evaluator: Evaluator,
) -> None:
    evaluation = await evaluator.evaluate("def score(item, state):\n    return 1 / 0", "design")
    assert evaluation.failure is not None
    assert (evaluation.failure.kind, evaluation.failure.line) == ("smoke", 2)
    assert evaluation.failure.repairable


async def test_every_instance_meets_a_fresh_program(evaluator: Evaluator) -> None:
    code = "CALLS = []\ndef score(item, state):\n    CALLS.append(1)\n    return len(CALLS) % 7"
    evaluation = await evaluator._run(code, "design")
    assert len(set(evaluation.actions)) == 1


async def test_what_a_program_breaks_is_whole_for_the_next(evaluator: Evaluator) -> None:
    honest = await evaluator.evaluate(SHORTEST, "design")
    vandal = "import builtins, math\nbuiltins.max = min\nmath.isfinite = None\n" + SHORTEST
    broken = await evaluator._run(vandal, "design")
    again = await evaluator.evaluate(SHORTEST, "design")
    assert broken.failure is not None
    assert (again.cost, again.actions) == (honest.cost, honest.actions)


SLOW_TO_LOAD = """
import time

from tests.toy.problem import Toy


class Slow(Toy):
    def load(self, name):
        time.sleep(1.5)
        return super().load(name)


def build():
    return Slow()
"""


async def test_the_wall_clock_counts_from_the_fork_and_not_while_a_set_is_loaded(
    tmp_path: Path,
) -> None:
    (tmp_path / "problem.py").write_text(SLOW_TO_LOAD, encoding="utf-8")
    limits = Limits(cpu_seconds=0.25, memory_mb=96)
    async with Evaluator.start(ProblemRef(str(tmp_path)), limits, workers=1) as evaluator:
        evaluation = await evaluator.evaluate(SHORTEST, "design")
    assert evaluation.failure is None


async def test_a_program_that_waits_is_ended_by_the_wall_clock() -> None:
    async with Evaluator.start(TOY, Limits(cpu_seconds=0.25), workers=1) as evaluator:
        evaluation = await evaluator._run("import os\nos.read(3, 1)", "design")
    assert evaluation.failure is not None
    assert evaluation.failure.kind == "timeout"
    assert "wall-clock limit of 1 s" in evaluation.failure.message


async def test_a_busy_machine_ends_no_program_that_computes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(collect, "BACKSTOP", 0.04)
    slow = "def score(item, state):\n    return sum(range(150_000)) - item.weight"
    async with Evaluator.start(TOY, Limits(cpu_seconds=10), workers=1) as evaluator:
        evaluation = await evaluator._run(slow, "design")
    assert evaluation.failure is None
    assert evaluation.cpu > 0.4


async def test_what_the_gate_read_changes_no_result() -> None:
    async with Evaluator.start(ProblemRef("jssp"), Limits(), workers=2) as evaluator:
        code = (
            "def score(feature, state):\n"
            "    late = feature.earliest_finish - state.makespan\n"
            "    return feature.remaining_work - late * feature.job_progress"
        )
        quick = await evaluator.evaluate(code, "random-6x6")
        plain = await evaluator._run(code, "random-6x6")
    assert quick.failure is None
    assert (quick.cost, quick.actions) == (plain.cost, plain.actions)


async def test_evaluations_at_once_change_no_result(evaluator: Evaluator) -> None:
    codes = [f"def score(item, state):\n    return item.weight * {k}" for k in range(-3, 4)]
    together = await asyncio.gather(*(evaluator.evaluate(code, "design") for code in codes))
    alone = [await evaluator.evaluate(code, "design") for code in codes]
    assert [e.actions for e in together] == [e.actions for e in alone]


@linux
async def test_no_more_children_run_than_there_are_workers(evaluator: Evaluator) -> None:
    zygote = evaluator._zygote.process.pid
    tasks = [asyncio.create_task(evaluator.evaluate(ENDLESS, "design")) for _ in range(4)]
    await until(lambda: len(session(zygote)) == 2)
    await asyncio.wait(tasks, timeout=0.1)
    assert len(session(zygote)) == 2
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert session(zygote) == []


@linux
async def test_cancelling_an_evaluation_kills_its_child(evaluator: Evaluator) -> None:
    zygote = evaluator._zygote.process.pid
    task = asyncio.create_task(evaluator.evaluate(ENDLESS, "design"))
    await until(lambda: session(zygote))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert session(zygote) == []


async def test_an_evaluation_cancelled_while_its_child_begins_leaves_no_work_behind() -> None:
    class Beginning:
        stream = asyncio.StreamReader()

        async def ask_cpu(self) -> float:
            """Not yet."""
            await asyncio.Event().wait()
            return 0.0

    child = cast("Any", Beginning())
    task = asyncio.create_task(
        collect.collect_child(child, collect.ChildReport((1,)), LIMITS, None)
    )
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    del task
    gc.collect()  # a coroutine that was never awaited would warn here


@linux
async def test_when_the_zygote_dies_the_job_is_done_again_by_another(evaluator: Evaluator) -> None:
    zygote = evaluator._zygote.process.pid
    task = asyncio.create_task(evaluator.evaluate(ENDLESS, "design"))
    await until(lambda: session(zygote))
    [child] = session(zygote)
    os.kill(zygote, signal.SIGKILL)
    evaluation = await task
    assert evaluation.failure is not None
    assert evaluation.failure.kind == "timeout"
    assert evaluator._zygote.process.pid != zygote
    assert not alive(child)
    assert (await evaluator.evaluate(SHORTEST, "design")).failure is None


@linux
async def test_a_job_that_finds_its_zygote_closed_is_done_by_another(evaluator: Evaluator) -> None:
    """Another job may restart the zygote while this one opens its stream."""
    before = evaluator._zygote
    job = asyncio.create_task(evaluator.evaluate(SHORTEST, "design"))
    opened = asyncio.open_connection

    async def slow(**named: object) -> object:
        before.close()
        return await opened(**named)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "open_connection", slow)
        assert (await job).failure is None
    assert evaluator._zygote is not before


@linux
async def test_when_the_zygote_dies_twice_the_evaluation_gives_up(evaluator: Evaluator) -> None:
    task = asyncio.create_task(evaluator.evaluate(ENDLESS, "design"))
    first = evaluator._zygote.process.pid
    await until(lambda: session(first))
    os.kill(first, signal.SIGKILL)
    await until(lambda: evaluator._zygote.process.pid != first)
    second = evaluator._zygote.process.pid
    await until(lambda: session(second))
    os.kill(second, signal.SIGKILL)
    with pytest.raises(WorldError, match="died twice"):
        await task
    assert (await evaluator.evaluate(SHORTEST, "design")).failure is None


@linux
async def test_closing_even_twice_leaves_no_process() -> None:
    evaluator = Evaluator.start(TOY, LIMITS, workers=1)
    zygote = evaluator._zygote.process.pid
    await evaluator.evaluate(SHORTEST, "design")
    await evaluator.close()
    await evaluator.close()
    assert not alive(zygote)
    assert session(zygote) == []


ENGINE = f"""
import asyncio
import gc
from engine.evaluate.pool import Evaluator, Limits, replay_from
from problems import ProblemRef

async def main():
    evaluator = Evaluator.start(ProblemRef({TOY.name!r}), Limits(60), workers=1)
    print(evaluator._zygote.process.pid, flush=True)
    await evaluator.evaluate({ENDLESS!r}, "design")

asyncio.run(main())
"""


@linux
async def test_when_the_engine_is_killed_nothing_stays_behind() -> None:
    command = [sys.executable, "-c", ENGINE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as engine:
        assert engine.stdout is not None
        zygote = int(engine.stdout.readline())
        await until(lambda: session(zygote))
        [child] = session(zygote)
        engine.kill()
    await until(lambda: not alive(zygote) and not alive(child))


async def test_an_unknown_set_is_an_error_and_no_failure_of_the_program(
    evaluator: Evaluator,
) -> None:
    with pytest.raises(UnknownName):
        await evaluator.evaluate(SHORTEST, "desing")


async def test_a_problem_that_cannot_be_loaded_starts_no_process() -> None:
    with pytest.raises(UserError):
        Evaluator.start(ProblemRef("jsp"), LIMITS, workers=1)


async def test_the_zygote_sees_an_allow_list_of_our_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    seen = environment()
    assert "canary" not in str(seen)
    assert seen["OPENBLAS_NUM_THREADS"] == "1"


def forced(actions: Sequence[Sequence[int]], step: int) -> list[Prefix]:
    """On every instance: its first actions as they were, and then the item that was taken last."""
    return [Prefix(k, (*taken[:step], taken[-1])) for k, taken in enumerate(actions)]


async def test_a_program_goes_on_after_forced_actions_as_the_plain_walk_does(
    evaluator: Evaluator,
) -> None:
    evaluation = await evaluator.evaluate(SHORTEST, "design")
    prefixes = forced(evaluation.actions, 4)
    found = await evaluator.continue_from(SHORTEST, "design", prefixes, seconds=1)
    toy = Toy()
    expected = [
        rollout(toy, lambda item, state: -item.duration, instance, prefix.actions).cost
        for instance, prefix in zip(toy.load("design"), prefixes, strict=True)
    ]
    assert found.costs == tuple(expected)
    assert found.cpu > 0
    assert found.costs != evaluation.costs


async def test_a_prefix_after_which_a_program_fails_has_no_cost(evaluator: Evaluator) -> None:
    evaluation = await evaluator.evaluate(SHORTEST, "design")
    first = Toy().load("design")[0]
    last = evaluation.actions[0][-1]
    here = f"item.duration == {first.durations[last]} and item.weight == {first.weights[last]}"
    code = (
        "def score(item, state):\n"
        f"    if state.left == 3 and {here}:\n        1 / 0\n"
        "    return -item.duration\n"
    )
    prefixes = [Prefix(0, evaluation.actions[0][:2]), *forced(evaluation.actions, 4)]
    found = await evaluator.continue_from(code, "design", prefixes, seconds=1)
    assert found.costs[0] is None
    assert None not in found.costs[1:]


async def test_prefixes_beyond_the_time_have_no_cost(evaluator: Evaluator) -> None:
    prefixes = [Prefix(0, ()), Prefix(1, ())]
    found = await evaluator.continue_from(ENDLESS, "design", prefixes, seconds=1)
    assert found.costs == (None, None)
    assert (await evaluator.continue_from("def f(:", "design", prefixes, 1)).costs == (None, None)


@given(claims=st.lists(st.lists(st.integers(-2, 11), max_size=11), max_size=4))
async def test_a_claim_counts_only_if_it_begins_as_it_has_to(claims: list[list[int]]) -> None:
    toy = Toy()
    instances = toy.load("design")[: len(claims)]
    honest = [*range(10)]
    walks = [*claims, honest, [1, 0, *honest[2:]]]
    prefixes = [Prefix(k, (0, 1)) for k in range(len(walks))]
    found = replay_from(toy, [*instances, *toy.load("design")[:2]], prefixes, walks)
    for instance, claim, cost in zip(instances, claims, found, strict=False):
        if cost is not None:
            assert claim[:2] == [0, 1]
            assert cost == Problem.replay(toy, instance, claim)
    assert found[-2] == Problem.replay(toy, toy.load("design")[0], honest)
    assert found[-1] is None
