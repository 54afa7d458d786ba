"""Code of the user's own: run from its file, and named by file and line where it fails.

A problem, a teacher or a writer may be a file of the user's. What it raises is shown as one
sentence that begins with the line at fault (`blame`), never as a traceback of ours.
"""

from __future__ import annotations

import asyncio
import ctypes
import hashlib
import importlib.util
import inspect
import re
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from types import FrameType, ModuleType
from typing import Any, TypeVar

from problems.errors import BadModule, PreceptorError
from problems.identity import ROOT

_FACE = ("preceptor.py", "__init__.py")
"""The public face, in the source tree and in an installation."""

OURS = tuple(ROOT / name for name in ("problems", "teachers", "engine", "tui", *_FACE))
"""Where the code of Preceptor lies, which is nobody's own."""

PROGRAM = "<program"
"""How the file names of programs begin in a traceback."""

Answer = TypeVar("Answer")

LONGEST = 300
"""Characters of an error's text that are shown."""

SHORT = 60
"""Characters of a wrong value that are shown."""

WAITING = 4
"""Wall-clock seconds that code may take for each CPU second that it may use."""

LOOKS = 4
"""Looks at the clock in the time that code may use."""

CALLBACKS = "llvmlite"
"""A library that calls Python back: what is raised there is lost, and shown as a traceback."""

CALL = 5
"""CPU seconds that one call of the user's own code may take while programs are evaluated."""

LONG_CALLS = {"evaluate": 10, "rollout": 60, "replay": 60}
"""The same of members that see a whole solution or walk."""

LOOK = 1.0
"""Wall-clock seconds between two looks at what a thread is doing, at most."""

SHARE = 5
"""A call may take one part in so many of the time that a program has."""

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

    def look(_number: int, frame: FrameType | None) -> None:
        is_over = time.process_time() >= used or time.monotonic() >= passed
        if is_over and not (frame and CALLBACKS in frame.f_code.co_filename):
            raise Overlong

    handler = signal.signal(signal.SIGALRM, look)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds / LOOKS, seconds / LOOKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, left, interval)


class CallClock:
    """How long one call of the user's own code has lasted, by looks at the stack of a thread.

    Time in a program that such a call has called is the program's, which has `limit` CPU seconds.
    """

    def __init__(self, limit: float) -> None:
        self._most = limit / SHARE
        self.pause = min(LOOK, self._most / 2)
        self._call: FrameType | None = None
        self._since = 0.0
        self._looks = 0

    def is_over(self, frame: FrameType | None, cpu: float) -> bool:
        """Whether the call that is found in a stack has had its time; `cpu` is the thread's."""
        call = _find_call(frame)
        if call is not self._call:
            self._call, self._since, self._looks = call, cpu, 0
        if call is None:
            return False
        self._looks += 1  # and not the time that has passed: a process may have been stopped
        seconds = min(self._most, LONG_CALLS.get(call.f_code.co_name, CALL))
        return cpu - self._since >= seconds or self._looks * self.pause >= WAITING * seconds


def _find_call(frame: FrameType | None) -> FrameType | None:
    """The call from our code into the user's own, outermost; None where a program has a part."""
    found = None
    while frame is not None:
        if frame.f_code.co_filename.startswith(PROGRAM):
            return None
        if is_own(frame.f_code.co_filename):
            found = frame
        frame = frame.f_back
    return found


def watch_calls(limit: float) -> None:
    """From now on raise Overlong in a call of the user's own code that has had its time.

    For the main thread of a process in which a program has `limit` CPU seconds. Without code of
    the user's own it does nothing.
    """
    if not _ROOTS:
        return
    clock = CallClock(limit)

    def look(_number: int, frame: FrameType | None) -> None:
        if clock.is_over(frame, time.process_time()):
            raise Overlong

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, clock.pause, clock.pause)


async def in_thread(limit: float, function: Callable[..., Answer], *arguments: Any) -> Answer:
    """What a function returns in a thread, where Overlong is raised as `watch_calls` does."""
    if not _ROOTS:
        return await asyncio.to_thread(function, *arguments)
    threads = list[int]()
    clock = CallClock(limit)

    def work() -> Answer:
        threads.append(threading.get_ident())
        try:
            return function(*arguments)
        finally:
            _raise_in(threads.pop(), None)  # what may be on its way is for nobody else

    task = asyncio.ensure_future(asyncio.to_thread(work))
    while not (await asyncio.wait({task}, timeout=clock.pause))[0]:
        for thread in threads:
            cpu = time.clock_gettime(time.pthread_getcpuclockid(thread))
            if clock.is_over(sys._current_frames().get(thread), cpu):
                _raise_in(thread, Overlong)
    return task.result()


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in a thread when it next runs Python code; None: call one back."""
    what = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)


def blame_call(error: Overlong) -> str:
    """Where a call of the user's own code was stopped that had had its time."""
    frames = find_frames(error)
    return f"{show_line(frames[-1])}: stopped, it took too long{_inside(frames)}"


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

    The line of the class where an attribute is not found, the name of its type without a file. A
    class of ours that stands for files of the user's says itself where these are, by `locate`.
    """
    if attribute and hasattr(type(thing), "locate"):
        return str(thing.locate(attribute))
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


Fault = Callable[..., str]
"""What is wrong with a value, or with an answer to some arguments; empty where nothing is."""


def wants(holds: Callable[[Any], bool], wanted: str) -> Fault:
    """A check: `X, not WANTED` for a value X for which `holds` is false, else empty."""
    return lambda value, *_: "" if holds(value) else f"{shorten(value)}, not {wanted}"


def shorten(value: Any) -> str:
    """A wrong value as it is shown."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # the value is the user's own, and then even that can fail
        text = ""
    short = text if len(text) <= SHORT else f"{text[:SHORT]}..."
    plain = value is None or isinstance(value, str | bool)
    return short if plain else f"{type(value).__name__} {short}"


def is_int(value: object) -> bool:
    """Whether a value is a whole number, and no truth value."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_word(value: object) -> bool:
    """Whether a value is a text that is not empty."""
    return isinstance(value, str) and bool(value)


@dataclass(frozen=True, slots=True)
class Seam:
    """What code of the user's own has to be: an object with the members of the class `kind`.

    `values` are its members that are no methods, with the fault of a wrong one, `answers` its
    methods with the fault of what they return. Those in `required` have no default. `raises` are
    the errors that a method may raise, `passing` those of any. Errors of kind `broken` tell of
    faults, beginning with file and line and ending with what the docstring of the member says.
    """

    kind: type
    values: Mapping[str, Fault]
    answers: Mapping[str, Fault]
    required: Collection[str]
    broken: type[Exception] = BadModule
    raises: Mapping[str, tuple[type[Exception], ...]] = field(default_factory=dict)
    passing: tuple[type[Exception], ...] = (PreceptorError,)

    def check_members(self, own: Any) -> None:
        """Refuse an object with members that are missing or of another kind. Raises BadModule."""
        for name, fault in self.values.items():
            if not hasattr(own, name):
                if name in self.required:
                    raise BadModule(self.tell(own, f"no {name}", quoted=name))
            elif wrong := fault(getattr(own, name)):
                raise BadModule(self.tell(own, f"{name} is {wrong}", name))
        for name in self.answers:
            given = self._parameters(name)
            if hasattr(own, name):
                self._check_method(own, name, given)
            elif name in self.required:
                raise BadModule(self.tell(own, f"no {name}({given})", quoted=name))

    def _parameters(self, name: str) -> str:
        """What a method is given, as it is written between the parentheses."""
        return ", ".join(list(inspect.signature(self._promise(name)).parameters)[1:])

    def _promise(self, name: str) -> Any:
        """A member as the class defines it, or the first of its bases."""
        kinds = [kind for kind in self.kind.__mro__ if name in vars(kind)]
        return vars(kinds[-1])[name] if kinds else None

    def _check_method(self, own: Any, name: str, given: str) -> None:
        """Refuse a member that is no method, or that does not take what it is given."""
        method = getattr(own, name)
        if not callable(method):
            raise BadModule(self.tell(own, f"{name} is {shorten(method)}, not a method", name))
        waits = inspect.iscoroutinefunction
        if waits(self._promise(name)) and not waits(method):
            raise BadModule(self.tell(own, f"{name} is no `async def`", name))
        try:
            signature = inspect.signature(method)
        except ValueError:  # a built-in function may not say what it takes
            return
        try:
            signature.bind(*filter(None, given.split(", ")))
        except TypeError:
            head = f"{name}{signature}".split(" ->")[0]
            told = f"{head} cannot be called as {name}({given})"
            raise BadModule(self.tell(own, told, name)) from None

    def tell(self, own: Any, said: str, name: str = "", quoted: str = "") -> str:
        """A fault of an object, with the line of a member or of its class, and its promise."""
        return f"{place_of(own, name)}: {said}{self._quote(name or quoted)}"

    def _quote(self, name: str) -> str:
        """What the docstring of a member says in its first paragraph, after a semicolon."""
        member = self._promise(name)
        if not inspect.isfunction(member) and not isinstance(member, property):
            return ""
        text = " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())
        return f"; the seam says of {name}: {text}"

    def lets_pass(self, name: str, error: BaseException) -> bool:
        """Whether a method may raise an error; what a program raises in it is the program's."""
        return isinstance(error, self.raises.get(name, self.passing)) or is_in_program(error)

    def explain(self, own: Any, name: str, error: BaseException) -> Exception:
        """The fault of a method that raises what it may not, with the line that raised it."""
        told = blame(error) or f"{place_of(own, name)}: {describe(error)} in {name}()"
        return self.broken(f"{told}{self._quote(name)}")

    def refuse_wrong(self, own: Any, name: str, answer: Any, *arguments: Any) -> None:
        """Raise `broken` for an answer that is not what the method promises."""
        if wrong := self.answers[name](answer, *arguments):
            raise self.broken(self.tell(own, f"{name}() returned {wrong}", name))

    def ask(self, own: Any, name: str, *arguments: Any) -> Any:
        """What a method returns. Raises `broken` for what it raises or answers wrongly."""
        try:
            answer = getattr(own, name)(*arguments)
        except (Exception, SystemExit) as error:
            if self.lets_pass(name, error):
                raise
            raise self.explain(own, name, error) from error
        self.refuse_wrong(own, name, answer, *arguments)
        return answer


def is_in_program(error: BaseException) -> bool:
    """Whether an error was raised in the text of a program, and not in a file."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code.co_filename.startswith(PROGRAM)
