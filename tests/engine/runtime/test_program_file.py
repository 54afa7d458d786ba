"""A program is found in whatever file a user names."""

from __future__ import annotations

import ast
import io
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.program import make_program
from engine.domain.specs.settings import RunSpec
from engine.domain.text.plain_text import clean
from engine.domain.values import Candidate
from engine.runtime.measure.program_file import extract, read_extra_seeds, read_program
from engine.store.store import Store
from problems import ProblemRef
from problems.base import Rule
from problems.errors import BadProgram, UserError
from tests.toy.problem import Toy, build

PROBLEM = build()
CONTRACT = PROBLEM.contract
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


def test_a_search_starts_from_files_each_program_once_and_no_seed(tmp_path: Path) -> None:
    rule, twin, seed = (tmp_path / name for name in ("rule.py", "twin.py", "seed.py"))
    rule.write_text(
        '"""A file."""\ndef score(item, state):\n    """Light\n    last.\n\n    More."""\n'
    )
    rule.write_text(rule.read_text() + "    return item.weight\n\nprint('told')\n")
    twin.write_text("def score(item, state):\n    return item.weight  # the same\n")
    seed.write_text(PLAIN)
    db = tmp_path / "runs.db"
    (found,) = read_extra_seeds([str(twin), str(rule)], _with_seeds(PLAIN), db)
    assert found.name == str(twin)
    (found,) = read_extra_seeds([str(rule), str(twin), str(seed)], _with_seeds(PLAIN), db)
    assert (found.name, found.idea) == (str(rule), "Light last.")
    assert "told" not in found.code


def _with_seeds(*codes: str) -> Toy:
    """The toy with other seeds."""
    rules = tuple(Rule("seed", "", code=code) for code in codes)
    toy = build()
    return cast("Toy", SimpleNamespace(contract=toy.contract, seeds=lambda: rules))


def test_a_search_starts_from_survivors_of_a_run_or_from_one_program(tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    with Store(db) as store:
        run = store.jobs.create_run(RunSpec(ProblemRef("toy")))
        with pytest.raises(UserError, match="no survivors"):
            read_extra_seeds([str(run)], PROBLEM, db)
        for slot in range(3):
            code = PLAIN.replace("-", f"{slot} - 2 * ")
            candidate = Candidate(f"p{slot}", make_program(f"Idea {slot}.", code), "s", 0, slot)
            store.search_log.record_candidate(run, candidate)
        store.search_log.close_generation(run, 0, ["p2", "p0"], "digest", "p2")
    survivors = read_extra_seeds(["1"], PROBLEM, db)
    assert [one.name for one in survivors] == ["run:1/p2", "run:1/p0"]
    assert [one.idea for one in survivors] == ["Idea 2.", "Idea 0."]
    assert [one.name for one in read_extra_seeds(["run:1/p1"], PROBLEM, db)] == ["run:1/p1"]


def test_a_program_that_the_gate_refuses_starts_no_search(tmp_path: Path) -> None:
    file = tmp_path / "reader.py"
    file.write_text("\n\ndef score(item, state):\n    return open('/etc/passwd')\n")
    with pytest.raises(BadProgram, match=r"reader.py, line 4: forbidden: .*open"):
        read_extra_seeds([str(file)], PROBLEM, tmp_path / "runs.db")


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=20))
def test_any_file_is_refused_in_one_clean_line_or_holds_a_program(
    above: str, doc: str, answer: str
) -> None:
    text = f'{above}\ndef score(item, state):\n    """{doc}"""\n    return {answer}\n'
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "some.py"
        file.write_text(text, "utf-8", "surrogateescape")
        try:
            found = read_extra_seeds([str(file)], PROBLEM, Path(folder) / "runs.db")
        except BadProgram as refusal:
            assert "\n" not in clean(str(refusal))
            return
    for program in found:
        ast.parse(program.code)
        assert clean(program.code + program.idea) == program.code + program.idea
        assert "\n" not in program.idea
