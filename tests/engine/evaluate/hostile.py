"""Programs that break, cheat or attack, each with what becomes of it with and without the gate."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from textwrap import indent
from typing import Literal

from engine.evaluate.sandbox.child import CHANNEL
from engine.evaluate.sandbox.messages import ACTIONS, FAILURE, HEADER

Outcome = Literal[
    "harmless", "smoke", "crash", "forged", "invalid action", "memory", "non-finite", "timeout",
    "parse",
]  # fmt: skip
"""What the sandbox makes of it: a kind of failure, or `harmless` for an honest cost."""

NO_CALL = "Function not implemented"
NO_FILE = "Permission denied"


@dataclass(frozen=True, slots=True)
class Hostile:
    """A program: what the gate says of it (None: passes), and what happens without the gate.

    `says` stands in the message of the failure; `level` is the weakest that withstands.
    """

    name: str
    code: str
    gate: str | None
    alone: Outcome
    says: str = ""
    level: str = "process"


def body(lines: str, imports: str = "") -> str:
    """A whole program with these lines in its function."""
    return f"{imports}\ndef score(item, state):\n{indent(lines, '    ')}\n    return 0.0\n"


def attack(name: str, imports: str, line: str, says: str, level: str = "seccomp") -> Hostile:
    """A program that says ESCAPED if its attack succeeds.

    FILE, FOLDER, ENGINE, ZYGOTE are filled in.
    """
    code = body(f'{line}\nraise RuntimeError("ESCAPED")', f"import {imports}")
    return Hostile(name, code, "forbidden", "smoke", says, level)


def writes(name: str, *messages: bytes, then: str = "pass") -> Hostile:
    """A program that writes its own messages to the engine, and then does something else."""
    lines = "\n".join(f"os.write({CHANNEL}, {message!r})" for message in messages)
    return Hostile(name, body(f"{lines}\n{then}", "import os"), "forbidden", "forged")


def actions(index: int, *chosen: int) -> bytes:
    """The message of a finished instance."""
    return HEADER.pack(ACTIONS, index, len(chosen)) + struct.pack(f"={len(chosen)}i", *chosen)


def failure(text: bytes) -> bytes:
    """The message of a failure on the first instance."""
    return HEADER.pack(FAILURE, 0, len(text)) + text


ENDLESS = (
    Hostile("endless loop", body("while True:\n    pass"), None, "timeout", "0 of 8 instances"),
    Hostile(
        "loop that catches everything",
        body("while True:\n    try:\n        1 / 0\n    except BaseException:\n        pass"),
        None,
        "timeout",
    ),
    Hostile(
        "loop that ignores signals",
        body(
            "for number in range(1, 32):\n"
            "    if number not in (signal.SIGKILL, signal.SIGSTOP):\n"
            "        signal.signal(number, signal.SIG_IGN)\n"
            "while True:\n    pass",
            "import signal",
        ),
        "forbidden",
        "timeout",
    ),
    Hostile("huge integer", body("return 9 ** 9 ** 9"), None, "timeout"),
    Hostile(
        "loop after closing the channel",
        body(f"os.close({CHANNEL})\nwhile True:\n    pass", "import os"),
        "forbidden",
        "timeout",
    ),
    Hostile("loop on import", "while True:\n    pass\n" + body(""), "forbidden", "timeout"),
)
GREEDY = (
    Hostile(
        "memory bomb", body("x = [0]\nwhile True:\n    x = x + x"), None, "memory", "memory limit"
    ),
    Hostile("many small lists", body("x = []\nwhile True:\n    x.append([x])"), None, "memory"),
    Hostile("numpy 7 TB", body("np.zeros((10**6, 10**6))", "import numpy as np"), None, "memory"),
    Hostile("deep recursion", body("return score(item, state)"), None, "smoke", "RecursionError"),
    Hostile(
        "recursion through the C stack",
        body(
            "sys.setrecursionlimit(10**9)\nf = lambda *x: max([0], key=f)\nf()",
            "import sys",
        ),
        "forbidden",
        "crash",
        "SIGSEGV",
    ),
    Hostile("output flood", body("for _ in range(20):\n    print('x' * 10000)"), None, "harmless"),
    Hostile(
        "error with a huge message",
        body("raise ValueError('x' * 10**7)"),
        None,
        "smoke",
        "ValueError: xxx",
    ),
)
ENDINGS = (
    Hostile("exit", body("os._exit(0)", "import os"), "forbidden", "crash", "exit status 0"),
    Hostile("exit code", body("os._exit(3)", "import os"), "forbidden", "crash", "status 3"),
    Hostile("sys.exit", body("sys.exit(0)", "import sys"), "forbidden", "smoke", "SystemExit"),
    Hostile("system exit", body("raise SystemExit(0)"), None, "smoke", "SystemExit"),
    Hostile("interrupt", body("raise KeyboardInterrupt"), None, "smoke", "KeyboardInterrupt"),
    Hostile("abort", body("os.abort()", "import os"), "forbidden", "crash", "SIG"),
    Hostile(
        "segmentation fault",
        body("ctypes.string_at(0)", "import ctypes"),
        "forbidden",
        "crash",
        "SIGSEGV",
    ),
    Hostile(
        "closing the channel",
        body(f"os.close({CHANNEL})\nos._exit(0)", "import os"),
        "forbidden",
        "crash",
        "exit status 0",
    ),
    Hostile("exception", body("return 1 / 0"), None, "smoke", "ZeroDivisionError"),
    Hostile(
        "error without words",
        "class Mute(Exception):\n    def __str__(self):\n        raise self\n"
        + body("raise Mute"),
        "forbidden",
        "smoke",
        "without words",
    ),
    Hostile("syntax error", "def score(item, state):\n    return (", "parse", "parse"),
    Hostile("late syntax error", body("break"), None, "parse", "outside loop"),
    Hostile("missing function", "def rank(item, state):\n    return 1", "signature", "smoke"),
    Hostile("wrong arity", "def score(item):\n    return 1", "signature", "smoke", "TypeError"),
)
ANSWERS = (
    Hostile("nan", body("return float('nan')"), None, "non-finite"),
    Hostile("inf", body("return float('inf')"), None, "non-finite"),
    Hostile("none", body("return None"), None, "invalid action"),
    Hostile("string", body("return '1'"), None, "invalid action"),
    Hostile("bool", body("return True"), None, "invalid action"),
    Hostile("complex", body("return 1j"), None, "invalid action"),
    Hostile("array", body("return np.ones(3)", "import numpy as np"), None, "invalid action"),
    Hostile("generator", body("yield 1"), None, "invalid action"),
    Hostile("integer beyond float", body("return 10 ** 400"), None, "smoke", "OverflowError"),
    Hostile(
        "pickle bomb as an answer",
        "class Bomb:\n    def __reduce__(self):\n        return exec, ('raise SystemExit',)\n"
        + body("return Bomb()"),
        "forbidden",
        "invalid action",
    ),
)
FORGERIES = (
    writes("noise", b"x" * 1000),
    writes("pickle", b"\x80\x04\x95cposix\nsystem\n(S'touch x'\ntR."),
    writes("no solution", actions(0, *[0] * 10)),
    writes("an unfinished solution", actions(0, 0, 1, 2)),
    writes("actions out of range", actions(0, *range(-5, 5))),
    writes("the wrong instance", actions(7, *range(10))),
    writes("an endless list", HEADER.pack(ACTIONS, 0, 2**32 - 1)),
    writes("an endless text", HEADER.pack(FAILURE, 0, 2**32 - 1)),
    writes("too many answers", *[actions(index, *range(10)) for index in range(8)]),
    writes("an unknown kind", failure(b'["bliss", "", null, false]')),
    writes("no json", failure(b"{")),
    writes("deep json", failure(b"[" * 8000)),
    writes("another shape", failure(b'{"kind": "smoke"}')),
    Hostile(
        "flood of the channel",
        body(f"while True:\n    os.write({CHANNEL}, b'x' * 65536)", "import os"),
        "forbidden",
        "forged",
    ),
)
TRESPASSES = (
    attack("fork", "os", "os.fork()", NO_CALL),
    attack("forks, and forks of forks", "os", "for _ in range(4):\n    os.fork()", NO_CALL),
    attack("thread", "threading", "threading.Thread(target=print).start()", "start new thread"),
    attack("subprocess", "subprocess", "subprocess.run(['true'])", NO_CALL),
    attack("exec", "os", "os.execv('/bin/true', ['true'])", NO_CALL),
    attack("shell", "os", "assert os.system('true') != 0\nraise OSError('refused')", "refused"),
    attack("inet", "socket", "socket.socket()", NO_CALL),
    attack("udp", "socket", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", NO_CALL),
    attack("unix", "socket", "socket.socket(socket.AF_UNIX)", NO_CALL),
    # Signal 0 asks only whether one may: these tests must do no harm where they fail.
    attack("kill the engine", "os", "os.kill(ENGINE, 0)", NO_CALL),
    attack("kill the zygote", "os", "os.kill(ZYGOTE, 0)", NO_CALL),
    attack("kill everybody", "os", "os.kill(-1, 0)", NO_CALL),
    attack("raise the limits", "resource", "resource.setrlimit(0, (-1, -1))", NO_CALL),
    attack("alarm", "signal", "signal.setitimer(0, 1)", NO_CALL),
    attack("write a file", "os", "open('FOLDER/file', 'w')", NO_CALL),
    attack("overwrite a file", "os", "open('FILE', 'r+')", NO_CALL),
    attack("truncate a file", "os", "os.truncate('FILE', 0)", NO_CALL),
    attack("remove a file", "os", "os.remove('FILE')", NO_CALL),
    attack("make a folder", "os", "os.mkdir('FOLDER/more')", NO_CALL),
    attack("shared memory", "_posixshmem", "_posixshmem.shm_open('/x', 66, mode=384)", NO_CALL),
    attack("memory of the zygote", "os", "open('/proc/ZYGOTE/mem', 'rb')", NO_FILE, "full"),
    attack("environment", "os", "open('/proc/ENGINE/environ').read()", NO_FILE, "full"),
    attack("read a file", "os", "open('FILE').read()", NO_FILE, "full"),
    attack("list the root", "os", "os.listdir('/')", NO_FILE, "full"),
    attack(
        "system calls by number",
        "ctypes, errno",
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "for number in (41, 56, 57, 58, 59, 62, 101, 198, 220, 221, 425, 435):\n"
        "    if libc.syscall(number, 2, 1, 0) >= 0:\n"
        "        break\n"
        "else:\n"
        "    raise OSError('all refused')",
        "all refused",
    ),
    attack(
        "our own environment",
        "os",
        "assert 'canary' not in str(os.environ)\nraise OSError('clean')",
        "clean",
        "process",
    ),
)
IMPURITIES = (
    Hostile(
        "random", body("return random.random()", "import random"), "nondeterministic", "harmless"
    ),
    Hostile(
        "numpy random",
        body("return np.random.rand()", "import numpy as np"),
        "nondeterministic",
        "harmless",
    ),
    Hostile("time", body("return time.time()", "import time"), "nondeterministic", "harmless"),
    Hostile("id", body("return float(id(item))"), "nondeterministic", "harmless"),
    Hostile(
        "changed inputs", body("item.weight = 0\nstate.left = -1"), "nondeterministic", "harmless"
    ),
    Hostile(
        "monkeypatched math",
        body("math.isfinite = lambda x: True\nreturn math.nan", "import math"),
        "nondeterministic",
        "harmless",
    ),
    Hostile(
        "monkeypatched numpy",
        body("np.zeros = np.array = None", "import numpy as np"),
        "nondeterministic",
        "harmless",
    ),
    Hostile(
        "monkeypatched rules",
        body(
            "for name, module in list(sys.modules.items()):\n"
            "    if hasattr(module, 'Toy'):\n"
            "        module.Toy.cost = lambda *_: 0.0",
            "import sys",
        ),
        "forbidden",
        "harmless",
    ),
    Hostile(
        "frame walk",
        body(
            "frame = sys._getframe()\n"
            "while frame is not None:\n"
            "    frame.f_globals['replay'] = lambda *_: 0.0\n"
            "    frame = frame.f_back",
            "import sys",
        ),
        "forbidden",
        "harmless",
    ),
)
PROGRAMS = (*ENDLESS, *GREEDY, *ENDINGS, *ANSWERS, *FORGERIES, *TRESPASSES, *IMPURITIES)
