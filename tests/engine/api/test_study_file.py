"""A study file is read into a specification, or refused in a line that names the nearest word."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.api.resolve import RunRequest, resolve_run, resolve_study
from engine.api.study_file import CALLS, read_study
from engine.domain.specs.settings import Caps
from engine.domain.specs.study import READ_OFF, StudySpec
from engine.domain.text import codec
from engine.search.methods.method_file import method_of
from engine.store.reader import Reader
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

[budget]
calls = 500
tokens = 90_000
usd = 7.5
time = "2h"

[settings]
total_children = 25
lambda = 0.25
jssp.kind = "whole"

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
    assert spec.budget == Caps(500, 90_000, 7.5, 7200.0)
    assert jssp.problem.options == (("kind", "whole"),)
    assert (jssp.teacher, jssp.sets) == ("offline-l2d", ("random-10x10",))
    assert jssp.solvers == ("spt", "teacher:offline-l2d")
    assert toy.problem.options == ()
    assert (jssp.settings.lambda_, toy.settings.lambda_) == (0.25, 0.25)
    assert (jssp.settings.population, toy.settings.population) == (10, 6)
    assert (jssp.settings.total_children, jssp.settings.calls) == (25, 0)


ARMS = """
problems = ["tests/toy"]
methods = ["ours"]
seeds = [0]

[toy]
teacher = "usual"

[arms.value]
method = "ours"
settings = {align = "value", lambda = 0.25}

[arms.stranger]
method = "ours"
teacher = "other"
writer = "small"

[arms.plain]
method = "eoh"
"""


def test_an_arm_is_a_method_with_settings_a_teacher_and_a_writer_of_its_own(
    tmp_path: Path,
) -> None:
    spec = read_study(write(tmp_path, ARMS))
    ours, value, stranger, plain = spec.runs()
    assert [run.label for run in spec.runs()] == ["ours", "value", "stranger", "plain"]
    assert [run.method for run in spec.runs()] == ["ours", "ours", "ours", "eoh"]
    assert [run.teacher for run in spec.runs()] == ["usual", "usual", "other", ""]
    assert [run.writer for run in spec.runs()] == ["builtin", "builtin", "small", "builtin"]
    assert (value.settings.align, value.settings.lambda_) == ("value", 0.25)
    assert value.settings.calls == ours.settings.calls == CALLS
    assert (ours.arm, stranger.arm, plain.arm) == ("", "stranger", "plain")


DEFAULTS = """
problems = ["jssp", "maxcut"]
methods = ["ours", "blind", "preceptor"]
seeds = [0]

[arms.stranger]
method = "preceptor"
teacher = "rollout"

[arms.quick]
method = "preceptor"
settings = {states = 64}

[maxcut.settings]
design = "ba20w"

[jssp]
settings.design = "random-6x6"
"""


def test_arms_without_a_teacher_of_their_own_have_that_of_their_method(tmp_path: Path) -> None:
    with Reader(tmp_path / "none.db") as reader:
        spec = resolve_study(write(tmp_path, DEFAULTS), reader).spec
        named = f'{DEFAULTS}teacher = "offline-l2d"\n'
        other = resolve_study(write(tmp_path, named), reader).spec
    assert [task.teachers for task in spec.tasks] == [
        ("offline-l2d", "es-jssp"),
        ("eco-dqn", "es-maxcut"),
    ]
    assert [(run.problem.name, run.label, run.teacher) for run in spec.runs()] == [
        ("jssp", "ours", "offline-l2d"),
        ("jssp", "blind", ""),
        ("jssp", "preceptor", "es-jssp"),
        ("jssp", "stranger", "rollout"),
        ("jssp", "quick", "es-jssp"),
        ("maxcut", "ours", "eco-dqn"),
        ("maxcut", "blind", ""),
        ("maxcut", "preceptor", "es-maxcut"),
        ("maxcut", "stranger", "rollout"),
        ("maxcut", "quick", "es-maxcut"),
    ]
    taught = [run.teacher for run in other.runs() if run.problem.name == "jssp"]
    assert taught == ["offline-l2d", "", "offline-l2d", "rollout", "offline-l2d"]
    assert codec.decode(StudySpec, codec.encode(spec)) == spec


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[arms.a]\nmethod = "our"', "ours"),
        ('[arms.a]\nmethod = "eoh"\nteacher = "t"', "does not use a teacher"),
        ('[arms.a]\nmethod = "max-align"', "no runs of its own"),
        ('[arms.a]\nmethod = "ours"\nsettings = {eval_seconds = 3}', "the same for all arms"),
        ('[arms.a]\nmethod = "ours"\nsettings = {jssp = {kind = "whole"}}', "the same for all"),
        ('[arms.a]\nmethod = "ours"\nsettings = {lamda = 0.3}', "lambda"),
        ('[arms.a]\nmethod = "ours"\nsettings = {lambda = 3}', "below 1"),
        ('methods = ["ours"]\n[arms.ours]\nmethod = "ours"', "twice"),
        ("[arms.a]\nteacher = 't'", "method"),
    ],
)
def test_an_arm_that_does_not_fit_is_refused_in_a_line(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        read_study(write(tmp_path, f'problems = ["tests/toy"]\n{text}\n'))


def test_a_study_is_three_seeds_of_thirty_calls_unless_it_says_otherwise(tmp_path: Path) -> None:
    spec = read_study(write(tmp_path, 'problems = ["jssp"]'))
    assert (spec.methods, spec.seeds, spec.writer) == (("ours",), (0, 1, 2), "builtin")
    assert spec.tasks[0].settings.calls == CALLS == 30


def test_a_study_that_names_generations_has_them(tmp_path: Path) -> None:
    text = 'problems = ["jssp"]\npreset = "{}"\n[settings]\n{}\n'
    settings = (
        read_study(write(tmp_path, text.format("paper", "generations = 1"))).tasks[0].settings
    )
    assert (settings.generations, settings.calls) == (1, 0)
    paper = read_study(write(tmp_path, text.format("paper", "cases = 3"))).tasks[0].settings
    assert (paper.generations, paper.calls) == (5, CALLS)


@pytest.mark.parametrize("file", READY, ids=lambda file: file.stem)
def test_the_ready_studies_are_read(file: Path) -> None:
    spec = read_study(file)
    assert spec.name == file.stem
    assert len(spec.runs()) >= {"whole": 4, "rules-tsp-seeds": 8}.get(file.stem, 12)


def test_the_file_on_the_page_about_studies_is_read(tmp_path: Path) -> None:
    page = (READY[0].parents[1] / "docs/studies.md").read_text("utf-8")
    blocks = [part.partition("```")[0] for part in page.split("```toml\n")[1:]]
    (text,) = (block for block in blocks if block.startswith("problems = "))
    with Reader(tmp_path / "runs.db") as reader:
        found = resolve_study(write(tmp_path, text), reader)
    assert found.spec.methods == ("preceptor", "blind", "eoh", "followed")
    assert found.spec.budget.seconds == 7200


def test_the_ready_ablation_asks_for_all_eight() -> None:
    (spec,) = [read_study(file) for file in READY if file.stem == "paper-ablation"]
    assert len(spec.methods) == 9
    assert len(spec.runs()) == 2 * 3 * (9 - len(READ_OFF))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('problem = ["jssp"]', r"mine.toml: table missing required field `problems`"),
        ('problems = ["jssp"]\nname = "a"', r"a study is called by its file's name, mine"),
        ('problems = ["jssp"]\nmetods = ["ours"]', r"did you mean 'methods'"),
        ('problems = ["jssp"]\nmethods = ["our"]', r"unknown method 'our'; did you mean 'ours'"),
        ('problems = ["jssp"]\nmethods = ["max-align"]', r"add ours to methods"),
        (
            'problems = ["jssp"]\nseeds = ["a"]',
            r"toml: seeds\[0\]: Expected `int`, got `str`",
        ),
        ('problems = ["jssp"]\nseeds = [-1]', r"seeds\[0\]: Expected `int` >= 0"),
        ('problems = ["jssp"]\n[settings]\ngenerations = 1\ncalls = 9', r"beside calls=9"),
        (
            'problems = ["jssp"]\n[arms.a]\nmethod = "ours"\nsettings = {generations = 1}',
            r"generations does nothing beside calls=30",
        ),
        ('problems = ["jssp"]\nmax_time = "5"', r"max_time: a time has a unit: 5m or 5s"),
        ('problems = ["jssp"]\nseeds = [1, 1]', r"seeds names 1 twice"),
        ('problems = ["jssp"]\nwriter = 3', r"writer: Expected `str`, got `int`"),
        ('problems = ["jssp"]\nat_once = 0', r"at_once: Expected `int` >= 1"),
        ('problems = ["jssp"]\n[budget]\ncalls = -1', r"budget.*calls: Expected `int` >= 0"),
        ('problems = ["jssp"]\n[budget]\ntime = "soon"', r"\[budget\]: time: a time is written"),
        ('problems = ["jssp"]\n[budget]\ncall = 3', r"budget"),
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


@pytest.mark.parametrize(("line", "expected"), [("", 6), ("at_once = 2", 2), ("at_once = 9", 6)])
def test_all_runs_of_a_problem_go_side_by_side_unless_fewer_may(
    line: str, expected: int, tmp_path: Path
) -> None:
    file = tmp_path / "wide.toml"
    file.write_text(f'problems = ["jssp", "tsp"]\nmethods = ["ours", "eoh"]\n{line}\n')
    assert read_study(file).side_by_side == expected


def test_a_writer_of_a_study_can_be_one_for_each_run(tmp_path: Path) -> None:
    text = 'problems = ["tests/toy"]\nmethods = ["eoh"]\nseeds = [0, 4]\n'
    text += 'writer = "folder:asked/{problem}-{arm}-{seed}"\n[arms.mine]\nmethod = "eoh"\n'
    runs = read_study(write(tmp_path, text)).runs()
    folders = ["tests/toy-eoh-0", "tests/toy-eoh-4", "tests/toy-mine-0", "tests/toy-mine-4"]
    assert [run.writer for run in runs] == [f"folder:asked/{name}" for name in folders]


@pytest.mark.parametrize("problem", ["jssp", "tsp", "cvrp", "maxcut"])
@pytest.mark.parametrize("method", ["blind", "preceptor"])
def test_a_run_of_a_study_has_the_settings_of_the_same_run_alone(
    tmp_path: Path, problem: str, method: str
) -> None:
    """A study once let programs have the time of whole ones, and told their writers 0.1 ms."""
    file = write(tmp_path, f'problems = ["{problem}"]\nmethods = ["{method}"]\nseeds = [0]\n')
    with Reader(tmp_path / "runs.db") as reader:
        study = resolve_study(file, reader).spec
        alone = resolve_run(RunRequest(problem, method, options=("calls=30",)), reader).spec
    (run,) = study.runs()
    assert run.settings == alone.settings
    assert run.settings.decision_ms == 0.1 and run.settings.eval_seconds < 240
