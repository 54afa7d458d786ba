"""What an engine makes of the answers of workers, whatever they are."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.api.doctor import check_worker
from engine.domain.text.plain_text import clean
from engine.domain.values import Evaluation, Failure
from engine.evaluate.pool import Limits
from engine.runtime.executors.dispatcher import Vanished
from engine.runtime.executors.frames import HEAD, read_frame
from engine.runtime.executors.helper import Desk
from engine.runtime.executors.remote import RemoteEvaluations
from engine.runtime.executors.tasks import (
    FORM,
    Evaluate,
    Failed,
    Outcome,
    Refused,
    Task,
    WorkerFacts,
    decode_code,
    encode_code,
    pack,
    pack_answer,
    unpack,
    unpack_outcome,
    unpack_work,
)
from engine.runtime.provenance import evaluator_version
from problems import ProblemRef
from problems.errors import BadModule, ClusterLost, PreceptorError, WorldError
from tests.conftest import TOY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

REF = ProblemRef(TOY)
LIMITS = Limits(10.0, 512)
CODE = "def score(item, state):\n    return 0.0\n"
FINE = Evaluation(1.5, (1.0, 2.0), ((0, 1), (1, 0)), None, 0.25)
FACTS = WorkerFacts(FORM, "0.1.0", "3.11", "full", 4, evaluator_version(REF))


def failed(kind: str, cpu: float) -> Evaluation:
    """An evaluation that ended early."""
    return Evaluation(None, (1.0, None), ((0, 1),), Failure(kind, "ended"), cpu)  # type: ignore[arg-type]


@dataclass
class Scripted:
    """Workers `a` and `b`, of which each gives its next answer; the last one again and again."""

    answers: dict[str, list[Outcome | bytes | Exception]]
    facts: dict[str, WorkerFacts | str | None] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    address: str = "tcp://scheduler"
    alive: frozenset[str] = frozenset({"a", "b"})

    async def find_workers(self) -> frozenset[str]:
        """Both."""
        return self.alive

    async def describe(self, problem: ProblemRef) -> dict[str, WorkerFacts | str | None]:
        """As they were told to."""
        return {address: self.facts.get(address, FACTS) for address in sorted(self.alive)}

    async def give_out(self, message: bytes, allowed: Collection[str] | None) -> tuple[str, bytes]:
        """The first that may answers."""
        unpack_work(unpack(Task, message).work)
        may = sorted(self.alive & set(self.alive if allowed is None else allowed))
        if not may:
            raise Vanished
        self.asked.append(may[0])
        answers = self.answers[may[0]]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        return may[0], answer if isinstance(answer, bytes) else pack(answer)


def evaluate(workers: Scripted) -> Evaluation:
    """What comes of evaluating a program there."""

    async def ask() -> Evaluation:
        async with RemoteEvaluations(workers, REF, LIMITS) as evaluations:
            return await evaluations.evaluate(CODE, "design")

    return asyncio.run(ask())


@pytest.mark.parametrize(("kind", "cpu"), [("timeout", 10.01), ("timeout", 9.2), ("memory", 0.1)])
def test_what_may_be_the_machines_doing_is_found_out_again_elsewhere(
    kind: str, cpu: float
) -> None:
    workers = Scripted({"a": [pack_answer(failed(kind, cpu))], "b": [pack_answer(FINE)]})
    assert evaluate(workers) == FINE
    assert workers.asked == ["a", "b"]


@pytest.mark.parametrize(("kind", "cpu"), [("timeout", 30.0), ("exception", 10.0)])
def test_what_no_other_machine_changes_counts_at_once(kind: str, cpu: float) -> None:
    workers = Scripted({"a": [pack_answer(failed(kind, cpu))], "b": [pack_answer(FINE)]})
    assert evaluate(workers) == failed(kind, cpu)


def test_a_timeout_of_the_only_worker_counts() -> None:
    workers = Scripted({"a": [pack_answer(failed("timeout", 10.0))]}, alive=frozenset({"a"}))
    assert evaluate(workers) == failed("timeout", 10.0)


def test_a_worker_that_refuses_is_not_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    workers = Scripted({"a": [Refused("has other instances\x1b[2J")], "b": [pack_answer(FINE)]})
    assert evaluate(workers) == FINE
    assert workers.asked == ["a", "b"]
    told = capsys.readouterr().err
    assert "worker a is not used: it has other instances" in told and "\x1b" not in told


def test_nobody_left_is_said_with_all_reasons() -> None:
    old = WorkerFacts(FORM, "0.0.9", "3.11", "full", 4, "another")
    workers = Scripted({}, {"a": old, "b": "has no Preceptor"})
    with pytest.raises(ClusterLost, match=r"a does not have .* \(Preceptor 0.0.9\); b has no"):
        evaluate(workers)
    with pytest.raises(ClusterLost, match="none of them answers"):
        evaluate(Scripted({}, {"a": None, "b": None}))


def test_a_worker_that_is_too_slow_to_describe_itself_is_used_all_the_same() -> None:
    workers = Scripted({"a": [pack_answer(FINE)]}, {"a": None})
    assert evaluate(workers) == FINE
    assert workers.asked == ["a"]


def test_an_error_of_the_machine_is_tried_again_and_one_of_the_problem_is_raised() -> None:
    broken = Failed("WorldError", "its process ended")
    workers = Scripted({"a": [broken, OSError("gone"), pack_answer(FINE)]})
    assert evaluate(workers) == FINE
    assert len(workers.asked) == 3
    with pytest.raises(WorldError, match="its process ended"):
        evaluate(Scripted({"a": [broken]}))
    with pytest.raises(BadModule, match=r"problem\.py:3"):
        evaluate(Scripted({"a": [Failed("BadModule", "problem.py:3: no cost")]}))


@settings(max_examples=50)
@given(st.binary(max_size=64) | st.builds(pack, st.from_type(Failed)) | st.just(pack_answer(FINE)))
def test_any_answer_is_an_evaluation_or_an_error_of_ours(answer: bytes) -> None:
    try:
        found = evaluate(Scripted({"a": [answer], "b": [pack_answer(FINE)]}))
    except PreceptorError as error:
        assert str(error) == clean(str(error))
    else:
        assert found == FINE


@settings(max_examples=50)
@given(st.binary(max_size=128))
def test_any_bytes_are_a_value_or_a_value_error(data: bytes) -> None:
    readers: list[Callable[[bytes], object]] = [
        unpack_work,
        unpack_outcome,
        partial(unpack, Task),
        partial(unpack, WorkerFacts),
    ]
    for read in readers:
        with suppress(ValueError):
            read(data)


@settings(max_examples=50)
@given(st.binary(max_size=128))
def test_a_helper_answers_whatever_it_is_sent(message: bytes) -> None:
    nothing = cast("Any", None)
    desk = Desk(REF, "version", nothing, nothing)
    assert isinstance(unpack_outcome(asyncio.run(desk.find_outcome(message))), Refused)


@settings(max_examples=50)
@given(st.binary(max_size=64))
def test_any_stream_of_frames_ends(data: bytes) -> None:
    async def read() -> int:
        stream = asyncio.StreamReader()
        stream.feed_data(data)
        stream.feed_eof()
        taken = 0
        while (frame := await read_frame(stream)) is not None:
            taken += HEAD.size + len(frame[1])
        return taken

    assert asyncio.run(read()) <= len(data)


@settings(max_examples=50)
@given(st.text() | st.just("\ud800"), st.floats(allow_nan=False))
def test_programs_and_numbers_arrive_as_they_were_sent(code: str, number: float) -> None:
    part = Evaluation(number, (number, None), ((1, 2), ()), None, number)
    sent = Evaluate(encode_code(code), "design", 1, part)
    came = unpack_work(pack(sent))
    assert came == sent and decode_code(came.code) == code


@settings(max_examples=50)
@given(
    st.builds(
        WorkerFacts, *[st.integers(), st.text(), st.text(), st.text(), st.integers(), st.text()]
    )
    | st.text()
)
def test_what_a_worker_says_of_itself_paints_nothing(facts: WorkerFacts | str) -> None:
    check = check_worker("tcp://10.0.0.1:1", facts, FACTS.evaluator)
    assert check.verdict == "fail"
    assert "\x1b" not in check.detail
