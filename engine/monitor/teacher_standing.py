"""How the teachers of a run stand: what each reaches itself, and what it says of the survivors."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from engine.domain.names import IMPORTED
from engine.domain.search_state import pool_advice, tell_verdicts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.domain.values import Advice, Candidate


@dataclass(frozen=True, slots=True)
class TeacherStanding:
    """One teacher of a run; `cost` is the minimised mean that it reaches on the design set itself.

    `agreement` is the mean over the survivors, `advice` what came of all that was checked with
    them. Each is None where it is not known.
    """

    name: str
    cost: float | None
    agreement: float | None
    advice: Advice | None


def stand_teachers(
    names: Sequence[str], costs: Mapping[str, float], survivors: Sequence[Candidate]
) -> tuple[TeacherStanding, ...]:
    """The teachers of a run in its order; `costs` are what they reach themselves, by name."""
    return tuple(
        _stand(name, costs.get(name.removeprefix(IMPORTED)), tell_verdicts(survivors, number))
        for number, name in enumerate(names)
    )


def _stand(name: str, cost: float | None, survivors: Sequence[Candidate]) -> TeacherStanding:
    known = [one.agreement for one in survivors if one.agreement is not None]
    return TeacherStanding(name, cost, fmean(known) if known else None, pool_advice(survivors))
