"""The exact teacher `cp-sat` by its name: listed, asked, followed, and refused in one sentence."""

from __future__ import annotations

import pytest

from problems.jssp.instances import generated
from problems.jssp.state import empty
from teachers.cp_sat import least_makespans
from tests.conftest import Shell
from tests.tui.schemas import read_document

pytest.importorskip("ortools")

SMALL = ("--set", "random-4x4")


def test_it_is_listed_without_weights(preceptor: Shell) -> None:
    listed = read_document(preceptor("teachers", "list", "--json").out, "teachers-list")
    (found,) = [one for one in listed["teachers"] if one["name"] == "cp-sat"]
    assert (found["problem"], found["default"], found["weights"]) == ("jssp", False, "none")


def test_it_comments_on_a_rule(preceptor: Shell) -> None:
    words = ("--solver", "mwkr", "--teacher", "cp-sat", "--option", "states=40", *SMALL)
    found = read_document(preceptor("diagnose", "jssp", *words, "--json").out, "diagnose")
    assert (found["teacher"], found["states"]) == ("cp-sat", 40)
    assert 0 < found["value"] < 1


def test_following_it_reaches_the_optimum_of_every_instance(preceptor: Shell) -> None:
    words = ("bench", "jssp", "--solver", "teacher:cp-sat", *SMALL, "--json")
    (table,) = read_document(preceptor(*words).out, "bench")
    optima = [min(least_makespans(empty(s), range(4)) or ()) for s in generated("random-4x4")]
    assert table["rows"][0]["costs"] == optima


@pytest.mark.parametrize(
    "words",
    [
        ("diagnose", "jssp", "--solver", "mwkr", "--teacher", "cp-sat"),
        ("bench", "jssp", "--solver", "teacher:cp-sat", "--set", "random-20x20"),
        ("run", "jssp", "--teacher", "cp-sat"),
    ],
)
def test_a_set_that_is_too_large_is_refused_in_a_sentence(
    words: tuple[str, ...], preceptor: Shell
) -> None:
    refused = preceptor(*words)
    assert refused.code == 3
    assert "at most 100 operations" in refused.err.splitlines()[-1]
    assert "Traceback" not in refused.err
