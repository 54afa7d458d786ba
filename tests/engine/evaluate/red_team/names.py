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
        "getattr in the insides of numpy.ma",
        "read = np.ma.core.builtins.getattr\nreturn float(len(read(score, '__globals__')))",
    ),
    submodule(
        "id in the insides of numpy.ma", "return float(np.ma.core.builtins.id(item) % 1000)"
    ),
    submodule(
        "setattr in the insides of numpy.ma",
        """
        calls = np.ma.core.builtins.getattr(score, "calls", 0)
        np.ma.core.builtins.setattr(score, "calls", calls + 1)
        return float(calls * item.weight)
        """,
    ),
    submodule(
        "builtins in the insides of enum",
        "return float(np.ma.core.re.enum.bltns.hash('word') % 1000)",
    ),
    submodule(
        "all modules of the process",
        "return float(len(np.ma.core.warnings.sys.modules))",
    ),
    submodule(
        "a chosen module of the process",
        "return float(np.ma.core.warnings.sys.modules['os'].getpid())",
    ),
    submodule(
        "attrgetter behind numpy.polynomial",
        "get = np.polynomial.polyutils.operator.attrgetter('__globals__')\n"
        "return float(len(get(score)))",
    ),
    submodule(
        "attrgetter behind numpy.ma",
        "return float(len(np.ma.core.operator.attrgetter('__code__.co_code')(score)))",
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
    submodule(
        "lru_cache behind numpy.ma",
        "cached = np.ma.core.functools.lru_cache(None)(len)\nreturn float(cached((1, 2)))",
    ),
    submodule("random behind numpy.ma", "return np.ma.core.np.random.rand()", known=True),
    submodule("default_rng behind numpy.ma", "return np.ma.core.np.random.default_rng().random()"),
    submodule(
        "numpy.ma imported by itself", "return ma.core.np.random.rand()", "from numpy import ma"
    ),
    submodule("random behind numpy.matlib", "return float(np.matlib.rand(1, 1)[0, 0])"),
    submodule("empty behind numpy.ma", "return float(np.ma.core.np.empty(64).sum() != 0.0)"),
    submodule(
        "as_strided behind numpy.ma",
        """
        wide = np.ma.core.np.lib.stride_tricks.as_strided(np.zeros(1, np.int64), (4096,), (8,))
        return float(int(wide[1:].sum()) % 1000)
        """,
    ),
    submodule("a clock behind f2py", "return np.ma.core.np.f2py.rules.time.perf_counter() % 1.0"),
    submodule("the system behind f2py", "return float(np.ma.core.np.f2py.os.getpid())"),
    submodule(
        "processes behind f2py",
        "return float(np.ma.core.np.f2py.subprocess.run(['true']).returncode)",
    ),
    submodule(
        "threads behind f2py",
        "np.ma.core.np.f2py.subprocess.threading.Thread(target=print).start()\nreturn 1.0",
    ),
    submodule(
        "temporary files behind f2py",
        "np.ma.core.np.f2py.diagnose.tempfile.mkstemp()\nreturn 1.0",
    ),
    submodule("files behind numpy.ma", "return float(len(np.ma.core.np.load('/etc/hostname')))"),
    submodule(
        "the frames behind numpy.ma",
        """
        for frame in np.ma.core.inspect.stack():
            found = np.ma.core.inspect.getargvalues(frame.frame).locals
            if "instances" in found:
                return float(sum(found["instances"][0].weights))
        """,
        known=True,
    ),
    submodule(
        "the shared table of copyreg",
        """
        table = np.ma.core.re.copyreg.dispatch_table
        table[len(table)] = item
        return float(len(table) * item.weight)
        """,
    ),
    submodule(
        "warnings turned into errors",
        "np.ma.core.warnings.simplefilter('error')\nreturn float(np.float64(1) / item.weight)",
    ),
    submodule("numpy's own tests", "return float(np.test('fast', 0))"),
)
REBOUND = (
    rebound("eval = eval", "return eval('float(id(item) % 1000)')", "eval = eval"),
    rebound(
        "exec, and then something else of that name",
        "found = {}\nrun('import os\\nmark = os.getpid()', found)\nreturn float(found['mark'])",
        "run = exec\nexec = 1",
    ),
    rebound(
        "getattr = getattr",
        "return float(len(getattr(score, '__glo' + 'bals__')['__builtins__']))",
        "getattr = getattr",
    ),
    rebound("id = id", "return float(id(item) % 1000)", "id = id"),
    rebound("hash = hash", "return float(hash('word') % 1000)", "hash = hash"),
    rebound(
        "setattr = setattr",
        """
        calls = len(vars(score))
        setattr(score, "calls" + str(calls), 0)
        return float(calls * item.weight)
        """,
        "setattr = setattr\nvars = vars",
    ),
    rebound(
        "globals = globals",
        """
        shared = globals()
        shared["calls"] = shared.get("calls", 0) + 1
        return float(shared["calls"] * item.weight)
        """,
        "globals = globals",
    ),
    rebound("open = open", "return float(len(open('/etc/hostname').read()))", "open = open"),
    rebound(
        "a pair of names bound to themselves",
        "return float(len(vars(score)) + id(item) % 7)",
        "id, vars = id, vars",
    ),
)
SWAPPED = (
    swapped("operator", "return attrgetter('weight')(item)", "import operator as __builtins__"),
    swapped("numpy", "return empty(64, 'i8')[3] * 1.0", "import numpy as __builtins__"),
    swapped("statistics",
            "return sys.getallocatedblocks() * 1.0", "import statistics as __builtins__"),
    swapped("functools", "return lru_cache(None)(item.weight.conjugate)()",
            "import functools as __builtins__"),
    swapped("typing", "return sys.getallocatedblocks() * 1.0", "import typing as __builtins__"),
    swapped(
        "copy, then its table",
        "dispatch_table[item.weight] = item\nreturn 1.0 * dispatch_table.popitem()[0]",
        "import copy as __builtins__",
    ),
    swapped("numpy.ma",
            "return empty(64, 'i8').data[3] * 1.0", "from numpy import ma as __builtins__"),
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
        expected="harmless",
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
