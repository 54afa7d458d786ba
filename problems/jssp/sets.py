"""The named sets of job shops, and files of the user's own."""

from __future__ import annotations

import re
from pathlib import Path

from problems.base import InstanceSet
from problems.errors import UnknownName, UserError
from problems.jssp.data import Instance, random_instances, read_jsplib
from problems.jssp.taillard import CLASSES, taillard_instances

RANDOM_SEED, DESIGN_SEED, VALIDATION_SEED = 300, 700, 900
RANDOM_SIZES = ((10, 10), (15, 15), (20, 20), (30, 20), (50, 20))
SUFFIXES = ("", ".txt", ".jsp", ".jssp")


def described() -> tuple[InstanceSet, ...]:
    """All sets by name. `random-NxM` and `validation-NxM` exist for every N and M."""
    return (
        InstanceSet("design", 64, "64 random 20x20, 1 to 98, for searches", design=True),
        *(
            InstanceSet(f"random-{n}x{m}", 100, f"100 random {n}x{m}, 1 to 98, as in the paper")
            for n, m in RANDOM_SIZES
        ),
        *(
            InstanceSet(f"taillard-{n}x{m}", 10, f"Taillard {_first(i)} to {_first(i + 1, -1)}")
            for i, (n, m) in enumerate(CLASSES)
        ),
        InstanceSet("validation-20x20", 100, "100 random 20x20, to choose teachers", design=True),
    )


def load(name: str) -> tuple[Instance, ...]:
    """The instances of a set, or of a JSPLIB file or folder of such files.

    Raises UnknownName for a set that does not exist and UserError for a file that does not read.
    """
    if name == "design":
        return tuple(random_instances(name, DESIGN_SEED, 64, 20, 20))
    kind, jobs, machines = _parsed(name)
    if kind == "random":
        return tuple(random_instances(name, RANDOM_SEED, 100, jobs, machines))
    if kind == "validation":
        return tuple(random_instances(name, VALIDATION_SEED, 100, jobs, machines))
    if (jobs, machines) in CLASSES:
        return tuple(taillard_instances(jobs, machines))
    if "/" in name or "\\" in name or Path(name).exists():
        return from_files(Path(name))
    raise UnknownName("set", name, (s.name for s in described()))


def from_files(path: Path) -> tuple[Instance, ...]:
    """The JSPLIB file at `path`, or those in the folder `path`, by file name. Raises UserError."""
    if not path.exists():
        raise UserError(f"{path}: no such file or folder")
    files = [path]
    if path.is_dir():
        files = sorted(f for f in path.iterdir() if f.is_file() and f.suffix in SUFFIXES)
        files = [f for f in files if not f.name.startswith(".")]
    if not files:
        raise UserError(
            f"{path}: no instance files; JSPLIB files end in nothing, .txt, .jsp, .jssp"
        )
    return tuple(_from_file(file) for file in files)


def _from_file(file: Path) -> Instance:
    try:
        return read_jsplib(file.read_text(encoding="utf-8"), file.stem)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: {error}") from error


def _parsed(name: str) -> tuple[str, int, int]:
    match = re.fullmatch(r"(random|validation|taillard)-([1-9]\d*)x([1-9]\d*)", name)
    return (match[1], int(match[2]), int(match[3])) if match else ("", 0, 0)


def _first(index: int, offset: int = 0) -> str:
    return f"ta{10 * index + 1 + offset:02}"
