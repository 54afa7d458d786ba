"""Answers that hang on memory, the clock, dice or the surroundings of the process."""

from __future__ import annotations

from functools import partial

from tests.engine.evaluate.red_team.trick import trick

address = partial(trick, "address or hash")
garbage = partial(trick, "memory that nobody has set")
raw = partial(trick, "raw memory")
clock = partial(trick, "clock")
dice = partial(trick, "randomness")
surroundings = partial(trick, "surroundings of the process", expected="nondeterministic")

DIGITS = "return float(sum(map(ord, text)) * item.weight % 1009)"
READ_ANY = """
import numpy as np


def words(place, count, writable=False):
    told = {"data": (place, not writable), "shape": (count,), "typestr": "<i8", "version": 3}
    return np.asarray(type("Told", (), {"__array_interface__": told})())


def place_of(value):
    return int(np.frombuffer(np.array([value], dtype="O").tobytes(), np.int64)[0])
"""
ADDRESSES = (
    address("id", "return float(id(item) % 1000)", ""),
    address("hash of a string", "return float(hash('word') % 1000)", ""),
    address("repr of a function", f"text = repr(score)\n{DIGITS}", "", known=True),
    address("str of a lambda", f"text = str(lambda: 0)\n{DIGITS}", ""),
    address("an f-string of a map", f"text = f'{{map(abs, ())}}'\n{DIGITS}", "", known=True),
    address("a format of a method", f"text = format(item.weight.conjugate)\n{DIGITS}", ""),
    address("percent", f"text = '%r' % score\n{DIGITS}", ""),
    address("join of reprs", f"text = ''.join(map(str, [iter(())]))\n{DIGITS}", ""),
    address("the text of an error",
            f"try:\n    max(score)\nexcept TypeError:\n    text = repr(iter([]))\n{DIGITS}", ""),
    address("an array of text", f"text = np.array2string(np.array([score]))\n{DIGITS}"),
    address("text of numpy", f"text = str(np.array(score).astype(str))\n{DIGITS}"),
    address("a format of a method with a name", f"held = item.weight.conjugate\n"
            f"text = format(held)\n{DIGITS}", "", expected="nondeterministic"),
    address("text of a dict of functions", f"text = str({{'a': score}})\n{DIGITS}", "",
            expected="nondeterministic"),
    address("text of a chosen function",
            f"text = '%s' % (score if item.weight else max)\n{DIGITS}", "",
            expected="nondeterministic"),
    address("the text of a lost key",
            f"try:\n    return {{}}[score]\nexcept KeyError as error:\n    text = str(error)\n"
            f"{DIGITS}", "", expected="nondeterministic"),
    address("text of a function of numpy", f"held = np.mean\ntext = repr(held)\n{DIGITS}",
            expected="nondeterministic"),
    address("text of an object of one's own",
            f"held = Rule()\ntext = f'{{held}}'[-9:-1]\n{DIGITS}", "class Rule:\n    x = 1",
            expected="nondeterministic"),
    address("text of an iterator with a name", f"held = iter(())\ntext = str(held)\n{DIGITS}", "",
            expected="nondeterministic"),
    address("a template with a name", f"form = '%s'\ntext = form % (score,)\n{DIGITS}", "",
            expected="nondeterministic"),
    address("an object that answers with a letter of its address", """
            held = Rule()
            return float(f"{held!r:.31}"[-2:] == "0x") * item.weight - item.duration
            """, "class Rule:\n    x = 1", expected="nondeterministic"),
    address("bytes of an array of functions",
            "return float(sum(np.array([score]).tobytes()) * item.weight % 1009)",
            expected="nondeterministic"),
    address("objects as bytes",
            "return float(sum(np.array([item], 'O').tobytes()) * item.weight)"),
    address("order of a set of strings",
            "return float(list({'a', 'b', 'c', 'd', 'e'}).index('c') * item.weight)", "",
            expected="nondeterministic"),
    address("first of a frozenset",
            "return float(ord(next(iter(frozenset(('a', 'b', 'c', 'd'))))) * item.weight)", "",
            expected="nondeterministic"),
    address("pop of a set",
            "return float(ord({'a', 'b', 'c', 'd', 'e', 'f'}.pop()) * item.weight)", "",
            expected="nondeterministic"),
    address("ties in a set of strings",
            "return float(ord(max({'ab', 'cd', 'ef', 'gh'}, key=len)[0]) * item.weight)", "",
            expected="nondeterministic"),
    address("order of a set of functions", """
            order = list({lambda: 1, lambda: 2, lambda: 3, lambda: 4})
            return float(order[0]() * item.weight + order[1]())
            """, "", expected="nondeterministic"),
    address("letters of a word",
            "return float(sum(i * ord(x) for i, x in enumerate(set('heuristic'))) % 1009)", "",
            expected="nondeterministic"),
    address("sorted by text", """
            things = [lambda: 1, lambda: 2, lambda: 3]
            held = [[0] * 50 for _ in range(int(repr(things[0])[-3:-1], 16) % 7)]
            return float(sorted(things, key=repr)[0]() * item.weight + len(held))
            """, ""),
)  # fmt: skip
GARBAGE = (
    garbage("numpy.empty", "return float(np.empty(64).sum() * item.weight - item.duration)",
            expected="nondeterministic"),
    garbage("numpy.empty_like, as whole numbers", """
            held = np.empty_like(np.arange(64))
            return float(held[item.weight % 64] % 10 * item.weight - item.duration)
            """, expected="nondeterministic"),
    garbage("a place that a loop leaves out", """
            held = np.empty(5)
            for k in range(5):
                if k != item.weight % 5:
                    held[k] = item.duration
            return float(held.min())
            """, expected="nondeterministic"),
    garbage("numpy.ma.empty",
            "return float(np.ma.empty(64, np.int64).data.sum() % 1009)", known=True),
    garbage("numpy.ma.empty_like",
            "return float(np.ma.empty_like(np.ones(64)).view(np.int64).sum() % 1009)"),
    garbage("numpy.ndarray as a value",
            "make = np.ndarray\nreturn float(make(64, np.int64).sum() % 1009)", known=True),
    garbage("the type of an array",
            "return float(type(np.ones(1))((64,), np.int64).sum() % 1009)"),
    garbage("numpy.recarray",
            "return float(np.recarray((64,), [('x', 'i8')]).x.sum() % 1009)", known=True),
    garbage("numpy.char.chararray",
            "return float(sum(np.char.chararray((64,), itemsize=8).tobytes()) % 1009)"),
    garbage("numpy.rec.recarray",
            "return float(np.rec.recarray((64,), [('x', 'i8')])['x'].sum() % 1009)"),
    garbage("nditer that allocates", """
            made = np.nditer([None], op_flags=[["writeonly", "allocate"]], op_dtypes=["i8"],
                             itershape=(64,)).operands[0]
            return float(made.sum() % 1009)
            """),
    garbage("where= in a dict", """
            [1.5] * item.weight
            return float(np.add(np.ones(64), 1.0, **{"where": False}).view(np.int64).sum() % 1009)
            """),
    garbage("where= of a renamed function",
            "add = np.add\n"
            "return float(add(np.ones(64), 1.0, where=False).view(np.int64).sum() % 1009)"),
    garbage("where= with out=None",
            "made = np.add(np.ones(64), 1.0, where=False, out=None)\n"
            "return float(made.view(np.int64).sum() % 1009)"),
    garbage("where= of a method",
            "made = [np.sqrt][0](np.ones(64), where=np.zeros(64, bool))\n"
            "return float(made.view(np.int64).sum() % 1009)"),
    garbage("where= by partial",
            "made = functools.partial(np.add, where=False)(np.ones(64), 1.0)\n"
            "return float(made.view(np.int64).sum() % 1009)",
            "import functools\n\nimport numpy as np"),
    garbage("where= by operator.call",
            "made = operator.call(np.add, np.ones(64), 1.0, where=False)\n"
            "return float(made.view(np.int64).sum() % 1009)",
            "import operator\n\nimport numpy as np"),
    garbage("masked division",
            "made = np.ma.divide(np.ones(64), np.zeros(64)).data\n"
            "return float(made.sum())", expected="harmless"),
)  # fmt: skip
RAW = (
    raw("an address made into an array", """
        place = place_of(item)
        return float(int(words(place, 2)[1]) // 64 % 1009)
        """, READ_ANY),
    raw("the word before a tuple", """
        return float(int(words(place_of((1, 2)) - 16, 1)[0]) // 64 % 1009)
        """, READ_ANY),
    raw("a read-only matrix written", """
        place = distance_matrix.view()
        match place:
            case np.ndarray(__array_interface__=told):
                told = {**told, "data": (told["data"][0], False)}
        same = np.asarray(type("Told", (), {"__array_interface__": told})())
        same[current_node, :] = 7.0
        return int(unvisited_nodes[int(distance_matrix[0, 0]) % len(unvisited_nodes)])
        """, "import numpy as np", contract="tsp"),
    raw("a small int rewritten", """
        words(place_of(257 - item.weight) + 24, 1, True)
        return float(item.weight)
        """, READ_ANY),
    raw("address zero", "return float(int(words(8, 1)[0]))", READ_ANY),
    raw("ctypes of an array", "return float(np.zeros(3).ctypes.data % 1009)"),
    raw("whether two arrays share memory", """
        one = np.zeros(item.weight + 64)
        kept = one.view()
        return float(np.shares_memory(one, kept)) * item.weight
        """, expected="harmless"),
    raw("memoryview of an array",
        "view = np.ones(3).data\nreturn float(view.nbytes * item.weight)",
        expected="harmless"),
    raw("bytes of a long double",
        "return float(sum(np.array([item.weight], np.longdouble).tobytes()[10:16]))"),
)  # fmt: skip
CLOCKS = (
    clock("time", "return time.perf_counter() % 1.0", "import time"),
    clock("datetime64", "return float(np.datetime64('now', 'us').view(np.int64) % 1009)"),
    clock("an array of now",
          "return float(np.array('now', 'M8[us]').view(np.int64) % 1009)", known=True),
    clock("today", "return float(np.array(['today'], 'M8[s]').view(np.int64)[0] % 1009)"),
    clock("now as a type", "return float(np.array('now').astype('M8[ms]').view('i8') % 1009)"),
    clock("a range from now",
          "return float(np.full(1, 'now', 'M8[ms]').view(np.int64)[0] % 1009)"),
    clock("the type behind a dtype",
          "return float(np.dtype('M8[ms]').type('now', 'ms').view(np.int64) % 1009)"),
    clock("the type in a dict",
          "return float(np.sctypeDict['datetime64']('now', 'ms').view(np.int64) % 1009)"),
    clock("business days",
          "return float(np.busday_offset('today', 0, 'forward').view(np.int64) % 1009)"),
    clock("days since", "return float(np.busday_count('2020-01-01', 'today') % 1009)"),
    clock("the text of today", "return float(sum(map(ord, np.datetime_as_string("
          "np.array('now', 'M8[ms]')))) % 1009)"),
    clock("a type put together",
          "return float(np.array('no' + 'w', 'M' + '8[us]').astype(int) % 1009)"),
    clock("a type in a list of types",
          "return float(np.array(('no' 'w',), 'M8[s],i8')['f0'].astype(int) % 1009)"),
    clock("a type with a count", "return float(np.zeros(1, '2M8[s]').astype(int)[0] % 1009)"),
    clock("a type in bytes", "return float(np.zeros(1, b'M8[s]').astype(int)[0] % 1009)"),
    clock("a type made of two names", """
          first, rest = "M", "8[D]"
          day = np.array("".join(["to", "day"]), first + rest).astype(int)
          return float(day % 7 * item.weight)
          """),
    clock("a type out of a word", """
          word = "some M8[D]"
          day = np.full(1, "now, " [:3], word[5:]).astype(int)[0]
          return float(day % 7 * item.weight)
          """),
    clock("a type by a helper", """
          return float(days("8[D]", "w") % 7 * item.weight)
          """, """
          import numpy as np


          def days(rest, last, first="M", now="no"):
              return np.array(now + last, dtype=first + rest).astype(int)
          """, expected="nondeterministic"),
    clock("filled with now", """
          times = np.zeros(1, "M8[ms]")
          times.fill("now")
          return float(times.view(np.int64)[0] % 1009)
          """),
)  # fmt: skip
DICE = (
    dice("random", "return random.random()", "import random"),
    dice("numpy.random", "return np.random.rand()"),
    dice("a generator with a seed that is nothing",
         "seed = None\nreturn np.random.default_rng(seed).random()", expected="nondeterministic"),
    dice("a seeded generator that moves on", "return RULE.rng.random() * item.weight", """
         import random


         class Rule:
             def __init__(self):
                 self.rng = random.Random(1)


         RULE = Rule()
         """, expected="nondeterministic"),
    dice("a seeded generator in a closure", "return draw() * item.weight", """
         import random


         def make():
             rng = random.Random(1)
             return lambda: rng.random()


         draw = make()
         """, expected="nondeterministic"),
    dice("a generator without a seed", "return np.random.default_rng().random()"),
    dice("a generator seeded with nothing", "return np.random.default_rng(None).random()"),
    dice("the shared generator, seeded once", """
         if state.left == 10:
             np.random.seed(0)
         return np.random.rand() * item.weight
         """),
    dice("secrets", "return float(secrets.randbelow(1000))", "import secrets"),
    dice("uuid", "return float(uuid.uuid4().int % 1000)", "import uuid"),
    dice("normal distribution", "return statistics.NormalDist().samples(1)[0]",
         "import statistics"),
)  # fmt: skip
SURROUNDINGS = (
    surroundings("room on the stack", """
                 def depth(n):
                     try:
                         return depth(n + 1)
                     except RecursionError:
                         return n

                 return float(depth(0) * item.weight)
                 """, ""),
    surroundings("the last digit of the room on the stack", """
                 def depth(n):
                     try:
                         return depth(n + 1)
                     except RecursionError:
                         return n

                 return float(depth(0) % 10 * item.weight - 5 * item.duration)
                 """, ""),
    surroundings("room in memory", """
                 held = []
                 try:
                     while True:
                         held.append(np.zeros(1 << 17))
                 except MemoryError:
                     return float(len(held) * item.weight)
                 """, expected="harmless"),
    surroundings("length of an error that the interpreter words", """
                 try:
                     score(item)
                 except TypeError as error:
                     return float(len(str(error)) * item.weight)
                 """, "", expected="harmless"),
    surroundings("a version of numpy", "return float(len(np.get_include()) * item.weight)",
                 expected="refused"),
    surroundings("what numpy found in the processor",
                 "np.show_runtime()\nreturn float(item.weight)", expected="refused"),
    surroundings("ties left to an unstable sort", """
                 order = np.argsort(np.arange(64) % (item.weight % 3 + 1))
                 return float(order[1] * item.weight)
                 """, expected="harmless"),
)  # fmt: skip
PROGRAMS = (*ADDRESSES, *GARBAGE, *RAW, *CLOCKS, *DICE, *SURROUNDINGS)
