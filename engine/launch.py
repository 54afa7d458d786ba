"""Starting an engine that outlives the terminal it was started from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def launch(
    db: Path,
    run: int,
    secrets: Mapping[str, str],
    module: str = "engine.run",
) -> int:
    """Start `python -P -m MODULE DB RUN` in a session of its own; returns its process number.

    `secrets` (environment name to key) go over its stdin as one JSON line and appear neither in
    its arguments nor in its environment. Returns once the engine has claimed the run, or has
    ended well. Raises WorldError with the end of its log when it dies before.
    """
    raise NotImplementedError


def receive_secrets() -> Mapping[str, str]:
    """The engine's side: read the secrets from stdin, to its end."""
    raise NotImplementedError


def log_path(db: Path, run: int) -> Path:
    """Where the engine of a run writes what would have gone to the terminal."""
    raise NotImplementedError
