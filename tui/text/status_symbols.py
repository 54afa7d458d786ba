"""Signs and colours of states: the sign says it all, the colour only helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.domain.status import Status

_SIGNS: dict[Status, str] = {
    "starting": "◌",
    "running": "●",
    "paused": "‖",
    "done": "✓",
    "budget": "$",
    "stopped": "■",
    "failed": "✗",
    "interrupted": "!",
}
_TONES: dict[Status, str] = {
    "starting": "$text-accent",
    "running": "$text-success",
    "paused": "$text-warning",
    "budget": "$text-warning",
    "failed": "$text-error",
    "interrupted": "$text-error",
}


def status_symbol(status: Status) -> str:
    """One cell that stands for a state."""
    return _SIGNS[status]


def status_colour(status: Status) -> str:
    """The theme's colour of a state; the plain one for those that need no attention."""
    return _TONES.get(status, "$foreground")
