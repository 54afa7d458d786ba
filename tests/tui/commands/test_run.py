"""Whole runs from the command line: what is printed where, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ABSENT, ALONE, ROOT, TEACHER, TOY, WRITER, Shell
from tests.tui.schemas import read_document, read_lines

USELESS = f"{ROOT / 'tests/tui/writers.py'}:Useless"
SMALL = ("--llm", WRITER, "--option", "generations=1")


def test_the_result_is_on_stdout_and_the_progress_on_stderr(preceptor: Shell) -> None:
    done = preceptor("run", *ALONE, *SMALL)
    assert done.code == 0
    assert "def score(item, state):" in done.out
    assert "preceptor export 1 -o toy_1.py" in done.out
    assert "settings changed from their defaults: generations 1" in done.out
    assert "p0003 s gen 1" in done.err
    assert "generation 1 closed: best" in done.err
    assert "gen 1" not in done.out


def test_agreement_never_stands_without_chance_and_standard_error(preceptor: Shell) -> None:
    done = preceptor("run", TOY, "--teacher", TEACHER, *SMALL)
    assert done.code == 0
    assert " agreement 0." in done.err
    best = next(line for line in done.out.splitlines() if line.startswith("best "))
    assert " agreement 0." in best
    assert " ± 0." in best
    assert "(chance 0." in best


def test_json_lines_begin_with_the_settings_and_end_with_the_result(preceptor: Shell) -> None:
    done = preceptor("run", TOY, "--method", "ours", "--teacher", TEACHER, *SMALL, "--json")
    first, *between, last = read_lines(done.out, "run")
    assert first["settings"]["options"]["generations"] == 1
    assert [line["event"] for line in between].count("candidate") == 8
    assert last["event"] == "run-ended"
    assert last["status"] == "done"
    assert last["best"]["objective"] == last["best"]["cost"]
    assert last["best"]["program"] == min(last["population"], key=lambda p: p["cost"])["program"]
    assert last["evaluations"] >= len(last["population"])


def test_a_spent_budget_ends_with_4_and_says_how_to_raise_it(preceptor: Shell) -> None:
    done = preceptor("run", *ALONE, *SMALL, "--max-calls", "0")
    assert done.code == 4
    assert "preceptor resume 1 --max-calls" in done.err


def test_a_raised_budget_lets_a_run_go_on_where_it_stood(preceptor: Shell) -> None:
    preceptor("run", *ALONE, "--llm", WRITER, "--max-calls", "8")
    refused = preceptor("resume")
    assert refused.code == 2
    assert "raise it" in refused.complaint
    resumed = preceptor("resume", "--max-calls", "200")
    assert resumed.code == 0, resumed.err
    assert "gen 1" not in resumed.err


def test_a_run_that_finds_no_valid_program_has_failed(preceptor: Shell) -> None:
    words = ("--llm", USELESS, "--option", "generations=1", "--option", "start=contract")
    done = preceptor("run", *ALONE, *words)
    assert done.code == 1
    assert "no valid program" in done.out
    assert "run 1 found no new valid program; see why its programs failed with: " in done.err
    assert preceptor("watch", "1").code == 1


def test_a_run_that_ends_with_what_it_began_with_has_failed(preceptor: Shell) -> None:
    done = preceptor("run", *ALONE, "--llm", USELESS, "--option", "generations=1")
    assert done.code == 1
    assert "best p000" in done.out
    assert "run 1 found no new valid program; see why its programs failed with: " in done.err


@pytest.mark.parametrize("amount", ["inf", "1e999", "nan"])
def test_money_without_end_is_no_cap(preceptor: Shell, amount: str) -> None:
    refused = preceptor("run", *ALONE, *SMALL, "--max-usd", amount)
    assert refused.code == 2
    assert "--max-usd" in refused.complaint


def test_an_unreachable_writer_pauses_the_run(preceptor: Shell) -> None:
    done = preceptor("run", *ALONE, "--llm", ABSENT)
    assert done.code == 1
    assert "run 1 is paused: nobody is at home" in done.err
    assert "preceptor resume 1" in done.err


def test_watching_a_finished_run_tells_it_again(preceptor: Shell) -> None:
    live = preceptor("run", *ALONE, *SMALL)
    again = preceptor("watch")
    assert again == live


def test_a_run_starts_from_a_file_and_from_another_run(preceptor: Shell, tmp_path: Path) -> None:
    file = tmp_path / "rule.py"
    file.write_text("def score(item, state):\n    return item.weight / item.duration\n")
    done = preceptor("run", *ALONE, *SMALL, "--start", str(file))
    assert done.code == 0
    assert "p0003 seed gen 0 cost" in done.err
    assert f"extra seed {file}" in done.out
    best = next(line for line in done.out.splitlines() if line.startswith("best "))
    assert best.startswith("best p0003: ")
    file.unlink()  # what it held is recorded
    assert preceptor("resume", "1", "--fork").code == 0
    words = ("--option", "generations=0", "--start", "1", "--json")
    first, *_, last = read_lines(preceptor("run", *ALONE, *words).out, "run")
    assert first["settings"]["extra_seeds"][0] == "run:1/p0003"
    assert "item.weight / item.duration" in last["best"]["code"]
    compared = read_document(preceptor("compare", "1", "3", "--json").out, "compare")
    assert "extra_seeds" in [one["name"] for one in compared["settings"]]
    assert "run:1/p0003" in preceptor("compare", "1", "3").out


def test_a_run_is_written_nowhere_when_it_is_refused(preceptor: Shell, tmp_path: Path) -> None:
    assert preceptor("run", "tuy", "--llm", WRITER).code == 2
    assert not list(tmp_path.iterdir())


def test_paths_are_kept_so_that_a_run_resumes_from_anywhere(
    preceptor: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preceptor("run", *ALONE, *SMALL, "--max-calls", "0")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    resumed = preceptor("resume", "1", "--max-calls", "99", "--db", "../runs.db")
    assert resumed.code == 0, resumed.err
    assert "--db ../runs.db" in resumed.out


def test_names_complete_in_the_shell(preceptor: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    preceptor("run", *ALONE, *SMALL)
    monkeypatch.setenv("_PRECEPTOR_COMPLETE", "complete_bash")

    def complete(*words: str) -> list[str]:
        monkeypatch.setenv("COMP_WORDS", " ".join(("preceptor", *words)))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        return preceptor().out.split()

    assert complete("show", "1") == ["1"]
    assert complete("run", "js") == ["jssp"]
    assert complete("run", "jssp", "--method", "no-s") == ["no-s"]
    assert complete("run", "jssp", "--option", "pop") == ["population="]
    assert complete("run", "jssp", "--option", "start=c") == ["start=contract"]
    assert complete("run", "jssp", "--preset", "") == ["paper"]
    assert complete("run", "jssp", "--teacher", "off") == ["offline-l2d"]
    assert complete("run", "jssp", "--llm", "") == ["builtin", "openai:", "replay:"]
    assert complete("bench", "jssp", "--set", "random-20x") == ["random-20x20"]
    assert complete("bench", "jssp", "--solver", "mwk") == ["mwkr"]
    assert complete("bench", "nowhere", "--solver", "mwk") == []
    assert "p0000" in complete("show", "1", "p")
    assert complete("show", "9", "p") == []
    monkeypatch.delenv("_PRECEPTOR_COMPLETE")
    preceptor("label", "1", "--name", "night")
    monkeypatch.setenv("_PRECEPTOR_COMPLETE", "complete_bash")
    assert complete("show", "ni") == ["night"]
    assert complete("settings", "casc") == ["cascade"]


def test_an_exported_key_alone_is_only_hinted_at(
    preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    done = preceptor("run", *ALONE, "--option", "generations=0")
    assert "OPENAI_API_KEY is set" in done.err
    assert "sk-secret" not in done.err + done.out
