"""What a question can be set against: the search so far, and the terms of its evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.domain.search_state import SearchState
    from engine.domain.values import Candidate
    from engine.search.environment import Environment


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The survivors, all candidates ever seen in order, CPU seconds of an evaluation.

    `reference` is the mean best known cost of the design set, None where it is unknown.
    """

    population: tuple[Candidate, ...] = ()
    seen: tuple[Candidate, ...] = ()
    seconds: float = 0.0
    reference: float | None = None


def gather_context(environment: Environment, state: SearchState) -> PromptContext:
    """The background of a question that is asked now."""
    return PromptContext(
        state.population, state.seen, environment.settings.eval_seconds, environment.reference
    )
