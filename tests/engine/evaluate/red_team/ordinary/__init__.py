"""Pure programs as language models write them; each has to pass the gate."""

from __future__ import annotations

from tests.engine.evaluate.red_team.ordinary import actions, scores

ORDINARY = (*scores.PROGRAMS, *actions.PROGRAMS)

REFUSED = {"masked arrays", "lru_cache on a pure helper", "cache on a pure helper"}
"""Names of those that are refused, with advice."""
