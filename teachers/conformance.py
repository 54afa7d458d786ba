"""What the seam of teachers promises, as data, and the checks of it that hold for every teacher.

`TEACHER` says of each member what it must be or return, `ask` looks at every answer. Each check
takes a teacher and decisions that programs took, and raises AssertionError; run them all over your
own with

    @pytest.mark.parametrize("check", TEACHER_CHECKS, ids=lambda check: check.__name__)
    def test_my_teacher(check):
        check(MyTeacher(), decisions(problem, problem.load(problem.design)[:2]))

(`TEACHER_CHECKS` and `decisions` are in `preceptor`). That the numbers of jobs, nodes or vertices
are only names is for a family's own tests: what carries a number depends on the problem.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

from problems.base import Decision, Problem, visited
from problems.errors import BadModule, TeacherUnavailable
from problems.own_code import Seam, is_word, shorten, wants
from teachers.base import Teacher, Verdict, as_floats, verdict

Check = Callable[[Teacher, Sequence[Decision]], None]

CLOSE = 1e-5
"""How far two batches may differ on a score, as a share of the range of its state's scores."""

VERDICT = "a Verdict is the preferred action, one of the feasible, and a score for each, or None"


def _find_wrong(verdicts: Any, decisions: Sequence[Decision]) -> str:
    """What is wrong with the verdicts on some decisions, "" for nothing."""
    if not isinstance(verdicts, list | tuple):
        return f"{shorten(verdicts)}, not a list of Verdict"
    if len(verdicts) != len(decisions):
        return f"{len(verdicts)} verdicts for {len(decisions)} decisions"
    pairs = enumerate(zip(decisions, verdicts, strict=True))
    faults = (
        f"{fault} for decision {number} ({VERDICT})"
        for number, (decision, one) in pairs
        if (fault := _find_fault(decision, one))
    )
    return next(faults, "")


def _find_fault(decision: Decision, verdict: Any) -> str:
    """What is wrong with one verdict, "" for nothing."""
    if not isinstance(verdict, Verdict):
        return f"{shorten(verdict)} in place of a Verdict"
    preferred, scores = verdict.preferred, verdict.scores
    if preferred is not None and not isinstance(preferred, Integral):
        return f"preferred={shorten(preferred)}, not a whole number,"
    if preferred is not None and preferred not in decision.actions:
        return f"preferred={preferred!r}, which is not feasible,"
    if scores is None:
        return ""
    try:
        values = scores.tolist() if hasattr(scores, "tolist") else [*scores]
    except TypeError:
        values = None
    if not isinstance(values, list):
        return f"{shorten(scores)} as scores, not a number for each action,"
    if len(values) != len(decision.actions):
        return f"{len(values)} scores for {len(decision.actions)} feasible actions"
    wrong = [one for one in values if not isinstance(one, Real) or not math.isfinite(one)]
    if not wrong:
        return ""
    cure = "" if not isinstance(wrong[0], Real) else ", which is not finite"
    return f"{shorten(wrong[0])} as a score{cure}"


TEACHER = Seam(
    Teacher,
    values=dict.fromkeys(("name", "problem", "fingerprint"), wants(is_word, "a text")),
    answers={"verdicts": _find_wrong},
    required=("name", "problem", "fingerprint", "verdicts"),
    broken=TeacherUnavailable,
)


def check_parts(teacher: Any) -> None:
    """Refuse what is no teacher. Raises TeacherUnavailable, which names the line."""
    try:
        TEACHER.check_members(teacher)
    except BadModule as error:
        raise TeacherUnavailable(str(error)) from None


def ask(teacher: Teacher, decisions: Sequence[Decision]) -> list[Verdict]:
    """The verdicts of a teacher, one a decision.

    Raises TeacherUnavailable, which names the line, for what it raises or answers wrongly.
    """
    return [_as_plain(one) for one in TEACHER.ask(teacher, "verdicts", decisions)]


def _as_plain(found: Verdict) -> Verdict:
    """A verdict in Python's own numbers: those of NumPy and torch cannot be stored."""
    preferred = None if found.preferred is None else int(found.preferred)
    return Verdict(preferred, None if found.scores is None else as_floats(found.scores))


def decisions(problem: Problem, instances: Sequence[Any], each: int = 6) -> list[Decision]:
    """`each` decisions of a random walk on every instance: states that no teacher would reach.

    As in searches, only where there is a choice.
    """
    rng = random.Random(0)
    found = list[Decision]()
    for index, instance in enumerate(instances):
        taken = _random_walk(problem, instance, rng)
        states = list(visited(problem, instance, taken))
        feasible = [problem.actions(state) for state in states]
        open_steps = [step for step, actions in enumerate(feasible) if len(actions) > 1]
        for step in sorted(rng.sample(open_steps, min(each, len(open_steps)))):
            found.append(Decision(index, step, states[step], feasible[step], taken[step]))
    return found


def it_says_what_it_is(teacher: Teacher, decisions: Sequence[Decision]) -> None:
    """Name, problem and fingerprint are words."""
    check_parts(teacher)


def every_decision_has_one_verdict_in_order(
    teacher: Teacher, decisions: Sequence[Decision]
) -> None:
    """Reversed decisions get the reversed verdicts; no decisions get none."""
    verdicts = ask(teacher, decisions)
    backwards = ask(teacher, decisions[::-1])
    assert len(verdicts) == len(decisions)
    _check_agree(verdicts, backwards[::-1])
    assert ask(teacher, []) == []


def scores_stand_over_the_feasible_actions(
    teacher: Teacher, decisions: Sequence[Decision]
) -> None:
    """As many scores as actions, and the preferred action is the lowest of the best."""
    for decision, found in zip(decisions, ask(teacher, decisions), strict=True):
        assert found.preferred is None or found.preferred in decision.actions
        if found.scores is not None:
            assert verdict(decision.actions, found.scores) == found


def a_batch_of_one_agrees_with_a_batch_of_many(
    teacher: Teacher, decisions: Sequence[Decision]
) -> None:
    """Within `CLOSE` of the score range, and in the preferred action."""
    alone = [ask(teacher, [decision])[0] for decision in decisions]
    _check_agree(alone, ask(teacher, [*decisions, *decisions])[: len(decisions)])


def the_same_batch_gets_the_same_bits(teacher: Teacher, decisions: Sequence[Decision]) -> None:
    """Whatever was asked in between: the engine's batches are fixed, so its figures repeat."""
    first = ask(teacher, decisions)
    ask(teacher, decisions[::-2])
    assert ask(teacher, decisions) == first


def only_the_state_counts(teacher: Teacher, decisions: Sequence[Decision]) -> None:
    """Not the instance's place in its set, and not what the program chose."""
    others = [
        replace(decision, instance=decision.instance + 7, chosen=decision.actions[-1])
        for decision in decisions
    ]
    assert ask(teacher, others) == ask(teacher, decisions)


CHECKS: tuple[Check, ...] = (
    it_says_what_it_is,
    every_decision_has_one_verdict_in_order,
    scores_stand_over_the_feasible_actions,
    a_batch_of_one_agrees_with_a_batch_of_many,
    the_same_batch_gets_the_same_bits,
    only_the_state_counts,
)


def _random_walk(problem: Problem, instance: Any, rng: random.Random) -> list[int]:
    state = problem.start(instance)
    taken = list[int]()
    while actions := problem.actions(state):
        taken.append(rng.choice(actions))
        state = problem.step(state, taken[-1])
    return taken


def _check_agree(left: Sequence[Verdict], right: Sequence[Verdict]) -> None:
    for one, other in zip(left, right, strict=True):
        assert one.preferred == other.preferred
        if one.scores is None or other.scores is None:
            assert one.scores is other.scores
            continue
        margin = CLOSE * (max(one.scores) - min(one.scores))
        for score, again in zip(one.scores, other.scores, strict=True):
            assert abs(score - again) <= margin
