"""What a run would do and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.names import short_name
from engine.monitor.run_result import name_selection
from tui.text.formatting import duration, short_writer, short_writers

if TYPE_CHECKING:
    from engine.api.forecast import Forecast


def page_forecast(found: Forecast) -> str:
    """A line each for instances, winner, search, teacher, writers and time."""
    plan = found.plan
    return "\n".join(
        [
            f"{short_name(plan.spec.problem.name)}: {len(plan.instances)} instances of "
            f"{plan.design_set}",
            f"winner: {_format_selection(found)}",
            f"{plan.method.name}: {found.generations} generations of {found.children} children",
            f"teacher: {short_writer(plan.spec.teacher) or 'none'}",
            f"writer: {_format_writer(found)}",
            *_format_time(found),
        ]
    )


def _format_selection(found: Forecast) -> str:
    """On what the winner of a run is chosen."""
    plan = found.plan
    if not plan.selection_set:
        return f"the best on {plan.design_set}; there is no selection set"
    name = name_selection(plan.spec, plan.selection_set)
    return f"chosen on {len(plan.selection_instances)} others of {name}"


def _format_writer(found: Forecast) -> str:
    spec = found.plan.spec
    names = short_writers(spec.writer, spec.analyzer)
    if found.expected.calls == 0:
        return f"{names}, {_format_calls(found)}, no language model, no cost"
    return f"{names}, {found.cost}"


def _format_calls(found: Forecast) -> str:
    """The calls of the whole search, and where the cap ends it before."""
    cap = found.plan.spec.caps.calls
    capped = f", capped at {cap}" if cap is not None and cap < found.calls else ""
    return f"{found.calls} calls{capped}"


def _format_time(found: Forecast) -> list[str]:
    if found.alike is None:
        return []
    row = found.alike
    return [f"time: run {row.number} with these settings took {duration(row.seconds)}"]
