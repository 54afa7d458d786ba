"""What a run may ask for and cost: shown before the first paid call, and capped at twice that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.domain.program import make_program
from engine.domain.specs.settings import Caps, Settings
from engine.domain.text.figures import dollars, write_time_span
from engine.domain.values import Candidate, Recipe, Request, Usage
from engine.llm.base import Metered, Writer
from engine.search import prompts
from engine.search.budget_plan import (
    first_calls,
    planned_generations,
    step_asked,
    step_operators,
    step_reflections,
)
from engine.search.methods.operators import FIRST
from engine.search.methods.types import Method, Operator, Step
from engine.search.offspring import name_candidate
from problems.base import Problem

GROWTH = 4
"""What was tried, states, sizes, briefs and longer parents make later prompts longer than the
first: 2.5 to 3.5 times on average over the recorded runs (`benchmarks/prompt_tokens.py`)."""

ANALYSIS = 6
"""An analyzer's prompt shows the population and all parents: 4 to 6 first prompts."""

MARGIN = 2
"""Default caps are this many times the estimate."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls to language models, and what they use at most; `usage.usd` None: price unknown."""

    calls: int
    usage: Usage

    @property
    def paid(self) -> bool:
        """Whether it costs money, as far as one can know."""
        return self.calls > 0 and self.usage.usd != 0


def estimate(
    problem: Problem,
    method: Method,
    settings: Settings,
    writers: Sequence[Writer | Metered],
    analyzer: Writer | Metered,
) -> Estimate:
    """All calls of a run without repairs, from the prompts that its seeds would make.

    Of several writers the dearest is reckoned with for every call.
    """
    total = Estimate(0, Usage(usd=0.0))
    parents = seed_candidates(problem)
    first = sample_request(problem, method.operator(FIRST), ())
    total = _add(total, writers, first, first_calls(settings))
    generations = planned_generations(method, settings)
    for step in method.steps:
        children = step_asked(step, method, settings)
        if not children:
            continue
        operator = method.operator(first_operator(step, settings, method.callless))
        first = sample_request(problem, operator, parents)
        later = replace(first, messages=first.messages * GROWTH)
        thought = replace(first, role="analyzer", messages=first.messages * ANALYSIS)
        total = _add(total, writers, later, children * generations)
        total = _add(
            total, [analyzer], thought, step_reflections(step, method, settings) * generations
        )
    return replace(total, calls=min(total.calls, settings.calls or total.calls))


def seed_candidates(problem: Problem) -> tuple[Candidate, ...]:
    """Generation 0, not evaluated."""
    return tuple(
        Candidate(name_candidate(slot), make_program(rule.idea, rule.code or ""), "seed", 0, slot)
        for slot, rule in enumerate(problem.seeds())
    )


def first_operator(step: Step, settings: Settings, callless: frozenset[str] = frozenset()) -> str:
    """The first of a step's operators that asks a writer; the first of all where none does."""
    operators = step_operators(step, settings)
    return next((name for name in operators if name not in callless), operators[0])


def first_asked(method: Method, settings: Settings) -> Operator:
    """The first operator of a method that asks a writer, of any where the run has none."""
    names = [first_operator(step, settings, method.callless) for step in method.steps]
    everyone = [*names, *(operator.name for operator in method.operators)]
    return method.operator(next(name for name in everyone if name not in method.callless))


def sample_request(problem: Problem, operator: Operator, parents: Sequence[Candidate]) -> Request:
    """A program request of an operator, over the first of these parents."""
    recipe = Recipe(1, 0, operator.name, (*parents, *parents)[: len(operator.parents)])
    messages = prompts.render(operator.name, problem.contract, recipe, text=operator.prompt)
    return Request("program", operator.name, messages, (recipe,))


def default_caps(caps: Caps, expected: Estimate) -> Caps:
    """The caps asked for; for a paid run without any on its calls, twice the estimate."""
    if caps != Caps(seconds=caps.seconds) or not expected.paid:
        return caps
    usage = expected.usage
    return Caps(
        MARGIN * expected.calls,
        MARGIN * (usage.tokens_in + usage.tokens_out),
        None if usage.usd is None else MARGIN * usage.usd,
        caps.seconds,
    )


def describe(expected: Estimate, caps: Caps) -> str:
    """One line for a person: what is expected, and where it ends."""
    usage = expected.usage
    money = "price unknown" if usage.usd is None else f"at most {dollars(usage.usd)}"
    limits = [
        *([] if caps.calls is None else [f"{caps.calls} calls"]),
        *([] if caps.tokens is None else [f"{caps.tokens:,} tokens"]),
        *([] if caps.usd is None else [f"{dollars(caps.usd)}{_bought(expected, caps.usd)}"]),
        *([] if caps.seconds is None else [write_time_span(caps.seconds)]),
    ]
    return (
        f"{expected.calls} calls, at most {usage.tokens_in + usage.tokens_out:,} tokens, {money}; "
        f"{'capped at ' + ', '.join(limits) if limits else 'no cap'}"
    )


def _bought(expected: Estimate, cap: float) -> str:
    """How many calls a cap in dollars pays for at worst, where these are not all."""
    usd = expected.usage.usd
    if not usd or cap >= usd:
        return ""
    return f" (pays for {int(expected.calls * cap / usd)} of these calls at worst)"


def _add(
    total: Estimate, writers: Sequence[Writer | Metered], request: Request, calls: int
) -> Estimate:
    quotes = [writer.quote(request) for writer in writers if isinstance(writer, Metered)]
    if not quotes or calls == 0:
        return total
    so_far = total.usage
    prices = [quote.usd for quote in quotes if quote.usd is not None]
    known = so_far.usd is not None and len(prices) == len(quotes)
    usd = (so_far.usd or 0.0) + calls * max(prices) if known else None
    return Estimate(
        total.calls + calls,
        Usage(
            so_far.tokens_in + calls * max(quote.tokens_in for quote in quotes),
            so_far.tokens_out + calls * max(quote.tokens_out for quote in quotes),
            usd,
        ),
    )
