"""What a question can be set against: the search so far, and the terms of its evaluation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.domain.concurrency import together
from engine.domain.search_state import SearchState
from engine.domain.specs.settings import Settings
from engine.domain.tuning import Trial
from engine.domain.values import Candidate, Landmarks, Parting
from engine.search.methods.types import Wording
from engine.search.prompts.formatting import cut, number, two_digits
from engine.search.prompts.programs import find_best
from engine.search.selection import alignment_ranked

if TYPE_CHECKING:
    from engine.search.environment import Environment


COMMENT = 500
"""Characters of what a problem says of a solution."""


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The survivors, all candidates ever seen in order, CPU seconds of an evaluation.

    `reference` is the mean best known cost of the design set, None where it is unknown; `code` are
    characters of programs that a prompt may show; `partings` tell where a program parts from a
    better one, by their ids; `landmarks` what others reach; `timed` are programs, by
    their ids, on the first instance of the set `larger`; `comments` what the problem's own
    code says of their solutions. Operators `by_agreement` draw their second parent by that.
    `wording` says whose prompts are written (`engine.search.methods`), `limit` what time a program
    has.
    """

    population: tuple[Candidate, ...] = ()
    seen: tuple[Candidate, ...] = ()
    seconds: float = 0.0
    reference: float | None = None
    code: int = 0
    partings: tuple[tuple[str, str, Parting], ...] = ()
    landmarks: Landmarks = field(default_factory=Landmarks)
    larger: str = ""
    timed: tuple[tuple[str, Trial], ...] = ()
    comments: tuple[tuple[str, str], ...] = ()
    by_agreement: frozenset[str] = frozenset()
    wording: Wording = "paper"
    limit: str = "what a run allows"

    def tell_besides(self) -> str:
        """What is known of programs, by their ids, beside their costs; empty for nothing.

        That is what they cost on a few instances of a larger set, and what the problem says of
        their solutions.
        """
        told = []
        if self.timed:
            count = len(self.timed[0][1].costs)
            instances = "1 instance" if count == 1 else f"{count} instances"
            costs = ", ".join(f"{id} {_time_trial(trial, instances)}" for id, trial in self.timed)
            where = f"On {instances} of {self.larger}, where programs are judged, too"
            told.append(f"{where}: {costs}.")
        said = "Said of the solution of"
        told += [f"{said} {id}: {cut(comment, COMMENT)}" for id, comment in self.comments]
        return "\n".join(told)

    @property
    def best(self) -> Candidate | None:
        """The best program seen, None before any has a cost."""
        return find_best(self.seen)

    def parting(self, one: Candidate) -> tuple[str, Parting] | None:
        """From which better program one parts, and where; None where it does not."""
        return next(((other, p) for id, other, p in self.partings if id == one.id), None)


COMPILED = (
    ". Loops over numbers, lists, arrays and their slices run as machine code, about 3 ns for an "
    "addition or a comparison with what it reads (Python: 100). So do helper functions, which may "
    "change arrays that they are given, abs, min, max, sum, len, int, float, functions of math, "
    "and numpy's zeros(n), zeros((n, m)), either with int or bool, ones, full, array, arange, "
    "sqrt, minimum, maximum, argmin, argmax and argsort(a, kind='stable'), the methods min, max, "
    "sum, mean, argmin, argmax, copy and tolist of arrays, and float('inf'). Python runs the "
    "whole program if it has over 5,000 parts of syntax (about 450 lines of code), or one dict, "
    "set, other string, default value, inner function, other keyword argument, list or array "
    "outside functions, import of another module, other function of numpy, or name that may have "
    "no value yet where it is read. What stands outside functions is computed for every instance"
)
"""What makes a rule quick: a limit of 0.1 ms cannot be kept without knowing it."""


def _time_trial(trial: Trial, instances: str) -> str:
    if not trial.failure:
        costs = [cost for cost in trial.costs if cost is not None]
        mean = number(math.fsum(costs) / len(costs))
        return f"costs {mean}, {two_digits(trial.cpu)} s for {instances}"
    return f"over {two_digits(trial.cpu)} s" if trial.failure == "timeout" else "fails there"


def time_limit(settings: Settings) -> str:
    """What time a program has, as the rules of programs say it."""
    if settings.decision_ms:
        limit = number(settings.decision_ms)
        return f"{limit} ms of CPU time a decision, all its candidates together, on average"
    return f"{number(settings.eval_seconds)} CPU seconds for all of the design set"


def describe_terms(environment: Environment) -> PromptContext:
    """The background of a question that shows nothing of the search so far."""
    limit = time_limit(environment.settings)
    if environment.settings.decision_ms:
        limit += COMPILED
    return PromptContext(wording=environment.method.wording, limit=limit)


async def gather_context(
    environment: Environment, state: SearchState, pairs: Sequence[tuple[Candidate, Candidate]] = ()
) -> PromptContext:
    """The background of a question that is asked now; `pairs` of programs are set side by side."""
    best = find_best(state.seen)
    found = [(one, other, await environment.part(one, other)) for one, other in pairs]
    shown = {c.id: c for pair in pairs for c in pair} | ({best.id: best} if best else {})
    timed = await together(environment.scale(candidate) for candidate in shown.values())
    told = [(id, await environment.comment(candidate)) for id, candidate in shown.items()]
    settings = environment.settings
    return replace(
        describe_terms(environment),
        population=state.population,
        seen=state.seen,
        seconds=settings.eval_seconds,
        reference=environment.reference,
        code=settings.prompt_code,
        partings=tuple((one.id, other.id, parting) for one, other, parting in found if parting),
        landmarks=environment.landmarks,
        larger=environment.larger,
        timed=tuple((id, trial) for id, trial in zip(shown, timed, strict=True) if trial),
        comments=tuple((id, comment) for id, comment in told if comment),
        by_agreement=frozenset(
            name
            for name, samplers in environment.method.samplers.items()
            if samplers[1:2] == (alignment_ranked,)
        ),
    )


def pair_with_best(
    revised: Sequence[Candidate], state: SearchState
) -> list[tuple[Candidate, Candidate]]:
    """Each of the programs with the best one of the search, but for that itself."""
    best = find_best(state.seen)
    return [(one, best) for one in revised if best is not None and one.id != best.id]
