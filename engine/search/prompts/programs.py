"""Programs as prompts show them: idea, code, cost, the time they take, their rank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import TypeVar

from engine.domain.text.figures import digits
from engine.domain.values import Candidate
from engine.search.paired import compare
from engine.search.prompts.changes import changed_blocks
from engine.search.prompts.formatting import clip, cut, number, two_digits

Found = TypeVar("Found")

VARIANT = 0.6
"""A program is shown by its changed lines where these are shorter than so much of its code."""

LEAST = 400
"""Characters of code below which a program is named by its idea alone."""

IDEA = 400
"""Characters of an idea where many are listed."""

FEW = 5
"""The best programs, of which a free slot sees the ideas."""


def show_program(candidate: Candidate, most: int | None = None) -> str:
    """A program's idea and its code, of `most` characters about."""
    program = candidate.program
    return f"### Program {candidate.id}\nIdea: {program.idea}\n{show_code(candidate, most)}"


def show_code(candidate: Candidate, most: int | None = None) -> str:
    """A program's code alone, of `most` characters about."""
    code = candidate.program.code
    return f"```python\n{code if most is None else clip(code, most)}```"


def show_versions(candidates: Sequence[Candidate]) -> str:
    """The code of programs as versions, the best last."""
    ordered = sorted(candidates, key=lambda c: -(c.cost or 0.0))
    return "\n\n".join(f"### Version {k}\n{show_code(c)}" for k, c in enumerate(ordered))


def show_variant(candidate: Candidate, base: Candidate, most: int) -> str:
    """A program by what sets it apart from another that is shown, where that is shorter.

    It takes `most` characters about, and its idea alone where that is too few.
    """
    changes = changed_blocks(base.program.code, candidate.program.code)
    code = candidate.program.code
    if candidate.id == base.id or len(changes) > min(VARIANT * len(code), most):
        if most < min(LEAST, len(code)):
            return f"### Program {candidate.id}\nIdea: {candidate.program.idea}"
        return show_program(candidate, most)
    return (
        f"### Program {candidate.id}\nIdea: {candidate.program.idea}\n"
        f"As {base.id}, but for (- {base.id}, + {candidate.id}):\n```diff\n{changes}```"
    )


def code_length(candidate: Candidate, base: Candidate) -> int:
    """Characters that `show_variant` has to say of a program's code."""
    code = len(candidate.program.code)
    changes = len(changed_blocks(base.program.code, candidate.program.code))
    return changes if candidate.id != base.id and changes <= VARIANT * code else code


def show_with_results(candidate: Candidate, seconds: float = 0.0) -> str:
    """A program with its cost and the time that it took of the `seconds` that it may take."""
    return f"{show_program(candidate)}\n{results(candidate, seconds)}."


def results(candidate: Candidate, seconds: float = 0.0) -> str:
    """What a program costs, and the time that it took, on the design set."""
    facts = [f"Mean cost on the design set {number(candidate.cost)} (lower is better)"]
    return "; ".join([*facts, *filter(None, [time_taken(candidate, seconds)])])


def time_taken(candidate: Candidate, seconds: float = 0.0) -> str:
    """CPU time as it was recorded, in two digits: of a decision, else of the whole evaluation."""
    if not candidate.cpu or not seconds:
        return ""
    if candidate.decisions:
        return f"{two_digits(1000 * candidate.cpu / candidate.decisions)} ms a decision"
    return f"CPU {two_digits(candidate.cpu)} of {number(seconds)} s"


def _in_brackets(text: str) -> str:
    """A text after a figure; nothing where there is none, as of a single instance."""
    return text and f" ({text})"


def cost_difference(new: Candidate, old: Candidate) -> str:
    """The paired difference of two programs' costs, in words; empty where one is incomplete."""
    found = compare(new.costs, old.costs)
    if found is None or new.id == old.id:
        return ""
    return (
        f"{digits(found.mean, 4, '+')} ± {digits(found.stderr, 2)} against {old.id}, "
        f"better on {found.better} of {found.count}"
    )


def once_a_state(find: Callable[[Sequence[Candidate]], Found]) -> Callable[..., Found]:
    """What is found in all candidates seen, once for the very same sequence of them.

    The prompts of a generation ask the same of a long history, one after the other.
    """
    last: list[tuple[Sequence[Candidate], Found]] = []

    @wraps(find)
    def remember(seen: Sequence[Candidate]) -> Found:
        for known, found in last:
            if known is seen and isinstance(seen, tuple):  # a list may have changed
                return found
        found = find(seen)
        last[:] = [(seen, found)]
        return found

    return remember


def rank(seen: Sequence[Candidate]) -> list[Candidate]:
    """The programs with a cost, best first, the older of equals first."""
    return sorted(_with_cost(seen), key=_by_cost)


def find_best(seen: Sequence[Candidate]) -> Candidate | None:
    """The best program with a cost, None before there is one."""
    return next(reversed(find_leaders(seen)), None)


@once_a_state
def find_leaders(seen: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The programs that were the best when they came, in order, out of `seen` in order."""
    leaders: list[Candidate] = []
    for candidate in _with_cost(seen):
        if not leaders or _by_cost(candidate) < _by_cost(leaders[-1]):
            leaders.append(candidate)
    return tuple(leaders)


def _with_cost(seen: Iterable[Candidate]) -> Iterator[Candidate]:
    return (c for c in seen if c.cost is not None and c.failure is None)


def _by_cost(candidate: Candidate) -> tuple[float, int, int]:
    return candidate.cost or 0.0, candidate.generation, candidate.slot


def compare_with_best(
    parents: Sequence[Candidate],
    seen: Sequence[Candidate],
    seconds: float,
    room: int,
) -> str:
    """Where the first parent stands among all that the search has seen; the best one in full.

    `room` are the characters that may be spent on code.
    """
    candidate = parents[0]
    ranked = rank(seen)
    ids = [one.id for one in ranked]
    if candidate.id not in ids or len(ranked) < 2:
        return ""
    best = ranked[0]
    if best.id == candidate.id:
        second = ranked[1]
        return (
            f"{candidate.id} is the best of {len(ranked)} programs so far; the next, {second.id}, "
            f"costs {number(second.cost)}{_in_brackets(cost_difference(second, candidate))}."
        )
    place = ids.index(candidate.id) + 1
    apart = cost_difference(best, candidate)
    cost = f"cost {number(best.cost)}{_in_brackets(apart and f'{apart} instances')}"
    facts = [cost, time_taken(best, seconds)]
    text = (
        f"{candidate.id} is number {place} of {len(ranked)} programs so far. The best is "
        f"{best.id}, {'; '.join(filter(None, facts))}"
    )
    if any(best.id == parent.id for parent in parents):
        return f"{text}."
    code = show_variant(best, candidate, room)
    return f"{text}. Build on it where it is the better base:\n\n{code}"


def list_leaders(seen: Sequence[Candidate], reference: float | None) -> str:
    """The best programs seen by cost and idea, without their code; what is best known."""
    known = f"Best known: {number(reference)}.\n" if reference is not None else ""
    lines = (f"- cost {number(c.cost)}: {cut(c.program.idea, IDEA)}" for c in rank(seen)[:FEW])
    return known + "\n".join(lines)


def list_population(population: Sequence[Candidate], seconds: float = 0.0) -> str:
    """One line a program: operator, cost, difference to the best; with `seconds`, its time."""
    best = min(population, key=lambda c: float("inf") if c.cost is None else c.cost)
    lines = []
    for candidate in population:
        gap = "" if candidate is best else cost_difference(candidate, best)
        facts = [f"cost {number(candidate.cost)}", gap, time_taken(candidate, seconds)]
        lines.append(f"- {candidate.id} ({candidate.operator}): {', '.join(filter(None, facts))}")
    return "\n".join(lines)
