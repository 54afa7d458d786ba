"""A run's cascade and its last choice: recorded, resumable, the same however it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain.events import FinalistMeasured, WinnerChosen
from engine.domain.specs.settings import Caps, RunSpec, Settings
from engine.domain.values import Candidate
from engine.monitor.run_result import name_selection, read_run_result
from engine.runtime.plan import plan
from engine.store.reader import Reader
from engine.store.store import Store
from engine.store.transfer import export_run, import_run
from problems import ProblemRef
from problems.errors import UnknownName, UserError
from tests.engine.runtime.test_resume import TOY, WRITER, drive


def settings(concurrency: int = 4, cascade: float = 4.0, selection: str = "choice") -> Settings:
    """A search by cost on a set that is large enough for a cascade."""
    return Settings(
        population=3,
        children=6,
        generations=4,
        design="many",
        selection=selection,
        cascade=cascade,
        llm_concurrency=concurrency,
        eval_concurrency=concurrency,
        eval_seconds=10,
    )


def book(db: Path, chosen: Settings, calls: int | None = None, tokens: int | None = None) -> int:
    """A run of EoH on the toy, not started yet."""
    caps = Caps(calls, tokens)
    spec = RunSpec(ProblemRef(TOY), method="eoh", writer=WRITER, settings=chosen, caps=caps)
    with Store(db) as store:
        return store.jobs.create_run(spec)


def essence(candidate: Candidate) -> tuple[object, ...]:
    """A candidate as far as it must be the same in every run of these settings."""
    return (
        candidate.id,
        candidate.program.hash,
        candidate.costs,
        candidate.failure,
        candidate.selection_cost,
    )


def everything(db: Path, run: int) -> list[object]:
    """All candidates, the winner, the finalists with their costs."""
    with Reader(db) as reader:
        result = read_run_result(reader, run)
        finalists = [(one.program, one.set, one.costs) for one in result.finalists]
        assert result.best is not None
        return [*map(essence, reader.candidates(run)), result.best.id, finalists]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one run that nobody disturbed."""
    db = tmp_path_factory.mktemp("undisturbed") / "runs.db"
    assert drive(db, book(db, settings())) == 0
    return db


def test_who_is_behind_keeps_its_partial_costs_and_its_sentence(undisturbed: Path) -> None:
    with Reader(undisturbed) as reader:
        behind = [c for c in reader.candidates(1) if c.failure and c.failure.kind == "behind"]
        totals = reader.totals(1)
        finalists = reader.finalists(1)
        evaluated = [c for c in reader.candidates(1) if c.costs]
    assert behind
    for child in behind:
        assert child.failure is not None and child.cost is None
        assert "16 of 64 instances: " in child.failure.message
        assert "standard errors behind the worst survivor" in child.failure.message
        assert [cost is None for cost in child.costs] == [False] * 16 + [True] * 48
    assert totals.evaluations == len(evaluated) + len(finalists)


def test_the_winner_is_chosen_on_the_selection_set_and_both_figures_are_kept(
    undisturbed: Path,
) -> None:
    with Reader(undisturbed) as reader:
        result = read_run_result(reader, 1)
        told = [e.fact for e in reader.events(1)]
    assert result.best is not None
    measured = {one.program: one.cost for one in result.finalists}
    assert len(measured) >= 1
    assert result.best.selection_cost == measured[result.best.id] == min(measured.values())  # type: ignore[type-var]
    assert {one.set for one in result.finalists} == {"choice"}
    assert all(len(one.costs) == 8 for one in result.finalists)
    first = result.population[0].id
    assert result.finalists[0].program == first
    heard = [fact for fact in told if isinstance(fact, FinalistMeasured)]
    assert {fact.program for fact in heard} == set(measured)
    assert [fact for fact in told if isinstance(fact, WinnerChosen)] == [
        WinnerChosen(
            result.best.id,
            "choice",
            result.best.cost,
            result.best.selection_cost,
            len(measured),
            first,
        )
    ]


@pytest.mark.parametrize("concurrency", [1, 8])
def test_concurrency_changes_nothing(undisturbed: Path, tmp_path: Path, concurrency: int) -> None:
    db = tmp_path / "runs.db"
    drive(db, book(db, settings(concurrency)))
    assert everything(db, 1) == everything(undisturbed, 1)


def test_whoever_is_known_in_full_already_stops_at_the_same_place(tmp_path: Path) -> None:
    """A run without a cascade evaluates everybody; one with it finds all of that in the store."""
    db = tmp_path / "runs.db"
    assert drive(db, book(db, settings(cascade=0))) == 0
    assert drive(db, book(db, settings())) == 0
    fresh = tmp_path / "fresh.db"
    assert drive(fresh, book(fresh, settings())) == 0
    assert drive(fresh, book(fresh, settings(cascade=0))) == 0
    assert everything(db, 2) == everything(fresh, 1)
    assert everything(db, 1) == everything(fresh, 2)


@pytest.mark.parametrize(
    ("stage", "passes"), [("evaluation", 20), ("selection", 1), ("evaluation", 9)]
)
def test_a_killed_run_resumes_to_the_same_choice(
    undisturbed: Path, tmp_path: Path, stage: str, passes: int
) -> None:
    db = tmp_path / "runs.db"
    run = book(db, settings())
    assert drive(db, run, stage, str(passes)) == -9
    assert drive(db, run) == 0
    assert everything(db, run) == everything(undisturbed, 1)


@pytest.mark.parametrize(("calls", "tokens"), [(7, None), (None, 1100)])
def test_a_run_that_is_cut_off_chooses_and_once_more_when_it_goes_on(
    tmp_path: Path, calls: int | None, tokens: int | None
) -> None:
    db = tmp_path / "runs.db"
    run = book(db, settings(), calls, tokens)
    assert drive(db, run) == 4
    with Store(db) as store:
        early = store.run(run).best
        assert early in {one.program for one in store.finalists(run)}
        store.jobs.set_caps(run, Caps())
    assert drive(db, run) == 0
    with Reader(db) as reader:
        result = read_run_result(reader, run)
    assert result.best is not None
    near = {one.program: one.cost for one in result.finalists}
    assert near.keys() <= {survivor.id for survivor in result.population}
    assert near[result.best.id] == min(near.values())  # type: ignore[type-var]


def test_a_moved_run_brings_its_choice_along(undisturbed: Path, tmp_path: Path) -> None:
    export_run(undisturbed, 1, tmp_path / "one.run")
    db = tmp_path / "other.db"
    assert import_run(db, tmp_path / "one.run", trusted=True) == 1
    assert everything(db, 1) == everything(undisturbed, 1)


def test_nothing_is_selected_where_nothing_is_to_be(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    for word in ("none", ""):
        run = book(db, settings(selection=word))
        assert drive(db, run) == 0
        with Reader(db) as reader:
            result = read_run_result(reader, run)
        assert result.best is not None
        assert (result.finalists, result.best.selection_cost) == ((), None)
        assert result.best == result.population[0]


def test_the_selection_set_is_the_problems_own_another_or_none() -> None:
    def chosen(problem: str, selection: str = "", design: str = "") -> str:
        asked = Settings(design=design, selection=selection)
        return plan(RunSpec(ProblemRef(problem), "eoh", settings=asked)).selection_set

    assert chosen("jssp") == "selection"
    assert chosen("jssp", "random-6x6") == "random-6x6"
    assert chosen("jssp", design="random-6x6") == "selection-random-6x6"
    assert chosen("jssp", design="design-64") == chosen("jssp", design="taillard-15x15")
    assert chosen("jssp", design="taillard-15x15") == "selection"
    assert chosen("tsp", design="tsp20") == "selection-tsp20"
    assert chosen("cvrp", design="random-20") == "selection-random-20"
    assert chosen("maxcut", design="ba20w") == "selection-ba20w"
    assert chosen("jssp", "none") == chosen("jssp", design="selection") == ""
    assert chosen(TOY) == ""
    with pytest.raises(UserError, match="design-64 is the design set"):
        chosen("jssp", "design-64", "design-64")
    with pytest.raises(UnknownName, match="did you mean 'selection'"):
        chosen("jssp", "selektion")


@pytest.mark.parametrize(
    ("design", "chosen_on", "told"),
    [
        ("", "selection", "selection"),
        ("random-6x6", "selection-random-6x6", "selection (random-6x6)"),
        ("taillard-15x15", "selection", "selection (random 20x20)"),
        ("", "random-6x6", "selection (random-6x6)"),
        ("", "", ""),
    ],
)
def test_a_selection_set_of_another_kind_is_called_by_its_kind(
    design: str, chosen_on: str, told: str
) -> None:
    spec = RunSpec(ProblemRef("jssp"), settings=Settings(design=design))
    assert name_selection(spec, chosen_on) == told
