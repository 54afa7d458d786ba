"""Preceptor from Python: the manual's example, and what a script or a notebook may ask for."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import preceptor
import problems
from engine.api.resolve import RunRequest, resolve_run
from engine.api.run import Run, book_run
from engine.domain.events import Event, RunEnded
from engine.domain.specs.settings import Caps, RunSpec
from engine.runtime.plan import choose_teacher
from engine.search.methods.methods import METHODS
from engine.store.reader import Reader
from problems import ProblemRef
from problems.errors import BadProgram, TeacherUnavailable, UnknownName, UserError

ROOT = Path(__file__).parents[3]
TOY = str(ROOT / "tests/toy")
TEACHER = f"program:{ROOT / 'tests/toy/teacher.py'}"
WRITER = f"{ROOT / 'tests/scripted.py'}:Scripted"
SMALL = RunRequest(
    TOY, method="performance-only", writer=WRITER, options={"generations": 1, "children": 2}
)


def score(item: Any, state: Any) -> float:
    """Smith's rule."""
    return item.weight / item.duration  # type: ignore[no-any-return]


def run_script(text: str, folder: Path) -> str:
    """What a script prints that is run in a folder."""
    file = folder / "script.py"
    file.write_text(text)
    done = subprocess.run(
        [sys.executable, str(file)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a small run that has ended."""
    db = tmp_path_factory.mktemp("ended") / "runs.db"
    assert preceptor.start_run(SMALL, db).wait(timeout=120).status == "done"
    return db


@pytest.fixture
def finished(ended: Path) -> Run:
    """That run, of which nobody has heard an event yet."""
    return Run(ended, 1)


def test_the_example_of_the_manual_runs_as_it_stands(tmp_path: Path) -> None:
    page = (ROOT / "docs/python.md").read_text("utf-8")
    _, _, marked = page.partition("<!-- script: run by a test -->")
    script = marked.split("```python\n")[1].split("```")[0]
    said = run_script(script, tmp_path)
    assert "generation-closed 1 None\n" in said
    assert "<program score: mean 1986.77, 128 of 128 solved" in said
    assert "jssp, preceptor, seed 0, done, best p" in said
    assert (tmp_path / "best.py").exists()


def test_a_script_is_not_run_again_by_the_teachers_process(tmp_path: Path) -> None:
    ask = f"diagnose({TOY!r}, 'smith', teacher={TEACHER!r}, options={{'cases': 2}})"
    said = run_script(f"from preceptor import diagnose\nprint('once')\nprint({ask})", tmp_path)
    assert said.startswith("once\n<smith on design of toy: agrees with")
    assert said.count("once") == 1


def test_a_run_is_followed_read_and_exported(finished: Run, tmp_path: Path) -> None:
    last = list(finished.events())[-1]
    assert isinstance(last.fact, RunEnded)
    assert list(finished.events(new=True)) == []
    assert finished.best in finished.population
    assert {p.id for p in finished.lineage()} <= {p.id for p in finished.programs}
    child = finished.programs[-1]
    ids = [one.id for one in finished.lineage(child.id)]
    assert ids[0] == child.id
    assert set(child.parents) <= set(ids)
    file = tmp_path / "best.py"
    assert finished.export(file).candidate == finished.best
    with pytest.raises(UserError, match="--force"):
        finished.export(file)
    assert repr(finished).endswith(f"done, best {finished.best.id} cost {finished.best.cost:.6g}>")


def test_a_store_is_opened_again(finished: Run) -> None:
    store = preceptor.open_store(finished.store)
    assert store.runs() == (finished,) == (store.run(1),)
    assert store.studies() == ()
    assert repr(store).endswith("1 runs, 0 studies>")
    with pytest.raises(UserError, match="no such run store"):
        preceptor.open_store(finished.store.parent / "none.db")
    with pytest.raises(UnknownName):
        store.run(9).result  # noqa: B018
    assert "unknown run" in repr(Run(finished.store, 9))


def test_a_spent_run_goes_on_with_more(tmp_path: Path) -> None:
    request = RunRequest(TOY, "performance-only", writer=WRITER, caps=Caps(calls=0))
    run = preceptor.start_run(request, tmp_path / "runs.db")
    assert run.wait(120).status == "budget"
    assert run.resume(Caps(calls=90)).wait(120).status == "done"
    with pytest.raises(UserError, match="nothing left to do"):
        run.resume()


def test_waiting_ends_when_its_time_is_over(tmp_path: Path) -> None:
    run = book_run(SMALL, tmp_path / "runs.db")
    with pytest.raises(TimeoutError, match="run 1 is starting"):
        run.wait(timeout=0.0)


def test_a_callback_stops_a_run_in_good_order(tmp_path: Path) -> None:
    heard = []

    def stop_early(run: Run, event: Event) -> None:
        heard.append(event.kind)
        if event.kind == "generation-closed":
            raise preceptor.Stop

    long = replace(SMALL, options={"generations": 2000, "children": 2})
    run = preceptor.start_run(long, tmp_path / "runs.db")
    assert run.wait(120, stop_early).status == "stopped"
    assert heard[0] == "run-started"
    assert heard.index("generation-closed") == len(heard) - 1
    assert run.best is not None


async def test_a_notebook_has_an_event_loop_of_its_own(tmp_path: Path) -> None:
    row = preceptor.evaluate(TOY, score)
    (table,) = preceptor.bench(TOY, ["smith"])
    assert row.costs == table.rows[0].costs
    assert repr(row).startswith("<program score: mean ")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (len, UserError, "source of .* cannot be found"),
        (lambda item, state: 0.0, UserError, "a lambda has no text of its own"),
        ("def other():\n    pass\n", BadProgram, "the code: defines other"),
        ("smiht", UnknownName, "did you mean 'smith'"),
        (Path("nowhere.py"), UserError, "No such file"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    given: Callable[..., Any] | Path | str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        preceptor.evaluate(TOY, given)


def test_a_function_goes_by_any_name_and_reads_nothing_around_it() -> None:
    weight = 2.0

    def shortest(item: Any, state: Any) -> float:
        return -float(item.duration)

    def weighed(item: Any, state: Any) -> float:
        return weight * float(item.duration)

    assert preceptor.evaluate(TOY, shortest).costs == preceptor.evaluate(TOY, "shortest").costs

    def defaulted(item: Any, state: Any, weight: float = 2.0) -> float:
        return weight * float(item.duration)

    told = "weighed reads weight of the function around it; give it as a constant or a default"
    with pytest.raises(UserError, match=told):
        preceptor.evaluate(TOY, weighed)
    assert preceptor.evaluate(TOY, defaulted).solved == 8


def test_a_run_is_a_table_of_flat_rows(finished: Run) -> None:
    rows = finished.table()
    assert [row["id"] for row in rows] == [one.id for one in finished.programs]
    assert {type(cell) for row in rows for cell in row.values()} <= {str, int, float, type(None)}
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    seed = rows[0]
    assert (seed["operator"], seed["parents"], seed["failure"]) == ("seed", "", None)


def test_programs_of_runs_and_files_are_measured(finished: Run, tmp_path: Path) -> None:
    assert finished.best is not None
    finished.export(tmp_path / "best.py")
    sources: list[Any] = [finished.best, finished.best.program, tmp_path / "best.py", "run:1"]
    rows = [preceptor.evaluate(TOY, source, store=finished.store) for source in sources]
    assert len({row.costs for row in rows}) == 1
    assert rows[0].mean == finished.best.cost


def test_a_request_counts_before_environment_file_and_preset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "preceptor.toml").write_text("[settings]\ntop_k = 2\ncases = 3\nchildren = 7\n")
    monkeypatch.setenv("PRECEPTOR_CASES", "4")
    monkeypatch.setenv("PRECEPTOR_CHILDREN", "8")
    request = RunRequest(TOY, "performance-only", preset="paper", options={"children": 9})
    with Reader(Path("none.db")) as reader:
        spec = resolve_run(request, reader).spec
    found = spec.settings
    assert (found.top_k, found.cases, found.children, found.population) == (2, 4, 9, 10)
    assert (spec.seed, spec.writer, spec.teacher) == (0, "builtin", "")


def test_teacher_rollout_serves_any_problem_and_its_advice_is_checked(tmp_path: Path) -> None:
    request = RunRequest(TOY, method="preceptor", teacher="rollout")
    with Reader(tmp_path / "runs.db") as reader:
        found = resolve_run(request, reader)
    assert found.spec.teacher == "rollout"
    assert found.checks > 0


def test_teacher_auto_is_the_problems_own_or_tries_actions_and_has_to_help(
    tmp_path: Path,
) -> None:
    with Reader(tmp_path / "runs.db") as reader:
        auto = RunRequest(TOY, method="preceptor", teacher="auto")
        assert resolve_run(auto, reader).spec.teacher == "rollout"
        assert resolve_run(replace(auto, problem="tsp"), reader).spec.teacher == "lehd-tsp"
        assert resolve_run(replace(auto, problem="jssp"), reader).spec.teacher == "es-jssp"
        helpful = {"prompt_teacher": "helpful", "advice": 5}
        found = resolve_run(RunRequest(TOY, "ours", teacher="auto", options=helpful), reader)
        assert found.spec.teacher == "rollout"
        with pytest.raises(UserError, match="only where its checked advice helps"):
            resolve_run(RunRequest(TOY, "ours", teacher="auto"), reader)


@pytest.mark.parametrize(
    ("problem", "strongest", "paper"),
    [
        ("jssp", "es-jssp", "offline-l2d"),
        ("maxcut", "es-maxcut", "eco-dqn"),
        ("tsp", "lehd-tsp", "lehd-tsp"),
        ("cvrp", "lehd-cvrp", "lehd-cvrp"),
    ],
)
def test_the_strongest_teacher_comments_in_preceptor_and_the_papers_in_all_other_methods(
    problem: str, strongest: str, paper: str
) -> None:
    ref = ProblemRef(problem)
    chosen = {
        name: choose_teacher(RunSpec(ref, name), problems.load(ref), method)
        for name, method in METHODS.items()
        if method.teacher
    }
    assert chosen.pop("preceptor") == strongest
    assert set(chosen.values()) == {paper} and "ours" in chosen


def test_a_run_that_names_no_method_has_the_strongest_teacher_and_the_preset_the_papers() -> None:
    small = RunRequest("jssp", design="random-3x3")
    with Reader(Path("none.db")) as reader:
        assert resolve_run(small, reader).spec.teacher == "es-jssp"
        assert resolve_run(replace(small, preset="paper"), reader).spec.teacher == "offline-l2d"


def test_a_problem_without_a_teacher_is_searched_with_rollouts_by_preceptor_alone() -> None:
    with Reader(Path("none.db")) as reader:
        assert resolve_run(RunRequest(TOY), reader).spec.teacher == "rollout"
        with pytest.raises(TeacherUnavailable, match="no teacher is known for toy"):
            resolve_run(RunRequest(TOY, "ours"), reader)


@pytest.mark.parametrize("method", ["ours", "preceptor"])
def test_a_second_teacher_is_refused_in_a_sentence(method: str) -> None:
    several = RunRequest("jssp", method, teacher="rollout,offline-l2d")
    told = "^a run has one teacher, not rollout,offline-l2d: give --teacher once$"
    with Reader(Path("none.db")) as reader, pytest.raises(UserError, match=told):
        resolve_run(several, reader)


def test_a_method_file_is_read_once_on_its_way_into_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.search.methods import method_file

    read: list[Path] = []
    original = method_file.read_definition

    def count(file: Path) -> Any:
        read.append(file)
        return original(file)

    monkeypatch.setattr(method_file, "read_definition", count)
    text = 'name = "mine"\nteacher = false\n[[steps]]\noperators = ["e1"]\n'
    (tmp_path / "mine.toml").write_text(text)
    request = RunRequest(TOY, method=str(tmp_path / "mine.toml"))
    found = preceptor.forecast(request, tmp_path / "runs.db")
    assert found.plan.method.name == "mine"
    assert len(read) == 1


def test_everything_that_is_offered_is_there() -> None:
    assert all(getattr(preceptor, name) is not None for name in preceptor.__all__)
    assert dir(preceptor) == sorted(preceptor.__all__)
    with pytest.raises(AttributeError):
        preceptor.nothing  # noqa: B018


def test_everything_that_is_called_says_how_and_what_it_does() -> None:
    offered = {name: getattr(preceptor, name) for name in preceptor.__all__}
    offered |= {f"plot.{name}": getattr(preceptor.plot, name) for name in preceptor.plot.__all__}
    for name, one in offered.items():
        if callable(one):
            assert inspect.getdoc(one), name
            if not (isinstance(one, type) and issubclass(one, Exception)):  # Python's own
                inspect.signature(one)


def test_constants_are_tuned_from_python(tmp_path: Path) -> None:
    code = "W = 9.0\ndef score(item, state):\n    return item.weight - W * item.duration\n"
    better = tmp_path / "better.py"
    found = preceptor.tune(TOY, code, better, ["held-out"], seconds=0.4, seed=3)
    assert found.code is not None and found.tuning.accepted
    assert found.code.splitlines()[1:] == code.splitlines()[1:]
    assert better.read_text().endswith(found.code)
    assert "W: 9 -> " in better.read_text()
    assert repr(found).startswith("<code on design of toy: W 9 -> ")
    before, after = (
        preceptor.evaluate(TOY, text, set="held-out").mean for text in (code, str(better))
    )
    held_out = found.gains[-1]
    assert (held_out.before, held_out.after) == (before, after)
    again = preceptor.tune(TOY, code, seconds=0.4, seed=3)
    assert again.gains[0].before == found.gains[0].before
    with pytest.raises(BadProgram, match="no constants"):
        preceptor.tune(TOY, score)
    with pytest.raises(UserError, match="no program"):
        preceptor.tune(TOY, "smith")


def test_an_exported_program_is_told_of_anew_once_it_is_tuned(
    finished: Run, tmp_path: Path
) -> None:
    file = tmp_path / "best.py"
    finished.export(file)
    text = file.read_text()
    changed = text.replace("return ", "return 0.5 * item.weight - 9.5 * item.duration + 0 * ", 1)
    file.write_text(changed)
    better = tmp_path / "better.py"
    assert preceptor.tune(TOY, file, better, seconds=1.0).code is not None
    assert "Written by Preceptor" not in better.read_text()
    assert "constants tuned on design of toy" in better.read_text()
