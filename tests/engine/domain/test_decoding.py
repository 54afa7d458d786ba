"""Values out of text: what is decoded at once is what is read in two steps."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.text import codec
from engine.domain.values import Advice, Alternative, Failure
from engine.store.rows import COSTS, NAMES

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
DOCUMENTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
KINDS = st.sampled_from([Any, NAMES, COSTS, Failure, Advice, tuple[Alternative, ...]])


def in_two_steps(kind: Any, text: str) -> Any:
    """Python's own JSON, then its values as a type."""
    return msgspec.convert(json.loads(text), kind)


def read(decoder: Any, kind: Any, text: str) -> str | None:
    """What a decoder reads, told exactly; None where it refuses the text."""
    try:
        return repr(decoder(kind, text))
    except ValueError:
        return None


@given(KINDS, DOCUMENTS, st.booleans())
def test_a_text_decoded_at_once_is_what_two_steps_read(
    kind: Any, document: object, is_ascii: bool
) -> None:
    text = json.dumps(document, ensure_ascii=is_ascii)
    assert read(codec.decode, kind, text) == read(in_two_steps, kind, text)


@given(st.lists(st.none() | st.floats(allow_nan=False)))
def test_costs_come_back_bit_for_bit(costs: list[float | None]) -> None:
    text = codec.encode(tuple(costs), COSTS)
    assert repr(codec.decode(COSTS, text)) == repr(in_two_steps(COSTS, text))


@given(KINDS, st.text())
def test_what_is_no_document_is_refused_alike(kind: Any, text: str) -> None:
    assert read(codec.decode, kind, text) == read(in_two_steps, kind, text)


def test_an_infinite_cost_is_read() -> None:
    assert codec.decode(COSTS, "[Infinity, 2]") == (float("inf"), 2.0)
    with pytest.raises(ValueError, match="Expected"):
        codec.decode(COSTS, '["two"]')
