"""How long a run will still take, from how long its generations took."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from engine.domain.events import GenerationClosed, GenerationOpened

if TYPE_CHECKING:
    from engine.domain.events import Event


class Stopwatch:
    """How long each generation took, from its events; generation 0, the seeds, does not count."""

    def __init__(self) -> None:
        self._opened: dict[int, float] = {}
        self._took: dict[int, float] = {}

    def note(self, event: Event) -> None:
        """Note an event that opens or closes a generation."""
        if not event.generation:
            return
        if isinstance(event.fact, GenerationOpened):
            self._opened[event.generation] = event.time
        elif isinstance(event.fact, GenerationClosed) and event.generation in self._opened:
            self._took[event.generation] = event.time - self._opened[event.generation]

    def estimate(self, generations: float) -> float | None:
        """Seconds that so many generations will take; None before one has closed."""
        return median(self._took.values()) * generations if self._took else None
