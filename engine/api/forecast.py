"""What a run or a study would be, before it is booked: how it searches, and what it may cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from engine.api.resolve import RunRequest, StudyPlan, resolve_run, resolve_study
from engine.domain.names import DEFAULT_DB
from engine.domain.records import RunRow
from engine.domain.specs.settings import Caps, RunSpec
from engine.domain.specs.study import StudySpec
from engine.domain.values import Usage
from engine.llm.openai.quoter import Quoter
from engine.runtime.call_queue import add_usage
from engine.runtime.plan import Plan
from engine.runtime.writers.estimate import Estimate, default_caps, describe, estimate
from engine.runtime.writers.open_writer import open_writer
from engine.search.budget_plan import generation_children, planned_calls, planned_generations
from engine.store.reader import Reader

Amount = TypeVar("Amount", int, float)


@dataclass(frozen=True, slots=True)
class Forecast:
    """A checked run: `calls` to its writers if none needs a repair; `expected` are those paid for.

    `caps` are those that it would run under, `alike` a finished run of the same settings.
    """

    plan: Plan
    generations: int
    children: int
    calls: int
    expected: Estimate
    caps: Caps
    alike: RunRow | None

    @property
    def cost(self) -> str:
        """What is expected, and where it ends, in a line."""
        return describe(self.expected, self.caps)


@dataclass(frozen=True, slots=True)
class StudyForecast:
    """A checked study, and what its runs ask of models at most."""

    plan: StudyPlan
    expected: Estimate

    @property
    def spec(self) -> StudySpec:
        """What was asked for, complete."""
        return self.plan.spec

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The held-out sets of each problem."""
        return self.plan.sets

    @property
    def missing(self) -> tuple[tuple[str, ...], ...]:
        """Those that are not imported."""
        return self.plan.missing

    @property
    def caps(self) -> Caps:
        """What all runs may spend together: the study's budget, at most the caps of every run.

        Where neither is set, twice the estimate.
        """
        runs = len(self.spec.runs())
        each = self.spec.caps
        whole = self.spec.budget
        tokens = None if each.tokens is None else runs * each.tokens
        usd = None if each.usd is None else runs * each.usd
        caps = Caps(whole.calls, _lower(tokens, whole.tokens), _lower(usd, whole.usd))
        return default_caps(caps, self.expected)

    @property
    def cost(self) -> str:
        """What is expected, and where it ends, in a line."""
        return describe(self.expected, self.caps)


def _lower(one: Amount | None, other: Amount | None) -> Amount | None:
    """The lower of two caps, of which either may be none."""
    caps = [cap for cap in (one, other) if cap is not None]
    return min(caps, default=None)


def forecast(request: RunRequest, store: Path | str = DEFAULT_DB) -> Forecast:
    """Check a run as `start_run` does, and look ahead: calls, tokens, dollars; nothing is written.

    Raises UnknownName and UserError for what does not exist, BadProgram for a program to start
    from that may not run, TeacherUnavailable; no key is needed.
    Example: `forecast(RunRequest("jssp", writer="openai:gpt-4o")).cost`
    """
    with Reader(Path(store)) as reader:
        planned = resolve_run(request, reader)
        expected = expect(planned, reader)
        alike = next((row for row in reader.runs() if _is_alike(row, planned.spec)), None)
    method = planned.method
    settings = planned.spec.settings
    return Forecast(
        planned,
        planned_generations(method, settings),
        generation_children(method, settings),
        planned_calls(method, settings),
        expected,
        default_caps(planned.spec.caps, expected),
        alike,
    )


def forecast_study(file: Path | str, store: Path | str = DEFAULT_DB) -> StudyForecast:
    """The same for a study file and all its runs together. Raises what `forecast` does.

    Example: `forecast_study("studies/paper-jssp.toml").cost`
    """
    with Reader(Path(store)) as reader:
        planned = resolve_study(Path(file), reader)
        firsts = [expect(first, reader) for first in planned.firsts]
    total = Estimate(0, Usage(usd=0.0))
    for one in firsts:
        for _ in planned.spec.seeds:
            total = Estimate(total.calls + one.calls, add_usage(total.usage, one.usage))
    return StudyForecast(planned, total)


def expect(planned: Plan, reader: Reader) -> Estimate:
    """All calls of a run to language models, without repairs; no key is needed to tell."""
    spec = planned.spec
    problem = planned.problem
    models = {endpoint.name: Quoter(endpoint) for endpoint in spec.endpoints}
    *writers, analyzer = [
        models.get(name) or open_writer(name, problem, reader, {})
        for name in (*spec.writers, spec.reflector)
    ]
    return estimate(problem, planned.method, spec.settings, writers, analyzer)


def _is_alike(row: RunRow, spec: RunSpec) -> bool:
    """Whether a run went to its end under the same words but for its seed."""
    return row.state == "done" and replace(row.spec, seed=spec.seed, caps=spec.caps) == spec
