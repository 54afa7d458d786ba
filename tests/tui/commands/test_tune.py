"""`preceptor tune`: better constants in a file that is otherwise the same, or a plain refusal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import TOY, Shell
from tests.tui.schemas import read_document

RULE = '''\
"""Mine."""

# what a unit of time counts
W = 9.0  # of the duration


def score(item, state):
    """How urgent an item is."""
    return item.weight - W * item.duration


# the end
if __name__ == "__main__":
    print(score)
'''
SMITH = "def score(item, state):\n    return item.weight / item.duration\n"
BEST = "W = 1.0\ndef score(item, state):\n    return W * item.weight / item.duration\n"
SHORT = ("--seconds", "0.5")
"""Several times what a search over these constants needs: the first measurement is noisy."""


@pytest.fixture
def rule(tmp_path: Path) -> Path:
    """A file with a program whose only constant is far off."""
    file = tmp_path / "rule.py"
    file.write_text(RULE)
    return file


def test_a_better_program_is_written_and_nothing_but_its_constants_has_changed(
    preceptor: Shell, rule: Path, tmp_path: Path
) -> None:
    better = tmp_path / "better.py"
    done = preceptor("tune", TOY, str(rule), "-o", str(better), "--set", "held-out", *SHORT)
    assert done.code == 0
    moved = better.read_text()
    (line,) = [text for text in moved.splitlines() if text not in RULE.splitlines()]
    assert line.startswith("W = ") and line.endswith("  # of the duration")
    assert moved.replace(line, "W = 9.0  # of the duration") == RULE
    for word in ("trials", "CPU seconds", "W ", "tuned half", "other half", "held-out", "written"):
        assert word in done.out
    assert "rollouts, best" in done.err and "s left" in done.err
    assert preceptor("tune", TOY, str(rule), "-o", str(better), *SHORT).code == 2
    assert preceptor("tune", TOY, str(rule), "-o", str(better), "--force", *SHORT).code == 0


def test_the_document_has_all_figures(preceptor: Shell, rule: Path, tmp_path: Path) -> None:
    better = tmp_path / "better.py"
    words = ("--set", "held-out", "--seed", "1", "--json", *SHORT)
    done = preceptor("tune", TOY, str(rule), "-o", str(better), *words)
    found = read_document(done.out, "tune")
    assert found["better"] and found["file"] == str(better)
    (constant,) = found["constants"]
    assert constant["name"] == "W" and constant["before"] == 9.0
    assert f"W = {constant['after']}" in better.read_text()
    assert constant["up"]["factor"] > 1 > constant["down"]["factor"]
    assert [gain["set"] for gain in found["gains"]] == ["tuned half", "other half", "held-out"]
    assert all(
        gain["before"] - gain["after"] == pytest.approx(gain["gain"]) for gain in found["gains"]
    )
    assert found["curve"][0]["best"] == found["gains"][0]["before"]
    assert found["curve"][-1] == {
        "rollouts": found["rollouts"],
        "best": found["gains"][0]["after"],
    }


def test_a_program_that_cannot_be_bettered_is_not_written(
    preceptor: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "best.py"
    file.write_text(BEST)
    better = tmp_path / "better.py"
    done = preceptor("tune", TOY, str(file), "-o", str(better), *SHORT)
    assert done.code == 1 and not better.exists()
    assert "not better: best.py: 1 constant" in done.out
    found = preceptor("tune", TOY, str(file), "-o", str(better), "--json", *SHORT)
    document = read_document(found.out, "tune")
    assert found.code == 1
    assert document["file"] is None and "none better" in document["reason"]


@pytest.mark.parametrize(
    ("code", "exit_code", "said"),
    [
        (SMITH, 2, "has no constants to tune"),
        ("def score(item, state):\n    return 0.5 / (state.left - 5)\n", 1, "failed: smoke"),
        ("def other(item, state):\n    return 0.5\n", 2, "defines other()"),
    ],
)
def test_what_cannot_be_tuned_is_refused(
    preceptor: Shell, tmp_path: Path, code: str, exit_code: int, said: str
) -> None:
    file = tmp_path / "rule.py"
    file.write_text(code)
    done = preceptor("tune", TOY, str(file), "-o", str(tmp_path / "better.py"), *SHORT)
    assert done.code == exit_code
    assert said in done.err
    assert not (tmp_path / "better.py").exists()


def test_a_set_that_there_is_not_is_refused_before_anything_is_done(
    preceptor: Shell, rule: Path, tmp_path: Path
) -> None:
    words = ("-o", str(tmp_path / "better.py"), "--set", "held-in")
    done = preceptor("tune", TOY, str(rule), *words)
    assert done.code == 2 and "held-out" in done.err and "rollouts" not in done.err


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_that_cannot_be_written_is_told(
    preceptor: Shell, rule: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    done = preceptor("tune", TOY, str(rule), "-o", str(folder / "better.py"), *SHORT)
    assert done.code == 1 and "cannot be written" in done.err
