"""Frozen snapshots of runs and studies, read from the store for any front end."""

from engine.search.methods.operators import OPERATORS
from engine.store.reader import Reader, liveness, status

__all__ = ["OPERATORS", "Reader", "liveness", "status"]
