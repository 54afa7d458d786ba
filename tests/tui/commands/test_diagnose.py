"""`preceptor diagnose`: a teacher comments on rules, programs and on itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, TEACHER, TOY, Shell, Typed
from tests.toy.problem import build
from tests.tui.schemas import read_document

MUTE = "def score(item, state):\n    return float('nan')\n"
CROOKED = "def score(item, state):\n    return 1 / (state.left - 5)\n"


def typed(preceptor: Shell, *words: str) -> Typed:
    return preceptor("diagnose", TOY, "--teacher", TEACHER, *words)


def document(preceptor: Shell, *words: str) -> Any:
    return read_document(typed(preceptor, *words, "--json").out, "diagnose")


def test_a_teacher_agrees_with_itself(preceptor: Shell) -> None:
    found = document(preceptor, "--solver", f"teacher:{TEACHER}")
    assert (found["agreement"], found["stderr"], found["value"]) == (1.0, 0.0, 1.0)
    assert found["percentile"] >= 1 - found["tied"] / found["states"]
    assert found["states"] == build().states


def test_the_teachers_own_program_agrees_with_it(preceptor: Shell) -> None:
    found = document(preceptor, "--program", str(ROOT / "tests/toy/teacher.py"))
    assert found["agreement"] == 1.0


def test_agreement_stands_between_chance_and_certainty_for_a_plain_rule(
    preceptor: Shell,
) -> None:
    found = document(preceptor, "--solver", "balanced")
    assert found["chance"] < found["agreement"] < 1
    assert found["stderr"] == pytest.approx(
        (found["agreement"] * (1 - found["agreement"]) / found["states"]) ** 0.5
    )


def test_advice_is_checked_where_it_is_asked_for(preceptor: Shell) -> None:
    found = document(preceptor, "--solver", "balanced", "--option", "advice=9")
    assert found["advice"]["checked"] == 9
    costs = [case["costs"] for case in found["cases"] if case["chosen"] != case["preferred"]]
    assert len(costs) == 9 and None not in costs
    page = typed(preceptor, "--solver", "balanced", "--option", "advice=9").out
    assert f"advice: {found['advice']['helped']} of 9 choices tried help" in page
    assert document(preceptor, "--solver", "balanced")["advice"] is None


def test_teacher_rollout_comments_on_programs_and_not_on_teachers(preceptor: Shell) -> None:
    words = ("diagnose", TOY, "--teacher", "rollout", "--option", "advice=9")
    typed = preceptor(*words, "--solver", "balanced", "--json")
    found = read_document(typed.out, "diagnose")
    assert found["advice"]["helped"] == 9
    assert found["advice"]["gain"] > 0
    refused = preceptor(*words, "--solver", f"teacher:{TEACHER}")
    assert refused.code == 3
    assert "lets programs go on" in refused.err


def test_the_cases_hold_the_fields_of_both_choices(preceptor: Shell) -> None:
    cases = document(preceptor, "--solver", "balanced")["cases"]
    assert len(cases) == 12
    assert any(case["chosen"] == case["preferred"] for case in cases)
    worst = cases[0]
    assert worst["regret"] > 0
    assert worst["chosen_fields"].keys() == worst["preferred_fields"].keys()
    assert worst["chosen_fields"]["duration"] != worst["preferred_fields"]["duration"]


def test_a_solver_of_whole_instances_is_commented_on_too(preceptor: Shell) -> None:
    assert document(preceptor, "--solver", "smith")["agreement"] > 0.8


def test_the_page_shows_figures_pictures_and_fields(preceptor: Shell) -> None:
    page = typed(preceptor, "--solver", "balanced", "--set", "held-out").out
    assert "agreement  0." in page
    assert "chance 0." in page
    assert "on held-out" in page
    assert page.count("field ") == 3
    assert "both take" in page


def test_settings_choose_the_states(preceptor: Shell) -> None:
    found = document(preceptor, "--solver", "balanced", "--option", "states=8")
    assert found["states"] == 8


def test_a_program_that_fails_has_no_diagnostics(preceptor: Shell, tmp_path: Path) -> None:
    file = tmp_path / "crooked.py"
    file.write_text(CROOKED)
    failed = typed(preceptor, "--program", str(file))
    assert failed.code == 1
    assert "crooked.py failed on design: smoke, ZeroDivisionError" in failed.err


def test_a_teacher_without_finite_scores_is_no_agreement_of_zero(
    preceptor: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "mute.py"
    file.write_text(MUTE)
    refused = preceptor(
        "diagnose", TOY, "--solver", "balanced", "--teacher", f"program:{file}", "--json"
    )
    assert refused.code == 3
    assert "gives no diagnostics" in refused.err


def test_a_problem_without_a_teacher_asks_for_one(preceptor: Shell) -> None:
    refused = preceptor("diagnose", TOY, "--solver", "balanced")
    assert refused.code == 3
    assert "--teacher" in refused.complaint


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "one of --program and --solver"),
        (("--solver", "smith", "--program", "x.py"), "one of --program and --solver"),
        (("--solver", "balancd"), "did you mean 'balanced'?"),
        (("--solver", "smith", "--set", "desing"), "did you mean 'design'?"),
        (("--program", "nowhere.py"), "nowhere.py: No such file"),
    ],
)
def test_what_cannot_be_is_refused(
    words: tuple[str, ...], complaint: str, preceptor: Shell
) -> None:
    refused = typed(preceptor, *words)
    assert refused.code == 2
    assert complaint in refused.complaint
