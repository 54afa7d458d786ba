"""The JSON of `preceptor tune`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from engine.api.measure.tune import SetGain, TuneReport
    from engine.domain.tuning import Effect, TunedConstant, Tuning


def describe_report(found: TuneReport, file: Path) -> dict[str, Any]:
    """The document of `tune --json`."""
    better = found.code is not None
    return {
        "problem": found.problem,
        "set": found.set,
        "program": found.program,
        "better": better,
        "file": str(file) if better else None,
        "reason": found.reason or None,
        "constants": [_describe_constant(one) for one in found.tuning.constants],
        "trials": found.tuning.trials,
        "rollouts": found.tuning.rollouts,
        "cpu": found.cpu,
        "gains": [_describe_gain(one) for one in found.gains],
        "curve": [{"rollouts": rollouts, "best": best} for rollouts, best in found.curve],
    }


def describe_tuning(found: Tuning) -> dict[str, Any]:
    """What a search saw of a program's constants, in `show RUN PROGRAM --json`."""
    return {
        "parent": found.parent,
        "accepted": found.accepted,
        "trials": found.trials,
        "rollouts": found.rollouts,
        "cpu": found.cpu,
        "before": found.before,
        "after": found.after,
        "gain": None if found.gain is None else -found.gain,
        "stderr": found.stderr,
        "constants": [_describe_constant(one) for one in found.constants],
    }


def _describe_constant(one: TunedConstant) -> dict[str, Any]:
    return {
        "name": one.name,
        "before": one.before,
        "after": one.after,
        "down": _describe_effect(one.down),
        "up": _describe_effect(one.up),
        "zero": _describe_effect(one.zero),
        "turned": _describe_effect(one.turned),
    }


def _describe_effect(effect: Effect | None) -> dict[str, float] | None:
    if effect is None:
        return None
    return {"factor": effect.factor, "cost": effect.mean, "stderr": effect.stderr}


def _describe_gain(one: SetGain) -> dict[str, Any]:
    return {
        "set": one.set,
        "instances": one.instances,
        "before": one.before,
        "after": one.after,
        "gain": one.gain,
        "stderr": one.stderr,
    }
