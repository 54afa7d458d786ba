"""Writing the run store: the engine's memory, in transactions that are on disk when they return.

Everything a resumed run needs is here; events are for display and never read back by the loop.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from engine.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.config import Caps, RunSpec
    from engine.identity import Identity
    from engine.rows import Billed, CallKey, CommandKind, DiagnosticsRow, Event, Provenance, State
    from engine.types import Brief, Candidate, Evaluation, Reply, Request, Usage


class Store(Reader):
    """A run store opened to write; makes the file, updates an older one, reads like a Reader.

    Each method is one transaction. Raises StoreForeign for a file that is not ours or newer and
    StoreError for whatever keeps it from being written (a full disk: free space, call again).
    """

    def writing(self) -> AbstractContextManager[None]:
        """One transaction over several statements; the methods below each open their own."""
        raise NotImplementedError

    def create_run(
        self, spec: RunSpec, provenance: Provenance, forked_from: int | None = None
    ) -> int:
        """Book a new run in state `starting`; returns its number."""
        raise NotImplementedError

    def claim(self, run: int, owner: Identity) -> None:
        """Make `owner` the run's engine, state `running`.

        Raises StoreError while another living engine owns it, UnknownName for no such run.
        """
        raise NotImplementedError

    def release(self, run: int) -> None:
        """The run has no engine any more; its state stays."""
        raise NotImplementedError

    def set_state(self, run: int, state: State, reason: str = "") -> None:
        """Say how the run stands; done, budget, stopped and failed also end it."""
        raise NotImplementedError

    def set_caps(self, run: int, caps: Caps) -> None:
        """What the run may spend from now on."""
        raise NotImplementedError

    def beat(self, run: int) -> None:
        """A sign of life, every 2 s; also counts the seconds spent running."""
        raise NotImplementedError

    def record_sent(self, key: CallKey, request: Request) -> None:
        """Book a call before it leaves; until it is answered it is billed `maybe`.

        Booked again after a kill or a failure, the earlier try stays counted. Raises RunMismatch
        when the request differs from the recorded one, StoreError when it is answered already.
        """
        raise NotImplementedError

    def record_done(self, key: CallKey, reply: Reply) -> None:
        """Keep the raw reply, before anything is made of it."""
        raise NotImplementedError

    def record_failed(self, key: CallKey, error: str, billed: Billed) -> None:
        """Book that no usable answer came; `billed` is `no` only when it surely was not paid."""
        raise NotImplementedError

    def record_evaluation(
        self,
        run: int,
        key: str,
        evaluation: Evaluation,
        *,
        program: str,
        design: str,
        evaluator: str,
    ) -> None:
        """Keep an evaluation under its content key; the first one recorded stays.

        Shared over runs when it ended ok or with an invalid action, else the run's own: a
        timeout on a busy machine is not inherited. `program` is the program's hash.
        """
        raise NotImplementedError

    def record_diagnostics(self, run: int, key: str, row: DiagnosticsRow) -> None:
        """Keep diagnostics under their content key; a failed teacher's stay the run's own."""
        raise NotImplementedError

    def record_candidate(
        self,
        run: int,
        candidate: Candidate,
        evaluation: str | None = None,
        diagnostics: str | None = None,
    ) -> None:
        """Keep a candidate with the content keys of its evaluation and diagnostics, if any.

        Recorded again (once the teacher has spoken, or on resume), the later values stand.
        """
        raise NotImplementedError

    def record_briefs(self, run: int, generation: int, briefs: Sequence[Brief | None]) -> None:
        """Keep one brief per slot, in order of slots, replacing the generation's earlier ones."""
        raise NotImplementedError

    def open_generation(self, run: int, generation: int) -> None:
        """Say that a generation is being made; does nothing when it is open or closed already."""
        raise NotImplementedError

    def close_generation(
        self, run: int, generation: int, survivors: Sequence[str], digest: str, best: str | None
    ) -> None:
        """Close a generation: survivors in order, their digest, the best candidate, all or none.

        Raises RunMismatch when it was closed before with another digest.
        """
        raise NotImplementedError

    def record_events(self, run: int, events: Sequence[Event]) -> None:
        """Keep a batch of events in one transaction; their ids and times are given here."""
        raise NotImplementedError

    def record_command(
        self, run: int, id: str, command: CommandKind, asked: float, outcome: str
    ) -> None:
        """Note that a control command was dealt with; a second note of the same id is ignored."""
        raise NotImplementedError
