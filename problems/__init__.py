"""The tasks, found by name: folders here, entry points, or a path of the user's own."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, cast

from problems.errors import UnknownName, UserError

if TYPE_CHECKING:
    from types import ModuleType

    from problems.base import Problem

GROUP = "preceptor.problems"

_LOADING = RLock()
"""Held while a module of the user's own is executed: nobody else finds it half loaded."""


@dataclass(frozen=True, slots=True)
class ProblemRef:
    """Which problem, as a value that travels between processes: a name or path, and options."""

    name: str
    options: tuple[tuple[str, str], ...] = ()


def names() -> tuple[str, ...]:
    """Every known problem, listed without importing one."""
    folders = (p.parent.name for p in Path(__file__).parent.glob("*/problem.py"))
    return tuple(sorted({*folders, *(e.name for e in entry_points(group=GROUP))}))


def load(ref: ProblemRef | str) -> Problem:
    """Build a problem from its name, or from the path of a folder or file of the user's own.

    Its module defines `build(**options) -> Problem`. Raises UnknownName for a problem or an option
    that does not exist, and UserError for a module without `build` or values that it refuses.
    """
    ref = ProblemRef(ref) if isinstance(ref, str) else ref
    module = _module(ref.name)
    if not hasattr(module, "build"):
        raise UserError(f"{ref.name}: the module defines no build() that returns a problem")
    _check_options(ref, inspect.signature(module.build))
    try:
        return cast("Problem", module.build(**dict(ref.options)))
    except TypeError as error:
        raise UserError(f"{ref.name}: {error}") from error


def source(name: str) -> Path:
    """The folder or file that holds a problem's code: one of ours, of an entry point, of a path.

    A path may name the file in a folder or the folder itself. Raises UnknownName.
    """
    if is_path(name):
        return Path(name).resolve()
    if (Path(__file__).parent / name).is_dir():
        return Path(__file__).parent / name
    for entry in entry_points(group=GROUP):
        spec = importlib.util.find_spec(entry.module) if entry.name == name else None
        if spec is not None and spec.origin is not None:
            origin = Path(spec.origin).resolve()
            return origin.parent if spec.submodule_search_locations else origin
    raise UnknownName("problem", name, names())


def _check_options(ref: ProblemRef, signature: inspect.Signature) -> None:
    names = [name for name, one in signature.parameters.items() if one.kind != one.VAR_KEYWORD]
    for option, _ in ref.options:
        if len(names) == len(signature.parameters) and option not in names:
            raise UnknownName(f"option of {ref.name}", option, names)


def _module(name: str) -> ModuleType:
    if is_path(name):
        return _from_path(Path(name))
    if (Path(__file__).parent / name / "problem.py").exists():
        return importlib.import_module(f"problems.{name}.problem")
    for entry in entry_points(group=GROUP):
        if entry.name == name:
            return cast("ModuleType", entry.load())
    raise UnknownName("problem", name, names())


def is_path(name: str) -> bool:
    """Whether a problem's name is the path of a module, whose code runs when it is loaded."""
    return name.endswith(".py") or "/" in name or "\\" in name


def _from_path(path: Path) -> ModuleType:
    file = path / "problem.py" if path.is_dir() else path
    if not file.is_file():
        raise UserError(f"{path}: no such problem folder or file")
    file = file.resolve()
    name = f"preceptor_problem_{file.parent.name}_{file.stem}"
    with _LOADING:
        if getattr(sys.modules.get(name), "__file__", None) == str(file):
            return sys.modules[name]  # a second copy would make its own, unequal classes
        spec = importlib.util.spec_from_file_location(
            name, file, submodule_search_locations=[str(file.parent)]
        )
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module
