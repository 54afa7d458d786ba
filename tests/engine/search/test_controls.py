"""Controls differ from what they control for in the one thing that they are named after.

`python -m tests.engine.search.test_controls` prints how many requests any two methods share.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

import problems
from engine.domain.search_state import SearchState
from engine.domain.specs.settings import Settings
from engine.domain.specs.study import READ_OFF
from engine.domain.values import Candidate, Request
from engine.search.loop import draw_parents, evaluate_first
from engine.search.methods.method_file import build, read_definition
from engine.search.methods.methods import METHODS
from engine.search.methods.types import Method
from engine.search.offspring import program_request
from engine.search.prompts import verdicts
from engine.search.reflection import analyzer_request
from tests.engine.search.memory import run
from tests.engine.search.test_prompts import SmallShop, TaughtEnvironment, text, weigh

Place = tuple[str, int, int, int]

SAME = {"performance-only": "blind", **READ_OFF}
"""Methods that ask what another one asks: by definition, not by accident."""


FOLDER = Path(__file__).parents[3] / "docs/methods"
FILES = {file.stem: file for file in sorted(FOLDER.glob("*.toml"))}
EVERYONE = (*METHODS, *FILES)


def find(name: str) -> Method:
    """One of our methods, or that of a file in `docs/methods`."""
    return build(read_definition(FILES[name])) if name in FILES else METHODS[name]


@cache
def replayed(name: str) -> dict[Place, str]:
    """What a method asks in four generations when replies depend on the draw alone."""
    settings = Settings(generations=4, population=6, islands=3)
    environment = TaughtEnvironment(find(name), settings, answer=weigh)
    run(environment)
    return {place: text(request) for place, request in environment.asked.items()}


def count_shared(one: str, other: str) -> tuple[int, int]:
    """Places at which both methods ask the same, and places at which either asks."""
    ours, theirs = replayed(one), replayed(other)
    places = ours.keys() | theirs.keys()
    return sum(ours.get(place) == theirs.get(place) for place in places), len(places)


def test_no_two_methods_send_equal_requests() -> None:
    by_requests: dict[frozenset[tuple[Place, str]], set[str]] = {}
    declared: dict[str, set[str]] = {}
    for name in EVERYONE:
        by_requests.setdefault(frozenset(replayed(name).items()), set()).add(name)
        declared.setdefault(SAME.get(name, name), set()).add(name)
    assert sorted(map(sorted, by_requests.values())) == sorted(map(sorted, declared.values()))


def without_verdicts(page: str) -> str:
    """A page without the section on the teacher."""
    before, title, rest = page.partition(f"## {verdicts.TITLE}\n")
    _, heading, after = rest.partition("\n## ")
    return before + heading.strip("\n") + after if title else page


def questions(name: str, problem: str = "tests/toy") -> tuple[list[Request], SearchState]:
    """What a method would ask of the seeds: s, p, m with the same parents, and the analyzer."""
    found = SmallShop() if problem == "jssp" else problems.load(problem)

    async def ask() -> tuple[list[Request], SearchState]:
        environment = TaughtEnvironment(METHODS[name], Settings(), problem=found)
        state = await evaluate_first(environment)
        step = METHODS["ours"].steps[0]
        ours = TaughtEnvironment(METHODS["ours"], Settings(), problem=found)
        recipes = draw_parents(ours, step, await evaluate_first(ours), 1, range(5))
        known = {candidate.id: candidate for candidate in state.seen}
        recipes = tuple(replace(r, parents=_named(r.parents, known)) for r in recipes)
        made = [await program_request(environment, state, recipe) for recipe in recipes]
        return [*made, await analyzer_request(environment, state, recipes)], state

    return asyncio.run(ask())


def _named(parents: Iterable[Candidate], known: dict[str, Candidate]) -> tuple[Candidate, ...]:
    return tuple(known[parent.id] for parent in parents)


def test_ours_and_placebo_differ_in_verdict_lines_alone() -> None:
    ours, _ = questions("ours")
    placebo, _ = questions("placebo")
    for one, other in zip(ours, placebo, strict=True):
        assert f"## {verdicts.TITLE}" in text(one) and text(one) != text(other)
        assert without_verdicts(text(one)) == without_verdicts(text(other))
        assert len(text(one).splitlines()) == pytest.approx(len(text(other).splitlines()), abs=3)


def test_blind_asks_what_ours_asks_but_for_the_verdicts() -> None:
    ours, _ = questions("ours")
    blind, state = questions("blind")
    assert all(candidate.diagnostics is None for candidate in state.seen)
    for one, other in zip(ours, blind, strict=True):
        assert verdicts.TITLE not in text(other)
        assert without_verdicts(text(one)) == text(other)


@dataclass(frozen=True)
class Carried:
    """How much of the teacher a prompt carries of one program."""

    disagreements: int
    agreements: int
    thirds: frozenset[int]
    phases: int
    rivals: int


def count_carried(page: str, id: str) -> Carried:
    """What a prompt shows of a program beside the teacher; `rivals` counts cases with one."""
    part = page.partition(f"### {id} and the teacher\n")[2].partition("\n#")[0]
    places, _, table = part.partition("\nchoice of | ")
    blocks = re.split(r"^Instance \d+, decision \d+, ", table, flags=re.M)[1:]
    apart = [block for block in blocks if "\nteacher | " in block]
    phases = [float(block.split(" %")[0]) for block in apart]
    return Carried(
        len(apart),
        sum(f"\n{id} and teacher | " in block for block in blocks),
        frozenset(min(2, int(3 * phase / 100)) for phase in phases),
        max((row.count("/") + 2 for row in places.splitlines()[1:]), default=0) // 2,
        sum("\nsame machine_id | " in block for block in blocks),
    )


@pytest.mark.parametrize("name", ["ours", "placebo", "no-analyzer"])
def test_every_program_that_is_revised_is_shown_beside_the_teacher(name: str) -> None:
    *programs, analyzer = questions(name, "jssp")[0]
    for request in programs:
        id = request.recipes[0].parents[0].id
        found = count_carried(text(request), id)
        assert found == count_carried(text(analyzer), id)
        assert found.disagreements == 3 and found.thirds == {0, 1, 2}
        assert found.phases == 3
        assert found.agreements <= 1
        assert found.rivals >= 2


@pytest.mark.parametrize("name", ["blind", "performance-only", "unreflected"])
def test_without_a_teacher_no_program_is_shown_beside_one(name: str) -> None:
    for request in questions(name, "jssp")[0]:
        id = request.recipes[0].parents[0].id
        assert count_carried(text(request), id) == Carried(0, 0, frozenset(), 0, 0)


def test_a_placebo_agrees_as_often_as_chance() -> None:
    _, state = questions("placebo")
    told = [c.diagnostics for c in state.seen if c.diagnostics is not None]
    assert told
    for diagnostics in told:
        assert abs(diagnostics.agreement - diagnostics.chance) < 4 * diagnostics.stderr + 0.01


def print_matrix() -> None:
    """Requests shared by any two methods, of all at which either asks."""
    width = max(map(len, EVERYONE))
    for one in EVERYONE:
        cells = ["/".join(map(str, count_shared(one, other))) for other in EVERYONE]
        print(f"{one:{width}} " + " ".join(f"{cell:>6}" for cell in cells))


if __name__ == "__main__":
    print_matrix()
