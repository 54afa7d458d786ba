"""What the seam of teachers promises, checked: their parts, and every answer.

A teacher that breaks a promise is told so in the words of the seam, with the line of its method.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

from problems.errors import PreceptorError, TeacherUnavailable
from problems.own_code import blame, describe, place_of, tell_promise
from teachers.base import Teacher, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.base import Decision

VERDICT = "a Verdict is the preferred action, one of the feasible, and a score for each, or None"


def check_parts(teacher: Any) -> None:
    """Refuse what is no teacher. Raises TeacherUnavailable, which names the part and its line."""
    for name in ("name", "problem", "fingerprint"):
        if not isinstance(value := getattr(teacher, name, None), str) or not value:
            said = "has no" if not hasattr(teacher, name) else f"has {value!r} as its"
            place = place_of(teacher, name)
            raise TeacherUnavailable(
                f"{place}: the teacher {said} {name}; {tell_promise(Teacher, name)}"
            )
    if not callable(getattr(teacher, "verdicts", None)):
        said = "the teacher has no verdicts(decisions)"
        promise = tell_promise(Teacher, "verdicts")
        raise TeacherUnavailable(f"{place_of(teacher)}: {said}; {promise}")


def ask(teacher: Teacher, decisions: Sequence[Decision]) -> list[Verdict]:
    """The verdicts of a teacher, one a decision.

    Raises TeacherUnavailable, which names the line, for what it raises or answers wrongly.
    """
    try:
        verdicts = teacher.verdicts(decisions)
    except PreceptorError:
        raise
    except (Exception, SystemExit) as error:
        told = blame(error) or f"{place_of(teacher, 'verdicts')}: {describe(error)} in verdicts()"
        raise TeacherUnavailable(f"{told}; {tell_promise(Teacher, 'verdicts')}") from error
    if wrong := _find_wrong(decisions, verdicts):
        place = place_of(teacher, "verdicts")
        raise TeacherUnavailable(
            f"{place}: verdicts() returned {wrong}; {tell_promise(Teacher, 'verdicts')}"
        )
    return verdicts


def _find_wrong(decisions: Sequence[Decision], verdicts: Any) -> str:
    """What is wrong with an answer, "" for nothing."""
    if not isinstance(verdicts, list | tuple):
        return f"{_kind(verdicts)}, not a list of Verdict"
    if len(verdicts) != len(decisions):
        return f"{len(verdicts)} verdicts for {len(decisions)} decisions"
    pairs = enumerate(zip(decisions, verdicts, strict=True))
    for number, (decision, verdict) in pairs:
        if fault := _find_fault(decision, verdict):
            return f"{fault} for decision {number} ({VERDICT})"
    return ""


def _find_fault(decision: Decision, verdict: Any) -> str:
    """What is wrong with one verdict, "" for nothing."""
    if not isinstance(verdict, Verdict):
        return f"{_kind(verdict)} in place of a Verdict"
    if verdict.preferred is not None and verdict.preferred not in decision.actions:
        return f"preferred={verdict.preferred!r}, which is not feasible,"
    if verdict.scores is None:
        return ""
    if not isinstance(verdict.scores, tuple | list):
        return f"{_kind(verdict.scores)} as scores, not a tuple,"
    if len(verdict.scores) != len(decision.actions):
        return f"{len(verdict.scores)} scores for {len(decision.actions)} feasible actions"
    wrong = [score for score in verdict.scores if not isinstance(score, Real)]
    return f"{_kind(wrong[0])} as a score" if wrong else ""


def _kind(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"
