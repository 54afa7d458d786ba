"""Where a training stands, as every teacher's `train` reports it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """One word on a training.

    `done` is a share of the stage, `left` the seconds until its end. `loss` is the mean since the
    last word, `cost` the mean minimised cost of greedy rollouts on the validation set and `best`
    the lowest so far; None in stages without them.
    """

    stage: str
    done: float
    left: float
    loss: float | None = None
    cost: float | None = None
    best: float | None = None

    def __str__(self) -> str:
        """One line for a terminal."""
        figures = {"loss": self.loss, "validation": self.cost, "best": self.best}
        words = [f"{name} {value:.2f}" for name, value in figures.items() if value is not None]
        minutes = f"{self.left / 60:.1f} min left"
        return ", ".join([f"{self.stage} {self.done:.0%}", *words, minutes])
