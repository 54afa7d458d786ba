"""A decision of a recorded program, drawn from its actions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import problems
from engine.api.measure.decision import RecordedRollouts, draw_decision, read_rollouts
from engine.store.reader import Reader
from engine.store.transfer import import_run
from problems import ProblemRef
from problems.base import visited
from problems.errors import UserError
from tests.conftest import ROOT
from tests.engine.builders import DEMO, import_demo

PROGRAM = "p0010"


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """The run that ships."""
    import_demo(tmp_path / "runs.db")
    with Reader(tmp_path / "runs.db") as reader:
        yield reader


def test_both_choices_are_drawn_in_the_state_where_they_were_made(reader: Reader) -> None:
    diagnostics = reader.candidate(1, PROGRAM).diagnostics
    evaluation = reader.evaluation_of(1, PROGRAM)
    assert diagnostics is not None and evaluation is not None
    case = max(diagnostics.cases, key=lambda case: case.regret)
    drawn = draw_decision(reader, 1, PROGRAM, case)
    jssp = problems.load(ProblemRef("jssp"))
    instance = jssp.load(reader.run(1).spec.settings.design)[case.instance]
    states = list(visited(jssp, instance, evaluation.actions[case.instance]))
    after = (states[case.step + 1], jssp.step(states[case.step], case.preferred))
    assert (drawn.chosen, drawn.preferred) == tuple(jssp.draw_alike(after))
    assert drawn.chosen != drawn.preferred


@pytest.mark.parametrize(
    "wrong",
    [{"instance": -1}, {"instance": 10**6}, {"step": -1}, {"step": 10**6}, {"chosen": 10**6}],
    ids=str,
)
def test_a_case_that_cannot_be_is_refused(reader: Reader, wrong: dict[str, Any]) -> None:
    diagnostics = reader.candidate(1, PROGRAM).diagnostics
    assert diagnostics is not None
    with pytest.raises(UserError, match="holds no step"):
        draw_decision(reader, 1, PROGRAM, replace(diagnostics.cases[0], **wrong))


def test_a_program_that_was_never_evaluated_has_no_decisions(reader: Reader) -> None:
    diagnostics = reader.candidate(1, PROGRAM).diagnostics
    assert diagnostics is not None
    with pytest.raises(UserError, match="holds no step"):
        draw_decision(reader, 1, "p9999", diagnostics.cases[0])


def test_a_run_whose_instances_are_others_now_is_not_drawn(tmp_path: Path) -> None:
    import_run(tmp_path / "runs.db", DEMO)
    with Reader(tmp_path / "runs.db") as reader:
        diagnostics = reader.candidate(1, PROGRAM).diagnostics
        assert diagnostics is not None
        with pytest.raises(UserError, match="are not those of its design set now"):
            draw_decision(reader, 1, PROGRAM, diagnostics.cases[0])


def test_instances_of_which_better_solutions_are_known_now_are_the_same(tmp_path: Path) -> None:
    """A recording of before the best known tours were improved."""
    import_run(tmp_path / "runs.db", ROOT / "studies/recorded/tsp-ours.run")
    with Reader(tmp_path / "runs.db") as reader:
        best = reader.runs()[0].best
        assert best is not None
        assert read_rollouts(reader, reader.runs()[0].number, best).count_steps(0) == 48


def test_a_whole_solution_is_drawn_as_one_step() -> None:
    jobs = problems.load(str(ROOT / "tui/template/whole"))
    walks = (tuple(range(30)), (0, 0))
    found = RecordedRollouts(1, PROGRAM, jobs, jobs.load("design")[:2], walks)
    assert found.count_steps(0) == 1
    drawn = found.draw_step(0, 0)
    assert drawn.after.startswith("0 1 2 3")
    assert dict(drawn.fields)["objective"] > 0
    assert (drawn.actions, drawn.before) == (0, "")
    for instance, step in ((0, 1), (1, 0), (2, 0)):
        with pytest.raises(UserError, match="holds no step"):
            found.draw_step(instance, step)
