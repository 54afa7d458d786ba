"""Code of the user's own: run from its file, and named by file and line where it fails.

A problem, a teacher or a writer may be a file of the user's. What it raises is told as one
sentence that begins with the line at fault (`blame`), never as a traceback of ours.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import re
import signal
import sys
import time
import traceback
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from problems.errors import BadModule, PreceptorError
from problems.identity import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

_FACE = ("preceptor.py", "__init__.py")
"""The public face, in the source tree and in an installation."""

OURS = tuple(ROOT / name for name in ("problems", "teachers", "engine", "tui", *_FACE))
"""Where the code of Preceptor lies, which is nobody's own."""

LONGEST = 300
"""Characters of an error's text that are shown."""

WAITING = 4
"""Wall-clock seconds that code may take for each CPU second that it may use."""

LOOKS = 4
"""Looks at the clock in the time that code may use."""

_HEAD = re.compile(r"\s*(class|def|async def)\b")
"""The line of a definition that follows its decorators."""

_ROOTS: dict[Path, bool] = {}
"""The folders in which the modules lie that this process was given, and whether whole folders."""

WHOLE = ("problem.py", "__init__.py")
"""Names of files that stand for the folder that they lie in."""

_LOADING = RLock()
"""Held while a module of the user's own is executed: nobody else finds it half loaded."""


def run_module(file: Path, what: str) -> ModuleType:
    """The module of a file, executed once in a process; it may import what lies beside it by `.`.

    `what` is what the file should hold, for the error: "problem". Raises BadModule for a file that
    does not exist, and for one that fails when it is executed.
    """
    if not file.is_file():
        raise BadModule(f"{file}: no such file")
    file = file.resolve()
    path = hashlib.sha256(str(file).encode()).hexdigest()[:8]  # folders may be called alike
    name = f"preceptor_{what}_{file.parent.name}_{file.stem}_{path}"
    with _LOADING:
        if getattr(sys.modules.get(name), "__file__", None) == str(file):
            return sys.modules[name]  # a second copy would make its own, unequal classes
        spec = importlib.util.spec_from_file_location(
            name, file, submodule_search_locations=[str(file.parent)]
        )
        if spec is None or spec.loader is None:
            raise BadModule(f"{file}: not a Python file")
        adopt(file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            del sys.modules[name]
            raise_blamed(error, f"{show(file)} cannot be imported")
            raise
        return module


def adopt(file: Path) -> None:
    """From now on a module and what lies beside it is code of the user's own."""
    folder = file.resolve().parent
    _ROOTS[folder] = file.name in WHOLE or _ROOTS.get(folder, False)


def call(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What a function of the user's own returns. Raises BadModule for what it raises.

    Errors of ours pass through: they are how it refuses what was asked.
    """
    try:
        return function(*arguments, **named)
    except PreceptorError:
        raise
    except BaseException as error:
        raise_blamed(
            error, f"{place_of(function)}: {getattr(function, '__name__', 'it')}() failed"
        )
        raise


def raise_blamed(error: BaseException, where: str) -> None:
    """Raise BadModule for an error out of the user's own code; `where` is said without a line.

    Returns for what is no error of hers: an interrupt, and our own.
    """
    if isinstance(error, KeyboardInterrupt | PreceptorError | Overlong):
        return
    raise BadModule(blame(error) or f"{where}: {describe(error)}") from error


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Overlong within once so many CPU seconds are used, or `WAITING` as many have passed.

    For the main thread of a process; inside a library's own loop it hears of it afterwards. The
    clock is looked at now and then: a timer of CPU time would make that clock a coarse one.
    """
    used = time.process_time() + seconds
    passed = time.monotonic() + WAITING * seconds

    def look(_number: int, _frame: object) -> None:
        if time.process_time() >= used or time.monotonic() >= passed:
            raise Overlong

    handler = signal.signal(signal.SIGALRM, look)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds / LOOKS, seconds / LOOKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, left, interval)


def blame_overlong(error: Overlong, seconds: float, during: str) -> str:
    """Where the time went, as far as the user's own code shows it, else `during` what."""
    frames = find_frames(error)
    told = f"stopped after {seconds:g} CPU seconds"
    return f"{show_line(frames[-1])}: {told}{_inside(frames)}" if frames else f"{told} in {during}"


class Overlong(BaseException):
    """Code of the user's own has used up its time; no `except Exception` of hers stops this."""


def blame(error: BaseException) -> str | None:
    """An error in one sentence that begins with the user's own line; None where none took part."""
    if isinstance(error, SyntaxError) and error.filename and is_own(error.filename):
        return f"{show(Path(error.filename))}:{error.lineno}: {describe(error)}"
    frames = find_frames(error)
    return f"{show_line(frames[-1])}: {describe(error)}{_inside(frames)}" if frames else None


def show_line(frame: traceback.FrameSummary) -> str:
    """`FILE:LINE` of a frame."""
    return f"{show(Path(frame.filename))}:{frame.lineno}"


def find_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of the user's own code in an error's traceback, the innermost last."""
    walk = traceback.walk_tb(error.__traceback__)
    frames = traceback.StackSummary.extract(walk, lookup_lines=False)
    return [frame for frame in frames if is_own(frame.filename)]


def _inside(frames: Sequence[traceback.FrameSummary]) -> str:
    """In which function that was, "" on the level of a module."""
    names = [frame.name for frame in frames if not frame.name.startswith("<")]
    return f" in {names[-1]}()" if names else ""


def is_own(filename: str) -> bool:
    """Whether a file lies beside a module of the user's own, and is neither ours nor a library."""
    path = Path(filename)
    if any(path.is_relative_to(ours) for ours in OURS):
        return False
    return any(
        path.parent == root or (whole and path.is_relative_to(root))
        for root, whole in _ROOTS.items()
    )


def tell_promise(seam: type, name: str) -> str:
    """What a seam says of one of its parts, in the first paragraph of its docstring."""
    text = " ".join((inspect.getdoc(getattr(seam, name)) or "").split("\n\n")[0].split())
    return f"the seam says of {name}: {text}"


def describe(error: BaseException) -> str:
    """The type and the text of an error, on one line, and what helps against a common one."""
    try:
        said = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    except Exception:  # the class may be the user's own, and then even that can fail
        said = ""
    text = f"{type(error).__name__}: {said}".removesuffix(": ")[:LONGEST]
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing and any((root / f"{missing}.py").is_file() for root in _ROOTS):
        text += f"; what lies beside the file is imported with a dot: from . import {missing}"
    return text


def place_of(thing: Any, attribute: str = "") -> str:
    """`FILE:LINE` where a function, a class or an attribute of a value's class is defined.

    The line of the class where an attribute is not found, the name of its type without a file.
    """
    kind = thing if inspect.isclass(thing) or inspect.isroutine(thing) else type(thing)
    function = _function_of(inspect.getattr_static(kind, attribute, None)) if attribute else None
    try:
        one = function or kind
        lines, line = inspect.getsourcelines(one)
        file = Path(inspect.getsourcefile(one) or "")
    except (TypeError, OSError):
        return f"{kind.__module__}.{kind.__qualname__}"
    heads = (number for number, text in enumerate(lines) if _HEAD.match(text))
    line += _line_of(attribute, lines) if attribute and function is None else next(heads, 0)
    return f"{show(file)}:{line}"


def _function_of(found: Any) -> Any:
    """The function of a method or a property; None for anything else."""
    found = getattr(found, "fget", None) or getattr(found, "__func__", found)
    return inspect.unwrap(found) if inspect.isfunction(found) else None


def _line_of(attribute: str, lines: Sequence[str]) -> int:
    """The first of some lines that assigns an attribute, else that of the class itself."""
    assigns = re.compile(rf"\s+(self\.)?{re.escape(attribute)}\s*[:=]")
    found = [number for number, line in enumerate(lines) if assigns.match(line)]
    return (found + [number for number, line in enumerate(lines) if _HEAD.match(line)] + [0])[0]


def show(file: Path) -> str:
    """A path as a person in this folder would type it."""
    try:
        here = file.resolve().relative_to(Path.cwd())
    except (ValueError, OSError):
        return str(file)
    return str(here) if len(here.parts) > 1 else f"./{here}"
