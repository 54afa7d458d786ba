"""Trials without programs: costs are a function of the numbers that stand in the text."""

from __future__ import annotations

import asyncio
import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.domain.program import make_program
from engine.domain.tuning import Trial, TrialBatch
from engine.domain.values import Candidate
from engine.search.tuning.calibrate import Calibration, Place, calibrate

Cost = Callable[[list[float], int], float | None]

PLACE = Place("tune", 1, 0, 7)


@dataclass
class Bench:
    """Remembers every batch; `cost` maps a program's weights and an instance to a cost."""

    cost: Cost
    batches: list[TrialBatch] = field(default_factory=list)

    async def try_out(self, batch: TrialBatch) -> tuple[Trial, ...]:
        """All programs of a batch, later ones first done."""
        self.batches.append(batch)
        return tuple(await asyncio.gather(*(self._try_out(c, batch) for c in batch.codes)))

    async def _try_out(self, code: str, batch: TrialBatch) -> Trial:
        await asyncio.sleep(0.0001 * (len(code) % 3))
        return Trial(tuple(self.cost(weights(code), k) for k in batch.instances), cpu=0.5)


def weights(code: str) -> list[float]:
    """The numbers that a program assigns."""
    return [float(word) for word in re.findall(r"= ([0-9.e+-]+)$", code, re.MULTILINE)]


def program(*values: float) -> str:
    """A program with so many weights."""
    lines = [f"W{k} = {value!r}" for k, value in enumerate(values)]
    used = " + ".join(f"W{k}" for k in range(len(values)))
    return "\n".join([*lines, "def score(item, state):", f"    return {used or 0}", ""])


def parent(code: str, cost: Cost, instances: int = 64, cpu: float = 1.0) -> Candidate:
    """An evaluated program."""
    costs = tuple(cost(weights(code), k) for k in range(instances))
    known = [c for c in costs if c is not None]
    mean = sum(known) / len(known) if known else None
    return Candidate(
        "p0007", make_program("", code), "seed", 0, 7, cost=mean, costs=costs, cpu=cpu
    )


def valley(*bottom: float) -> Cost:
    """Costs that rise with the distance from the best weights, on a hilly set of instances."""

    def cost(values: list[float], instance: int) -> float | None:
        base = 100 + random.Random(instance).gauss(0, 20)
        if any(v * b <= 0 for v, b in zip(values, bottom, strict=True)):
            return None
        way = sum(math.log(v / b) ** 2 for v, b in zip(values, bottom, strict=True))
        return base + 5 * way + random.Random(f"{values} {instance}").gauss(0, 0.5)

    return cost


def tuned(code: str, cost: Cost, budget: int = 64 * 100, instances: int = 64) -> Calibration:
    """A calibration from end to end, without its judge."""
    return asyncio.run(calibrate(Bench(cost), parent(code, cost, instances), PLACE, budget))
