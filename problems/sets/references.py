"""Reference costs of sets, computed once and kept as data beside each problem.

`problems/PROBLEM/references/references.json` maps a set to the solver and the command that
computed them, the fingerprint of the instances, and one best known objective an instance, in
order.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from problems.base import Instance

One = TypeVar("One", bound="Instance")

FILE = "references.json"


@dataclass(frozen=True, slots=True)
class References:
    """What is known of a set: `objectives` in the natural sense, by whom, of which instances.

    `content` is the `library.fingerprint` of the instances; tests compare it.
    """

    solver: str
    command: str
    content: str
    objectives: tuple[float, ...]


def read(folder: Path) -> dict[str, References]:
    """The references in the folder of a problem, by set."""
    file = folder / FILE
    if not file.exists():
        return {}
    entries = json.loads(file.read_text("utf-8"))
    return {
        name: References(**{**entry, "objectives": tuple(entry["objectives"])})
        for name, entry in entries.items()
    }


def attach(folder: Path, name: str, instances: tuple[One, ...]) -> tuple[One, ...]:
    """The instances of a set, dataclasses, with what is known here where they came without."""
    computed = read(folder).get(name)
    if computed is None or any(instance.reference is not None for instance in instances):
        return instances
    pairs = zip(instances, computed.objectives, strict=True)
    return tuple(replace(one, reference=known) for one, known in pairs)  # type: ignore[type-var]


def write(folder: Path, name: str, references: References) -> None:
    """Put the references of a set in the place of those that are there."""
    entries = {set_name: asdict(found) for set_name, found in read(folder).items()}
    entries[name] = asdict(references)
    lines = json.dumps(dict(sorted(entries.items())), indent=1)
    (folder / FILE).write_text(lines + "\n", "utf-8")
