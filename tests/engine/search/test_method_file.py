"""A method from a file is checked word by word, recorded whole, and not changed behind a run."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engine.domain.search_state import SearchState
from engine.domain.specs.settings import RunSpec, Settings
from engine.domain.text import codec
from engine.search.loop import search
from engine.search.methods.method_file import (
    load_method,
    method_of,
    read_definition,
    refuse_changed,
    reload_method,
)
from engine.search.methods.methods import EOH, PRECEPTOR, REEVO
from engine.search.methods.types import Method
from engine.search.parents.islands import island_of, populate
from engine.search.selection import complementary_set_retain
from problems import ProblemRef
from problems.errors import RunMismatch, UnknownName, UserError
from tests.engine.search.memory import InMemoryEnvironment, healthy, run

EXAMPLE = Path(__file__).parents[3] / "docs/methods/meoh.toml"

EOH_FILE = """
name = "eoh-again"
teacher = false
retain = "distinct-cost"
[[steps]]
operators = ["e1", "e2", "m1", "m2"]
rolling = true
"""

REEVO_FILE = """
name = "reevo-again"
teacher = false
retain = "generational"
[[steps]]
operators = ["crossover"]
reflect = "short-term"
children = 3
[[steps]]
operators = ["mutation"]
reflect = "long-term"
children = 2
"""

OWN = """
[[operators]]
name = "x1"
parents = ["elite"]
"""


def booked(file: Path) -> RunSpec:
    """The specification of a run with the method of a file."""
    return load_method(RunSpec(ProblemRef("tests/toy"), method=str(file)))


def write(folder: Path, text: str, prompt: str = "$contract $programs $reply") -> Path:
    """A method file with a prompt beside it."""
    (folder / "x1.md").write_text(prompt)
    file = folder / "method.toml"
    file.write_text(text)
    return file


@pytest.mark.parametrize(("text", "method"), [(EOH_FILE, EOH), (REEVO_FILE, REEVO)])
def test_a_file_can_say_what_a_method_of_ours_is(
    tmp_path: Path, text: str, method: Method
) -> None:
    again = method_of(booked(write(tmp_path, text)))
    assert again == replace(method, name=again.name, about="")


def test_the_example_runs_with_its_own_operator_and_the_teacher() -> None:
    method = method_of(booked(EXAMPLE))
    environment = InMemoryEnvironment(method, Settings(generations=2), answer=healthy)
    assert run(environment).status == "done"
    own = environment.asked["program", 2, 4, 0]
    assert own.operator == "blend"
    assert "one of the best in cost" in own.messages[0].content
    assert all(c.diagnostics for c in environment.recorded if c.failure is None)


def published(name: str, settings: Settings) -> InMemoryEnvironment:
    """A search with a method of `docs/methods`."""
    method = method_of(booked(EXAMPLE.with_name(f"{name}.toml")))
    environment = InMemoryEnvironment(method, settings, answer=healthy)
    assert run(environment).status == "done"
    return environment


def test_funsearch_shows_versions_of_one_island_and_drops_nobody() -> None:
    settings = Settings(generations=5, islands=3, population=2, island_generations=2)
    environment = published("funsearch", settings)
    for place, request in environment.asked.items():
        recipe = request.recipes[0]
        text = request.messages[-1].content
        shown = [text.index(parent.program.code) for parent in recipe.parents]
        costs = [parent.cost or 0.0 for parent in recipe.parents]
        assert sorted(shown) == [at for _, at in sorted(zip(costs, shown, strict=True))][::-1]
        seen = [c for c in environment.recorded if c.generation < place[1]]
        home = populate(seen, settings, place[1])[island_of(place[1], place[2], settings)]
        assert {parent.id for parent in recipe.parents} <= {c.id for c in home}
        assert "cost" not in text.partition("## Versions so far")[2]
    living = {c.id for c in environment.recorded if c.failure is None}
    assert set(environment.closed[-1][1]) == living


def test_eoh_s_keeps_a_set_and_pairs_programs_that_complement_each_other() -> None:
    environment = published("eoh-s", Settings(generations=4, population=4))
    before = {*environment.closed[3][1]}
    pool = [c for c in environment.recorded if c.id in before or c.generation == 4]
    pool = [c for c in pool if c.failure is None]
    kept = complementary_set_retain(pool, environment.settings)
    assert environment.closed[-1][1] == tuple(c.id for c in kept)
    for request in environment.asked.values():
        parents = request.recipes[0].parents
        assert len({parent.id for parent in parents}) == len(parents)


def test_mcts_ahd_expands_one_leaf_by_its_operators_and_shows_costs_but_no_times() -> None:
    environment = published("mcts-ahd", Settings(generations=4, children=8))
    for generation in range(1, 5):
        asked = [r for place, r in environment.asked.items() if place[1] == generation]
        recipes = {request.operator: request.recipes[0] for request in asked}
        leaf = recipes["m1"].parents[0]
        assert all(recipes[name].parents[0] == leaf for name in ("elite", "m2", "path"))
        path = recipes["path"].parents
        assert [p.id for p in path[1:]] == [p.parents[0] for p in path[:-1]]
        assert recipes["elite"].parents[1] != leaf
        for request in asked:
            text = request.messages[-1].content
            scored = request.operator not in ("m1", "m2")
            assert ("Mean cost on the design set" in text) is scored and "better); " not in text
    branches = [c for c in environment.recorded if c.operator == "branch"]
    assert len(branches) == 4


@pytest.mark.parametrize("name", ["funsearch", "eoh-s", "mcts-ahd", "meoh"])
def test_a_published_sampler_goes_on_from_any_generation_as_if_never_interrupted(
    name: str,
) -> None:
    method = method_of(booked(EXAMPLE.with_name(f"{name}.toml")))
    settings = Settings(generations=4, population=4, islands=3, island_generations=1)
    whole = InMemoryEnvironment(method, settings)
    end = run(whole).state
    recorded = {c.id: c for c in whole.recorded}
    survivors = tuple(recorded[id] for id in whole.closed[2][1])
    past = tuple(c for c in whole.recorded if c.generation <= 2)
    middle = SearchState(2, survivors, past)
    rest = InMemoryEnvironment(method, settings)
    assert asyncio.run(search(rest, start=middle)).state == end
    assert {place: r for place, r in whole.asked.items() if place[1] > 2} == rest.asked


def test_the_whole_definition_is_recorded_and_runs_without_its_file(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE.parent, tmp_path / "methods")
    spec = booked(tmp_path / "methods/meoh.toml")
    recorded = codec.decode(RunSpec, codec.encode(spec))
    assert recorded == spec and recorded.method == "meoh"
    method = method_of(recorded)
    refuse_changed(recorded)
    shutil.rmtree(tmp_path / "methods")
    refuse_changed(recorded)
    assert method_of(recorded) == method
    assert reload_method(recorded) == recorded


@pytest.mark.parametrize("changed", ["meoh.toml", "blend.md"])
def test_a_run_whose_method_has_changed_is_not_resumed_but_can_be_forked(
    tmp_path: Path, changed: str
) -> None:
    shutil.copytree(EXAMPLE.parent, tmp_path / "methods")
    spec = booked(tmp_path / "methods/meoh.toml")
    file = tmp_path / "methods" / changed
    file.write_text(file.read_text().replace("two ends", "both ends"))
    with pytest.raises(RunMismatch, match=r"meoh.toml no longer says .* --fork"):
        refuse_changed(spec)
    assert "both ends" not in str(method_of(spec))
    assert "both ends" in str(reload_method(spec))
    refuse_changed(reload_method(spec))
    assert method_of(reload_method(spec)).name == "meoh"


def test_a_file_that_has_become_nonsense_is_a_change_too(tmp_path: Path) -> None:
    file = write(tmp_path, EOH_FILE)
    spec = booked(file)
    file.write_text("steps = 3")
    with pytest.raises(RunMismatch):
        refuse_changed(spec)


def test_methods_of_ours_need_no_definition() -> None:
    spec = RunSpec(ProblemRef("tests/toy"), method="reevo")
    assert load_method(spec) == spec == reload_method(spec)
    assert method_of(spec) is REEVO


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"distinct-cost"', '"cheapest"', "unknown retain 'cheapest'; did you mean"),
        ('"distinct-cost"', '"cost"\notherwise = "costs"', "unknown retain 'costs'"),
        ('"distinct-cost"', '"distinct-pareto"', "distinct-pareto needs a teacher"),
        ('"distinct-cost"', '"cost"\nconsult = "nobody"', "unknown consult 'nobody'"),
        ('"distinct-cost"', '"cost"\nconsult = "survivors"', "survivors needs a teacher"),
        ('"distinct-cost"', '"cost"\nadvice = 20', "advice needs a teacher"),
        ('"distinct-cost"', '"cost"\nprompt_teacher = "alway"', "did you mean 'always'"),
        ('"distinct-cost"', '"cost"\nadvice = -1', "advice: Expected `int` >= 0"),
        ("retain = ", "retains = ", "did you mean 'retain'"),
        ('"e2"', '"e8"', "unknown operator 'e8'; did you mean 'e"),
        ('"m2"]', '"m2"]\nreflect = "analyser"', "did you mean 'analyzer'"),
        ('"m2"]', '"m2"]\nchild = 3', "did you mean 'children'"),
        ('"m2"]', '"tune"]', "operator tune makes fewer calls than others: no rolling step"),
        ("rolling = true", "rolling = 1", "rolling: Expected `bool`"),
        ('"m2"]', '"m2"]\nchildren = 0', r"toml: steps\[0\].children: Expected `int` >= 1"),
        ('"m2"]', '"m2"]\nreflect = "short-term"', "operator m1 has no pair"),
        ('"distinct-cost"', '"pareto"', "pareto needs a teacher"),
        ('"eoh-again"', '"eoh"', "method eoh exists already"),
        ('"eoh-again"', '"EoH 2"', "is no method's name"),
        ('name = "eoh-again"', "", "method.toml: table missing required field `name`"),
        ('"eoh-again"', '""', "is no method's name"),
        ("false", '"no"', "teacher: Expected `bool`, got `str`"),
        ("[[steps]]", "[steps]", "steps: Expected `array`, got table"),
        (
            'operators = ["e1", "e2", "m1", "m2"]',
            "",
            r"steps\[0\]: .* missing required field `op",
        ),
        (EOH_FILE[EOH_FILE.index("[[steps]]") :], "", "at least one step"),
        ('operators = ["e1", "e2", "m1", "m2"]', "operators = []", "`array` of length >= 1"),
        ("retain = ", 'file = "x"\nretain = ', "unknown key of .*method.toml 'file'"),
        ("\n[[steps]]", '\nwinner = "lowest"\n[[steps]]', "did you mean 'lowest-cost'"),
    ],
)
def test_what_does_not_fit_is_named_in_one_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in EOH_FILE
    with pytest.raises(UserError, match=message) as refused:
        read_definition(write(tmp_path, EOH_FILE.replace(old, new)))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"elite"', '"elit"', "unknown way to draw a parent 'elit'; did you mean 'elite'"),
        ('"elite"', '"alignment-ranked"', "alignment-ranked needs a teacher"),
        ('"x1"', '"e1"\nprompt = "x1.md"', "operator e1 exists already"),
        ('"x1"', '"x-1"\nprompt = "x1.md"', "'x-1' is no operator's name"),
        ('["elite"]', '["elite"]\nprompt = "other.md"', "other.md cannot be read"),
        ("$reply", "", r"no \$reply"),
    ],
)
def test_what_does_not_fit_in_an_operator_is_named_too(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    prompt = "$contract $programs $reply".replace(old, new)
    with pytest.raises(UserError, match=message):
        read_definition(write(tmp_path, EOH_FILE + OWN.replace(old, new), prompt))


PRECEPTOR_FILE = """
name = "preceptor-again"
retain = "distinct-pareto"
otherwise = "distinct"
default_teacher = "strongest"
consult = "survivors"
advice = 20
prompt_teacher = "helpful"
wording = "preceptor"

[[steps]]
operators = ["s", "m", "p", "s", "free"]
reflect = "analyzer"

[[steps]]
operators = ["tune"]
children = 1

[[operators]]
name = "s"
parents = ["favoured"]

[[operators]]
name = "p"
parents = ["favoured"]

[[operators]]
name = "m"
parents = ["favoured", "complementary"]
"""


def test_a_file_may_say_anew_how_our_operators_draw_their_parents(tmp_path: Path) -> None:
    method = method_of(booked(write(tmp_path, PRECEPTOR_FILE)))
    settings = Settings(generations=3, population=6)
    ours, theirs = (InMemoryEnvironment(each, settings) for each in (PRECEPTOR, method))
    assert run(theirs).state == run(ours).state
    assert theirs.asked == ours.asked
    assert method.advice == PRECEPTOR.advice
    assert method.prompt_teacher == PRECEPTOR.prompt_teacher
    assert method.default_teacher == PRECEPTOR.default_teacher
    assert method.wording == PRECEPTOR.wording


def test_an_operator_may_start_from_nothing_and_without_a_brief(tmp_path: Path) -> None:
    own = OWN.replace('["elite"]', "[]\nbriefed = false")
    file = write(tmp_path, EOH_FILE.replace('"e2"', '"x1"') + own, "$contract $leaders $reply")
    environment = InMemoryEnvironment(method_of(booked(file)), Settings(generations=1))
    run(environment)
    asked = environment.asked["program", 1, 1, 0]
    assert asked.recipes[0].parents == ()
    assert "cost" in asked.messages[0].content


def test_the_analyzer_needs_no_teacher(tmp_path: Path) -> None:
    page = EOH_FILE.replace('"m2"]', '"m2"]\nreflect = "analyzer"')
    method = method_of(booked(write(tmp_path, page)))
    environment = InMemoryEnvironment(method, Settings(generations=1))
    run(environment)
    assert "teacher" not in environment.asked["analyzer", 1, 0, 0].messages[0].content


def test_an_own_operator_can_stand_in_any_step(tmp_path: Path) -> None:
    method = method_of(booked(write(tmp_path, EOH_FILE.replace('"e2"', '"x1"') + OWN)))
    assert method.operator("x1").title == "x1"
    with pytest.raises(UnknownName, match="did you mean 'x1'"):
        method.operator("x2x1")


def test_a_place_that_no_prompt_has_is_named_with_the_nearest(tmp_path: Path) -> None:
    prompt = "$contract $program $reply"
    method = method_of(booked(write(tmp_path, EOH_FILE.replace('"e1"', '"x1"') + OWN, prompt)))
    with pytest.raises(UnknownName, match=r"place in prompt x1: 'program'; did you mean 'progr"):
        run(InMemoryEnvironment(method, Settings(generations=1)))


def test_a_stray_dollar_sign_is_explained(tmp_path: Path) -> None:
    prompt = "$contract costs 5$ $programs $reply"
    method = method_of(booked(write(tmp_path, EOH_FILE.replace('"e1"', '"x1"') + OWN, prompt)))
    with pytest.raises(UserError, match=r"is written \$\$"):
        run(InMemoryEnvironment(method, Settings(generations=1)))
