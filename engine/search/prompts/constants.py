"""What a search over a program's constants has seen, one line a constant."""

from __future__ import annotations

from engine.domain.text.figures import digits
from engine.domain.tuning import Effect, TunedConstant, Tuning
from engine.search.prompts.formatting import cut, number

NAME = 60
"""Characters of a constant's name."""


SPECIAL = {0.0: "left out", -1.0: "sign turned"}
"""Names of factors."""


def list_constants(tuning: Tuning) -> str:
    """One line a constant, each after a line end: what moving it alone added to the mean cost."""
    return "".join(f"\n    {_describe(one, tuning.accepted)}" for one in tuning.constants)


def _describe(one: TunedConstant, accepted: bool) -> str:
    """`SLACK 0.35 -> 0.412, flat: x0.667 +0.03 ± 0.07, x1.5 -0.02 ± 0.09, left out +1.2 ± 0.4`."""
    moved = f"{cut(one.name, NAME)} {number(one.before)}"
    if accepted and one.after != one.before:
        moved += f" -> {number(one.after)}"
    sides = [one for one in (one.down, one.up, one.zero, one.turned) if one is not None]
    if not sides:
        return moved
    from_before = "" if moved.endswith(number(one.before)) else f", from {number(one.before)}"
    effects = [f"{digits(side.mean, 3, '+')} ± {digits(side.stderr, 2)}" for side in sides]
    named = [SPECIAL.get(side.factor, f"x{side.factor:.3g}") for side in sides]
    told = ", ".join(f"{name} {effect}" for name, effect in zip(named, effects, strict=True))
    judged = _judge(one.down, one.up)
    if judged == "flat" and any(side.is_clear for side in sides):
        judged = "flat nearby"
    return f"{', '.join(filter(None, (moved, judged)))}{from_before}: {told}"


def _judge(down: Effect | None, up: Effect | None) -> str:
    """In a word or two which way the cost goes; within two standard errors it does not go.

    Empty where neither way was tried.
    """
    if down is None and up is None:
        return ""
    said = [
        f"{way} costs {'more' if side.mean > 0 else 'less'}"
        for way, side in (("less of it", down), ("more of it", up))
        if side is not None and side.is_clear
    ]
    if len(said) == 2 and down is not None and up is not None and min(down.mean, up.mean) > 0:
        return "steep both ways"
    return " and ".join(said) or "flat"
