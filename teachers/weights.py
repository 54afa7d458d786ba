"""Where weights live: a .safetensors file and a JSON header beside it that says what it is.

Shipped teachers lie in `teachers/weights/`; what a user trains or imports lies in the user's data
folder (or in `PRECEPTOR_TEACHERS`) and goes before a shipped teacher of the same name.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from problems.errors import TeacherUnavailable
from problems.identity import digest_rooms

if TYPE_CHECKING:
    import numpy as np

SHIPPED = Path(__file__).parent / "weights"
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Header:
    """What is known of a trained network, without opening it.

    `family` is the folder under `teachers/` that loads it. `origin` says how it came to be: data
    recipe, seed, command, minutes, device, or the file it was imported from. `validation` is the
    figure that chose the checkpoint. `measured` maps instance sets to the mean minimised cost of
    greedy rollouts, measured once. `sha256` is that of the .safetensors file.
    """

    name: str
    problem: str
    family: str
    about: str
    architecture: Mapping[str, Any]
    origin: Mapping[str, Any]
    validation: Mapping[str, float] = field(default_factory=dict)
    measured: Mapping[str, float] = field(default_factory=dict)
    sha256: str = ""
    schema: int = SCHEMA


def fingerprint(header: Header, device: str, torch: str) -> str:
    """What a verdict depends on: the weights, the code of the family, the device, torch's version.

    The code is that of `teachers/base.py`, `teachers/family.py` and of the family's own folder.
    """
    code = digest_rooms(("teachers/base.py", "teachers/family.py", f"teachers/{header.family}"))
    return " ".join((header.sha256[:16], f"code-{code[:16]}", device, f"torch-{torch}"))


def user_folder() -> Path:
    """Where this user's own teachers lie; it need not exist."""
    if chosen := os.environ.get("PRECEPTOR_TEACHERS"):
        return Path(chosen)
    from platformdirs import user_data_path

    return user_data_path("preceptor") / "teachers"


def header_files() -> dict[str, Path]:
    """Teacher name -> header file, the user's own before the shipped ones; opens none of them."""
    files: dict[str, Path] = {}
    for folder in (SHIPPED, user_folder()):
        files |= {file.stem: file for file in sorted(folder.glob("*.json"))}
    return files


def read_header(file: Path) -> Header:
    """One header. Raises TeacherUnavailable for a file that is no header of ours."""
    try:
        header = Header(**json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise TeacherUnavailable(f"{file} is not a teacher header: {error}; remove it") from error
    if header.schema > SCHEMA:
        raise TeacherUnavailable(f"{file} was written by a newer version; upgrade preceptor")
    return header


def read(file: Path) -> tuple[Header, dict[str, np.ndarray]]:
    """The header `file` and the arrays beside it.

    Raises TeacherUnavailable when the weights are missing or not those the header describes.
    """
    header = read_header(file)
    weights = file.with_suffix(".safetensors")
    remedy = f"train it again (`preceptor teachers train {header.name}`) or reinstall"
    if not weights.is_file():
        raise TeacherUnavailable(f"{weights} is missing; {remedy}")
    content = weights.read_bytes()
    if hashlib.sha256(content).hexdigest() != header.sha256:
        raise TeacherUnavailable(f"{weights} is not the file its header describes; {remedy}")
    from safetensors.numpy import load

    return header, load(content)


def write(header: Header, arrays: Mapping[str, np.ndarray], folder: Path) -> Header:
    """Write both files into `folder` and return the header with its hash.

    Each file appears whole or not at all; a half-written pair is refused by `read`.
    """
    from safetensors.numpy import save

    content = save(dict(arrays))
    header = replace(header, sha256=hashlib.sha256(content).hexdigest())
    with replace_file(folder / f"{header.name}.safetensors") as handle:
        handle.write(content)
    write_header(header, folder)
    return header


def write_header(header: Header, folder: Path) -> None:
    """Write the header alone, for figures measured after the weights were written."""
    with replace_file(folder / f"{header.name}.json") as handle:
        handle.write(json.dumps(asdict(header), indent=2).encode() + b"\n")


@contextmanager
def replace_file(file: Path) -> Iterator[IO[bytes]]:
    """Open `file` for writing so that it changes in one instant, when the block ends well."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        draft.chmod(0o644)  # mkstemp's files are private
        draft.replace(file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
