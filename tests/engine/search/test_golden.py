"""Every method, written out: who is asked what, with which parents, and who survives.

The replies are the scripted writer's, which depend on nothing but the draw of a request. After an
intended change write a page anew: `python -m tests.engine.search.test_golden METHOD`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.domain.specs.settings import Settings
from engine.search.methods.methods import METHODS
from tests.engine.search.memory import InMemoryEnvironment, run

PAGES = Path(__file__).with_name("golden")


def write_out(name: str) -> str:
    """A page: three generations of a method on the toy, with the writer's faults."""
    environment = InMemoryEnvironment(METHODS[name], Settings(generations=3, population=6))
    run(environment)
    lines = []
    for generation, survivors in environment.closed:
        lines.append(f"generation {generation}")
        for (purpose, when, slot, attempt), request in environment.asked.items():
            if when == generation:
                word = request.operator if purpose == "program" else f"({purpose})"
                parents = [p.id for recipe in request.recipes for p in recipe.parents]
                lines.append(f"  {slot} {word}{' again' * attempt} of {' '.join(parents)}")
        lines += [
            f"  {c.id} fell: {c.failure.kind}" for c in environment.failed(generation) if c.failure
        ]
        lines.append(f"  keeps {' '.join(survivors)}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", METHODS)
def test_a_method_goes_by_its_page(name: str) -> None:
    assert write_out(name) == (PAGES / f"{name}.txt").read_text()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        (PAGES / f"{name}.txt").write_text(write_out(name))
