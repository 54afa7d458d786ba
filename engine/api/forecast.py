"""What a run would be, before it is booked: the search it amounts to, and what it may cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.api import book_run as booking
from engine.llm.openai.secret import Secret
from engine.runtime.plan import plan
from engine.runtime.writers.estimate import default_caps, estimate
from engine.runtime.writers.open_writer import open_writer
from engine.runtime.writers.writer_config import collect_keys
from engine.search.budget_plan import generation_children, planned_calls, planned_generations
from engine.store.reader import Reader

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.records import RunRow
    from engine.domain.specs.settings import Caps, RunSpec
    from engine.runtime.plan import Plan
    from engine.runtime.writers.estimate import Estimate


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


def forecast(db: Path, spec: RunSpec) -> Forecast:
    """Check a specification as booking does, and look ahead; raises what `booking.check` does."""
    with Reader(db) as reader:
        spec = booking.check_run(spec, reader)
        planned = plan(spec)
        secrets = {name: Secret(key) for name, key in collect_keys(spec.endpoints).items()}
        writers = [
            open_writer(name, planned.problem, reader, secrets, spec.endpoints)
            for name in (spec.writer, spec.analyzer or spec.writer)
        ]
        alike = next((row for row in reader.runs() if _is_alike(row, spec)), None)
    method = planned.method
    settings = spec.settings
    expected = estimate(planned.problem, method, settings, *writers)
    return Forecast(
        planned,
        planned_generations(method, settings),
        generation_children(method, settings),
        planned_calls(method, settings),
        expected,
        default_caps(spec.caps, expected),
        alike,
    )


def _is_alike(row: RunRow, spec: RunSpec) -> bool:
    """Whether a run went to its end under the same words but for its seed."""
    return row.state == "done" and replace(row.spec, seed=spec.seed, caps=spec.caps) == spec
