"""The JSON of `preceptor run --estimate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.domain.specs.settings import describe_settings

if TYPE_CHECKING:
    from engine.api.forecast import Forecast


def describe_forecast(found: Forecast) -> dict[str, Any]:
    """The line of `run --estimate --json`."""
    plan = found.plan
    usage = found.expected.usage
    return {
        "event": "forecast",
        "settings": describe_settings(plan.spec),
        "design": plan.design_set,
        "instances": len(plan.instances),
        "selection": plan.selection_set or None,
        "generations": found.generations,
        "children": found.children,
        "calls": found.calls,
        "paid_calls": found.expected.calls,
        "tokens": usage.tokens_in + usage.tokens_out,
        "usd": usage.usd,
    }
