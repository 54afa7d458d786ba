"""Keys stay where they are: no representation, pickle, log line or stored text holds one."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
import traceback

import pytest

from engine.llm.openai.secret import MASK, ErasedStream, Eraser, Secret, strip_scheme
from tests.engine.llm.provider import KEY

PLAIN = "plain-looking-password"


def test_a_secret_shows_nothing_and_stays_in_its_process() -> None:
    secret = Secret(KEY)
    assert KEY not in f"{secret!r} {secret} {[secret]} {Eraser([secret])!r}"
    assert not hasattr(secret, "__dict__")
    with pytest.raises(TypeError, match="does not leave"):
        pickle.dumps(secret)


def test_a_key_that_was_pasted_with_a_line_break_is_trimmed() -> None:
    assert Secret(f" {KEY}\n").reveal() == KEY


@pytest.mark.parametrize(
    "pasted", ["\u201c{}\u201d", "'{}'", '"{}"\n', "\u2018{}\u2019", "\ufeff{}"]
)
def test_quotes_around_a_key_are_trimmed(pasted: str) -> None:
    assert Secret(pasted.format(KEY)).reveal() == KEY


def test_a_key_is_erased_with_and_without_the_scheme_before_it() -> None:
    assert strip_scheme(f"Bearer {PLAIN}") == strip_scheme(PLAIN) == PLAIN
    assert Eraser([Secret(f"Bearer {PLAIN}")])(f"<{PLAIN}>") == f"<{MASK}>"


def test_known_keys_and_whatever_looks_like_one_are_erased() -> None:
    erase = Eraser([Secret(PLAIN)])
    assert erase(f"<{PLAIN}>") == f"<{MASK}>"
    assert erase(f"key {KEY}, twice {KEY}") == f"key {MASK}, twice {MASK}"
    assert erase("Authorization: Bearer abc.def-123") == f"Authorization: {MASK}"


def test_programs_and_placeholders_are_left_alone() -> None:
    erase = Eraser([Secret("local"), Secret("")])
    text = "task-based, risk-adjusted; local ask-for-nothing-more-than-this; sk-1; bearer of news"
    assert erase(text) == text


def test_the_longer_of_two_keys_goes_whole() -> None:
    assert Eraser([Secret(PLAIN), Secret(f"{PLAIN}-2")])(f"{PLAIN}-2") == MASK


def test_a_traceback_through_an_erased_stream_holds_no_key() -> None:
    behind = io.StringIO()
    try:
        raise ValueError(f"who is {PLAIN}?")
    except ValueError:
        traceback.print_exc(file=ErasedStream(behind, Eraser([Secret(PLAIN)])))
    assert PLAIN not in behind.getvalue()
    assert f"who is {MASK}?" in behind.getvalue()


def test_hiding_covers_prints_logs_and_the_last_words_of_a_process() -> None:
    program = (
        "import logging, sys\n"
        "from engine.llm.openai.secret import Secret, hide\n"
        f"hide([Secret({PLAIN!r})])\n"
        f"print('out', {PLAIN!r}); logging.error('log %s', {PLAIN!r})\n"
        f"raise RuntimeError({PLAIN!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == f"out {MASK}\n"
    assert f"log {MASK}" in done.stderr
    assert f"RuntimeError: {MASK}" in done.stderr
