"""Programs that look for gaps in the gate and the sandbox, and ordinary ones that must pass."""

from __future__ import annotations

from tests.engine.evaluate.red_team import attributes, bombs, chance, names, reach, state

PROGRAMS = (
    *names.PROGRAMS,
    *attributes.PROGRAMS,
    *state.PROGRAMS,
    *chance.PROGRAMS,
    *reach.PROGRAMS,
    *bombs.PROGRAMS,
)
