"""The profile of a walk: how many flips, from which start, how often."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import shake_256

from problems.errors import UserError
from problems.maxcut.instances import Instance


@dataclass(frozen=True, slots=True)
class WalkProfile:
    """`steps` flips an attempt, times the number of vertices if `per_vertex`.

    An attempt starts from random spins, or with all spins `equal`; the best of all counts.
    """

    steps: int = 2
    per_vertex: bool = True
    equal: bool = False
    attempts: int = 1

    def flips(self, size: int) -> int:
        """Flips an attempt on a graph of `size` vertices."""
        return self.steps * size if self.per_vertex else self.steps

    def start(self, instance: Instance, attempt: int) -> bytes:
        """The sides at the start of an attempt, from 0: drawn from the graph and its number."""
        if self.equal:
            return bytes(instance.size)
        graph = repr((attempt, instance.neighbours, instance.weights)).encode()
        return bytes(byte & 1 for byte in shake_256(graph).digest(instance.size))

    @property
    def length(self) -> str:
        """The flips of an attempt in words."""
        return f"{self.steps}{'n' if self.per_vertex else ''} flips"

    @property
    def text(self) -> str:
        """The whole profile in words, as tables print it."""
        start = "all spins equal" if self.equal else "random spins"
        best = f", best of {self.attempts} attempts" if self.attempts > 1 else ""
        return f"{self.length} from {start}{best}"


def read_profile(steps: str, start: str, attempts: str) -> WalkProfile:
    """The profile of three settings: `2n` or `400`, `random` or `equal`, a number of attempts.

    Raises UserError.
    """
    length = re.fullmatch(r"([1-9]\d*)(n?)", steps)
    if length is None:
        raise UserError(f"maxcut: steps must be a number such as 400 or 2n, not {steps!r}")
    if start not in ("random", "equal"):
        raise UserError(f"maxcut: start must be 'random' or 'equal', not {start!r}")
    if re.fullmatch(r"[1-9]\d*", attempts) is None:
        raise UserError(f"maxcut: attempts must be a number of at least 1, not {attempts!r}")
    if start == "equal" and attempts != "1":
        raise UserError("maxcut: with equal spins every attempt is the same; one is enough")
    return WalkProfile(int(length[1]), length[2] == "n", start == "equal", int(attempts))
