"""Names as users read them."""

from __future__ import annotations

import pytest

from engine.domain.names import name_variant
from problems import ProblemRef


@pytest.mark.parametrize(
    ("problem", "name"),
    [
        (ProblemRef("jssp"), "jssp"),
        (ProblemRef("jssp", (("kind", "whole"),)), "jssp whole"),
        (ProblemRef("maxcut", (("kind", "whole"), ("state", "sparse"))), "maxcut whole sparse"),
        (ProblemRef("/home/me/my.shop/problem.py", (("state", "new"),)), "problem new"),
    ],
)
def test_a_variant_of_a_problem_has_a_name_of_its_own(problem: ProblemRef, name: str) -> None:
    assert name_variant(problem, short=True) == name
    assert name_variant(problem).startswith(problem.name)
