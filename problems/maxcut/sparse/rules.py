"""The seeds of a search under `state=sparse`."""

from __future__ import annotations

from problems.maxcut.sparse import programs
from problems.maxcut.sparse.contract import ARGUMENTS
from problems.shared.seeds import as_rule

PARAMETERS = ", ".join(argument.name for argument in ARGUMENTS)
"""Those of the contract; the functions of `programs` name the ones that they read."""

SEEDS = tuple(
    as_rule(program, "select_flip_node", parameters=PARAMETERS)
    for program in (
        programs.greedy_flip,
        programs.tabu_flip,
        programs.longer_tabu,
        programs.oldest_of_the_best,
        programs.settle_down,
        programs.seldom_flipped,
        programs.soft_tabu,
        programs.leave_the_valley,
    )
)
