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
    address("join of reprs", f"text = ''.join(map(str, [iter(())]))\n{DIGITS}", ""),
    address("an array of text", f"text = np.array2string(np.array([score]))\n{DIGITS}"),
    address("text of an object of one's own",
            f"held = Rule()\ntext = f'{{held}}'[-9:-1]\n{DIGITS}", "class Rule:\n    x = 1"),
    address("bytes of an array of functions",
            "return float(sum(np.array([score]).tobytes()) * item.weight % 1009)"),
    address("objects as bytes",
            "return float(sum(np.array([item], 'O').tobytes()) * item.weight)"),
    address("order of a set of strings",
            "return float(list({'a', 'b', 'c', 'd', 'e'}).index('c') * item.weight)", "",
            expected="nondeterministic"),
    address("first of a frozenset",
            "return float(ord(next(iter(frozenset(('a', 'b', 'c', 'd'))))) * item.weight)", "",
            expected="nondeterministic"),
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
    raw("ctypes of an array", "return float(np.zeros(3).ctypes.data % 1009)"),
    raw("bytes of a long double",
        "return float(sum(np.array([item.weight], np.longdouble).tobytes()[10:16]))"),
)  # fmt: skip
CLOCKS = (
    clock("time", "return time.perf_counter() % 1.0", "import time"),
    clock("datetime64", "return float(np.datetime64('now', 'us').view(np.int64) % 1009)"),
    clock("an array of now",
          "return float(np.array('now', 'M8[us]').view(np.int64) % 1009)", known=True),
    clock("today", "return float(np.array(['today'], 'M8[s]').view(np.int64)[0] % 1009)"),
    clock("the type behind a dtype",
          "return float(np.dtype('M8[ms]').type('now', 'ms').view(np.int64) % 1009)"),
    clock("the type in a dict",
          "return float(np.sctypeDict['datetime64']('now', 'ms').view(np.int64) % 1009)"),
    clock("a type put together",
          "return float(np.array('no' + 'w', 'M' + '8[us]').astype(int) % 1009)"),
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
                 """, ""),
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
