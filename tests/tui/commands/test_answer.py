"""`preceptor answer`: a run that asks a folder is paused, killed, resumed and answered by hand."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from engine.llm.folder import PROMPT, REPLY
from tests.conftest import TOY, Shell
from tests.tui.schemas import read_document


def test_prompts_are_listed_shown_and_answered(
    preceptor: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path("letters")
    folder.mkdir()
    (folder / f"g01-s00-m-abc{PROMPT}").write_text("Write \x1b[31ma program.")
    assert preceptor("answer", "letters").out == "g01-s00-m-abc  21 characters\n"
    listed = read_document(preceptor("answer", "letters", "--json").out, "answer")
    assert listed["waiting"] == [{"name": "g01-s00-m-abc", "characters": 21}]
    shown = preceptor("answer", "letters", "next").out
    assert "a program." in shown
    assert "\x1b" not in shown
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Here. \xff")))
    done = preceptor("answer", "letters", "g01", "-", "--json")
    assert read_document(done.out, "answer")["answered"]
    assert (folder / f"g01-s00-m-abc{REPLY}").read_text() == "Here. \N{REPLACEMENT CHARACTER}"
    assert "no prompt waits" in preceptor("answer", "letters").err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nowhere",), "nowhere: No such file or directory"),
        (("letters", "next"), "no prompt waits for a reply in letters"),
        (("letters", "g01", "nowhere.md"), "nowhere.md: No such file or directory"),
        (("letters", "g02"), "unknown question 'g02'; did you mean"),
    ],
)
def test_what_cannot_be_answered_is_one_line(
    preceptor: Shell, words: tuple[str, ...], told: str
) -> None:
    Path("letters").mkdir()
    if words[1:] not in ((), ("next",)):
        Path("letters", f"g01{PROMPT}").write_text("?")
    refused = preceptor("answer", *words)
    assert refused.code == 2
    assert told in refused.complaint


def test_check_takes_its_prompt_back(preceptor: Shell) -> None:
    words = ("--method", "performance-only", "--option", "eval_seconds=1")
    typed = preceptor("check", TOY, "--llm", "folder:letters", *words)
    assert typed.code == 3
    assert "has not answered within 3 s" in typed.out
    assert list(Path("letters").iterdir()) == []
