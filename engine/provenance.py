"""What a result depends on besides settings: our own code, library versions, the instances.

These go into content keys, so that a stored evaluation is never taken for one of other code, and
into the run's row, so that resuming after a change stops instead of mixing two versions.
"""

from __future__ import annotations

import hashlib
import platform
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from problems import ProblemRef

ROOT = Path(__file__).parent.parent

LIBRARIES = ("numpy", "numba")
"""What programs are run with."""

SEARCH = ("engine", "problems")
"""Packages whose text decides what a search does; the teacher has a fingerprint of its own."""

DIAGNOSTICS = ("cases", "diagnostics", "marks", "profile")
"""Modules of the engine that put a teacher's verdicts together."""

SHOWN = (
    "bench",
    "comments",
    "control",
    "doctor",
    "export",
    "heldout",
    "host",
    "launch",
    "program_file",
    "reader",
    "rehearsal",
    "solvers",
    "studies",
    "study",
    "study_file",
    "transfer",
)
"""Modules of the engine that only look on; changing them does not change a run."""


def code_version(problem: ProblemRef) -> str:
    """Digest of everything that turns settings and replies into a population."""
    return _digest_files((*SEARCH, *_own_files(problem.name)))


def evaluator_version(problem: ProblemRef) -> str:
    """Digest of everything that turns a program into actions and costs."""
    return _digest_files(("engine/evaluate", "problems", *_own_files(problem.name)))


def diagnostics_version() -> str:
    """Digest of everything that turns a teacher's verdicts into diagnostics."""
    return _digest_files(tuple(f"engine/{name}.py" for name in DIAGNOSTICS))


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


def _own_files(problem: str) -> tuple[str, ...]:
    return (str(Path(problem).resolve()),) if "/" in problem else ()


@cache
def _digest_files(places: tuple[str, ...]) -> str:
    versions = platform.python_version(), *map(version, LIBRARIES)
    sha = hashlib.sha256(" ".join(versions).encode())
    for place in places:
        base = ROOT / place
        files = [base] if base.is_file() else sorted(base.rglob("*"))
        for file in files:
            if file.suffix in (".py", ".md") and file.stem not in SHOWN:
                sha.update(file.name.encode() + file.read_bytes())
    return sha.hexdigest()
