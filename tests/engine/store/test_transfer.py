"""Runs travel between stores whole, and a file that is not what it says touches nothing."""

from __future__ import annotations

import hashlib
import json
import lzma
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.events import Event, Note, read_fact
from engine.domain.program import make_program
from engine.domain.records import CallKey
from engine.domain.specs.endpoint import Endpoint
from engine.domain.specs.settings import RunSpec
from engine.domain.status import Job
from engine.domain.text import codec
from engine.domain.text.plain_text import clean
from engine.domain.values import Brief, DiagnosticsRow, FactsRow, Failure, Usage
from engine.store import process_identity as identity
from engine.store import rows
from engine.store import run_file as recording
from engine.store.reader import Reader, status
from engine.store.run_file import read_exchanges, read_recording, write_recording
from engine.store.store import Store
from engine.store.thinning import outline_request
from engine.store.transfer import export_run, import_run
from problems.errors import UnknownName, UserError, WorldError
from tests.engine.samples import (
    BATCH,
    BRIEF,
    CANDIDATE,
    DIAGNOSTICS,
    EVALUATION,
    FACTS,
    REPLY,
    REQUEST,
    SPEC,
    TRIALS,
)

CODE = "def score(item, state):\n    return item.weight\n"
MADE = replace(CANDIDATE, program=make_program("Weight first.", CODE))
RUN = 2


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A store with a run of the number 2 that has everything a run can have."""
    db = tmp_path / "home.db"
    with Store(db) as store:
        store.jobs.create_run(SPEC)
        run = store.jobs.create_run(SPEC)
        asked = CallKey(run, "program", 1, 0)
        store.search_log.record_sent(asked, REQUEST)
        store.search_log.record_done(asked, REPLY)
        for _ in range(2):  # the engine was killed in between
            store.search_log.record_sent(replace(asked, slot=1), REQUEST, "w", Usage(5, 6, 0.7))
        store.search_log.record_evaluation(
            run, "e", EVALUATION, program=MADE.program.hash, design="d", evaluator="1"
        )
        store.search_log.record_diagnostics(run, "d", DiagnosticsRow(DIAGNOSTICS))
        store.search_log.record_facts(run, "f", FactsRow(FACTS))
        store.search_log.record_candidate(run, MADE, "e", "d", "f")
        store.search_log.record_trials(run, BATCH, TRIALS)
        store.search_log.record_briefs(run, 1, [BRIEF, None])
        store.search_log.record_events(run, [Event(read_fact("note", {"text": "héllo"}), 1, 0)])
        store.search_log.close_generation(run, 1, [MADE.id], "digest", MADE.id)
    return db


@pytest.fixture
def file(home: Path, tmp_path: Path) -> Path:
    """That run as a recording."""
    path = tmp_path / "two.run"
    export_run(home, RUN, path)
    return path


def contents(db: Path, run: int) -> dict[str, Any]:
    """Everything that a viewer reads of a run, but for the numbers that a store gives."""
    with Reader(db) as reader:
        return {
            "run": replace(reader.run(run), number=0),
            "totals": reader.totals(run),
            "generations": reader.generations(run),
            "candidates": reader.candidates(run),
            "population": reader.population(run),
            "briefs": reader.briefs(run),
            "trials": reader.trials(run, BATCH),
            "events": [replace(event, id=0) for event in reader.events(run)],
            "asked": [exchange.request for exchange in reader.exchanges(run, 1, 0)],
            "calls": [(call.request_sha, call.state, call.reply) for call in reader.calls(run)],
            "diagnostics": reader.diagnostics(run, "d"),
            "facts": reader.facts(run, "f"),
            "evaluation": reader.evaluation(run, "e"),
        }


def rewrite(file: Path, change: Callable[[list[Any]], list[Any]]) -> None:
    """The recording with its rows changed, still a sound xz file."""
    write_recording(file, change(list(read_recording(file))))


def replaced(table: str, **columns: object) -> Callable[[list[Any]], list[Any]]:
    """A change that sets columns in every row of a table."""
    return lambda rows: [(t, r | columns) if t == table else (t, r) for t, r in rows]


ALTERNATIVE = {"action": 1, "score": 0.5, "values": [1.0] * 7}


def spec(**changes: object) -> str:
    """The settings of the run with some replaced, without a check."""
    return json.dumps(json.loads(codec.encode(SPEC)) | changes)


def cases(**changes: object) -> str:
    """One case of a program with parts replaced, without a check."""
    (case, *_) = json.loads(codec.encode(DIAGNOSTICS))["cases"]
    return json.dumps([case | changes])


def real(**changes: object) -> str:
    """Figures by real disagreements with some replaced, without a check."""
    return json.dumps(json.loads(codec.encode(DIAGNOSTICS))["real"] | changes)


def tuning(**changes: object) -> str:
    """What was seen of a program's constants with parts replaced, without a check."""
    return json.dumps(json.loads(codec.encode(CANDIDATE))["tuning"] | changes)


def facts(**changes: object) -> str:
    """Facts of a program with parts of their first scene replaced, without a check."""
    found = json.loads(codec.encode(FACTS))
    return json.dumps(found | {"scenes": [found["scenes"][0] | changes]})


def under_its_name(rows: list[Any], code: str) -> list[Any]:
    """The rows with another program in the place of theirs, under its right name."""
    sha = hashlib.sha256(code.encode()).hexdigest()
    changed = replaced("programs", sha=sha, code=code)(rows)
    return replaced("candidates", program=sha)(changed)


def refused(file: Path, match: str) -> None:
    """The import fails in plain words, and no store is touched, or even made."""
    away = file.with_name("away.db")
    with pytest.raises(UserError, match=match):
        import_run(away, file)
    assert not away.exists()


def test_an_imported_run_is_the_run(home: Path, file: Path, tmp_path: Path) -> None:
    away = tmp_path / "away.db"
    assert import_run(away, file) == RUN
    assert contents(away, RUN) == contents(home, RUN)


def test_a_number_that_is_taken_gives_way_to_a_new_one(home: Path, file: Path) -> None:
    assert [import_run(home, file), import_run(home, file)] == [3, 4]
    assert contents(home, 4) == contents(home, RUN)


def test_what_was_measured_elsewhere_is_not_shared(home: Path, file: Path, tmp_path: Path) -> None:
    away = tmp_path / "away.db"
    import_run(away, file)
    with Store(away) as store:
        ours = store.jobs.create_run(SPEC)
        assert store.evaluation(ours, "e") is None
        assert store.diagnostics(ours, "d") is None


def test_a_run_cut_off_elsewhere_is_interrupted_here(file: Path, tmp_path: Path) -> None:
    rewrite(
        file,
        lambda rows: [(t, r | {"state": "running"}) if t == "runs" else (t, r) for t, r in rows],
    )
    away = tmp_path / "away.db"
    with Reader(away) as reader:
        assert status(reader.run(import_run(away, file))) == "interrupted"


def test_a_run_at_work_is_exported_as_far_as_it_has_come(home: Path, tmp_path: Path) -> None:
    with Store(home) as store:
        store.jobs.claim(Job("run", RUN), identity.current())
        count = len(store.candidates(RUN))
        export_run(home, RUN, tmp_path / "x.run")
    away = tmp_path / "away.db"
    number = import_run(away, tmp_path / "x.run")
    with Reader(away) as reader:
        assert (status(reader.run(number)), len(reader.candidates(number))) == (
            "interrupted",
            count,
        )


def test_a_run_that_is_not_there_is_not_written(home: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName):
        export_run(home, 7, tmp_path / "x.run")
    with pytest.raises(WorldError, match="cannot be written"):
        export_run(home, RUN, tmp_path / "nowhere" / "x.run")
    with pytest.raises(WorldError, match="cannot be written: Not a directory"):
        export_run(home, RUN, home / "x.run")  # nor can what was begun be taken away


def test_a_recording_is_lines_of_json(file: Path) -> None:
    text = lzma.decompress(file.read_bytes()).decode()
    head, *rows = map(json.loads, text.splitlines())
    assert head[0] == "preceptor recording"
    assert rows[0][1]["run"] == RUN
    assert not {"pid", "started", "boot"} & rows[0][1].keys()


def test_a_recording_holds_what_was_asked_and_answered(file: Path) -> None:
    assert read_exchanges(file) == [(outline_request(REQUEST), REPLY)]
    rewrite(file, replaced("calls", reply="[1]"))
    with pytest.raises(UserError, match="damaged"):
        read_exchanges(file)


def test_a_cut_or_altered_file_is_refused(file: Path) -> None:
    whole = file.read_bytes()
    for length in (0, 5, 40, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        refused(file, "damaged or no recorded run")
    for place in range(0, len(whole), len(whole) // 12):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        refused(file, "damaged or no recorded run")
    file.write_bytes(whole + b"more")
    refused(file, "damaged or no recorded run")


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[1:],
        lambda rows: [*rows, rows[0]],
        lambda rows: [*rows, ("runs", rows[0][1] | {"run": 5})],
        lambda rows: [*rows, ("sqlite_master", {"name": "x"})],
        lambda rows: [row for row in rows if row[0] != "programs"],
        replaced("runs", run=2**62),
        replaced("runs", run=0),
        replaced("runs", state="asleep"),
        replaced("runs", spec="{}"),
        replaced("runs", created="yesterday"),
        replaced("runs", **{"seed) VALUES (1); --": 1}),
        replaced("programs", code="import os\n"),
        replaced("candidates", evaluation=99),
        replaced("candidates", parents="7"),
        replaced("evaluations", costs="[" * 100_000),
        replaced("evaluations", cost=2**80),
        replaced("evaluations", actions=[1]),
        replaced("calls", reply="null and void"),
        replaced("events", data="\ud800"),
        replaced("runs", created=1e12),
        replaced("runs", heartbeat=float("inf")),
        replaced("runs", seconds=float("nan")),
        replaced("runs", forked_from=RUN, forked_at=1),
        replaced("runs", forked_from=RUN + 1, forked_at=1),
        replaced("runs", spec=spec(settings={"children": 10**18})),
        replaced("runs", spec=spec(settings={"eval_seconds": float("inf")})),
        replaced("generations", generation=2**62),
        replaced("generations", generation=-1),
        replaced("candidates", slot=2**40),
        replaced("candidates", cost=float("inf")),
        replaced("candidates", cost=-1e200),
        replaced("candidates", idea=["Weight", "first"]),
        replaced("candidates", idea=None),
        replaced("candidates", failure='{"kind":"boredom","message":""}'),
        replaced("evaluations", costs="[Infinity]"),
        replaced("evaluations", costs="[NaN]"),
        replaced("diagnostics", agreement=1e999),
        replaced("diagnostics", cases=cases(alternatives=[ALTERNATIVE])),
        replaced("candidates", tuning=tuning(trials="many")),
        replaced("candidates", tuning=tuning(before=float("nan"))),
        replaced("trials", outcomes="{}"),
        replaced("trials", outcomes='[{"costs":[Infinity]}]'),
        replaced("trials", batch=2**40),
        replaced("trials", cpu=1e999),
        replaced("diagnostics", real="[1, 2]"),
        replaced("diagnostics", real=real(chance=float("inf"))),
        replaced("facts", content=facts(names=["work"])),
        replaced("facts", content="{}"),
        replaced("calls", tokens_in=2**62),
        replaced("events", time=-1.0),
        lambda rows: under_its_name(rows, f"{CODE}    return {'-' * 60_000}1\n"),
        lambda rows: under_its_name(rows, f"{CODE}{'#' * 200_000}\n"),
        lambda rows: under_its_name(rows, f"\x1b[2J{CODE}"),
        lambda rows: [*rows, ("control", {"id": "x"})],
        lambda rows: [*rows, ("_sqlite_migrations", {"name": "m999_later"})],
        lambda rows: [*rows, ("candidates; DROP TABLE runs", {"id": "x"})],
    ],
)
def test_rows_that_are_no_run_are_refused(
    change: Callable[[list[Any]], list[Any]], file: Path
) -> None:
    lines = [["preceptor recording", {"format": 1, "schema": []}]]
    lines += [list(row) for row in change(list(read_recording(file)))]
    packed = "".join(json.dumps(line) + "\n" for line in lines).encode()
    file.write_bytes(lzma.compress(packed, check=lzma.CHECK_SHA256))
    refused(file, "damaged or no recorded run")


@pytest.mark.parametrize(
    ("head", "match"),
    [
        (["preceptor recording", {"format": 2, "schema": []}], "newer version"),
        (["preceptor recording", {"format": 1, "schema": ["m999_later"]}], "newer version"),
        (["a diary", {"format": 1, "schema": []}], "no recorded run"),
        ([["preceptor recording"], {}], "no recorded run"),
        ({"format": 1, "schema": []}, "no recorded run"),
        (7, "no recorded run"),
    ],
)
def test_other_and_newer_files_are_told_apart(head: object, match: str, file: Path) -> None:
    packed = lzma.compress(json.dumps(head).encode() + b"\n", check=lzma.CHECK_SHA256)
    file.write_bytes(packed)
    refused(file, match)


def test_a_file_that_grows_without_bound_is_left_in_time(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "LONGEST", 1 << 20)
    head = b'["preceptor recording", {"format": 1, "schema": []}]\n'
    file.write_bytes(lzma.compress(head + b" " * (1 << 22), check=lzma.CHECK_SHA256))
    refused(file, "damaged")
    monkeypatch.setattr(recording, "LARGEST", 1 << 20)
    file.write_bytes(lzma.compress(head + b'["x", {}]\n' * (1 << 18), check=lzma.CHECK_SHA256))
    with pytest.raises(UserError, match="damaged"):
        for _ in read_recording(file):
            pass


def test_settings_out_of_their_range_are_refused_by_name(file: Path) -> None:
    rewrite(file, replaced("runs", spec=spec(settings={"generations": -1})))
    refused(file, "option generations must be at least 0")


def test_a_program_under_its_name_is_taken(file: Path) -> None:
    rewrite(file, lambda rows: under_its_name(rows, f"{CODE}# more\n"))
    assert import_run(file.with_name("away.db"), file) == RUN


def test_a_database_with_triggers_and_views_is_no_recording(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE runs (run)")
        db.execute("CREATE VIEW candidates AS SELECT load_extension('x')")
        db.execute("CREATE TRIGGER t AFTER INSERT ON runs BEGIN SELECT load_extension('x'); END")
    refused(file, "damaged or no recorded run")


def test_text_is_clean_once_imported_and_programs_go_by_their_clean_text(
    home: Path, tmp_path: Path
) -> None:
    bad = "\x1b]0;owned\x07\x9b\u202e"
    code = f"def score(item, state):\n    return 1  # {bad}\n"
    answer = replace(REPLY, text=bad)
    with Store(home) as store:
        run = store.jobs.create_run(replace(SPEC, writer=bad, analyzer=bad))
        made = replace(CANDIDATE, program=make_program(bad, code))
        made = replace(made, failure=Failure("exception", bad), parents=(bad,), diagnostics=None)
        store.search_log.record_candidate(run, made)
        store.search_log.record_briefs(run, 1, [Brief(bad, "s")])
        store.search_log.record_events(run, [Event(read_fact("note", {"text": bad}), 1, 0)])
        store.search_log.record_sent(CallKey(run, "program", 1, 0), REQUEST)
        store.search_log.record_done(CallKey(run, "program", 1, 0), answer)
    export_run(home, run, tmp_path / "bad.run")
    away = tmp_path / "away.db"
    number = import_run(away, tmp_path / "bad.run")
    plain = clean(bad)
    with Reader(away) as reader:
        row = reader.run(number)
        (found,) = reader.candidates(number)
        assert (row.spec.writer, row.spec.analyzer) == (f"imported:{plain}",) * 2
        assert found.program.code == code.replace(bad, plain)
        assert found.program.idea == plain
        assert found.parents == (plain,)
        assert found.failure == Failure("exception", plain)
        assert reader.briefs(number)[0].brief.text == plain
        assert [event.fact for event in reader.events(number)] == [Note("note", plain)]
        assert [exchange.call.reply for exchange in reader.exchanges(number)] == [answer]
    with closing(sqlite3.connect(away)) as db:
        assert not [line for line in db.iterdump() if clean(line) != line]


def test_a_blob_that_fills_the_memory_is_left_in_time() -> None:
    bomb = zlib.compress(bytes(codec.LONGEST + 1), 9)
    assert len(bomb) < 100_000
    for blob in (bomb, bomb[:100], b"none"):
        with pytest.raises(ValueError, match="blob"):
            codec.unpack(blob)


@pytest.mark.parametrize("problem", ["./shop", "/tmp/shop.py", "shop.py", "..\\shop"])
def test_a_run_whose_problem_is_code_has_to_be_trusted(problem: str, file: Path) -> None:
    rewrite(file, replaced("runs", spec=spec(problem={"name": problem, "options": []})))
    refused(file, "whose code runs when the run is shown")
    away = file.with_name("away.db")
    assert import_run(away, file, trusted=True) == RUN


THEIRS = Endpoint("paid", "gpt", base_url="http://127.0.0.1:9/v1", api_key_env="MY_KEY")


def brought(home: Path, tmp_path: Path, **named: Any) -> RunSpec:
    """What becomes of a run that asks these, by way of a recording."""
    with Store(home) as store:
        run = store.jobs.create_run(replace(SPEC, **named))
    export_run(home, run, tmp_path / "theirs.run")
    away = tmp_path / "away.db"
    with Reader(away) as reader:
        return reader.run(import_run(away, tmp_path / "theirs.run")).spec


@pytest.mark.parametrize(
    ("writer", "analyzer", "teacher"),
    [
        ("paid", "", "lehd"),
        ("builtin", "paid", "lehd"),
        ("openai:gpt", "replay:3", "program:/tmp/expert.py"),
        ("/tmp/writer.py:Writer", "builtin", "/tmp/teacher.py:Teacher"),
        ("imported:paid", "imported:paid", "imported:program:/tmp/expert.py"),
    ],
)
def test_of_an_imported_run_nobody_is_asked_but_what_comes_with_preceptor(
    home: Path, tmp_path: Path, writer: str, analyzer: str, teacher: str
) -> None:
    spec = brought(
        home, tmp_path, writer=writer, analyzer=analyzer, teacher=teacher, endpoints=(THEIRS,)
    )
    assert spec.endpoints == ()
    known = ("", "builtin", "lehd")
    for name, was in ((spec.writer, writer), (spec.analyzer, analyzer), (spec.teacher, teacher)):
        assert name == (was if was in known else f"imported:{was.removeprefix('imported:')}")
    with closing(sqlite3.connect(tmp_path / "away.db")) as db:
        assert not [line for line in db.iterdump() if "127.0.0.1" in line or "MY_KEY" in line]


def test_another_file_that_names_itself_as_imported_gains_nothing(
    home: Path, tmp_path: Path
) -> None:
    theirs = replace(THEIRS, name="imported:paid")
    assert brought(home, tmp_path, writer="imported:paid", endpoints=(theirs,)).endpoints == ()


@given(text=st.text())
def test_whatever_a_recording_calls_a_run_is_shown_in_one_line(text: str) -> None:
    row = cast("sqlite3.Row", {"name": text, "note": text, "tags": text})
    label = rows.read_label(row)
    assert all(len(word.splitlines()) <= 1 for word in (label.name, *label.tags))
    assert label == replace(label, name=clean(label.name), note=clean(label.note))


def test_names_that_a_recording_brings_along_are_kept_in_one_line(
    home: Path, tmp_path: Path
) -> None:
    """A line break in a method would forge a line of every list of runs."""
    named = brought(home, tmp_path, method="ours\nrun 9 done", writer="m\r\n run 9", arm="a\n b")
    assert (named.method, named.writer, named.arm) == (
        "ours run 9 done",
        "imported:m run 9",
        "a b",
    )
