"""The revision modes as data: a name, how parents are drawn, a prompt.

Paper, Table "Teacher-aware revision modes" (s, p, m); the generic operators e1, e2, m1, m2, m3
follow EoH's descriptions, crossover and mutation follow ReEvo's, all in our own words. free starts
from nothing: what there is gives it figures to beat, not code. i1, EoH's too, sees the contract
alone. tune asks no writer.
"""

from __future__ import annotations

from engine.search.methods.types import Operator
from engine.search.selection import (
    alignment_ranked,
    any_ranked,
    better_of_pair,
    elite,
    objective_ranked,
    worse_of_pair,
)
from engine.search.tuning.budget import best_untuned

BY_COST = Operator("m", "mechanism fusion", (objective_ranked, objective_ranked))
"""The fusion of methods without a teacher: its second parent is drawn by cost, too."""

FIRST = "i1"
"""What a writer is asked for while there is no program."""

OPERATORS = {
    operator.name: operator
    for operator in (
        Operator("s", "structural rewrite", (objective_ranked,)),
        Operator("p", "parameter calibration", (objective_ranked,)),
        Operator("m", "mechanism fusion", (objective_ranked, alignment_ranked)),
        Operator(FIRST, "a first program", (), briefed=False),
        Operator("e1", "a different form", (any_ranked, any_ranked)),
        Operator("e2", "a shared idea", (any_ranked, any_ranked)),
        Operator("m1", "a modified form", (any_ranked,)),
        Operator("m2", "other parameters", (any_ranked,)),
        Operator("m3", "a simpler form", (any_ranked,)),
        Operator("crossover", "crossover", (better_of_pair, worse_of_pair), unequal=True),
        Operator("mutation", "elitist mutation", (elite,)),
        Operator("free", "another kind of computation", (), briefed=False),
        Operator("tune", "calibration by search", (best_untuned,), by="search", briefed=False),
    )
}
