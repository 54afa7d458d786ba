"""A study file is read into a specification, or refused in a line that names the nearest word."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.api.study_file import CALLS, read_study
from engine.domain.specs.study import READ_OFF
from engine.search.methods.method_file import method_of
from problems.errors import UserError

READY = sorted((Path(__file__).parents[3] / "studies").glob("*.toml"))
WHOLE = """
problems = ["jssp", "tests/toy"]
methods = ["ours", "no-pareto", "max-align"]
seeds = [3, 5]
writer = "small"
analyzer = "large"
max_usd = 2
at_once = 2
measure_seconds = 90

[settings]
total_children = 25
lambda = 0.25
jssp.state = "wide"

[jssp]
teacher = "offline-l2d"
sets = ["random-10x10"]
solvers = ["spt", "teacher:offline-l2d"]

[toy.settings]
population = 6
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text)
    return file


def test_a_method_can_be_a_file_of_the_users(tmp_path: Path) -> None:
    file = READY[0].parent.parent / "docs/methods/meoh.toml"
    text = f'problems = ["tests/toy"]\nmethods = ["eoh", "{file}"]\nseeds = [0]\n'
    spec = read_study(write(tmp_path, text + '[toy]\nteacher = "t"\n'))
    eoh, meoh = spec.runs()
    assert (meoh.method, meoh.teacher, eoh.teacher) == ("meoh", "t", "")
    assert method_of(meoh).operators[-1].name == "blend"
    assert eoh.definition is None


def test_every_key_finds_its_place(tmp_path: Path) -> None:
    spec = read_study(write(tmp_path, WHOLE))
    jssp, toy = spec.tasks
    assert (spec.name, spec.methods, spec.seeds) == (
        "mine",
        ("ours", "no-pareto", "max-align"),
        (3, 5),
    )
    assert (spec.writer, spec.analyzer, spec.caps.usd) == ("small", "large", 2.0)
    assert (spec.at_once, spec.measure_seconds) == (2, 90.0)
    assert jssp.problem.options == (("state", "wide"),)
    assert (jssp.teacher, jssp.sets) == ("offline-l2d", ("random-10x10",))
    assert jssp.solvers == ("spt", "teacher:offline-l2d")
    assert toy.problem.options == ()
    assert (jssp.settings.lambda_, toy.settings.lambda_) == (0.25, 0.25)
    assert (jssp.settings.population, toy.settings.population) == (10, 6)
    assert (jssp.settings.total_children, jssp.settings.calls) == (25, 0)


def test_a_study_is_three_seeds_of_thirty_calls_unless_it_says_otherwise(tmp_path: Path) -> None:
    spec = read_study(write(tmp_path, 'problems = ["jssp"]'))
    assert (spec.methods, spec.seeds, spec.writer) == (("ours",), (0, 1, 2), "builtin")
    assert spec.tasks[0].settings.calls == CALLS == 30


@pytest.mark.parametrize("file", READY, ids=lambda file: file.stem)
def test_the_ready_studies_are_read(file: Path) -> None:
    spec = read_study(file)
    assert spec.name == file.stem
    assert len(spec.runs()) >= 12


def test_the_ready_ablation_asks_for_all_eight() -> None:
    (spec,) = [read_study(file) for file in READY if file.stem == "paper-ablation"]
    assert len(spec.methods) == 9
    assert len(spec.runs()) == 2 * 3 * (9 - len(READ_OFF))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('problem = ["jssp"]', r"mine.toml: table missing required field `problems`"),
        ('problems = ["jssp"]\nmetods = ["ours"]', r"did you mean 'methods'"),
        ('problems = ["jssp"]\nmethods = ["our"]', r"unknown method 'our'; did you mean 'ours'"),
        ('problems = ["jssp"]\nmethods = ["max-align"]', r"add ours to methods"),
        (
            'problems = ["jssp"]\nseeds = ["a"]',
            r"toml: seeds\[0\]: Expected `int`, got `str`",
        ),
        ('problems = ["jssp"]\nseeds = [1, 1]', r"seeds names 1 twice"),
        ('problems = ["jssp"]\nwriter = 3', r"writer: Expected `str`, got `int`"),
        ('problems = ["jssp"]\nat_once = 0', r"at_once: Expected `int` >= 1"),
        ('problems = ["jssp"]\nmax_usd = "2"', r"max_usd: Expected `float \| null`, got `str`"),
        ('problems = "jssp"', r"problems: Expected `array`, got `str`"),
        ('problems = ["jssp"]\njssp = 1', r"mine.toml: \[jssp\]: Expected table, got `int`"),
        ('problems = ["jssp"]\n[jssp]\nset = ["a"]', r"\[jssp\] 'set'; did you mean 'sets'"),
        ('problems = ["jssp"]\n[settings]\npopulatoin = 3', r"did you mean 'population'"),
        ("problems = []", r"problems: Expected `array` of length >= 1"),
        ('problems = ["jssp", "jssp"]', r"problems names jssp twice"),
        ('problems = ["jssp"]\n[jssp]\nsets = ["a", "a"]', r"\[jssp\]: sets names a twice"),
        ("problems = [", r"mine.toml: "),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint) as refused:
        read_study(write(tmp_path, text))
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.toml: No such file"):
        read_study(tmp_path / "nowhere.toml")
