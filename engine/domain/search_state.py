"""Where a search stands: all that the next generation depends on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.domain.values import BLAMELESS, Advice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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

    All of it is on record, so that a search can go on from any closed generation. `teacher` is the
    number of the one whose words the candidates hold first; `left_out` are those of the teachers
    that no prompt shows any more.
    """

    generation: int
    population: tuple[Candidate, ...]
    seen: tuple[Candidate, ...]
    briefs: tuple[BriefRow, ...] = ()
    teacher: int = 0
    left_out: frozenset[int] = frozenset()

    def failure_examples(self) -> tuple[Failure, ...]:
        """The latest failure of each kind that a writer can learn from, newest first."""
        latest: dict[str, Failure] = {}
        for candidate in reversed(self.seen):
            failure = candidate.failure
            if failure is not None and failure.kind not in BLAMELESS:
                latest.setdefault(failure.kind, failure)
        return tuple(latest.values())[:FAILURE_EXAMPLES]

    def as_told_by(self, teacher: int | None) -> SearchState:
        """The same state as if that teacher alone had been asked, or none."""
        population = tell_verdicts(self.population, teacher)
        seen = tell_verdicts(self.seen, teacher)
        return replace(self, population=population, seen=seen, teacher=teacher or 0)

    @property
    def children(self) -> int:
        """How many children were asked for so far, whatever became of them."""
        return sum(candidate.generation > 0 for candidate in self.seen)


def tell_verdicts(candidates: Iterable[Candidate], teacher: int | None) -> tuple[Candidate, ...]:
    """Candidates as if the teacher of that number alone had been asked about them, or none."""
    return tuple(
        replace(one, diagnostics=one.diagnostics.of(teacher))
        if teacher is not None and one.diagnostics
        else replace(one, diagnostics=None)
        for one in candidates
    )


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
