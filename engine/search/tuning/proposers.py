"""Who says which values are tried next: CMA-ES for several constants, a bracket for one.

Values are seen on a logarithmic scale around the program's own. A proposer asks for a batch and is
given what became of it, best values having the lowest score; nothing else enters, so that the same
answers lead to the same questions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from engine.search.tuning.constants import Constant

if TYPE_CHECKING:
    import numpy as np

    Vector = np.ndarray[tuple[int], np.dtype[np.float64]]

Values = tuple[float, ...]

SPREAD = 0.35
"""Standard deviation of a value's logarithm in the first batch."""

REACH = math.log(30)
"""How far a value may move away from the program's own: to a thirtieth, to thirty times."""

NARROW = 0.01
"""A search this narrow, in logarithms, is over."""

FACTORS = (0.25, 0.5, 0.71, 1.41, 2.0, 4.0)
"""Where a bracket begins."""

INSIDE = 4
"""Values tried inside a bracket at a time."""

ROUNDS = 6
"""Batches that a budget should last for."""


class Proposer(Protocol):
    """Asks for values, receives their scores, in the order in which it asked."""

    @property
    def size(self) -> int:
        """Values that the next batch holds at most."""

    def ask(self) -> list[Values]:
        """The next batch; empty when there is nothing more to try."""

    def tell(self, tried: Sequence[Values], scores: Sequence[float]) -> None:
        """What became of that batch, values as they were written; infinity for a failure."""


def propose(
    constants: Sequence[Constant], known: Mapping[Values, float], trials: int, seed: int
) -> Proposer:
    """Who searches from what is `known` (values and their scores), in about so many trials."""
    if len(constants) == 1:
        return Bracket(constants[0], {value: score for (value,), score in known.items()})
    return Evolution(constants, min(known, key=lambda v: (known[v], v)), trials, seed)


class Evolution:
    """CMA-ES (Hansen) from the library `cmaes`, over logarithms of the values."""

    def __init__(
        self, constants: Sequence[Constant], start: Values, trials: int, seed: int
    ) -> None:
        """See `propose`."""
        import numpy as np  # slow to import, and rarely needed
        from cmaes import CMA

        usual = 4 + math.floor(3 * math.log(len(constants)))
        self._constants = constants
        self._middle = [math.log(constant.value) for constant in constants]
        edge = np.full(len(constants), REACH)
        self._search = CMA(
            mean=np.clip(np.array(self._logarithms(start)), -0.9 * edge, 0.9 * edge),
            sigma=SPREAD,
            bounds=np.column_stack([-edge, edge]),
            seed=seed % 2**32,
            population_size=max(4, min(usual, trials // ROUNDS)),
        )

    @property
    def size(self) -> int:
        """Its population."""
        return int(self._search.population_size)

    def ask(self) -> list[Values]:
        """A population of values."""
        return [self._values(self._search.ask()) for _ in range(self.size)]

    def tell(self, tried: Sequence[Values], scores: Sequence[float]) -> None:
        """Learn from the values as they were written: what is whole has moved to a whole one."""
        import numpy as np

        points = [np.array(self._logarithms(values)) for values in tried]
        self._search.tell(list(zip(points, scores, strict=True)))

    def _values(self, point: Vector) -> Values:
        pairs = zip(self._constants, self._middle, point, strict=True)
        return tuple(c.snap(math.exp(middle + float(way))) for c, middle, way in pairs)

    def _logarithms(self, values: Values) -> list[float]:
        return [math.log(v) - middle for v, middle in zip(values, self._middle, strict=True)]


class Bracket:
    """One constant: a wide look first, then ever closer around the best value."""

    def __init__(self, constant: Constant, known: Mapping[float, float]) -> None:
        """`known` are values and their scores, the constant's own among them."""
        self._constant = constant
        self._known = dict(known)
        self._is_first = True

    @property
    def size(self) -> int:
        """Values of the next batch."""
        return len(FACTORS) if self._is_first else INSIDE

    def ask(self) -> list[Values]:
        """Values around the best one, evenly on the logarithmic scale, none tried before."""
        own = self._constant.value
        best = min(self._known, key=lambda v: (self._known[v], abs(math.log(v / own)), v))
        raw = [own * factor for factor in FACTORS] if self._is_first else self._inside(best)
        self._is_first = False
        values = dict.fromkeys(self._constant.snap(value) for value in raw)
        return [(value,) for value in values if value not in self._known]

    def tell(self, tried: Sequence[Values], scores: Sequence[float]) -> None:
        """Remember."""
        for (value,), score in zip(tried, scores, strict=True):
            self._known[value] = score

    def _inside(self, best: float) -> list[float]:
        """Values between the neighbours of the best one; none where they are close together."""
        ordered = sorted(self._known)
        at = ordered.index(best)
        low = ordered[at - 1] if at else best / 2
        high = ordered[at + 1] if at + 1 < len(ordered) else best * 2
        if math.log(high / low) < NARROW or abs(math.log(best / self._constant.value)) > REACH:
            return []
        half = INSIDE // 2
        return [
            math.exp(a + (b - a) * step / (half + 1))
            for a, b in pairwise(map(math.log, (low, best, high)))
            for step in range(1, half + 1)
        ]
