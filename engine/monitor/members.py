"""The programs of a run: what became of each, and the Pareto front it lies on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.domain.values import Align, Candidate
from engine.monitor.children import ChildInProgress
from engine.search.selection import alignment, cost, fronts

Fate = Literal["kept", "dropped", "failed", "in progress"]


@dataclass(frozen=True, slots=True)
class Member:
    """A candidate, or a child in progress.

    `front` counts from 0 among the survivors and the latest children; None for all others.
    """

    candidate: Candidate | None
    child: ChildInProgress | None
    fate: Fate
    front: int | None = None

    @property
    def _source(self) -> Candidate | ChildInProgress:
        source = self.candidate or self.child
        assert source is not None
        return source

    @property
    def place(self) -> str:
        """Generation and slot, which a child keeps when it becomes a candidate."""
        return place(self._source)

    @property
    def id(self) -> str:
        """The program's name, empty while it has none."""
        return self._source.id

    @property
    def operator(self) -> str:
        """The operator's name, empty while it is unknown."""
        return self._source.operator

    @property
    def generation(self) -> int:
        """The generation it was made in."""
        return self._source.generation

    @property
    def slot(self) -> int:
        """Its slot there."""
        return self._source.slot

    @property
    def parents(self) -> tuple[str, ...]:
        """Ids of its parents."""
        return self._source.parents

    @property
    def cost(self) -> float | None:
        """Its minimised cost, None without one."""
        return self._source.cost

    @property
    def agreement(self) -> float | None:
        """Agreement with the teacher, None without one."""
        return self._source.agreement


def place(source: Candidate | ChildInProgress) -> str:
    """Generation and slot as one word."""
    return f"{source.generation}.{source.slot}"


def rank_members(
    survivors: Sequence[Candidate],
    known: Sequence[Candidate],
    children: Sequence[ChildInProgress],
    align: Align,
) -> tuple[Member, ...]:
    """All members: children in progress, survivors in their order, the others newest first.

    Fronts are those of survivors and of the latest closed generation, over (cost, -alignment).
    """
    kept = {candidate.id for candidate in survivors}
    latest = max((candidate.generation for candidate in known), default=0)
    ranked = rank([c for c in known if c.id in kept or c.generation == latest], align)
    others = sorted((c for c in known if c.id not in kept), key=lambda c: (-c.generation, c.slot))
    return (
        *(Member(None, child, "in progress") for child in children),
        *(Member(c, None, "kept", ranked.get(c.id)) for c in survivors),
        *(Member(c, None, _fate(c), ranked.get(c.id)) for c in others),
    )


def rank(candidates: Sequence[Candidate], align: Align) -> Mapping[str, int]:
    """The front of every candidate that did not fail, by id; a duplicate failed, cost or not."""
    valid = [c for c in candidates if c.cost is not None and c.failure is None]
    layers = fronts([(cost(c), -alignment(c, align)) for c in valid])
    return {valid[i].id: layer for layer, front in enumerate(layers) for i in front}


def _fate(candidate: Candidate) -> Fate:
    return "dropped" if candidate.failure is None else "failed"
