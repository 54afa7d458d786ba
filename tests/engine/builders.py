"""Short ways to make the values that engine tests talk about."""

from __future__ import annotations

import hashlib

from engine.domain.values import Candidate, Diagnostics, Failure, Program


def program(code: str = "def score(item, state):\n    return 0.0\n", idea: str = "") -> Program:
    """A program whose hash is that of its text."""
    return Program(idea, code, hashlib.sha256(code.encode()).hexdigest())


def diagnostics(agreement: float, value: float | None = None) -> Diagnostics:
    """Diagnostics with a given agreement over 100 states."""
    return Diagnostics(agreement, 0.1, 0.01, value, value, 100, 0, 0)


def candidate(
    slot: int,
    cost: float | None,
    agreement: float | None = None,
    generation: int = 0,
    failure: Failure | None = None,
    costs: tuple[float, ...] = (),
    parents: tuple[str, ...] = (),
) -> Candidate:
    """A candidate named after its slot, with its own program."""
    return Candidate(
        id=f"p{slot:04d}",
        program=program(f"def score(item, state):\n    return {slot}\n"),
        operator="seed",
        generation=generation,
        slot=slot,
        cost=cost,
        behaviour=f"behaviour {slot}",
        diagnostics=None if agreement is None else diagnostics(agreement),
        failure=failure,
        costs=costs,
        parents=parents,
    )
