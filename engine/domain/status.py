"""States of runs and studies, and the commands that change them."""

from __future__ import annotations

from typing import Literal

State = Literal["starting", "running", "paused", "done", "budget", "stopped", "failed"]
"""What an engine last said of its run."""

Status = Literal[State, "interrupted"]
"""What a reader shows: as `State`, or that the engine vanished in the middle."""

Liveness = Literal["alive", "hung", "gone"]
"""The engine of a run: beating, living without a heartbeat for 15 s, or not there."""

CommandKind = Literal["pause", "resume", "stop", "set-cap"]
"""What a user may ask of a running engine."""
