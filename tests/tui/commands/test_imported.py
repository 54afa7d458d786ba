"""A stranger's run goes on here with our own writer, and never asks the stranger's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.specs.endpoint import Endpoint
from engine.domain.specs.settings import RunSpec, Settings
from engine.runtime.run import run_booked
from engine.store.reader import Reader
from engine.store.store import Store
from engine.store.transfer import export_run, import_run
from problems import ProblemRef
from problems.errors import UserError
from tests.conftest import ROOT, TEACHER, TOY, WRITER, Shell
from tests.engine.builders import import_gone
from tests.engine.llm.provider import KEY, Call, serve
from tests.engine.runtime.test_resume import drive

OURS = """
[writers.ours]
model = "fake-1"
base_url = "{url}"
api_key_env = "MY_KEY"
"""


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A run of two generations, recorded as one that asks a stranger's server and files."""
    away = tmp_path / "away"
    away.mkdir()
    db = away / "runs.db"
    settings = Settings(generations=1, children=2, eval_seconds=10)
    spec = RunSpec(ProblemRef(TOY), writer=WRITER, teacher=TEACHER, settings=settings)
    with Store(db) as store:
        store.jobs.create_run(spec)
    assert drive(db, 1) == 0
    return db


def record(db: Path, file: Path, **named: object) -> None:
    """The run as a recording that has yet to reach its last generation, asking these."""
    import sqlite3

    from engine.domain.text import codec

    with Reader(db) as reader:
        spec = reader.run(1).spec
    changed = replace(spec, settings=replace(spec.settings, generations=2), **named)  # type: ignore[arg-type]
    connection = sqlite3.connect(db)
    connection.execute("UPDATE runs SET spec = ?, state = 'paused'", (codec.encode(changed),))
    connection.commit()
    connection.close()
    export_run(db, 1, file)


def test_a_strangers_server_is_never_asked_and_our_own_goes_on(
    theirs: Path, tmp_path: Path, preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, list[str]] = {"theirs": [], "ours": []}

    def listen(who: str, call: Call) -> None:
        asked[who].append(call.headers["authorization"])
        call.answer()

    monkeypatch.setenv("MY_KEY", KEY)
    acts = {who: lambda call, who=who: listen(who, call) for who in asked}
    with serve(acts) as provider:
        trap = Endpoint("paid", "m", base_url=provider.url("theirs"), api_key_env="MY_KEY")
        record(theirs, tmp_path / "x.run", writer="paid", endpoints=(trap,))
        import_run(tmp_path / "runs.db", tmp_path / "x.run", trusted=True)
        refused = preceptor("resume", "1")
        assert refused.code == 2
        assert refused.complaint == (
            f"preceptor: run 1 was imported and asks paid and {TEACHER}, of whoever recorded it; "
            "go on with your own: preceptor resume 1 --fork --llm WRITER --teacher TEACHER"
        )
        assert preceptor("resume", "1", "--llm", "ours").complaint == (
            "preceptor: another writer or teacher makes it another run: add --fork"
        )
        assert preceptor("resume", "1", "--fork").code == 2
        (tmp_path / "preceptor.toml").write_text(OURS.format(url=provider.url("ours")))
        words = ("--fork", "--llm", "ours", "--teacher", TEACHER)
        done = preceptor("resume", "1", *words, "--json")
        assert done.code == 0, done.err
    assert asked["theirs"] == []
    assert set(asked["ours"]) == {f"Bearer {KEY}"}
    with Reader(tmp_path / "runs.db") as reader:
        assert (reader.run(2).state, reader.run(2).forked_from) == ("done", 1)


async def test_an_engine_refuses_it_as_well(theirs: Path, tmp_path: Path) -> None:
    marker = tmp_path / "run"
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(marker)!r}, 'w')\nWriter = None\n")
    record(theirs, tmp_path / "x.run", writer=f"{trap}:Writer", teacher=f"program:{trap}")
    db = tmp_path / "runs.db"
    import_run(db, tmp_path / "x.run", trusted=True)
    with Store(db) as store, pytest.raises(UserError, match="go on with your own"):
        await run_booked(store, 1, {})
    assert not marker.exists()


GONE = (
    "jssp: state=plan is gone: programs that return whole schedules are searched with --kind "
    "whole; recordings of it can be read and exported, not run again"
)


def test_a_run_of_a_removed_variant_is_shown_with_a_sentence_on_it(
    tmp_path: Path, preceptor: Shell
) -> None:
    import_gone(tmp_path / "runs.db")
    assert "jssp plan" in preceptor("runs").out
    shown = preceptor("show", "1")
    assert shown.code == 0
    assert GONE in shown.out
    assert "cost 1806.48" in shown.out
    assert preceptor("show", "1", "p0010").code == 0


def test_nothing_of_a_removed_variant_runs_again(tmp_path: Path, preceptor: Shell) -> None:
    import_gone(tmp_path / "runs.db")
    for words in (
        ("resume", "1", "--option", "generations=9"),
        ("resume", "1", "--fork", "--llm", "builtin"),
        ("bench", "jssp", "--program", "run:1"),
        ("tune", "jssp", "run:1", "-o", "tuned.py"),
        ("run", "jssp", "--start", "1", "--headless"),
        ("run", "jssp", "--llm", "replay:1", "--headless"),
        ("run", "jssp", "--llm", f"replay:{ROOT}/studies/recorded/jssp-plan-eoh.run"),
    ):
        refused = preceptor(*words)
        assert (refused.code, refused.err.strip()) == (2, f"preceptor: {GONE}"), words


def test_a_program_of_a_removed_variant_is_exported_by_who_has_read_it(
    tmp_path: Path, preceptor: Shell
) -> None:
    import_gone(tmp_path / "runs.db")
    assert preceptor("export", "1", "-o", "old.py").err.strip().endswith("--force exports it")
    assert preceptor("export", "1", "-o", "old.py", "--force").code == 0
    text = (tmp_path / "old.py").read_text("utf-8")
    assert "def score(feature, state):" in text
    assert "as its author was told it" not in text
