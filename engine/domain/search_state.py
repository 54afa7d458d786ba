"""Where a search stands: all that the next generation depends on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.domain.values import BLAMELESS, Advice, Brief, Candidate, Failure

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

    All of it is on record, so that a search can continue from any closed generation. No prompt
    shows what a teacher says that is `left_out`.
    """

    generation: int
    population: tuple[Candidate, ...]
    seen: tuple[Candidate, ...]
    briefs: tuple[BriefRow, ...] = ()
    left_out: bool = False

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
        population = without_verdicts(self.population)
        return replace(self, population=population, seen=without_verdicts(self.seen))

    @property
    def children(self) -> int:
        """How many children were asked for so far, whatever became of them."""
        return sum(candidate.generation > 0 for candidate in self.seen)


def without_verdicts(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Candidates as if no teacher had been asked about them."""
    return tuple(replace(one, diagnostics=None) for one in candidates)


def pool_advice(programs: Sequence[Candidate]) -> Advice | None:
    """What came of all the advice to some programs together; None where none was checked.

    A program with a single piece of it, whose error is not known, does not count.
    """
    known = [c.diagnostics.advice for c in programs if c.diagnostics and c.diagnostics.advice]
    parts = [(one, one.stderr) for one in known if one.stderr is not None]
    checked = sum(one.checked for one, _ in parts)
    if not checked:
        return None
    return Advice(
        checked=checked,
        helped=sum(one.helped for one, _ in parts),
        harmed=sum(one.harmed for one, _ in parts),
        gain=sum(one.checked * one.gain for one, _ in parts) / checked,
        stderr=math.hypot(*(one.checked * error for one, error in parts)) / checked,
    )


def alive(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Those without a failure."""
    return tuple(candidate for candidate in candidates if candidate.failure is None)
