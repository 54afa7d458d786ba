"""Which teacher's advice the prompts of a generation show, and which teachers are left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.domain.names import LEFT_OUT, TEACHER_WORD, strip_folders
from engine.domain.search_state import pool_advice, tell_verdicts
from engine.search.methods.methods import must_help
from engine.search.offspring import is_teacher_active
from engine.search.prompts.formatting import number
from engine.search.prompts.programs import rank
from engine.search.prompts.verdicts import format_saving

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.search_state import SearchState
    from engine.domain.values import Candidate
    from engine.search.environment import Environment


def choose_teacher(
    environment: Environment, state: SearchState, generation: int
) -> tuple[SearchState, int | None]:
    """The number of the teacher that a generation's prompts show, None for none of them.

    The state comes back with the teachers that are left out from now on. Of the others it is the
    one whose checked advice to the survivors saves most; while none was checked, the first.
    """
    names = environment.teachers
    several = len(names) > 1
    if not (several or must_help(environment.method, environment.settings)):
        return state, 0
    reasons = leave_out(environment, state.population, generation)
    for k in sorted(reasons.keys() - state.left_out):
        whose = strip_folders(names[k]) if several else "teacher"
        text = f"{whose} left out since generation {generation}: {reasons[k]}"
        environment.note(LEFT_OUT, generation, None, text)
    state = replace(state, left_out=state.left_out | reasons.keys())
    left = [k for k in range(len(names)) if k not in state.left_out]
    found = {k: pool_advice(tell_verdicts(state.population, k)) for k in left}
    checked = {k: advice for k, advice in found.items() if advice is not None}
    chosen = max(checked, key=lambda k: checked[k].gain, default=left[0] if left else None)
    for k, advice in checked.items():
        whose = f"{strip_folders(names[k])}'s" if several else "the teacher's"
        use = "used" if k == chosen else "not used"
        text = f"{whose} word: {format_saving(advice)}, {use}"
        environment.note(TEACHER_WORD, generation, None, text)
    return state, chosen


def leave_out(
    environment: Environment, population: Sequence[Candidate], generation: int
) -> dict[int, str]:
    """Why teachers are left out from the generation that begins with `population`, by number.

    The best program beats what the teacher itself reaches, or its checked advice saves nothing.
    Judged while the teacher is active alone: by then it was asked about every survivor.
    """
    if not is_teacher_active(environment, generation):
        return {}
    best = next(iter(rank(population)), None)
    reasons = {}
    for k in range(len(environment.teachers)):
        alone = environment.landmarks.of(k).teacher
        advice = pool_advice(tell_verdicts(population, k))
        if best and best.cost is not None and alone is not None and best.cost < alone:
            reasons[k] = f"best program {best.id} {number(best.cost)} beats its {number(alone)}"
        elif advice is not None and advice.gain <= 0:
            reasons[k] = f"its checked advice saves {format_saving(advice)}"
    return reasons
