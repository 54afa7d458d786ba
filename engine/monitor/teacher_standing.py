"""How the teacher of a run stands: what it reaches itself, and what it says of the survivors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from engine.domain.names import IMPORTED
from engine.domain.search_state import pool_advice
from engine.domain.values import Advice, Candidate


@dataclass(frozen=True, slots=True)
class TeacherStanding:
    """The teacher of a run; `cost` is the minimised mean that it reaches on the design set itself.

    `agreement` is the mean over the survivors, `advice` what came of all that was checked with
    them. Each is None where it is not known.
    """

    name: str
    cost: float | None
    agreement: float | None
    advice: Advice | None


def stand_teacher(
    name: str, costs: Mapping[str, float], survivors: Sequence[Candidate]
) -> TeacherStanding | None:
    """The teacher of a run, None without one; `costs` are what teachers reach alone, by name."""
    if not name:
        return None
    known = [one.agreement for one in survivors if one.agreement is not None]
    agreement = fmean(known) if known else None
    cost = costs.get(name.removeprefix(IMPORTED))
    return TeacherStanding(name, cost, agreement, pool_advice(survivors))
