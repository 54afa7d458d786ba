"""Reference costs of sets, computed once and kept as data beside each problem.

`problems/PROBLEM/references/references.json` maps a set to the solver with its effort and the
command that computed them, the fingerprint of the instances, and one best known objective an
instance, in order.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from problems.base import Instance

One = TypeVar("One", bound="Instance")

FILE = "references.json"


@dataclass(frozen=True, slots=True)
class References:
    """What is known of a set: `objectives` in the natural sense, by whom, of which instances.

    `solver` names the solver and its effort; `content` is the `library.fingerprint` of the
    instances; tests compare it.
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


def of_problem(problem: str) -> dict[str, References]:
    """The references that ship with a problem, by set; none for a problem that is not built in."""
    return read(Path(problems.__file__).parent / problem / "references")


def attach(
    folder: Path,
    name: str,
    instances: tuple[One, ...],
    better: Callable[[float, float], float] = min,
) -> tuple[One, ...]:
    """The instances of a set, dataclasses, each with the best that is known of it.

    That is the `better` of what is known here and of what the instance came with.
    """
    computed = read(folder).get(name)
    if computed is None:
        return instances
    pairs = zip(instances, computed.objectives, strict=True)
    return tuple(
        replace(one, reference=ours if one.reference is None else better(ours, one.reference))  # type: ignore[type-var]
        for one, ours in pairs
    )


def write(
    folder: Path,
    name: str,
    found: References,
    better: Callable[[float, float], float] = min,
) -> None:
    """Keep the references of a set: of each instance the better of those there and those found.

    An objective found may be NaN, for an instance that was not solved again. Solvers and commands
    of both are named. Raises ValueError where those there are of other instances.
    """
    known = read(folder)
    before = known.get(name)
    if before is not None:
        if before.content != found.content:
            raise ValueError(f"the references of {name} are of other instances; remove them")
        pairs = zip(before.objectives, found.objectives, strict=True)
        found = References(
            _joined(before.solver, found.solver),
            _joined(before.command, found.command),
            found.content,
            tuple(old if new != new else better(old, new) for old, new in pairs),
        )
    entries = {set_name: asdict(one) for set_name, one in {**known, name: found}.items()}
    lines = json.dumps(dict(sorted(entries.items())), indent=1)
    (folder / FILE).write_text(lines + "\n", "utf-8")


def _joined(before: str, after: str) -> str:
    """Two texts of parts after semicolons, each part once."""
    return "; ".join(dict.fromkeys([*before.split("; "), after]))
