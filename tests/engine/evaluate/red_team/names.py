"""Forbidden names reached by another road: submodules, rebound names, odd letters."""

from __future__ import annotations

from functools import partial

from tests.engine.evaluate.red_team.trick import trick

submodule = partial(trick, "name through a submodule")
rebound = partial(trick, "builtin bound to its own name")
swapped = partial(trick, "module bound as __builtins__")
letters = partial(trick, "odd letters in a name")

SUBMODULES = (
    submodule(
        "exec in the insides of numpy.ma",
        """
        found = {}
        np.ma.core.builtins.exec("import time; now = time.time()", found)
        return found["now"] % 1.0
        """,
        known=True,
    ),
    submodule(
        "eval in the insides of numpy.ma",
        "return np.ma.core.builtins.eval('float(__import__(\"os\").getpid())')",
    ),
    submodule(
        "attrgetter behind numpy.polynomial",
        "get = np.polynomial.polyutils.operator.attrgetter('__globals__')\n"
        "return float(len(get(score)))",
    ),
    submodule(
        "a cache behind numpy.polynomial",
        """
        calls = helper(0)
        calls[0] += 1
        return float(calls[0] * item.weight)
        """,
        """
        import numpy as np

        def helper(x):
            return np.typecodes.setdefault("calls", [0])
        """,
    ),
)
REBOUND = (
    rebound("eval = eval", "return eval('float(id(item) % 1000)')", "eval = eval"),
    rebound(
        "exec, and then something else of that name",
        "found = {}\nrun('import os\\nmark = os.getpid()', found)\nreturn float(found['mark'])",
        "run = exec\nexec = 1",
    ),
)
SWAPPED = (
    swapped("operator", "return attrgetter('weight')(item)", "import operator as __builtins__"),
    swapped("numpy", "return empty(64, 'i8')[3] * 1.0", "import numpy as __builtins__"),
)  # fmt: skip
LETTERS = (
    letters("fullwidth exec", "\uff45\uff58\uff45\uff43('1')\nreturn 1.0"),
    letters("fullwidth underscores", "return float(len(_\uff3fbuiltins_\uff3f))"),
    letters("long s in builtins", "return float(np.ma.core.builtin\u017f.id(item) % 1000)"),
    letters("mathematical letters", "return float(\U0001d422\U0001d41d(item) % 1000)"),
    letters("fullwidth os", "return 1.0 * o\uff53.getpid()", "import o\uff53"),
    letters(
        "fullwidth attribute in quotes",
        "return float(hasattr(score, '\uff3f\uff3fglobals\uff3f\uff3f'))",
    ),
    letters(
        "a Cyrillic twin of the function",
        "return \u0455core(item)",
        "def \u0455core(x):\n    return float(x.weight)",
        expected="harmless",
    ),
    letters(
        "a comment that looks like another encoding",
        "return float(item.weight)",
        "# -*- coding: utf-7 -*-",
        expected="harmless",
    ),
    letters(
        "text that runs from right to left",
        "if state.left > 3:  # \u202e } \u2066\n    return 1.0\nreturn float(item.weight)",
        expected="harmless",
    ),
)
PROGRAMS = (*SUBMODULES, *REBOUND, *SWAPPED, *LETTERS)
