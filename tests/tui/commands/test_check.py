"""`preceptor check`: what a run needs is tried once, and nothing is booked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.conftest import ALONE, ROOT, TEACHER, TOY, Shell, Typed
from tests.engine.llm.faults import FAULTS
from tests.engine.llm.provider import KEY, Call, Provider, serve
from tests.tui.schemas import read_document

WRITER = """
[writers.mine]
model = "fake-1"
base_url = "{url}"
api_key_env = "MY_KEY"
price_in = 1.0
price_out = 10.0
parameters = {{ temperature = 0.5, seed = 1, max_tokens = 300 }}
"""


def fussy(call: Call) -> None:
    """A model that takes neither temperature nor seed."""
    for name in ("temperature", "seed"):
        if name in call.body:
            return call.error(400, f"Unsupported parameter: '{name}'", param=name)
    return call.answer()


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """All faults, and the fussy model."""
    with serve({name: fault.act for name, fault in FAULTS.items()} | {"fussy": fussy}) as running:
        yield running


def check(preceptor: Shell, url: str, *words: str) -> Typed:
    """Check the toy with a writer at an address; the shell stands in a folder of its own."""
    Path("preceptor.toml").write_text(WRITER.format(url=url))
    return preceptor("check", *words, "--llm", "mine")


def document(typed: Typed) -> Any:
    """The JSON that was printed."""
    return read_document(typed.out, "check")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)


def test_a_run_that_would_work_is_ready(preceptor: Shell, provider: Provider) -> None:
    typed = check(preceptor, provider.url("fine"), TOY, "--teacher", TEACHER, "--json")
    found = document(typed)
    assert (typed.code, found["ready"]) == (0, True)
    assert [seed["name"] for seed in found["seeds"]] == ["shortest", "heaviest", "balanced"]
    assert all(seed["cost"] == seed["objective"] > 0 for seed in found["seeds"])
    assert found["teacher"]["states"] == 32
    assert 0 < found["teacher"]["chance"] < found["teacher"]["agreement"] < 1
    (writer,) = found["writers"]
    assert (writer["model"], writer["program"], writer["tokens_in"]) == ("fake-1", True, 100)
    assert writer["usd"] == pytest.approx(100e-6 + 20e-5)
    assert found["estimate"]["calls"] == 30
    assert found["estimate"]["tokens_out"] == 30 * 300
    assert provider.count("fine") == 1
    assert not Path("runs.db").exists()


def test_the_page_names_cost_and_default_caps(preceptor: Shell, provider: Provider) -> None:
    typed = check(preceptor, provider.url("usage-absent"), *ALONE)
    assert typed.code == 0
    assert "shortest" in typed.out
    assert "a program" in typed.out
    assert "a run: 30 calls, at most " in typed.out
    assert "capped at 60 calls, " in typed.out
    assert "mine is sent one request" in typed.err


def test_caps_of_the_command_line_stand(preceptor: Shell, provider: Provider) -> None:
    typed = check(preceptor, provider.url("usage-nonsense"), *ALONE, "--max-calls", "7")
    assert "; capped at 7 calls\n" in typed.out


def test_parameters_that_the_model_refuses_are_all_named(
    preceptor: Shell, provider: Provider
) -> None:
    typed = check(preceptor, provider.url("fussy"), *ALONE, "--json")
    (writer,) = document(typed)["writers"]
    assert typed.code == 2
    assert (sorted(writer["refused"]), writer["program"]) == (["seed", "temperature"], True)
    assert provider.count("fussy") == 3
    page = check(preceptor, provider.url("fussy"), *ALONE).out
    assert "writer mine rejects the parameter temperature: change it" in page


def test_a_writer_that_cannot_answer_is_exit_code_3_and_keeps_the_key(
    preceptor: Shell, provider: Provider
) -> None:
    typed = check(preceptor, provider.url("bad-key-repeated"), *ALONE, "--json")
    (writer,) = document(typed)["writers"]
    assert typed.code == 3
    assert (writer["answered"], writer["tokens_in"]) == (False, None)
    assert "check the variable that holds it" in writer["error"]
    assert KEY not in typed.out + typed.err


def test_an_answer_without_a_program_is_told(preceptor: Shell, provider: Provider) -> None:
    typed = check(preceptor, provider.url("cut-off"), *ALONE, "--json")
    (writer,) = document(typed)["writers"]
    assert (typed.code, writer["answered"], writer["program"]) == (0, True, False)
    assert "cut off" in writer["error"]


def test_without_a_model_there_is_nothing_to_pay(preceptor: Shell) -> None:
    typed = preceptor("check", *ALONE)
    assert typed.code == 0
    assert "a run pays for no language model" in typed.out


def test_a_missing_key_is_exit_code_3_before_anything_is_tried(
    preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY")
    url = "https://models.example.com/v1"
    typed = check(preceptor, url, "jssp", "--method", "performance-only", "--json")
    found = document(typed)
    assert (typed.code, found["ready"], found["contract"]) == (3, False, None)
    assert "MY_KEY is not set" in found["error"]
    assert typed.err.splitlines()[-1] == f"preceptor: {found['error']}"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["./nowhere"], 1, "no such problem folder or file"),
        (["jsp"], 2, "unknown problem 'jsp'; did you mean 'jssp'?"),
        (["jssp", "--method", "nope"], 2, "unknown method 'nope'"),
        (["jssp", "--option", "calls=x"], 2, "calls"),
        (["jssp", "--teacher", "program:nope.py"], 2, "nope.py: no such file"),
    ],
)
def test_what_cannot_be_begun_is_told_as_json_too(
    words: list[str], code: int, told: str, preceptor: Shell
) -> None:
    typed = preceptor("check", *words, "--json")
    found = document(typed)
    failures = [one["failure"] for one in (found["contract"] or {}).get("checks", ())]
    assert (typed.code, found["ready"]) == (code, False)
    assert told in " ".join((found["error"] or "", *failures))


def test_a_problem_of_ones_own_goes_through_the_contract_suite(preceptor: Shell) -> None:
    typed = preceptor("check", TOY)
    assert typed.code == 0, typed.err
    first, second, *_ = typed.out.splitlines()
    assert first.startswith("contract suite: 18 checks hold; shortest solves design/0 in ")
    assert first.endswith(" ms, 10 decisions")
    assert second == "toy on design (8 instances), method preceptor"
    assert "rollout comments on 32 states" in typed.err
    found = document(preceptor("check", TOY, "--json"))
    assert {one["failure"] for one in found["contract"]["checks"]} == {None}
    assert found["contract"]["rollout"]["decisions"] == 10


def test_a_broken_problem_is_told_as_json_too(preceptor: Shell) -> None:
    preceptor("new", "problem", "shop")
    file = Path("shop/problem.py")
    file.write_text(file.read_text().replace("return float(len(", "(float(len("))
    assert "shop/problem.py:131: SyntaxError" in preceptor("check", "./shop").out
    file.write_text(file.read_text().replace("(float(len(state.spaces))", "len(state.spaces)"))
    typed = preceptor("check", "./shop", "--json")
    found = document(typed)
    assert (typed.code, found["ready"], found["writers"]) == (1, False, [])
    told = {one["failure"] for one in found["contract"]["checks"]} - {None}
    assert all("shop/problem.py:129: cost() returned None" in one for one in told)


def test_what_breaks_on_a_later_instance_is_told_as_json_too(
    preceptor: Shell, tmp_path: Path
) -> None:
    text = (ROOT / "tui/template/problem/problem.py").read_text("utf-8")
    cost = "return float(len(state.spaces))"
    wrong = f"return math.nan if state.instance.name == 'design/7' else {cost[7:]}"
    assert cost in text
    folder = tmp_path / "shop"
    copytree(ROOT / "tui/template/problem", folder)
    (folder / "problem.py").write_text(text.replace(cost, wrong), "utf-8")
    typed = preceptor("check", "./shop", "--json")
    found = document(typed)
    told = found["error"]
    assert (typed.code, found["ready"]) == (1, False)
    assert {one["failure"] for one in found["contract"]["checks"]} == {None}
    assert "cost() returned float nan" in told and "(instance design/7)" in told
    assert told in typed.err


def test_what_a_problem_prints_does_not_get_among_the_json(preceptor: Shell) -> None:
    preceptor("new", "problem", "shop")
    file = Path("shop/problem.py")
    file.write_text(file.read_text() + '\nprint("hello")\n')
    typed = preceptor("check", "./shop", "--json")
    assert document(typed)["ready"]
    assert "hello" in typed.err


def test_teacher_rollout_is_checked_too(preceptor: Shell, provider: Provider) -> None:
    words = (TOY, "--teacher", "rollout", "--method", "preceptor", "--json")
    found = document(check(preceptor, provider.url("fine"), *words))
    assert found["teacher"]["states"] > 0


def test_a_writer_whose_briefs_cannot_be_read_fails_the_small_run(preceptor: Shell) -> None:
    assert preceptor("new", "writer", "mute").code == 0
    file = Path("mute/writer.py")
    briefs = 'Reply("\\n\\n".join(briefs) or "Try other weights.")'
    assert briefs in file.read_text()
    file.write_text(file.read_text().replace(briefs, 'Reply(" ")'))
    words = ("--llm", "./mute/writer.py:Writer", "--method", "ours", "--teacher", TEACHER)
    typed = preceptor("check", TOY, *words, "--json")
    found = document(typed)
    assert (typed.code, found["ready"]) == (1, False)
    assert found["error"] == "in a run of one child: the reply has no brief for slot 1 (s)"
    assert not Path("runs.db").exists()
