"""Symbols and colours of statuses; the symbol alone is enough without colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.domain.status import Status

_SYMBOLS: dict[Status, str] = {
    "starting": "◌",
    "running": "●",
    "paused": "‖",
    "done": "✓",
    "budget": "$",
    "stopped": "■",
    "failed": "✗",
    "pausing": "◧",
    "stopping": "◨",
    "busy": "◔",
    "hung": "?",
    "interrupted": "!",
}
_COLOURS: dict[Status, str] = {
    "starting": "$text-accent",
    "running": "$text-success",
    "paused": "$text-warning",
    "budget": "$text-warning",
    "failed": "$text-error",
    "pausing": "$text-warning",
    "stopping": "$text-warning",
    "busy": "$text-warning",
    "hung": "$text-error",
    "interrupted": "$text-error",
}


def status_symbol(status: Status) -> str:
    """The symbol alone, one cell."""
    return _SYMBOLS[status]


def status_label(status: Status) -> str:
    """`● running`: the symbol, which takes one cell, and the status."""
    return f"{_SYMBOLS[status]} {status}"


def status_colour(status: Status) -> str:
    """The theme's colour of a status; the plain one where nothing needs attention."""
    return _COLOURS.get(status, "$foreground")
