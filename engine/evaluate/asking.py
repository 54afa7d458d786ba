"""How a proof asks a program: one call after the other goes to another definition of it.

An answer that depends on an earlier call, or on where a function or an object lies in memory, is
another one then.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from problems.base import Function

COPIES = 9
"""Definitions of the program, all alive, that answer in turn."""

DEFINING = 0.002
"""CPU seconds from which on no more are made."""

SMALL = range(48, 273, 16)
"""Sizes of small objects for which Python keeps free places apart, in bytes."""

EMPTY = sys.getsizeof(b"")

OCCUPIED = 64
"""Calls before which free places are taken away."""


def take_turns(define: Callable[[], Function]) -> Function:
    """A function whose calls go to several definitions in turn; two of them at least."""
    functions: list[Function] = []
    held: list[object] = []
    count = 0
    seconds = 0.0

    def function(*arguments: Any) -> object:
        nonlocal count, seconds
        if count < OCCUPIED:
            held.append(occupy(1 + count % 3))
            held.append((iter(()), iter(())))  # where loops of `occupy` have left free places
        if len(functions) < COPIES and (count < 2 or seconds < DEFINING):
            started = time.process_time()
            functions.append(define())
            seconds += time.process_time() - started
        count += 1
        return functions[(count - 1) % len(functions)](*arguments)

    return function


def occupy(count: int) -> list[object]:
    """Objects that take the next `count` places of every size, for as long as they are held."""
    taken: list[object] = []
    for _ in range(count):
        taken += [bytes(size - EMPTY) for size in SMALL]
        taken += [object(), float(count), [], {}, (count, 0)]
    return taken
