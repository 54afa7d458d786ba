"""The streams and the exit codes."""

from __future__ import annotations

import io
import json
import math
import sys
from importlib.metadata import version
from unittest import mock

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.text.plain_text import clean
from problems.errors import (
    PreceptorError,
    RunMismatch,
    TeacherUnavailable,
    UserError,
    WriterUnavailable,
)
from tests.conftest import Shell
from tui import cli
from tui.text.streams import emit, emit_line, is_terminal, put, say, spell_out_signs


def test_schema_stands_first_in_a_document_and_in_every_entry_of_a_list(
    capsys: pytest.CaptureFixture[str],
) -> None:
    emit({"set": "ta21"})
    assert list(json.loads(capsys.readouterr().out)) == ["schema", "set"]
    emit([{"set": "ta21"}, {"set": "ta31"}])
    both = json.loads(capsys.readouterr().out)
    assert [list(entry) for entry in both] == [["schema", "set"]] * 2


def test_json_lines_are_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    emit_line({"event": "candidate", "message": "two\nlines"})
    assert capsys.readouterr().out.count("\n") == 1


def test_a_number_that_json_does_not_know_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    emit({"cost": math.nan, "costs": [math.inf, 1.5]})
    assert json.loads(capsys.readouterr().out) == {"schema": 1, "cost": None, "costs": [None, 1.5]}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RunMismatch("the code changed"), 1),
        (UserError("no such thing"), 2),
        (TeacherUnavailable("no weights"), 3),
        (WriterUnavailable("no answer"), 3),
        (KeyboardInterrupt(), 130),
        (typer.Abort(), 130),
    ],
)
def test_every_error_has_its_exit_code(
    error: BaseException, code: int, preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(cli, "runs", fail)
    ended = preceptor()
    assert ended.code == code
    if isinstance(error, PreceptorError):
        assert ended.complaint == f"preceptor: {error}"


def test_a_wrong_option_is_one_line_and_2(preceptor: Shell) -> None:
    refused = preceptor("runs", "--jsn")
    assert refused.code == 2
    assert refused.complaint.startswith("preceptor: No such option: --jsn")


def test_the_version_is_that_of_the_distribution(preceptor: Shell) -> None:
    assert preceptor("--version").out == f"preceptor {version('preceptor')}\n"


def test_help_shows_examples_without_boxes(preceptor: Shell) -> None:
    for words in ((), ("run",), ("watch",), ("show",), ("resume",), ("stop",)):
        page = preceptor(*words, "--help").out
        assert "Example" in page
        assert "│" not in page


BAD = "\x1b]0;x\x07\x9b2J\u202e\ud800\x7f"


def test_both_streams_are_clean_and_json_keeps_what_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    put(f"a\t{BAD}\nb")
    say(BAD)
    told = capsys.readouterr()
    assert (told.out, told.err) == (f"a\t{clean(BAD)}\nb\n", f"{clean(BAD)}\n")
    emit({"text": BAD})
    emit_line({"text": BAD})
    found = capsys.readouterr().out
    assert clean(found) == found
    whole, line = found[: found.index("}") + 1], found[found.index("}") + 2 :]
    assert json.loads(whole)["text"] == json.loads(line)["text"] == BAD


@given(text=st.text())
def test_a_terminal_that_knows_ascii_alone_is_told_everything_in_ascii(text: str) -> None:
    ascii = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")
    with mock.patch.object(sys, "stdout", ascii):
        spell_out_signs()
        put(f"0.160 ± 0.006 ↑{text}")
        emit({"idea": text})
    assert isinstance(ascii.buffer, io.BytesIO)
    printed = ascii.buffer.getvalue()
    assert printed.startswith(b"0.160 +- 0.006 up")
    assert printed.isascii()


def test_json_loses_no_sign_in_ascii() -> None:
    ascii = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with mock.patch.object(sys, "stdout", ascii):
        emit_line({"idea": "±∞"})
    assert isinstance(ascii.buffer, io.BytesIO)
    assert json.loads(ascii.buffer.getvalue())["idea"] == "±∞"


def test_a_stream_that_is_closed_is_no_terminal_and_takes_everything() -> None:
    with mock.patch.object(sys, "stdout", None):
        put("±")
        emit({"idea": "±"})
        assert not is_terminal(sys.stdout)
