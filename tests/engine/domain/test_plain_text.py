"""Cleaning holds for arbitrary text: nothing unsafe is left, nothing else changes."""

from __future__ import annotations

import ast
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.text.plain_text import LONGEST, UNSAFE, clean, clean_all, clean_reply

NAMED = [
    *map(chr, (*range(9), *range(0xB, 0x20), *range(0x7F, 0xA0))),
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    *"\u2028\u2029\ufeff\ud800\udbff\udc00\udfff",
]
"""Every character that must not reach a terminal, named one by one."""

ANY = st.text(st.characters(codec=None) | st.sampled_from(NAMED), max_size=60)
"""Text with lone surrogates and control characters."""


@pytest.mark.parametrize("character", NAMED, ids=ascii)
def test_every_unsafe_character_is_made_visible(character: str) -> None:
    assert clean(f"a{character}b") == f"a\\u{ord(character):04x}b"


@given(ANY)
def test_nothing_unsafe_is_left_and_cleaning_again_changes_nothing(text: str) -> None:
    cleaned = clean(text)
    assert not re.search(f"[{UNSAFE}]", cleaned)
    assert not set(NAMED) & set(cleaned)
    assert clean(cleaned) == cleaned
    assert len(text) <= len(cleaned) <= LONGEST * len(text)
    cleaned.encode()


@given(st.text(st.characters(codec="utf-8", exclude_characters=NAMED), max_size=60))
def test_text_without_them_is_the_same(text: str) -> None:
    assert clean(text) == text


@given(ANY)
def test_json_with_its_unsafe_characters_written_reads_back_the_same(text: str) -> None:
    assert json.loads(clean(json.dumps([text], ensure_ascii=False))) == [text]


@given(ANY)
def test_a_reply_has_one_kind_of_line_end(text: str) -> None:
    reply = clean_reply(text)
    assert clean_reply(reply) == clean(reply) == reply
    assert clean_reply("a\r\nb\rc\n") == "a\nb\nc\n"


def test_a_string_in_a_program_keeps_its_value() -> None:
    assert ast.literal_eval(clean("'\x1b[2J\u202e'")) == "\x1b[2J\u202e"


def test_documents_are_cleaned_throughout() -> None:
    found = clean_all({"a\x07": ["\x1b", {"b": "c"}], "d": 1.5, "e": None})
    assert found == {"a\\u0007": ["\\u001b", {"b": "c"}], "d": 1.5, "e": None}
