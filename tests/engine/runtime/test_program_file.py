"""A program is found in whatever file a user names."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from engine.runtime.measure.program_file import extract, read_program
from problems.errors import BadProgram, UserError
from tests.toy.problem import build

if TYPE_CHECKING:
    from pathlib import Path

CONTRACT = build().contract
PLAIN = "def score(item, state):\n    return -item.duration\n"


def taken(text: str) -> str:
    return extract(text, CONTRACT, "best.py")


def defined(text: str) -> dict[str, Any]:
    """What the taken part of a text defines."""
    namespace: dict[str, Any] = {}
    exec(taken(text), namespace)
    return namespace


def test_a_bare_program_is_taken_as_it_is() -> None:
    assert taken(PLAIN) == PLAIN


def test_helpers_constants_and_imports_come_along() -> None:
    text = (
        "import math\nfrom functools import lru_cache\nWEIGHT = math.pi\n"
        "@lru_cache\ndef root(x):\n    return math.sqrt(x) * WEIGHT\n"
        "def score(item, state):\n    return root(item)\n"
    )
    assert taken(text) == text


def test_a_table_that_a_loop_fills_is_filled() -> None:
    text = "TABLE = {}\nfor i in range(3):\n    TABLE[i] = i * i\n"
    text += "def score(item, state):\n    return TABLE[item]\n"
    assert defined(text)["score"](2, None) == 4


def test_the_rest_of_a_script_stays_behind() -> None:
    text = '"""A script."""\nimport sys\ndef main():\n    print(sys.argv)\n' + PLAIN
    assert (
        taken(text + "if __name__ == '__main__':\n    main()\nmain()\n").strip() == PLAIN.strip()
    )


def test_lines_keep_their_numbers() -> None:
    assert taken("import sys\n\n\n" + PLAIN) == "\n\n\n" + PLAIN


def test_the_last_definition_counts() -> None:
    text = "def score(item):\n    return 1\ndef score(item, state):\n    return 2\n"
    assert defined(text)["score"](0, 0) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def other(a): ...", r"best.py: defines other\(\), not score\(item, state\)"),
        ("x = 1", r"best.py: defines no function, not score\(item, state\)"),
        ("def score(item): ...", r"best.py, line 1: .*score\(item, state\)"),
        ("def score(item, state)\n", "best.py, line 1: expected ':'"),
        ("\0", "best.py"),
    ],
)
def test_a_file_without_the_function_is_refused_in_one_line(text: str, words: str) -> None:
    with pytest.raises(BadProgram, match=words) as refusal:
        taken(text)
    assert "\n" not in str(refusal.value)


def test_a_dash_is_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(PLAIN))
    assert read_program("-", CONTRACT, tmp_path / "runs.db") == PLAIN


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no\.py: No such file"):
        read_program(str(tmp_path / "no.py"), CONTRACT, tmp_path / "runs.db")


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "picture.py"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadProgram, match="not a text"):
        read_program(str(file), CONTRACT, tmp_path / "runs.db")


def test_a_recorded_program_is_written_by_its_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="run:N"):
        read_program("run:best", CONTRACT, tmp_path / "runs.db")
