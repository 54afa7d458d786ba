"""What a job shop program is shown, what it may answer, and that fast walks change nothing."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from problems.base import rollout
from problems.errors import InvalidAction, UserError
from problems.jssp.instances import Instance
from problems.jssp.problem import Jssp, build
from problems.jssp.standalone import Feature, InstanceView, PaperState
from problems.jssp.walk import INSTANCE, KNOWN
from tests.problems.programs import compiled
from tests.problems.shops import shop, shops

PAPER: Jssp = build()
SMALL = shop("0:2 1:3 0:1", "1:4 0:6", "0:5 1:1")
NUMBERS = sorted({*KNOWN, "state.step"} - INSTANCE)


def seen(instance: Instance, *jobs: int) -> tuple[list[Feature], Any]:
    """What a program is given for each candidate after these jobs, and the state it is given."""
    features: list[Feature] = []
    states: list[Any] = []

    def spy(feature: Feature, state: Any) -> float:
        features.append(feature)
        states.append(state)
        return 0.0

    PAPER.decide(spy, reduce(PAPER.step, jobs, PAPER.start(instance)))
    return features, states[-1]


def test_a_candidate_shows_the_fields_of_the_contract() -> None:
    features, _ = seen(SMALL, 0, 1)
    assert features == [
        Feature(0, 1, 1, 3, 4, 4, 7, 2, 4, 4, 1, 1 / 3, 8, 12, 2),
        Feature(1, 1, 0, 6, 6, 4, 10, 4, 2, 12, 2, 1 / 2, 10, 0, 0),
        Feature(2, 0, 0, 5, 6, 2, 7, 0, 2, 12, 2, 0.0, 8, 4, 1),
    ]


def test_a_start_inside_a_gap_lies_before_the_machine_is_ready() -> None:
    features, _ = seen(shop("1:9 0:3", "0:4 1:1"), 0, 0)
    assert (features[0].earliest_start, features[0].machine_ready_time) == (0, 12)


def test_the_state_shows_instance_makespan_and_step() -> None:
    _, state = seen(SMALL, 0, 1)
    assert state == PaperState(InstanceView(SMALL.durations, SMALL.machines), 4, 2, 2, 16 / 3)


def test_the_contract_lists_exactly_what_can_be_read() -> None:
    feature, state = PAPER.contract.arguments
    features, seen_state = seen(SMALL)
    assert tuple(field.name for field in feature.fields) == features[0]._fields
    names = {field.name.split(".")[0] for field in state.fields}
    assert names == set(seen_state._fields)
    assert {f.name for f in state.fields if "." in f.name} == {
        f"instance.{name}" for name in seen_state.instance._fields
    }


@pytest.mark.parametrize("name", ["feature.slack", "state.next_op", "state.instance.name"])
def test_unknown_names_do_not_exist(name: str) -> None:
    program = compiled(f"def score(feature, state):\n    return {name}\n")
    with pytest.raises(AttributeError, match=name.rsplit(".", 1)[-1]):
        rollout(PAPER, program, SMALL)
    with pytest.raises(AttributeError, match=name.rsplit(".", 1)[-1]):
        PAPER.rollout(program, SMALL, None)


def test_nothing_that_is_shown_can_be_changed() -> None:
    features, state = seen(SMALL, 0)
    for value, name in [(features[0], "job_id"), (state, "step"), (state.instance, "durations")]:
        with pytest.raises(AttributeError):
            setattr(value, name, 0)
    assert isinstance(hash((*features, state)), int)


@pytest.mark.parametrize("score", [3, 2.5, -0.0, np.float32(1), np.int64(4), Fraction(1, 3)])
def test_any_real_number_is_a_score(score: object) -> None:
    assert PAPER.decide(lambda feature, state: score, PAPER.start(SMALL)) == 0


@pytest.mark.parametrize(
    "score", [None, True, np.True_, 1j, "1", [1.0], (1,), np.array([1.0]), np.array(1.0)]
)
def test_what_is_no_real_number_is_refused(score: object) -> None:
    with pytest.raises(InvalidAction, match="score of job 0 is not a real number but"):
        PAPER.decide(lambda feature, state: score, PAPER.start(SMALL))


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, np.float64("nan"), 10**400])
def test_scores_that_are_not_finite_are_refused_by_that_name(score: object) -> None:
    with pytest.raises(InvalidAction, match=r"^non-finite score of job 0: "):
        PAPER.decide(lambda feature, state: score, PAPER.start(SMALL))


def program(terms: list[tuple[str, int]], gate: str) -> tuple[str, frozenset[str]]:
    """A program text over these names, and the names."""
    total = " + ".join(f"{weight} * {name}" for name, weight in terms)
    code = f"def score(feature, state):\n    return ({total}) * (1 + {gate} % 3)\n"
    return code, frozenset({gate, *(name for name, _ in terms)})


programs = st.builds(
    program,
    st.lists(st.tuples(st.sampled_from(NUMBERS), st.integers(-3, 3)), min_size=1, max_size=4),
    st.sampled_from(NUMBERS),
)


@settings(max_examples=200, derandomize=True)
@given(shops(), programs)
def test_the_fast_rollout_takes_the_plain_ones_actions(
    instance: Instance, drawn: tuple[str, frozenset[str]]
) -> None:
    code, reads = drawn
    function = compiled(code)
    plain = rollout(PAPER, function, instance)
    assert PAPER.rollout(function, instance, reads) == list(plain.actions)
    assert PAPER.rollout(function, instance, None) == list(plain.actions)
    assert PAPER.replay(instance, plain.actions) == plain.cost


@pytest.mark.parametrize("answer", ["float('nan')", "None", "1 / 0"])
def test_the_fast_rollout_fails_as_the_plain_one_does(answer: str) -> None:
    code = (
        "def score(feature, state):\n"
        f"    return {answer} if feature.earliest_start > 3 else feature.job_id\n"
    )
    errors = []
    for walk in (rollout, lambda p, f, i: p.rollout(f, i, frozenset({"feature.earliest_start"}))):
        with pytest.raises((InvalidAction, ZeroDivisionError)) as caught:
            walk(PAPER, compiled(code), SMALL)
        errors.append((caught.type, str(caught.value)))
    assert errors[0] == errors[1]


def test_every_field_has_its_entry_in_the_watch_table() -> None:
    feature, state = PAPER.contract.arguments
    fields = {f"{a.name}.{f.name}" for a in (feature, state) for f in a.fields}
    assert fields - {"state.step"} == KNOWN


def test_seeds_are_programs_without_docstrings_and_with_one_sentence_ideas() -> None:
    seeds = PAPER.seeds()
    assert [seed.name for seed in seeds[:4]] == ["fdd-mwkr", "mwkr", "mor", "spt"]
    for seed in seeds:
        assert seed.code is not None and seed.code.startswith("def score(feature, state):\n    ")
        assert '"""' not in seed.code and seed.idea.endswith(".") and "\n" not in seed.idea


def test_an_unknown_option_value_names_the_valid_words() -> None:
    with pytest.raises(UserError, match="kind must be 'rule' or 'whole', not 'broad'"):
        build(kind="broad")
