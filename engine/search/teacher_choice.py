"""Whether the prompts of a generation show the teacher's advice, and when it is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.domain.names import LEFT_OUT, TEACHER_WORD
from engine.domain.search_state import SearchState, pool_advice
from engine.domain.values import Candidate
from engine.search.environment import Environment
from engine.search.methods.methods import must_help
from engine.search.offspring import is_teacher_active
from engine.search.prompts.formatting import number
from engine.search.prompts.programs import rank


def use_teacher(
    environment: Environment, state: SearchState, generation: int
) -> tuple[SearchState, bool]:
    """Whether a generation's prompts show what the teacher says, and the state from then on.

    A teacher that was left out once is not shown again.
    """
    if not must_help(environment.method, environment.settings):
        return state, True
    reason = reason_to_leave_out(environment, state.population, generation)
    if reason and not state.left_out:
        text = f"teacher left out since generation {generation}: {reason}"
        environment.note(LEFT_OUT, generation, None, text)
    state = replace(state, left_out=state.left_out or bool(reason))
    advice = None if state.left_out else pool_advice(state.population)
    if advice is not None:
        text = f"the teacher's word: following it {advice.outcome}, used"
        environment.note(TEACHER_WORD, generation, None, text)
    return state, not state.left_out


def reason_to_leave_out(
    environment: Environment, population: Sequence[Candidate], generation: int
) -> str:
    """Why the teacher is left out from the generation that begins with `population`, else empty.

    The best program beats what the teacher itself reaches, or following its checked advice costs
    more, by over a standard error. Judged while the teacher is active alone: by then it was
    asked about every survivor.
    """
    if not is_teacher_active(environment, generation):
        return ""
    best = next(iter(rank(population)), None)
    alone = environment.landmarks.teacher
    if best and best.cost is not None and alone is not None and best.cost < alone:
        return f"best program {best.id} {number(best.cost)} beats its {number(alone)}"
    advice = pool_advice(population)
    if advice is not None and advice.gain < -(advice.stderr or 0):
        counts = f"{advice.helped} helped, {advice.harmed} harmed of {advice.checked}"
        return f"following its checked advice {advice.outcome} ({counts})"
    return ""
