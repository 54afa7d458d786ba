"""Settings come from four sources in a fixed order, and wrong ones are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.domain.specs.settings import (
    MEANINGS,
    Settings,
    amend,
    list_settings,
    option_names,
    resolve,
)
from problems.errors import UnknownName, UserError

NOWHERE = Path("no-such-file.toml")


def test_what_is_typed_beats_what_lies_around(
    tmp_path: Path,
) -> None:
    file = tmp_path / "preceptor.toml"
    file.write_text("[settings]\npopulation = 20\nstates = 7\ntop_k = 4\ncases = 3\n")
    environment = {"PRECEPTOR_CHILDREN": "8", "PRECEPTOR_TOP_K": "3", "HOME": "x"}
    words = ["generations=2", "states=9"]
    _, settings = resolve("jssp", words, "paper", environment, file)
    assert (settings.population, settings.children) == (10, 5)  # the preset's
    assert (settings.generations, settings.states) == (2, 9)
    assert (settings.top_k, settings.cases) == (3, 3)
    sources = {one.name: one.source for one in list_settings(words, "paper", environment, file)}
    assert sources["population"] == "preset paper"
    assert sources["states"] == "--option"
    assert sources["top_k"] == "environment"
    assert sources["cases"] == str(file)
    assert sources["cascade"] == "default"


def test_every_setting_says_what_it_is_for() -> None:
    assert set(MEANINGS) == set(option_names())
    kinds = {one.name: one.kind for one in list_settings((), None, {}, NOWHERE)}
    assert kinds["population"] == "a whole number from 2"
    assert kinds["start"] == "seeds, contract"
    unbounded = {name for name, kind in kinds.items() if kind in ("a number", "a whole number")}
    assert unbounded == {"sampling_seed"}


def test_the_problems_own_options_go_to_the_problem() -> None:
    ref, settings = resolve("tsp", ["tsp.kind=whole", "population=12"], None, {}, NOWHERE)
    assert ref.options == (("kind", "whole"),)
    assert settings.population == 12


def test_lambda_is_spelt_as_in_the_paper() -> None:
    assert "lambda" in option_names()
    assert amend(Settings(), {"lambda": "0.25"}).lambda_ == 0.25


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("kind=whole", "kind is an option of jssp: --option jssp.kind=VALUE"),
        ("popluation=3", "did you mean 'population'"),
        ("population", "KEY=VALUE"),
        ("population=many", "population takes a whole number"),
        ("population=1", "population must be at least 2"),
        ("lambda=1", "below 1"),
        ("start=contrat", "unknown start 'contrat'; did you mean 'contract'"),
        ("align=agrement", "did you mean 'agreement'"),
        ("prompt_teacher=allways", "did you mean 'always'"),
    ],
)
def test_a_wrong_option_is_one_clear_line(option: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        resolve("jssp", [option], None, {}, NOWHERE)


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'paper'"):
        resolve("jssp", [], "papper", {}, NOWHERE)


@pytest.mark.parametrize("text", ["settings = 3", "[settings", "settings = [1]"])
def test_a_settings_file_that_does_not_fit_is_one_clear_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "preceptor.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"preceptor\.toml: "):
        resolve("jssp", [], None, {}, file)


def test_a_writer_has_a_table_although_there_is_a_setting_of_that_name(tmp_path: Path) -> None:
    file = tmp_path / "preceptor.toml"
    file.write_text('[writers.mine]\nmodel = "m"')
    resolve("jssp", [], None, {}, file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[setings]\npopulation = 3", "unknown table of .*'setings'; did you mean 'settings'"),
        ("max_usd = 1.0", "unknown table of .*'max_usd'; there are: keys, settings, writers"),
        ("population = 3", r"population is a setting; it belongs below a line \[settings\]"),
    ],
)
def test_what_a_settings_file_says_in_vain_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "preceptor.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        resolve("jssp", [], None, {}, file)


def test_a_variable_without_a_meaning_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'PRECEPTOR_GENERATIONS'"):
        resolve("jssp", [], None, {"PRECEPTOR_GENERATONS": "3"}, NOWHERE)
    known = {"PRECEPTOR_DB": "x.db", "PRECEPTOR_ON_END": "true", "PRECEPTOR_MY_KEY": "s"}
    resolve("jssp", [], None, known, NOWHERE)


def test_generations_beside_another_goal_are_refused() -> None:
    """They did nothing, and the run's pages called them planned."""
    with pytest.raises(UserError, match="generations does nothing beside calls=30"):
        resolve("jssp", ["generations=1", "calls=30"], None, {}, NOWHERE)
    with pytest.raises(UserError, match="beside total_children=9"):
        environment = {"PRECEPTOR_TOTAL_CHILDREN": "9"}
        resolve("jssp", ["generations=1"], None, environment, NOWHERE)
    environment = {"PRECEPTOR_GENERATIONS": "3"}
    assert resolve("jssp", ["calls=30"], "paper", environment, NOWHERE)[1].calls == 30
