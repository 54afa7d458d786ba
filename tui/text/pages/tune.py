"""What a calibration of a program came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.names import NOTHING
from engine.domain.text.figures import digits
from tui.text.chart import chart_steps
from tui.text.formatting import number, table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from engine.api.measure.tune import SetGain, TuneReport
    from engine.domain.tuning import Effect, TunedConstant

WIDTH = 72
HEIGHT = 8


def page_tuning(found: TuneReport, file: Path) -> str:
    """How much was tried, the constants, the curve, the figures of each set, the verdict."""
    tuning = found.tuning
    tried = (
        f"{found.program} on {found.set} of {found.problem}: {tuning.trials} trials, "
        f"{tuning.rollouts} rollouts, {found.cpu:.1f} CPU seconds"
    )
    constants = page_constants(tuning.constants)
    curve = chart_steps(found.curve, "best on the tuned half, by rollouts", WIDTH, HEIGHT)
    heads = ("instances", "count", "before", "after", "better by")
    gains = table(heads, [_gain(one) for one in found.gains])
    verdict = f"{file}: written" if found.code is not None else f"not better: {found.reason}"
    return "\n\n".join(filter(None, (tried, constants, curve, gains, verdict)))


def page_constants(constants: Sequence[TunedConstant]) -> str:
    """A line a constant: before, after, and what moving it alone adds to the mean cost."""
    rows = [
        (
            one.name,
            number(one.before),
            number(one.after),
            _effect(one.down),
            _effect(one.up),
            _effect(one.zero),
        )
        for one in constants
    ]
    heads = ("constant", "before", "after", "cost if less", "cost if more", "left out")
    return table(heads, rows)


def _effect(effect: Effect | None) -> str:
    """What moving a constant alone does: `x 1.5: +0.3 ± 0.1`."""
    if effect is None:
        return NOTHING
    factor = f"x {effect.factor:.3g}: " if effect.factor else ""
    return f"{factor}{digits(effect.mean, 3, '+')} ± {digits(effect.stderr, 2)}"


def _gain(one: SetGain) -> tuple[str, ...]:
    better = NOTHING
    if one.gain is not None and one.stderr is not None:
        better = f"{digits(one.gain, 4)} ± {digits(one.stderr, 2)}"
    return one.set, str(one.instances), number(one.before), number(one.after), better
