"""The section that stays the same all through a run: instances, time, scale, how tables are read.

It stands right behind the contract, so that providers' caches of a prompt's beginning hold both.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.domain.specs.study import PATIENCE
from engine.search.prompts.context import PromptContext
from engine.search.prompts.formatting import number, rough, section
from engine.search.prompts.states import define_fields, profile_of
from problems.base import Contract

TIME = "A program that needs more fails; beside each program stands what it took."

PAIRED = (
    "Differences in cost are paired over the instances, with their standard error: below 0 the "
    "first is better, within two standard errors nothing is shown."
)

TABLES = (
    "A table of fields has, for each quantity, its mean spread between the candidates of a state "
    "(early/middle/late third of the decisions) and the mean place of a program's choice among "
    "them (0 the smallest value, 1 the largest)."
)


def describe_design(contract: Contract, background: PromptContext) -> str:
    """How programs are judged, the same in every prompt of a run; empty before anything is known.

    The first program with facts, a seed, says how long and wide decisions are.
    """
    sizes = f"{contract.sizes[:1].upper()}{contract.sizes[1:]}." if contract.sizes else ""
    if contract.whole:
        solvers = background.landmarks.solvers
        alone = any(len(c.costs) == 1 for c in background.seen)
        paired = "" if alone else PAIRED
        patience = f"There a program may take {number(PATIENCE)} CPU seconds for a set."
        where = f"{sizes} {patience}" if sizes else ""
        lines = [_size_of_whole(background), where, _scale(background, solvers), paired]
        return section("How programs are judged", "\n".join(filter(None, lines)))
    lines = [_size(background), sizes, _scale(background)]
    if any(map(profile_of, background.seen)):
        meanings = define_fields(contract)
        fields = meanings and f"Tables of states show, for some candidates of a state:\n{meanings}"
        lines += [PAIRED, TABLES, fields]
    return section("How programs are judged", "\n".join(filter(None, lines)))


def _size(background: PromptContext) -> str:
    """How many design instances there are, and how long and wide decisions are."""
    first = next((c for c in background.seen if profile_of(c) and c.costs), None)
    profile = None if first is None else profile_of(first)
    if first is None or profile is None:
        return ""
    return (
        f"Cost is {_mean_over(len(first.costs))}: {rough(profile.steps)} "
        f"decisions each among at most {profile.actions} candidates."
    )


def _size_of_whole(background: PromptContext) -> str:
    """How many design instances there are, and how much a program may compute for each."""
    count = next((len(c.costs) for c in background.seen if c.costs), 0)
    if not count:
        return ""
    return (
        f"Cost is {_mean_over(count)}. A program may take "
        f"{number(background.seconds)} CPU seconds"
        + (f" for all of them, {number(background.seconds / count)} s an instance" * (count > 1))
        + f". {TIME}"
    )


def _mean_over(count: int) -> str:
    """What a cost is of, by the number of design instances."""
    return "that of one instance" if count == 1 else f"the mean over {count} design instances"


def _scale(background: PromptContext, solvers: Iterable[tuple[str, float]] = ()) -> str:
    """What a low cost is; of rules no solver's, which computes something else."""
    told = [f"{name} {number(cost)}" for name, cost in solvers]
    lines = [f"Mean costs of others on these instances: {', '.join(told)}."] if told else []
    if background.reference is not None:
        lines.append(f"Best known mean cost of the design set: {number(background.reference)}.")
    return " ".join(lines)
