"""What searches used, and the warning where budgets differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.domain.records import CallKey
from engine.domain.specs.settings import RunSpec
from engine.domain.values import Evaluation, Reply, Request, Usage
from engine.report.cost import Expense, GroupCost, add_up, compare_budgets, lay_out_expenses
from engine.store.reader import Reader
from engine.store.store import Store
from problems import ProblemRef
from tests.engine.builders import candidate

SPENT = Expense(30, 0, 0.0, 33, 25, 9.0, 4.0, 1.0, 20.0)


def costs(**changes: int) -> list[GroupCost]:
    """Two runs of ours as planned, two of EoH of which one used something else."""
    other = replace(SPENT, children=30, **changes)
    return [
        GroupCost("toy", "ours", (SPENT, SPENT)),
        GroupCost("toy", "eoh", (replace(SPENT, children=30), other)),
    ]


def test_equal_calls_are_an_equal_budget() -> None:
    assert compare_budgets(costs()) == ["toy: equal budgets, 30 calls a run"]


def test_equal_children_are_an_equal_budget_too() -> None:
    assert compare_budgets(costs(calls=36)[1:]) == ["toy: equal budgets, 30 children a run"]


def test_budgets_that_differ_are_a_warning() -> None:
    (told,) = compare_budgets(costs(calls=36))
    assert told.startswith("WARNING: toy: budgets differ")
    assert "ours 30 calls, 25 children; eoh 33 calls, 30 children" in told


def test_a_run_is_billed_for_calls_tokens_children_and_the_work_of_its_winner(
    tmp_path: Path,
) -> None:
    db = tmp_path / "runs.db"
    with Store(db) as store:
        run = store.jobs.create_run(RunSpec(ProblemRef("tests/toy")))
        key = CallKey(run, "program", 1, 0)
        store.search_log.record_sent(key, Request("program", "s", (), ()))
        store.search_log.record_done(key, Reply("", usage=Usage(100, 20)))
        evaluation = Evaluation(3.0, (3.0, 3.0), ((0, 1, 2), (0, 2)), None, 0.001)
        store.search_log.record_evaluation(
            run, "k", evaluation, program="h", design="d", evaluator="e"
        )
        store.search_log.record_candidate(run, candidate(0, 5.0), None, None)
        child = replace(candidate(1, 3.0, generation=1), decisions=5)
        store.search_log.record_candidate(run, child, "k", None)
        store.search_log.close_generation(run, 0, ["p0001"], "digest", "p0001")
    with Reader(db) as reader:
        (cost,) = add_up(reader, reader.runs())
    (spent,) = cost.runs
    assert (spent.calls, spent.tokens, spent.children, spent.evaluations) == (1, 120, 1, 1)
    assert spent.usd is None
    assert spent.work == 200.0
    (row,) = lay_out_expenses([cost]).rows
    assert [cell.text for cell in row[:6]] == ["tests/toy", "ours", "1", "1.0", "1.0", "120"]
