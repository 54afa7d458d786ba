"""Random draws that depend on what they are for, never on when they happen."""

from __future__ import annotations

import hashlib
import random


def derive_seed(seed: int, purpose: str, generation: int, slot: int = 0, attempt: int = 0) -> int:
    """A 64-bit seed from the run seed and the place of the draw."""
    text = f"{seed}|{purpose}|{generation}|{slot}|{attempt}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def new_rng(
    seed: int, purpose: str, generation: int, slot: int = 0, attempt: int = 0
) -> random.Random:
    """A generator of its own for one draw; nothing is shared, so order cannot matter."""
    return random.Random(derive_seed(seed, purpose, generation, slot, attempt))
