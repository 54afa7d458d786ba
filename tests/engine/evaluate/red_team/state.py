"""Values kept from one call to the next."""

from __future__ import annotations

from functools import partial

from tests.engine.evaluate.red_team.trick import NUMPY, trick

kept = partial(trick, "value kept in the program", expected="nondeterministic")
annotated = partial(trick, "value made by an annotation")
library = partial(trick, "value kept in a library")

COUNT = "CACHE[0] += 1\nreturn float(CACHE[0] * item.weight)"
APPEND = "CACHE.append(0)\nreturn float(len(CACHE) * item.weight)"
STORE = "CACHE['calls'] = CACHE.get('calls', 0) + 1\nreturn float(CACHE['calls'] * item.weight)"

OWN = (
    kept("a list", APPEND, "CACHE = []"),
    kept("a dict", STORE, "CACHE = {}"),
    kept("a default list", "return helper(item)",
         "def helper(x, seen=[]):\n    seen.append(0)\n    return float(len(seen) * x.weight)"),
    kept("global", "global calls\ncalls += 1\nreturn float(calls * item.weight)", "calls = 0"),
    kept("attribute of the function",
         "score.calls = getattr(score, 'calls', 0) + 1\nreturn float(score.calls * item.weight)",
         ""),
    kept("nonlocal of a closure", "return float(COUNT() * item.weight)",
         "def make():\n    calls = 0\n\n    def count():\n        nonlocal calls\n"
         "        calls += 1\n        return calls\n\n    return count\n\n\nCOUNT = make()"),
    kept("a generator", "return float(next(COUNT) * item.weight)",
         "COUNT = (x for x in range(10**6))"),
    kept("an iterator", "return float(next(COUNT) * item.weight)",
         "from itertools import count\n\nCOUNT = count()"),
    kept("lru_cache of a helper", "kept = helper()\nkept.append(0)\nreturn float(len(kept))",
         "from functools import lru_cache\n\n\n@lru_cache\ndef helper():\n    return []"),
    kept("attribute of a class",
         "Kept.calls += 1\nreturn float(Kept.calls * item.weight)", "class Kept:\n    calls = 0"),
    kept("a union of two dicts", STORE, f"{NUMPY}\n\nCACHE = np.typecodes | np.typecodes"),
    kept("a list that an attribute returns", APPEND, f"{NUMPY}\n\nCACHE = np.add.types"),
    kept("the dict of an alias of list", """
         Alias = type(KEPT)
         match KEPT:
             case Alias(__dict__=own):
                 own["calls"] = own.get("calls", 0) + 1
                 return float(own["calls"] * item.weight)
         """, "from typing import List\n\nKEPT = List[int]"),
)  # fmt: skip
ANNOTATIONS = (
    annotated("of a constant", APPEND, "X: (CACHE := []) = 0"),
    annotated("of a parameter", STORE, "def helper(x: (CACHE := {})):\n    return x"),
    annotated(
        "an iterator", "return float(next(COUNT) * item.weight)",
        "X: (COUNT := iter(range(10**6))) = 0",
    ),
)  # fmt: skip
LIBRARIES = (
    library(
        "numpy.typecodes",
        """
        np.typecodes["calls"] = np.typecodes.get("calls", 0) + 1
        return float(np.typecodes["calls"] * item.weight)
        """,
        known=True,
    ),
    library(
        "numpy.sctypeDict",
        "np.sctypeDict[len(np.sctypeDict)] = item\nreturn float(len(np.sctypeDict) * item.weight)",
    ),
    library(
        "what numpy prints",
        """
        digits = np.get_printoptions()["precision"]
        np.set_printoptions(precision=(digits + 1) % 16)
        return float(digits * item.weight)
        """,
    ),
    library(
        "numpy's buffer",
        """
        size = np.getbufsize()
        np.setbufsize(size + 16)
        return float(size * item.weight)
        """,
    ),
    library("numpy's errors", "np.seterr(all='raise')\nreturn float(item.weight)"),
    library(
        "how polynomials print",
        """
        before = len(str(np.polynomial.Polynomial([1, 2])))
        np.polynomial.set_default_printstyle("ascii" if before % 2 else "unicode")
        return float(before * item.weight)
        """,
    ),
    library(
        "what masked prints",
        """
        kept = np.ma.masked_print_option
        kept.set_display(kept.display() + "-")
        return float(len(kept.display()) * item.weight)
        """,
    ),
    library(
        "fill values of numpy.ma",
        """
        kept = np.ma.core.default_filler
        kept["calls"] = kept.get("calls", 0) + 1
        return float(kept["calls"] * item.weight)
        """,
    ),
    library(
        "an attribute of math",
        "math.pi = math.pi + 1\nreturn math.pi * item.weight",
        "import math",
    ),
)
PROGRAMS = (*OWN, *ANNOTATIONS, *LIBRARIES)
