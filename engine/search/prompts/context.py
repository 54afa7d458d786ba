"""What a question can be set against: the search so far, and the terms of its evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.domain.concurrency import together
from engine.domain.program import plans
from engine.domain.values import Landmarks
from engine.search.prompts.history import find_records
from engine.search.prompts.programs import find_best, rank
from engine.search.selection import alignment_ranked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.search_state import SearchState
    from engine.domain.tuning import Trial
    from engine.domain.values import Candidate, Leftover, Parting
    from engine.search.environment import Environment


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The survivors, all candidates ever seen in order, CPU seconds of an evaluation.

    `reference` is the mean best known cost of the design set, None where it is unknown; `code` are
    characters of programs that a prompt may show; `partings` tell where a program parts from a
    better one, by their ids; `landmarks` what others reach; `timed` are programs, by
    their ids, on the first instance of the set `larger`. Operators `by_agreement` draw their
    second parent by that. Once the best programs have `planned` and the method tells of plans,
    `leftovers` are what the solutions of programs leave to gain, by their ids, and nothing is
    known of partings. `speeds` say, by their ids, whether programs are compiled.
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
    by_agreement: frozenset[str] = frozenset()
    planned: bool = False
    leftovers: tuple[tuple[str, Leftover], ...] = ()
    speeds: tuple[tuple[str, str], ...] = ()

    @property
    def best(self) -> Candidate | None:
        """The best program seen, None before any has a cost."""
        return find_best(self.seen)

    def others(self, one: Candidate) -> list[Candidate]:
        """The survivors but for one program."""
        return [candidate for candidate in self.population if candidate.id != one.id]

    def speed(self, one: Candidate) -> str:
        """Whether a program is compiled, and if not, why; empty where prompts do not tell."""
        return dict(self.speeds).get(one.id, "")

    def parting(self, one: Candidate) -> tuple[str, Parting] | None:
        """From which better program one parts, and where; None where it does not."""
        return next(((other, p) for id, other, p in self.partings if id == one.id), None)


async def gather_context(
    environment: Environment, state: SearchState, pairs: Sequence[tuple[Candidate, Candidate]] = ()
) -> PromptContext:
    """The background of a question that is asked now; `pairs` of programs are set side by side."""
    best = find_best(state.seen)
    planned = environment.method.plan_facts and is_planned(state.seen)
    compared = () if planned else pairs
    found = [(one, other, await environment.part(one, other)) for one, other in compared]
    shown = {c.id: c for pair in pairs for c in pair} | ({best.id: best} if best else {})
    timed = await together(environment.scale(candidate) for candidate in shown.values())
    told = [(id, await environment.leftover(c)) for id, c in shown.items() if planned]
    speeds = await _explain_speeds(environment, [*shown.values(), *state.population])
    settings = environment.settings
    return PromptContext(
        state.population,
        state.seen,
        settings.eval_seconds,
        environment.reference,
        settings.prompt_code,
        tuple((one.id, other.id, parting) for one, other, parting in found if parting),
        environment.landmarks.of(state.teacher),
        environment.larger,
        tuple((id, trial) for id, trial in zip(shown, timed, strict=True) if trial),
        frozenset(
            name
            for name, samplers in environment.method.samplers.items()
            if samplers[1:2] == (alignment_ranked,)
        ),
        planned,
        tuple((id, leftover) for id, leftover in told if leftover),
        speeds,
    )


async def _explain_speeds(
    environment: Environment, programs: Iterable[Candidate]
) -> tuple[tuple[str, str], ...]:
    """Whether programs are compiled, by their ids; nothing where the method does not tell."""
    if not environment.method.compiled_facts:
        return ()
    known = {one.id: one for one in programs}
    return tuple([(id, await environment.speed(one)) for id, one in known.items()])


def is_planned(seen: Sequence[Candidate]) -> bool:
    """Whether a program that plans has been the best of the search; from then on it stays so."""
    leaders = [*rank([c for c in seen if not c.parents])[:1], *find_records(seen)]
    return any(plans(leader.program.code) for leader in leaders)


def pair_with_best(
    revised: Sequence[Candidate], state: SearchState
) -> list[tuple[Candidate, Candidate]]:
    """Each of the programs with the best one of the search, but for that itself."""
    best = find_best(state.seen)
    return [(one, best) for one in revised if best is not None and one.id != best.id]
