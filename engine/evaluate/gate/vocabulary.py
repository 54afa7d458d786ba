"""The words a program may use: modules, builtins, and the reason why a word is refused."""

from __future__ import annotations

import builtins
import importlib
from typing import Literal


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODULES = _words("""
    math cmath numpy numpy.linalg numpy.fft numpy.typing heapq itertools functools collections
    collections.abc statistics bisect operator copy typing __future__
""")
"""What a program may import."""

BUILTINS = _words("""
    abs all any bin bool callable chr complex dict divmod enumerate filter float format frozenset
    getattr hasattr int isinstance iter len list map max min next ord pow print range repr
    reversed round set slice sorted str sum tuple type zip NotImplemented Ellipsis
""") | {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}

CHANCE = "makes the answer depend on chance"
CLOCK = "makes the answer depend on the clock"
MEMORY = "makes the answer depend on where things happen to lie in memory"
GARBAGE = "hands out whatever was in memory before; use numpy.zeros or numpy.full"
KEEPS = "keeps values from one call to the next"

IMPURE = {
    "random": CHANCE,
    "secrets": CHANCE,
    "uuid": CHANCE,
    "numpy.random": CHANCE,
    "statistics.NormalDist": CHANCE,
    "time": CLOCK,
    "datetime": CLOCK,
    "numpy.datetime64": CLOCK,
    "id": MEMORY,
    "hash": MEMORY,
    "numpy.empty": GARBAGE,
    "numpy.empty_like": GARBAGE,
    "numpy.seterr": KEEPS,
    "numpy.seterrcall": KEEPS,
    "functools.cache": KEEPS,
    "functools.lru_cache": KEEPS,
    "functools.cached_property": KEEPS,
    "functools.singledispatch": KEEPS,
}
"""Names with which a program would be no function of its arguments, and what each one does."""

CLOSED = _words("""
    numpy.load numpy.loadtxt numpy.genfromtxt numpy.fromfile numpy.fromregex numpy.memmap
    numpy.save numpy.savez numpy.savez_compressed numpy.savetxt
    numpy.lib numpy.ctypeslib numpy.core numpy.testing numpy.f2py
    operator.attrgetter operator.methodcaller typing.get_type_hints
""")
"""Public names refused all the same: files, raw memory (`as_strided` is in `numpy.lib`), NumPy's
insides, and code or attributes given as text, which the gate cannot see."""

INSIDES = _words("""
    gi_frame gi_code gi_yieldfrom cr_frame cr_code ag_frame ag_code f_back f_builtins f_code
    f_globals f_locals tb_frame tb_next co_code ctypes setflags mro
""")
"""Attributes that lead from a value to the interpreter or to raw memory."""

REDUCTIONS = _words("sum prod mean std var min max amin amax any all nansum nanmean")
"""NumPy functions whose `where=` only leaves values out."""

CONSTANT_BUILTINS = _words("float int complex bool abs min max round pow frozenset")
CONSTANT_MEMBERS = ("math.", "cmath.", "numpy.finfo", "numpy.iinfo")
"""What a constant may be computed with: functions whose results cannot change."""


def verdict(module: str, name: str) -> tuple[Literal["forbidden", "nondeterministic"], str] | None:
    """Why `module.name` is refused: kind and reason; None when it may be used.

    A name that the module does not have passes: it fails in the smoke test, in Python's words.
    """
    full = f"{module}.{name}"
    if impure := IMPURE.get(full) or IMPURE.get(module):
        return "nondeterministic", impure
    if full in CLOSED or name.startswith("_"):
        return "forbidden", "is not available to programs"
    found = importlib.import_module(module)
    if name in dir(found) and name not in getattr(found, "__all__", dir(found)):
        return "forbidden", f"is not a public name of {module}"
    return None
