"""Prompts of the user's own: read once, checked before anything is spent, never exchanged."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.names import ANALYZER, LONG_TERM, SHORT_TERM
from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.text.codec import decode, encode
from engine.domain.values import Request
from engine.search.methods.method_file import method_of
from engine.search.methods.methods import METHODS
from engine.search.methods.operators import OPERATORS
from engine.search.prompts.custom import load_prompts, names
from problems import ProblemRef
from problems.errors import RunMismatch, UserError
from tests.engine.search.memory import InMemoryEnvironment, run

OURS = Path(__file__).parents[3] / "engine/search/prompts"
MARK = "Mind the $$ gap.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """All prompts, each with a mark of the user's."""
    made = tmp_path / "prompts"
    made.mkdir()
    for name in names():
        (made / f"{name}.md").write_text(MARK + (OURS / f"{name}.md").read_text())
    return made


def spec(folder: Path, method: str = "ours") -> RunSpec:
    """A run with the prompts of a folder, as it is booked."""
    settings = Settings(prompts=str(folder))
    return load_prompts(RunSpec(ProblemRef("toy"), method, settings=settings))


def unusable(request: Request, attempt: int) -> str | None:
    """Every first answer needs a repair."""
    return "no program" if request.role == "program" else None


def test_every_operator_and_role_has_a_prompt_to_replace() -> None:
    asked = {name for name, operator in OPERATORS.items() if operator.by == "model"}
    assert {*asked, ANALYZER, SHORT_TERM, LONG_TERM, "repair"} == set(names())


@pytest.mark.parametrize("method", ["ours", "eoh", "reevo"])
def test_every_question_is_put_in_the_users_words(folder: Path, method: str) -> None:
    environment = InMemoryEnvironment(
        method_of(spec(folder, method)), Settings(generations=2), answer=unusable
    )
    run(environment)
    assert "repair" in {request.role for request in environment.asked.values()}
    for request in environment.asked.values():
        assert request.messages[-1].content.startswith("Mind the $ gap."), request.role


def test_prompts_that_are_left_out_are_ours(folder: Path) -> None:
    for name in names():
        if name != "s":
            (folder / f"{name}.md").unlink()
    method = method_of(spec(folder))
    assert method.operator("s").prompt.startswith(MARK)
    assert method.operator("p") == METHODS["ours"].operator("p")
    assert method.prompt("repair") == ""


def test_a_run_records_its_prompts_and_refuses_others(folder: Path) -> None:
    booked = decode(RunSpec, encode(spec(folder)))
    assert booked == spec(folder)
    original = (folder / "s.md").read_text()
    (folder / "s.md").write_text(original + "\nBe bold.")
    with pytest.raises(RunMismatch, match="not those that the run was booked with"):
        method_of(booked)
    assert method_of(load_prompts(booked)).operator("s").prompt.endswith("Be bold.")
    (folder / "s.md").write_text(original)
    assert method_of(booked).operator("s").prompt == original


def test_recorded_prompts_serve_where_the_folder_is_gone(folder: Path) -> None:
    booked = spec(folder)
    shutil.rmtree(folder)
    assert method_of(load_prompts(booked)).operator("s").prompt.startswith(MARK)


def test_without_a_folder_nothing_changes() -> None:
    plain = RunSpec(ProblemRef("toy"))
    assert load_prompts(plain) == plain
    assert method_of(plain) == METHODS["ours"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("s", "Cost $costs. $reply", "unknown place in .*s.md: 'costs'"),
        ("s", "$attempt $reply", "did you mean 'attempts'"),
        ("s", "It costs 5 $. $reply", "written \\$\\$"),
        ("s", "Write something.", "no \\$reply"),
        ("repair", "$parents $reply", "unknown place"),
        ("reply", "Answer in verse.", "unknown prompt"),
        ("analyser", "$slots", "did you mean 'analyzer'"),
    ],
)
def test_a_prompt_that_cannot_work_is_refused(
    name: str, text: str, message: str, folder: Path
) -> None:
    (folder / f"{name}.md").write_text(text)
    with pytest.raises(UserError, match=message):
        spec(folder)


def test_a_folder_that_is_none_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="preceptor prompts export"):
        spec(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="contains no prompts"):
        spec(tmp_path / "empty")


def test_an_operators_prompt_may_name_what_its_kin_name(folder: Path) -> None:
    (folder / "e1.md").write_text("$standing $scale $reply")
    assert method_of(spec(folder, "eoh")).prompt("e1") == "$standing $scale $reply"


def test_places_of_earlier_prompts_of_ours_are_still_filled(folder: Path) -> None:
    (folder / "s.md").write_text("$aim $states $scale $reply")
    (folder / "analyzer.md").write_text("$relation $slots $headings")
    environment = InMemoryEnvironment(method_of(spec(folder)), Settings(generations=1))
    run(environment)
    for place in (("analyzer", 1, 0, 0), ("program", 1, 0, 0)):
        assert "## What the teacher says" in environment.asked[place].messages[0].content
    (folder / "m.md").write_text("$relation $reply")
    with pytest.raises(UserError, match=r"unknown place in .*m\.md: 'relation'"):
        spec(folder)


def test_replacing_a_method_keeps_its_other_parts(folder: Path) -> None:
    found = method_of(spec(folder))
    assert replace(found, prompts=()) == METHODS["ours"]
