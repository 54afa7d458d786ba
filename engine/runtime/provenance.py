"""What a result depends on besides settings: the rooms that make it, library versions, instances.

These go into content keys, so that a stored evaluation is never taken for one of other code, and
into the run's row, so that resuming after a change stops instead of mixing two versions. A
teacher's fingerprint names its weights and its own rooms (`teachers.weights`).
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from importlib.metadata import version
from typing import Any

import problems
from engine.domain.names import IMPORTED
from engine.domain.records import RunRow
from engine.domain.specs.settings import RunSpec
from problems import ProblemRef
from problems.errors import RunMismatch, UserError
from problems.identity import digest_rooms

LIBRARIES = ("numpy", "numba")
"""What programs are run with."""

SEARCHED_WITH = "cmaes"
"""What says which constants are tried next."""

SCHEME = "rooms-1"
"""How identities are reckoned; a run recorded under another scheme cannot be compared."""

SEARCH = ("engine/domain", "engine/search", "engine/evaluate", "engine/diagnosis")
"""Rooms that turn settings and replies into a population."""

KINDS = ("problems/whole.py", "problems/environment.py")
"""Problems that are no walk of their own."""

SEAM = ("problems/base.py", *KINDS, "problems/errors.py")
"""The seam of problems."""

EVALUATION = ("engine/evaluate", *SEAM, "problems/shared")
"""Rooms that turn a program into actions and costs, besides those of its problem."""

DIAGNOSIS = ("engine/diagnosis",)
"""Rooms that turn a teacher's verdicts into diagnostics."""

REFERENCES = ("references",)
"""Rooms of a problem that hold best known costs and what computes them: no result uses them."""


def code_version(problem: ProblemRef) -> str:
    """Identity of everything that turns settings and replies into a population.

    That of a problem of the user's own stands apart, at its end.
    """
    shipped = problems.is_shipped(problem.name)
    rooms = _digest((*SEARCH, *EVALUATION[1:], *(_rooms(problem.name) if shipped else ())))
    code = hashlib.sha256(f"{rooms} {version(SEARCHED_WITH)}".encode()).hexdigest()
    own = "" if shipped else f" {digest_rooms(_rooms(problem.name), REFERENCES)}"
    return f"{SCHEME} {code}{own}"


def refuse_older_scheme(run: RunRow) -> None:
    """Raise RunMismatch for a run whose code was identified in another way than ours is."""
    if not is_comparable(run.provenance.code):
        raise RunMismatch(
            f"run {run.number} was begun by an older Preceptor, which identified code "
            f"differently; go on with: preceptor resume {run.number} --fork"
        )


def refuse_imported(spec: RunSpec, run: int) -> None:
    """Raise UserError for a run that would ask a writer or a teacher of somebody else's."""
    options = {"--llm WRITER": spec.writer, "--analyzer-llm WRITER": spec.analyzer}
    options |= {"--teacher TEACHER": spec.teacher}
    theirs = {option: name for option, name in options.items() if IMPORTED in name}
    if theirs:
        names = " and ".join(name.replace(IMPORTED, "") for name in theirs.values())
        raise UserError(
            f"run {run} was imported and asks {names}, of whoever recorded it; go on with your "
            f"own: preceptor resume {run} --fork {' '.join(theirs)}"
        )


def is_comparable(code: str) -> bool:
    """Whether a recorded code version was reckoned as ours are, or is not recorded yet."""
    return code == "" or code.startswith(f"{SCHEME} ")


def evaluator_version(problem: ProblemRef) -> str:
    """Identity of everything that turns a program into actions and costs, options included."""
    return _digest((*EVALUATION, *_rooms(problem.name)), problem.options)


def diagnostics_version() -> str:
    """Identity of everything that turns a teacher's verdicts into diagnostics."""
    return _digest(DIAGNOSIS)


def verdict_version(problem: ProblemRef, fingerprint: str) -> str:
    """Identity of everything that turns actions into a teacher's diagnostics, and facts."""
    parts = (evaluator_version(problem), diagnostics_version(), fingerprint)
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def digest(value: object) -> str:
    """Digest of instances: dataclasses, tuples, numbers, text and NumPy arrays, by content."""
    sha = hashlib.sha256()
    for piece in _pieces(value):
        sha.update(piece)
    return sha.hexdigest()


def _pieces(value: Any) -> Iterable[bytes]:
    if is_dataclass(value):
        for field in fields(value):
            yield from _pieces((field.name, getattr(value, field.name)))
    elif isinstance(value, tuple | list):
        yield f"({len(value)}".encode()
        for item in value:
            yield from _pieces(item)
    elif hasattr(value, "tobytes"):
        yield f"{value.dtype}{value.shape}".encode()
        yield value.tobytes()
    else:
        yield f"{type(value).__name__}:{value!r};".encode()


def _rooms(problem: str) -> tuple[str, ...]:
    """The folder or file that holds the code of a problem, ours or the user's."""
    return (str(problems.source(problem)),)


def _digest(rooms: tuple[str, ...], options: tuple[tuple[str, str], ...] = ()) -> str:
    versions = " ".join((platform.python_version(), *map(version, LIBRARIES)))
    code = digest_rooms(rooms, REFERENCES)
    words = "".join(f" {name}={word!r}" for name, word in sorted(options))
    return hashlib.sha256(f"{versions} {code}{words}".encode()).hexdigest()
