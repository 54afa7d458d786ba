"""Where a search stands: all that the next generation depends on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.domain.values import BLAMELESS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.domain.values import Brief, Candidate, Failure

FAILURE_EXAMPLES = 3
"""How many different failures of earlier children a prompt shows."""


@dataclass(frozen=True, slots=True)
class BriefRow:
    """A brief and the slot it was handed to."""

    generation: int
    slot: int
    brief: Brief


@dataclass(frozen=True, slots=True)
class SearchState:
    """The survivors of a generation, and all candidates and briefs up to it, in order.

    All of it is on record, so that a search can go on from any closed generation.
    """

    generation: int
    population: tuple[Candidate, ...]
    seen: tuple[Candidate, ...]
    briefs: tuple[BriefRow, ...] = ()

    def failure_examples(self) -> tuple[Failure, ...]:
        """The latest failure of each kind that a writer can learn from, newest first."""
        latest: dict[str, Failure] = {}
        for candidate in reversed(self.seen):
            failure = candidate.failure
            if failure is not None and failure.kind not in BLAMELESS:
                latest.setdefault(failure.kind, failure)
        return tuple(latest.values())[:FAILURE_EXAMPLES]

    def without_verdicts(self) -> SearchState:
        """The same state as if no teacher had been asked."""
        population = hide_verdicts(self.population)
        return replace(self, population=population, seen=hide_verdicts(self.seen))

    @property
    def children(self) -> int:
        """How many children were asked for so far, whatever became of them."""
        return sum(candidate.generation > 0 for candidate in self.seen)


def hide_verdicts(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Candidates as if no teacher had been asked about them."""
    return tuple(replace(candidate, diagnostics=None) for candidate in candidates)


def alive(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Those without a failure."""
    return tuple(candidate for candidate in candidates if candidate.failure is None)
