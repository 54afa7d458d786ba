"""Values become text and come back, to the bit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.text.codec import content_key, decode, encode, pack, unpack
from engine.domain.values import Candidate, Diagnostics, Failure, Reply, Request, Usage
from tests.engine.samples import CANDIDATE, DIAGNOSTICS, REPLY, REQUEST, SPEC

VALUES = [CANDIDATE, DIAGNOSTICS, REPLY, REQUEST, SPEC]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_a_value_comes_back_equal(value: object) -> None:
    assert decode(type(value), encode(value)) == value


@given(st.floats(allow_nan=False))
def test_every_float_comes_back_to_the_bit(number: float) -> None:
    assert decode(Usage, encode(Usage(usd=number))).usd == number


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back_through_a_blob(text: str) -> None:
    assert decode(Reply, unpack(pack(encode(Reply(text))))) == Reply(text)


def test_equal_values_of_another_number_type_have_the_same_text() -> None:
    whole = replace(CANDIDATE, cost=5, costs=(1, None))
    assert encode(whole) == encode(replace(CANDIDATE, cost=5.0, costs=(1.0, None)))
    assert encode(Usage(usd=-0.0)) == encode(Usage(usd=0.0))


def test_numbers_of_numpy_are_written_as_our_own() -> None:
    counted = Usage(cast("int", np.int64(3)), usd=np.float64(0.5))
    assert encode(counted) == encode(Usage(3, usd=0.5))
    assert encode((np.int64(2), np.float32(1)), tuple[float, ...]) == "[2.0,1.0]"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_comes_back(number: float) -> None:
    assert repr(decode(Usage, encode(Usage(usd=number))).usd) == repr(number)


@pytest.mark.parametrize("text", ["[]", "{}", '{"kind": "timeout", "message": 1}', "{", '{"kind'])
def test_a_text_that_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        decode(Failure, text)


def test_a_value_that_does_not_fit_is_never_written() -> None:
    with pytest.raises(ValueError):
        encode(Usage(cast("int", "many")))
    with pytest.raises(TypeError):
        encode(Usage(cast("int", object())))


def test_a_value_of_an_older_version_gets_the_defaults_of_new_fields() -> None:
    old = '{"kind": "timeout", "message": "late", "gone": 1}'
    assert decode(Failure, old) == Failure("timeout", "late")


def test_a_content_key_depends_on_every_part_and_on_where_parts_end() -> None:
    keys = {
        content_key("ab", "c"),
        content_key("a", "bc"),
        content_key("ab", "c", None),
        content_key(("ab", "c")),
        content_key("ab", CANDIDATE),
        content_key("ab", replace(CANDIDATE, slot=1)),
    }
    assert len(keys) == 6


def test_types_of_nested_fields_are_restored() -> None:
    back = decode(Request, encode(REQUEST))
    parent = back.recipes[0].parents[0]
    assert isinstance(parent, Candidate)
    assert isinstance(parent.diagnostics, Diagnostics)
    assert isinstance(parent.costs, tuple)
