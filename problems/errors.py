"""Every error that Preceptor raises, one tree, re-exported upward.

    PreceptorError
    ├── UserError               what was asked cannot be: exit 2
    │   ├── UnknownName         names the nearest valid word
    │   ├── BadProgram          a program file that the contract refuses
    │   ├── Gone                what recordings were made under, and is no longer here
    │   └── BadModule           a problem, teacher or writer of the user's own that fails
    └── WorldError              what is around us failed; says what to do next: exit 1
        ├── TeacherUnavailable  weights missing, altered or not loadable: exit 3
        ├── WriterUnavailable   no language model answers: exit 3
        ├── ClusterLost         no scheduler, or no worker of a cluster, answers
        └── StoreError          the run store cannot be used
            ├── StoreBlocked    nothing can be written for now; whoever can wait, waits
            │   ├── DiskFull    until there is space
            │   └── StoreBusy   until another program lets go of the file
            ├── StoreLost       the file was deleted, moved or replaced while it was open
            ├── JobTaken        another engine works on it, or has finished it
            ├── StoreForeign    not ours, or written by a newer version
            └── RunMismatch     a resumed run would not repeat what is recorded

What a candidate program does wrong is data (`engine.domain.values.Failure`), never an exception
past evaluation; `InvalidAction` is how a problem's rules tell evaluation about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar

ENDS = 5
"""Numbers named at either end of a long list."""


class PreceptorError(Exception):
    """The root; `exit_code` is what the command line ends with."""

    exit_code: ClassVar[int] = 1


class UserError(PreceptorError):
    """The request itself is wrong: a setting, a name, a file."""

    exit_code = 2


class UnknownName(UserError):
    """A name that does not exist, with the nearest one that does.

    `kind` says what was looked for ("problem", "set", ...), `valid` what there is, `place` where
    the name stands in a file. Numbers are names too, but none is near another.
    """

    def __init__(self, kind: str, name: str, valid: Iterable[str], place: str = "") -> None:
        choices = sorted(valid, key=lambda one: (int(one) if one.isdecimal() else 0, one))
        near = [] if name.isdecimal() else difflib.get_close_matches(name, choices, 1, 0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {_listed(choices)}"
        super().__init__(f"{place and f'{place}: '}unknown {kind} {name!r}; {hint}")
        self.kind = kind
        self.place = place
        self.name = name
        self.valid = tuple(choices)
        self.nearest = near[0] if near else None

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, tuple[str, ...], str]]:
        """Travel between processes whole: an exception is rebuilt from its own arguments."""
        return UnknownName, (self.kind, self.name, self.valid, self.place)


def _listed(choices: list[str]) -> str:
    """All of them, but of many numbers the first and the last ones."""
    many = len(choices) > 2 * ENDS and choices[-1].isdecimal()
    return ", ".join([*choices[:ENDS], "...", *choices[-ENDS:]] if many else choices)


class BadProgram(UserError):
    """A program file that does not define what the contract asks for."""


class Gone(UserError):
    """A variant of a problem that was removed; its recordings can be read, and nothing more."""


class BadModule(UserError):
    """Code of the user's own breaks the seam that it implements; begins with file and line."""


class WorldError(PreceptorError):
    """Something around us failed; the message says what to do next."""


class TeacherUnavailable(WorldError):
    """A teacher's weights are missing, altered or cannot be loaded."""

    exit_code = 3


class WriterUnavailable(WorldError):
    """No writer answers, or it refuses us."""

    exit_code = 3


class ClusterLost(WorldError):
    """A cluster's scheduler does not answer, or it has no worker that can do our work."""


class StoreError(WorldError):
    """The run store cannot be opened, read or written."""


class StoreBlocked(StoreError):
    """Nothing can be written to the run store for now; the same write works later."""


class DiskFull(StoreBlocked):
    """The disk of the run store is full; the same write works once there is space."""


class StoreBusy(StoreBlocked):
    """Another program holds the run store; the same write works once it lets go."""


class StoreLost(StoreError):
    """The file of an open run store was deleted, moved or replaced by another one."""


class JobTaken(StoreError):
    """Another engine works on the job, or has finished it meanwhile."""


class StoreForeign(StoreError):
    """A file that is no run store, or one that a newer version wrote."""


class RunMismatch(StoreError):
    """Resuming would not repeat what is recorded: settings, code or a request differ."""


class InvalidAction(PreceptorError):
    """An action outside the feasible set; the message names it and the step."""
