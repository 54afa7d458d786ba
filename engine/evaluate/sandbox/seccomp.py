"""The only system calls a candidate may make: a seccomp filter, written out as a list.

Everything outside `CALLS` fails with ENOSYS, as if the kernel did not have it: no process, no
thread, no socket, no signal, no timer, no change of limits. Files open for reading only.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from functools import cache

CALLS: dict[str, tuple[int | None, int | None]] = {
    # name: number on (x86_64, aarch64), None where the architecture has no such call
    "read": (0, 63),
    "readv": (19, 65),
    "pread64": (17, 67),
    "write": (1, 64),
    "lseek": (8, 62),
    "close": (3, 57),
    "fstat": (5, 80),
    "stat": (4, None),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    "futex": (202, 98),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "times": (100, 153),
    "getrandom": (318, 278),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
READING: dict[str, tuple[int | None, int | None, int]] = {
    # calls allowed without a writing flag; the last figure is the position of their flags
    "open": (2, None, 1),
    "openat": (257, 56, 2),
}
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column in the tables above, and the kernel's name of the architecture (AUDIT_ARCH_*)."""

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

# Classic BPF, from linux/bpf_common.h, and the answers of linux/seccomp.h.
LOAD = 0x20
EQUAL = 0x15
ANY_BIT = 0x45
ANSWER = 0x06
ALLOW = 0x7FFF0000
KILL = 0x80000000
REFUSE = 0x00050000 | errno.ENOSYS

# Offsets in struct seccomp_data.
NUMBER = 0
ARCHITECTURE = 4
ARGUMENTS = 16

PR_SET_SECCOMP = 22
FILTER_MODE = 2


def known_architecture() -> bool:
    """True where the numbers of the system calls are in the tables."""
    return platform.machine() in ARCHITECTURES


@cache
def program(machine: str) -> bytes:
    """The filter for a machine: one comparison a call, then refusal."""
    column, audit = ARCHITECTURES[machine]
    steps = [
        _step(LOAD, ARCHITECTURE),
        _step(EQUAL, audit, 1, 0),
        _step(ANSWER, KILL),  # another architecture's numbers mean other calls
        _step(LOAD, NUMBER),
    ]
    for numbers in CALLS.values():
        if numbers[column] is not None:
            steps += [_step(EQUAL, numbers[column], 0, 1), _step(ANSWER, ALLOW)]
    for *files, flags in READING.values():
        if files[column] is not None:
            steps += [
                _step(EQUAL, files[column], 0, 4),
                _step(LOAD, ARGUMENTS + 8 * flags),
                _step(ANY_BIT, WRITING, 1, 0),
                _step(ANSWER, ALLOW),
                _step(ANSWER, REFUSE),
            ]
    return b"".join([*steps, _step(ANSWER, REFUSE)])


def _step(operation: int, operand: int | None, skip_if: int = 0, skip_else: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, skip_if, skip_else, operand)


def restrict(libc: ctypes.CDLL) -> None:
    """Put the filter on this process, for good. Raises OSError where the kernel refuses.

    The process must have set NO_NEW_PRIVS and have one thread.
    """
    code = program(platform.machine())
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HP", len(code) // 8, ctypes.addressof(buffer))
    if libc.prctl(PR_SET_SECCOMP, FILTER_MODE, ctypes.c_char_p(header), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the kernel refused the seccomp filter")
