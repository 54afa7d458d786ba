"""What happened in a run, for display only."""

from __future__ import annotations

from dataclasses import dataclass

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, for display only; `id` and `time` are given by the store."""

    kind: str
    generation: int | None = None
    slot: int | None = None
    data: tuple[tuple[str, Scalar], ...] = ()
    id: int = 0
    time: float = 0.0
