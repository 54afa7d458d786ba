"""The tasks, found by name: folders here, entry points, or a path of the user's own."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from problems.base import Problem, as_problem
from problems.errors import BadModule, Gone, UnknownName, UserError
from problems.own_code import adopt, call, place_of, raise_blamed, run_module, show
from problems.promises import check_parts

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "preceptor.problems"

GONE = {
    ("jssp", "plan"): "whole schedules",
    ("jssp", "wide"): "whole schedules",
    ("cvrp", "wide"): "all routes",
}
"""What programs under a word of the former option `state` planned, by problem and word."""


@dataclass(frozen=True, slots=True)
class ProblemRef:
    """Which problem, as a value that travels between processes: a name or path, and options."""

    name: str
    options: tuple[tuple[str, str], ...] = ()


def names() -> tuple[str, ...]:
    """Every known problem, listed without importing one."""
    folders = (p.parent.name for p in Path(__file__).parent.glob("*/problem.py"))
    return tuple(sorted({*folders, *(entry.name for entry in offered(GROUP))}))


def load(ref: ProblemRef | str) -> Problem:
    """Build a problem from its name, or from the path of a folder or file of the user's own.

    Its module defines `build(**options) -> Problem`. Raises UnknownName for a problem or an option
    that does not exist, UserError for values that it refuses, Gone for those that were removed,
    and BadModule, which names the line, for a module that fails or whose problem breaks the seam.
    """
    ref = ProblemRef(ref) if isinstance(ref, str) else ref
    refuse_gone(ref)
    module = _module(ref.name)
    build = getattr(module, "build", None)
    if not callable(build):
        raise BadModule(f"{_place(module)}: no function build() that returns a problem")
    _check_options(ref, inspect.signature(build))
    problem = call(build, **dict(ref.options))
    if problem is None:
        raise BadModule(f"{place_of(build)}: build() returned None, not a problem")
    if not is_shipped(ref.name):
        check_parts(problem)
    return as_problem(problem)


def refuse_gone(ref: ProblemRef) -> None:
    """Raise Gone for a problem under an option that was removed."""
    if told := explain_gone(ref):
        raise Gone(told)


def explain_gone(ref: ProblemRef) -> str:
    """What took the place of a problem's option that was removed; empty where there is none."""
    for option, word in ref.options:
        if option == "state" and (planned := GONE.get((ref.name, word))):
            return (
                f"{ref.name}: state={word} is gone: programs that return {planned} are searched "
                "with --kind whole; recordings of it can be read and exported, not run again"
            )
    return ""


def option_names(name: str) -> tuple[str, ...]:
    """The options of a problem that comes with Preceptor; none of any other, which is not run."""
    return tuple(inspect.signature(_module(name).build).parameters) if is_shipped(name) else ()


def settle_kind(ref: ProblemRef) -> ProblemRef:
    """The problem without an option `kind` that says nothing new.

    The class of a user's own problem decides the kind, and a task of ours is of kind `rule`
    without one. Raises UserError where the class is of the other kind, and as `load`.
    """
    kind = dict(ref.options).get("kind")
    if kind is None:
        return ref
    if "kind" in inspect.signature(_module(ref.name).build).parameters:
        return without_kind(ref) if kind == "rule" and is_shipped(ref.name) else ref
    bare = without_kind(ref)
    own = "whole" if load(bare).contract.whole else "rule"
    if kind != own:
        raise UserError(f"{ref.name}: its programs are of kind {own}, which its class decides")
    return bare


def without_kind(ref: ProblemRef) -> ProblemRef:
    """The problem without an option `kind`."""
    return replace(ref, options=tuple(one for one in ref.options if one[0] != "kind"))


def is_shipped(name: str) -> bool:
    """Whether a problem comes with Preceptor; any other is the user's own or a third party's."""
    return not is_path(name) and (Path(__file__).parent / name / "problem.py").is_file()


def _place(module: ModuleType) -> str:
    """The file of a module."""
    return show(Path(module.__file__ or module.__name__))


def source(name: str) -> Path:
    """The folder or file that holds a problem's code: one of ours, of an entry point, of a path.

    A path may name the file in a folder or the folder itself. Raises UnknownName.
    """
    if is_path(name):
        return Path(name).resolve()
    if (Path(__file__).parent / name).is_dir():
        return Path(__file__).parent / name
    for entry in offered(GROUP):
        spec = importlib.util.find_spec(entry.module) if entry.name == name else None
        if spec is not None and spec.origin is not None:
            origin = Path(spec.origin).resolve()
            return origin.parent if spec.submodule_search_locations else origin
    raise UnknownName("problem", name, names())


def home(name: str) -> str:
    """The one way to write the path of a problem; a name is its own."""
    path = Path(name).resolve()
    return str(path.parent if path.name == "problem.py" else path) if is_path(name) else name


def _check_options(ref: ProblemRef, signature: inspect.Signature) -> None:
    names = [name for name, one in signature.parameters.items() if one.kind != one.VAR_KEYWORD]
    for option, _ in ref.options:
        if len(names) == len(signature.parameters) and option not in names:
            raise UnknownName(f"option of {ref.name}", option, names)


def _module(name: str) -> ModuleType:
    if is_path(name):
        path = Path(name)
        file = path / "problem.py" if path.is_dir() else path
        if not file.is_file():
            raise BadModule(f"{path}: no such problem folder or file")
        return run_module(file, "problem")
    if is_shipped(name):
        return importlib.import_module(f"{__name__}.{name}.problem")
    for entry in offered(GROUP):
        if entry.name == name:
            return cast("ModuleType", load_entry(entry))
    raise UnknownName("problem", name, names())


def offered(group: str) -> Iterable[EntryPoint]:
    """What installed packages offer under the name of a group."""
    from importlib.metadata import entry_points  # it takes a tenth of a start to load

    return entry_points(group=group)


def load_entry(entry: EntryPoint) -> Any:
    """What a package offers as a problem or a teacher. Raises BadModule where it fails."""
    try:
        spec = importlib.util.find_spec(entry.module)
        if spec is not None and spec.origin is not None:
            adopt(Path(spec.origin))
        return entry.load()
    except Exception as error:
        raise_blamed(error, f"entry point {entry.name} = {entry.value}")
        raise


def is_missing(name: str) -> bool:
    """Whether a problem's name is a path at which nothing lies any more."""
    return is_path(name) and not Path(name).exists()


def is_path(name: str) -> bool:
    """Whether a problem's name is the path of a module, whose code runs when it is loaded."""
    return name.endswith(".py") or "/" in name or "\\" in name
