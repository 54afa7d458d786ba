"""Calibration by search as values: trials of a program with other constants, what came of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from engine.domain.text.codec import content_key

Purpose = Literal["tune", "child", "larger"]
"""What is calibrated: a parent, or a child before it is judged.

With `larger` a candidate is timed on a larger instance, and nothing is calibrated.
"""


@dataclass(frozen=True, slots=True)
class TrialBatch:
    """Programs that are tried together on some `instances` of a set, by their index.

    The `set` is the design set where it is empty.
    `number` counts the batches of a slot's calibration. `seconds` are the CPU seconds that each
    program may use. `spent` of the `budget` of rollouts were used before: for progress alone, as
    are `parent`, the program that is calibrated, and `best`, its lowest mean so far.
    """

    purpose: Purpose
    generation: int
    slot: int
    number: int
    codes: tuple[str, ...]
    instances: tuple[int, ...]
    seconds: float
    parent: str = ""
    spent: int = 0
    budget: int = 0
    best: float | None = None
    set: str = ""

    @property
    def key(self) -> str:
        """Equal for batches that try the same; how far a search has come is not part of it."""
        where = [self.set] if self.set else []
        return content_key("trials", self.codes, self.instances, self.seconds, *where)


@dataclass(frozen=True, slots=True)
class Trial:
    """A program on the instances of its batch: costs in their order, None where it failed.

    `failure` is the kind of its failure, empty without one; `cpu` are CPU seconds of its child.
    """

    costs: tuple[float | None, ...]
    failure: str = ""
    cpu: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a constant times `factor` adds to the mean cost, with its standard error.

    A factor of 0 leaves out what the constant weighs, -1 turns its sign.
    """

    factor: float
    mean: float
    stderr: float

    @property
    def is_clear(self) -> bool:
        """Whether it lies more than two standard errors away from 0."""
        return abs(self.mean) > 2 * self.stderr


@dataclass(frozen=True, slots=True)
class TunedConstant:
    """A constant before and after.

    `down` and `up` are what moving it alone did, `zero` what leaving it out, `turned` what turning
    its sign did, if tried.
    """

    name: str
    before: float
    after: float
    down: Effect | None = None
    up: Effect | None = None
    zero: Effect | None = None
    turned: Effect | None = None


@dataclass(frozen=True, slots=True)
class Tuning:
    """A calibration: the constants of `parent`, and what its trials and its judges said.

    `before` and `after` are mean costs on the tuned half of the design set; `gain` and `stderr`
    are the paired difference on the other half (below 0: better), None where it was not measured.
    `rollouts` counts solved instances of all trials, `cpu` their CPU seconds.
    """

    parent: str
    constants: tuple[TunedConstant, ...]
    trials: int
    rollouts: int
    before: float
    after: float
    gain: float | None = None
    stderr: float | None = None
    accepted: bool = False
    cpu: float = field(default=0.0, compare=False)
