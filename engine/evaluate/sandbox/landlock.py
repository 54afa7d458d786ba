"""The only files a candidate may read: a Landlock rule set. Writing is allowed nowhere."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

# linux/landlock.h; the three system calls have these numbers on every architecture.
CREATE_RULESET = 444
ADD_RULE = 445
RESTRICT_SELF = 446
VERSION_FLAG = 1
PATH_BENEATH = 1
READ_FILE = 1 << 2
READ_DIR = 1 << 3
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
"""Number of file rights that each version of the interface knows; 16 from version 5 on."""


def version(libc: ctypes.CDLL) -> int:
    """Version of the kernel's interface; 0 or less where there is none."""
    return int(libc.syscall(CREATE_RULESET, None, 0, VERSION_FLAG))


def make_rules(libc: ctypes.CDLL, readable: Iterable[Path]) -> int:
    """The descriptor of rules that allow nothing but reading below `readable`. Raises OSError."""
    handled = struct.pack("=Q", (1 << RIGHTS.get(version(libc), 16)) - 1)
    rules = _checked(libc.syscall(CREATE_RULESET, ctypes.c_char_p(handled), len(handled), 0))
    for path in readable:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", READ_FILE | READ_DIR, folder)
        _checked(libc.syscall(ADD_RULE, rules, PATH_BENEATH, ctypes.c_char_p(rule), 0))
        os.close(folder)
    return rules


def restrict(libc: ctypes.CDLL, rules: int) -> None:
    """Put the rules on this process, for good. Raises OSError.

    The process must have set NO_NEW_PRIVS.
    """
    _checked(libc.syscall(RESTRICT_SELF, rules, 0))


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "the kernel refused the Landlock rules")
    return result
