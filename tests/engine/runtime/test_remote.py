"""What an engine makes of the answers of workers, whatever they are."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Collection, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.api.doctor import check_worker
from engine.domain.values import Evaluation, Failure
from engine.evaluate.pool import Limits
from engine.runtime.executors.connection import Connection, Vanished
from engine.runtime.executors.helper import Desk
from engine.runtime.executors.remote import RemoteEvaluations
from engine.runtime.executors.tasks import FORM, Assignment, Outcome, WorkerFacts, WorkerTask
from engine.runtime.provenance import evaluator_version
from problems import ProblemRef
from problems.errors import BadModule, ClusterLost, WorldError
from tests.conftest import TOY

REF = ProblemRef(TOY)
LIMITS = Limits(10.0, 512)
CODE = "def score(item, state):\n    return 0.0\n"
FINE = Evaluation(1.5, (1.0, 2.0), ((0, 1), (1, 0)), None, 0.25)
FACTS = WorkerFacts(FORM, "0.1.0", "3.11", "full", 4, evaluator_version(REF))


def failed(kind: str, cpu: float) -> Evaluation:
    """An evaluation that ended early."""
    return Evaluation(None, (1.0, None), ((0, 1),), Failure(kind, "ended"), cpu)  # type: ignore[arg-type]


def answer(found: Evaluation) -> Outcome:
    """What a helper says of an evaluation."""
    return "answer", pickle.dumps(found)


class Scripted(Connection):
    """Workers `a` and `b`, of which each gives its next answer; the last one again and again."""

    def __init__(
        self,
        answers: dict[str, list[Outcome | Exception]],
        facts: Mapping[str, WorkerFacts | str | None] | None = None,
        alive: frozenset[str] = frozenset({"a", "b"}),
    ) -> None:
        super().__init__("tcp://scheduler")
        self.answers = answers
        self.facts = facts or {}
        self.alive = alive
        self.asked: list[str] = []

    async def find_workers(self) -> frozenset[str]:
        """Both."""
        return self.alive

    async def describe(self, problem: ProblemRef) -> dict[str, WorkerFacts | str | None]:
        """As they were told to."""
        return {address: self.facts.get(address, FACTS) for address in sorted(self.alive)}

    async def give_out(
        self, assignment: bytes, task: bytes, allowed: Collection[str] | None
    ) -> tuple[str, Outcome]:
        """The first that may answers."""
        may = sorted(self.alive & set(self.alive if allowed is None else allowed))
        if not may:
            raise Vanished
        self.asked.append(may[0])
        answers = self.answers[may[0]]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(found, Exception):
            raise found
        return may[0], found


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
    workers = Scripted({"a": [answer(failed(kind, cpu))], "b": [answer(FINE)]})
    assert evaluate(workers) == FINE
    assert workers.asked == ["a", "b"]


@pytest.mark.parametrize(("kind", "cpu"), [("timeout", 30.0), ("exception", 10.0)])
def test_what_no_other_machine_changes_counts_at_once(kind: str, cpu: float) -> None:
    workers = Scripted({"a": [answer(failed(kind, cpu))], "b": [answer(FINE)]})
    assert evaluate(workers) == failed(kind, cpu)


def test_a_timeout_of_the_only_worker_counts() -> None:
    workers = Scripted({"a": [answer(failed("timeout", 10.0))]}, alive=frozenset({"a"}))
    assert evaluate(workers) == failed("timeout", 10.0)


def test_a_worker_that_refuses_is_not_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    workers = Scripted({"a": [("refusal", "has other instances\x1b[2J")], "b": [answer(FINE)]})
    assert evaluate(workers) == FINE
    assert workers.asked == ["a", "b"]
    told = capsys.readouterr().err
    assert "worker a is not used: it has other instances" in told and "\x1b" not in told


def test_nobody_left_is_said_with_all_reasons() -> None:
    old = WorkerFacts(FORM, "0.0.9", "3.11", "full", 4, "another")
    workers = Scripted({}, {"a": old, "b": "has no Preceptor"})
    with pytest.raises(ClusterLost, match=r"a does not have .* \(Preceptor 0.0.9\); b has no"):
        evaluate(workers)
    elsewhere = WorkerFacts("3 preceptor", "0.1.0", "3.11", "full", 4, FACTS.evaluator)
    with pytest.raises(ClusterLost, match=r"a has Preceptor 0\.1\.0, .* installed in another way"):
        evaluate(Scripted({}, {"a": elsewhere}, frozenset({"a"})))
    with pytest.raises(ClusterLost, match="none of them answers"):
        evaluate(Scripted({}, {"a": None, "b": None}))


def test_a_worker_that_is_too_slow_to_describe_itself_is_used_all_the_same() -> None:
    workers = Scripted({"a": [answer(FINE)]}, {"a": None})
    assert evaluate(workers) == FINE
    assert workers.asked == ["a"]


def test_what_fails_at_all_tries_of_dask_is_an_error_of_the_world() -> None:
    workers = Scripted({"a": [RuntimeError("its process ended\x1b[2J")]})
    with pytest.raises(WorldError, match=r"failed 4 times .* its process ended(?!\x1b)"):
        evaluate(workers)
    assert workers.asked == ["a"]


def test_what_fails_on_a_worker_of_another_version_is_asked_of_another_worker() -> None:
    workers = Scripted({"a": [TypeError("two arguments")], "b": [answer(FINE)]})

    async def ask() -> Evaluation:
        async with RemoteEvaluations(workers, REF, LIMITS) as evaluations:
            workers.facts = {"a": WorkerFacts("2", "0.0.9", "3.11", "full", 4, "")}
            return await evaluations.evaluate(CODE, "design")

    assert asyncio.run(ask()) == FINE
    assert workers.asked == ["a", "b"]


def test_an_error_of_the_problem_is_raised_here() -> None:
    wrong = BadModule("problem.py:3: no cost")
    with pytest.raises(BadModule, match=r"problem\.py:3"):
        evaluate(Scripted({"a": [("error", pickle.dumps(wrong))]}))


async def find_outcome(assignment: bytes, task: bytes) -> Outcome:
    """What a helper makes of a task."""
    async with Desk() as desk:
        await desk.open(assignment, 1)
        return await desk.find_outcome(task)


def as_assignment(version: str = "", name: str = TOY) -> bytes:
    """Programs of the toy, evaluated by the code that is here unless `version` says otherwise."""
    ref = ProblemRef(name)
    return pickle.dumps(Assignment(ref, version or evaluator_version(REF), LIMITS))


FOREIGN = b"cno_such_module\nTask\n."
"""A pickle of a class that is not here."""


@pytest.mark.parametrize(
    ("assignment", "task", "reason"),
    [
        (FOREIGN, b"", "cannot begin: No module named 'no_such_module'"),
        (as_assignment("another"), b"", "has another version of Preceptor, .*, NumPy, Numba or"),
        (as_assignment(), FOREIGN, "cannot read the task: No module named"),
        (
            as_assignment(),
            pickle.dumps(WorkerTask("none", "", "evaluate", ())),
            "no instances none",
        ),
        (
            as_assignment(),
            pickle.dumps(WorkerTask("design", "", "evaluate", ())),
            "other instances",
        ),
    ],
)
def test_a_helper_refuses_what_it_would_answer_otherwise(
    assignment: bytes, task: bytes, reason: str
) -> None:
    kind, found = asyncio.run(find_outcome(assignment, task))
    assert kind == "refusal"
    assert isinstance(found, str)
    with pytest.raises(ValueError, match=reason):
        raise ValueError(found)


@settings(max_examples=50)
@given(
    st.builds(WorkerFacts, *[st.text(), st.text(), st.text(), st.text(), st.integers(), st.text()])
    | st.text()
)
def test_what_a_worker_says_of_itself_paints_nothing(facts: WorkerFacts | str) -> None:
    check = check_worker("tcp://10.0.0.1:1", facts, FACTS.evaluator)
    assert check.verdict == "fail"
    assert "\x1b" not in check.detail
