"""An analyzer's reply is dealt out to slots, whatever it looks like."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.specs.settings import Settings
from engine.domain.values import Request
from engine.search.brief_parser import parse_briefs
from engine.search.methods.methods import OURS
from tests.engine.search.brief_shapes import ALL, OPERATORS, SHAPES
from tests.engine.search.memory import InMemoryEnvironment, healthy, run

PIECES = st.sampled_from(
    (
        "Slot 1",
        "slot 2:",
        "## s",
        "- p",
        "**m**",
        "1. ",
        "\n",
        " ",
        ":",
        "(",
        ")",
        "#",
        "*",
        "x",
        "3",
    )
)


@pytest.mark.parametrize(("text", "given_to"), SHAPES.values(), ids=SHAPES)
def test_the_slots_that_a_reply_names_have_their_briefs(
    text: str, given_to: frozenset[int]
) -> None:
    dealt = parse_briefs(text, OPERATORS)
    assert dealt.briefs.keys() == given_to
    assert dealt.missing.keys() == ALL - given_to
    assert all(text.strip() for text in (*dealt.briefs.values(), *dealt.missing.values()))


def test_no_slot_reads_the_paragraph_of_another() -> None:
    for name, (text, given_to) in SHAPES.items():
        if all(f"goal {slot}" in text.lower() for slot in given_to):
            for slot, brief in parse_briefs(text, OPERATORS).briefs.items():
                told = {other for other in ALL if f"goal {other}" in brief.lower()}
                assert told == {slot}, name


def test_what_a_section_says_before_its_slots_is_for_all_of_them() -> None:
    text = "## s\nIn general: dare.\n**Slot 1 (p0003):** wider.\n### Slot 4\nnarrower."
    briefs = parse_briefs(text, OPERATORS).briefs
    assert briefs == {1: "In general: dare.\nwider.", 4: "In general: dare.\nnarrower."}


@given(st.text() | st.lists(PIECES, max_size=200).map("".join))
def test_any_text_gives_each_slot_a_brief_or_a_reason(text: str) -> None:
    dealt = parse_briefs(text, OPERATORS)
    assert dealt.briefs.keys() | dealt.missing.keys() == ALL
    assert not dealt.briefs.keys() & dealt.missing.keys()
    assert all(brief.strip() for brief in dealt.briefs.values())


@pytest.mark.parametrize(
    "unit", ["Slot ", "slot 1", "## ", "- s ", " ", "*", "1. ", "(", "Slot 1 ("]
)
def test_a_long_reply_is_parsed_at_once(unit: str) -> None:
    started = time.process_time()
    parse_briefs(unit * (64_000 // len(unit)), OPERATORS)
    parse_briefs(f"{unit * 40}\n" * 1500, OPERATORS)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "name",
    [
        "as asked for",
        "one slot twice",
        "slots that are not there",
        "a program in braces",
        "dots as in the request",
        "empty",
    ],
)
def test_no_reply_of_an_analyzer_ends_a_run(name: str) -> None:
    def answer(request: Request, attempt: int) -> str | None:
        return SHAPES[name][0] if request.role == "analyzer" else healthy(request, attempt)

    environment = InMemoryEnvironment(OURS, Settings(generations=2), answer=answer)
    assert run(environment).status == "done"


def test_what_a_terminal_would_obey_is_written_out() -> None:
    dealt = parse_briefs("Slot 1: weigh \x1b[2Jthe\u2028queue\r\nless", {1: "s"})
    assert dealt.briefs == {1: "weigh \\u001b[2Jthe\\u2028queue\nless"}
