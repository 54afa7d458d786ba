"""The methods as data for one loop: ours, the controls and ablations of it, its two baselines.

A method is steps, a retention, a winner, and whether the teacher is asked. Adding one is one
expression here, or a file of the user's own (`engine.search.methods.method_file`).
"""

from __future__ import annotations

from dataclasses import replace

from engine.domain.specs.settings import Settings
from engine.search.budget_plan import generation_calls
from engine.search.methods.operators import BY_COST, OPERATORS
from engine.search.methods.types import Method, Step
from engine.search.selection import (
    Sampler,
    complementary,
    cost_retain,
    distinct_cost_retain,
    distinct_pareto_retain,
    distinct_retain,
    favoured,
    generational_retain,
    highest_alignment,
    pareto_retain,
)
from problems.errors import UnknownName, UserError

GUIDED = ("s", "p", "m")
GENERIC = ("e1", "e2", "m1", "m2")
ALL = tuple(OPERATORS.values())
"""Every operator is there for every method: the setting `operators` may name any."""

_OWN_DRAWS: dict[str, tuple[Sampler, ...]] = {
    "s": (favoured,),
    "p": (favoured,),
    "m": (favoured, complementary),
}
"""How preceptor draws the parents of the paper's operators."""

ADVICE = 20
"""Disagreements of a program with the teacher that preceptor checks."""

TUNE_CHILD = 5.0
"""CPU seconds for which preceptor tunes every child before it is judged."""

OURS = Method(
    "ours",
    "teacher-aware evolution, the paper's method",
    ALL,
    (Step(GUIDED, "analyzer"),),
    pareto_retain,
)

PRECEPTOR = Method(
    "preceptor",
    "our own: leader first, complementary partners, distinct survivors, a free slot, tuning",
    tuple(replace(each, parents=_OWN_DRAWS.get(each.name, each.parents)) for each in ALL),
    (Step(("s", "m", "p", "s", "free"), "analyzer"), Step(("tune",), children=1)),
    distinct_pareto_retain,
    otherwise=distinct_retain,
    default_teacher="strongest",
    consult="survivors",
    advice=ADVICE,
    tune_child=TUNE_CHILD,
    prompt_teacher="helpful",
    wording="preceptor",
)

BLIND = Method(
    "blind",
    "ours minus the teacher: the same prompts but for its words, fusion and survival by cost",
    tuple({**OPERATORS, "m": BY_COST}.values()),
    (Step(GUIDED, "analyzer"),),
    cost_retain,
    teacher=False,
    in_full=True,
)

EOH = Method(
    "eoh",
    "Evolution of Heuristics: generic operators, survival by distinct cost",
    ALL,
    (Step(GENERIC, rolling=True),),
    distinct_cost_retain,
    teacher=False,
)
"""Liu et al. 2024. Prompts show no costs; its own first population is `start=contract`."""

REEVO = Method(
    "reevo",
    "ReEvo: reflections on pairs and over time, crossover, elitist mutation",
    ALL,
    (
        Step(("crossover",), "short-term", children=3),
        Step(("mutation",), "long-term", children=2),
    ),
    generational_retain,
    teacher=False,
)
"""Ye et al. 2024; 3 and 2 children are its two to one as near as five children allow."""


def _without(operator: str) -> Method:
    rest = tuple(name for name in GUIDED if name != operator)
    return replace(
        OURS,
        name=f"no-{operator}",
        about=f"ours without operator {operator}",
        steps=(Step(rest, "analyzer"),),
    )


METHODS = {
    method.name: method
    for method in (
        OURS,
        PRECEPTOR,
        EOH,
        REEVO,
        BLIND,
        replace(BLIND, name="performance-only", about="blind, by the paper's name for it"),
        replace(
            OURS,
            name="placebo",
            about="ours with a teacher whose scores are shuffled in every state",
            shuffled=True,
        ),
        replace(
            BLIND,
            name="unreflected",
            about="blind without the analyzer: no teacher, no briefs",
            steps=(Step(GUIDED),),
        ),
        replace(
            OURS,
            name="no-analyzer",
            about="ours with the parents' diagnostics but no briefs",
            steps=(Step(GUIDED),),
        ),
        replace(
            OURS,
            name="no-guided-operators",
            about="ours with generic operators; teacher and Pareto retention kept",
            steps=(Step(GENERIC, rolling=True),),
        ),
        replace(
            OURS,
            name="no-pareto",
            about="ours with survival by cost",
            retain=cost_retain,
            in_full=True,
        ),
        replace(
            OURS,
            name="max-align",
            about="ours, but the returned program is the one of highest alignment",
            winner=highest_alignment,
        ),
        *(_without(operator) for operator in GUIDED),
    )
}


def find(name: str) -> Method:
    """The method of that name. Raises UnknownName."""
    if name not in METHODS:
        raise UnknownName("method", name, METHODS)
    return METHODS[name]


def count_checks(method: Method, settings: Settings) -> int:
    """How many disagreements of a program with the teacher are checked."""
    return method.advice if settings.advice < 0 else settings.advice


def child_seconds(method: Method, settings: Settings, compiles: bool) -> float:
    """CPU seconds for which every child is tuned; `compiles` says whether rules are compiled."""
    own = method.tune_child if compiles else 0.0
    return own if settings.tune_child_seconds < 0 else settings.tune_child_seconds


def must_help(method: Method, settings: Settings) -> bool:
    """Whether prompts leave out a teacher that is beaten or whose checked advice saves nothing."""
    return (settings.prompt_teacher or method.prompt_teacher) == "helpful"


def refuse_misfit(method: Method, settings: Settings) -> None:
    """Refuse settings that a method has no use for. Raises UserError."""
    if settings.calls and not generation_calls(method, settings):
        raise UserError("option calls: the operators of this run make no calls; set generations")
    fixed = [step.children for step in method.steps]
    needy = {"align": settings.align == "advice"}
    needy["prompt_teacher"] = settings.prompt_teacher == "helpful"
    for name in (name for name, needs in needy.items() if needs and method.teacher):
        if not count_checks(method, settings):
            raise UserError(
                f"option {name}: no advice is checked; set option advice, such as advice=20"
            )
    if settings.operators and len(method.steps) > 1:
        raise UserError(f"option operators: method {method.name} has several rounds of its own")
    if all(fixed) and settings.children != sum(filter(None, fixed)):
        made = sum(filter(None, fixed))
        raise UserError(f"option children: method {method.name} makes {made} in a generation")
