"""The filter lets through the listed calls and no other, on both architectures."""

from __future__ import annotations

import os
import struct

import pytest

from engine.evaluate.sandbox import seccomp
from engine.evaluate.sandbox.seccomp import (
    ALLOW,
    ANSWER,
    ANY_BIT,
    ARCHITECTURES,
    CALLS,
    EQUAL,
    KILL,
    LOAD,
    REFUSE,
)

COLUMNS = [pytest.param(name, id=name) for name in ARCHITECTURES]
REFUSED = {
    # dangerous calls by their numbers in the kernel's tables
    "x86_64": {
        "socket": 41, "connect": 42, "sendmsg": 46, "clone": 56, "fork": 57, "vfork": 58,
        "execve": 59, "kill": 62, "fcntl": 72, "truncate": 76, "rename": 82, "mkdir": 83,
        "unlink": 87, "chmod": 90, "ptrace": 101, "prctl": 157, "setrlimit": 160, "tkill": 200,
        "tgkill": 234, "unlinkat": 263, "prlimit64": 302, "process_vm_writev": 311,
        "memfd_create": 319, "execveat": 322, "io_uring_setup": 425, "clone3": 435,
        "openat2": 437, "x32 read": 0x40000000,
    },
    "aarch64": {
        "fcntl": 25, "mkdirat": 34, "unlinkat": 35, "truncate": 45, "ptrace": 117, "kill": 129,
        "tkill": 130, "tgkill": 131, "setrlimit": 164, "prctl": 167, "socket": 198,
        "connect": 203, "sendmsg": 211, "clone": 220, "execve": 221, "prlimit64": 261,
        "process_vm_writev": 271, "memfd_create": 279, "execveat": 281, "io_uring_setup": 425,
        "clone3": 435, "openat2": 437,
    },
}  # fmt: skip


def answer(machine: str, number: int, flags: int = 0, audit: int | None = None) -> int:
    """What the filter says to a call whose second and third arguments are `flags`."""
    architecture = ARCHITECTURES[machine][1] if audit is None else audit
    data = struct.pack("=IIQ6Q", number, architecture, 0, 0, flags, flags, 0, 0, 0)
    code, value, at = seccomp.program(machine), 0, 0
    while True:
        operation, skip_if, skip_else, operand = struct.unpack_from("=HBBI", code, 8 * at)
        at += 1
        if operation == LOAD:
            [value] = struct.unpack_from("=I", data, operand)
        elif operation == EQUAL:
            at += skip_if if value == operand else skip_else
        elif operation == ANY_BIT:
            at += skip_if if value & operand else skip_else
        else:
            assert operation == ANSWER
            return int(operand)


@pytest.fixture(params=COLUMNS)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_exactly_the_listed_calls_are_allowed(machine: str) -> None:
    column = ARCHITECTURES[machine][0]
    listed = {numbers[column] for numbers in (*CALLS.values(), *seccomp.READING.values())}
    allowed = {number for number in range(600) if answer(machine, number) == ALLOW}
    assert allowed == listed - {None}


def test_dangerous_calls_are_refused(machine: str) -> None:
    answers = {name: answer(machine, number) for name, number in REFUSED[machine].items()}
    assert set(answers.values()) == {REFUSE}


@pytest.mark.parametrize("flag", [os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND])
def test_files_open_for_reading_only(machine: str, flag: int) -> None:
    for *numbers, _ in seccomp.READING.values():
        number = numbers[ARCHITECTURES[machine][0]]
        if number is not None:
            assert answer(machine, number, os.O_RDONLY | os.O_CLOEXEC) == ALLOW
            assert answer(machine, number, flag) == REFUSE


def test_the_calls_of_another_architecture_end_the_process(machine: str) -> None:
    assert answer(machine, 0, audit=0x40000003) == KILL
