"""Ordinary programs that score one candidate at a time."""

from __future__ import annotations

from functools import partial

from tests.engine.evaluate.red_team.trick import Trick, pure

table = partial(pure, "constant outside functions")
helper = partial(pure, "helper")
classed = partial(pure, "class")
style = partial(pure, "style")
library = partial(pure, "library")
shop = partial(pure, "job shop", contract="jssp")

TABLES = (
    table("dict of weights",
          "return WEIGHTS['weight'] * item.weight - WEIGHTS['time'] * item.finish",
          "WEIGHTS = {'weight': 2.0, 'time': 0.5}"),
    table("list of weights",
          "return sum(w * x for w, x in zip(WEIGHTS, (item.weight, item.duration)))",
          "WEIGHTS = [2.0, -0.5]"),
    table("tuple of weights", "return WEIGHTS[0] * item.weight + WEIGHTS[1] * item.duration",
          "WEIGHTS = (2.0, -0.5)"),
    table("set of thresholds", "return float(item.duration in SHORT) + item.weight",
          "SHORT = {1, 2, 3}"),
    table("frozenset", "return float(item.duration in SHORT) + item.weight",
          "SHORT = frozenset({1, 2, 3})"),
    table("array of weights",
          "return float(np.dot(WEIGHTS, np.array([item.weight, item.duration])))",
          "import numpy as np\n\nWEIGHTS = np.array([2.0, -0.5])"),
    table("array of zeros", "return float(item.weight + BIAS[0])",
          "import numpy as np\n\nBIAS = np.zeros(3)"),
    table("table by a comprehension", "return item.weight * DECAY[min(state.left, 9)]",
          "DECAY = [0.9 ** k for k in range(10)]"),
    table("tuple by a generator", "return item.weight * DECAY[min(state.left, 9)]",
          "DECAY = tuple(0.9 ** k for k in range(10))"),
    table("nested dict", "phase = PHASES['late' if state.left < 4 else 'early']\n"
          "return phase['a'] * item.weight - phase['b'] * item.duration",
          "PHASES = {'early': {'a': 1.0, 'b': 0.5}, 'late': {'a': 2.0, 'b': 0.1}}"),
    table("dict of functions", "return RULES['ratio'](item)",
          "RULES = {'ratio': lambda x: x.weight / x.duration, 'short': lambda x: -x.duration}"),
    table("constant by math", "return item.weight * math.exp(-item.duration / SCALE)",
          "import math\n\nSCALE = math.sqrt(2.0) * 10 + math.log(3)"),
    table("constant by numpy", "return float(item.weight * FACTOR)",
          "import numpy as np\n\nFACTOR = np.exp(-1.0)"),
    table("constant by a helper", "return item.weight * FACTOR",
          "def decay(n):\n    return 0.9 ** n\n\n\nFACTOR = decay(3)"),
    table("constant chosen by if", "return item.weight * FACTOR",
          "STRONG = True\nif STRONG:\n    FACTOR = 2.0\nelse:\n    FACTOR = 1.0"),
    table("constant by an if expression", "return item.weight * FACTOR",
          "STRONG = True\nFACTOR = 2.0 if STRONG else 1.0"),
    table("annotated constants", "return ALPHA * item.weight - BETA * item.duration",
          "from typing import Final\n\nALPHA: Final = 0.7\nBETA: float = 0.3"),
    table("annotated dict", "return WEIGHTS.get('weight', 0.0) * item.weight",
          "WEIGHTS: dict[str, float] = {'weight': 2.0}"),
    table("constants in one line", "return ALPHA * item.weight - BETA * item.duration",
          "ALPHA, BETA = 0.7, 0.3"),
    table("infinity", "best = -INF\nfor x in (item.weight, item.duration):\n"
          "    best = max(best, x)\nreturn float(best)", "INF = float('inf')"),
    table("range", "return float(sum(item.weight > step for step in STEPS))",
          "STEPS = range(0, 20, 5)"),
    table("sorted list", "return float(bisect.bisect_left(STEPS, item.duration) + item.weight)",
          "import bisect\n\nSTEPS = sorted([3, 1, 9])"),
    table("__all__ and __version__", "return float(item.weight)",
          "__all__ = ['score']\n__version__ = '1.0'"),
    table("loop that fills a table", "return item.weight * TABLE[state.left]",
          "TABLE = []\nfor k in range(20):\n    TABLE.append(1.0 / (k + 1))"),
    table("assertion", "return ALPHA * item.weight", "ALPHA = 0.5\nassert 0 < ALPHA < 1"),
)  # fmt: skip
HELPERS = (
    helper("function", "return ratio(item.weight, item.duration)",
           "def ratio(x, y, epsilon=1e-9):\n    return x / (y + epsilon)"),
    helper("nested function", """
           def ratio(x, y=1.0):
               return x / y if y else 0.0

           return ratio(item.weight, item.duration)
           """),
    helper("closure with nonlocal", """
           total = 0.0

           def add(x):
               nonlocal total
               total += x

           add(item.weight)
           add(-item.duration)
           return total
           """),
    helper("lambda",
           "ratio = lambda x, y: x / max(y, 1)\nreturn ratio(item.weight, item.duration)"),
    helper("lambda outside", "return ratio(item.weight, item.duration)",
           "ratio = lambda x, y: x / max(y, 1)"),
    helper("recursion", "return float(gcd(item.weight, item.duration))",
           "def gcd(a, b):\n    return a if b == 0 else gcd(b, a % b)"),
    helper("generator function", "return float(sum(powers(item.weight, 3)))",
           "def powers(x, n):\n    for k in range(n):\n        yield x ** k"),
    helper("partial", "return weigh(item.weight)",
           "from functools import partial\n\n\ndef scaled(factor, x):\n    return factor * x\n\n\n"
           "weigh = partial(scaled, 2.0)"),
    helper("partial inside", "return partial(pow, item.weight)(2) * 1.0",
           "from functools import partial"),
    helper("lru_cache on a pure helper", "return item.weight * fib(state.left)",
           "from functools import lru_cache\n\n\n@lru_cache(maxsize=None)\ndef fib(n):\n"
           "    return n if n < 2 else fib(n - 1) + fib(n - 2)"),
    helper("cache on a pure helper", "return item.weight * tri(state.left)",
           "import functools\n\n\n@functools.cache\ndef tri(n):\n    return n * (n + 1) / 2"),
    helper("default dict, only read", "return item.weight * pick('a')",
           "def pick(name, table={'a': 2.0}):\n    return table[name]"),
    helper("default None", "return pick(item)",
           "def pick(x, rows=None):\n    rows = [] if rows is None else rows\n"
           "    rows.append(x.weight)\n    return float(sum(rows))"),
    helper("star arguments", "return total(item.weight, -item.duration, scale=2.0)",
           "def total(*values, scale=1.0, **rest):\n    return scale * sum(values)"),
    helper("keyword only", "return item.weight * decay(state.left, rate=0.1)",
           "def decay(n, *, rate=0.5):\n    return (1 - rate) ** n"),
    helper("factory of rules", "return RULE(item)",
           "def make(a, b):\n    def rule(x):\n        return a * x.weight - b * x.duration\n"
           "    return rule\n\n\nRULE = make(2.0, 0.5)"),
)  # fmt: skip
CLASSES = (
    classed("namedtuple", "p = Pair(item.weight, item.duration)\nreturn p.x / p.y",
            "from collections import namedtuple\n\nPair = namedtuple('Pair', 'x y')"),
    classed("NamedTuple", "p = Pair(item.weight, item.duration)\nreturn p.x / p.y",
            "from typing import NamedTuple\n\n\nclass Pair(NamedTuple):\n    x: float\n"
            "    y: float"),
    classed("plain class", "return Rule(2.0).apply(item)",
            "class Rule:\n    def __init__(self, factor):\n        self.factor = factor\n\n"
            "    def apply(self, x):\n        return self.factor * x.weight - x.duration"),
    classed("__call__", "return Rule(2.0)(item)",
            "class Rule:\n    def __init__(self, factor):\n        self.factor = factor\n\n"
            "    def __call__(self, x):\n        return self.factor * x.weight - x.duration"),
    classed("dataclass", "return WEIGHTS.a * item.weight - WEIGHTS.b * item.duration",
            "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Weights:\n"
            "    a: float = 2.0\n    b: float = 0.5\n\n\nWEIGHTS = Weights()"),
    classed("class of constants", "return Config.ALPHA * item.weight",
            "class Config:\n    ALPHA = 0.7\n    BETA = 0.3"),
    classed("enum", "phase = Phase.LATE if state.left < 4 else Phase.EARLY\n"
            "return item.weight * phase.value",
            "from enum import Enum\n\n\nclass Phase(Enum):\n    EARLY = 1\n    LATE = 2"),
    classed("static method", "return Rules.ratio(item.weight, item.duration)",
            "class Rules:\n    @staticmethod\n    def ratio(x, y):\n        return x / y"),
)  # fmt: skip
STYLE = (
    style("docstring and type hints", '"""Weighted shortest first."""\nreturn float(item.weight)',
          '"""A rule."""\n\nfrom __future__ import annotations\n\nfrom typing import Any'),
    style("try to import numpy", "return float(item.weight)",
          "try:\n    import numpy as np\nexcept ImportError:\n    np = None"),
    style("main guard", "return float(item.weight)",
          "import math\n\n\ndef main():\n    print(math.pi)\n\n\n"
          "if __name__ == '__main__':\n    main()"),
    style("f-string in an error",
          "if item.duration <= 0:\n    raise ValueError(f'bad duration {item.duration!r:>5}')\n"
          "return item.weight / item.duration"),
    style("format in an error",
          "if item.duration <= 0:\n    raise ValueError('bad {:.2f}'.format(item.duration))\n"
          "return item.weight / item.duration"),
    style("walrus", "return x if (x := item.weight / item.duration) > 1 else x * 0.5"),
    style("while loop", "x, k = item.weight, 0\nwhile x > 1 and k < 50:\n    x /= 2\n    k += 1\n"
          "return float(k)"),
    style("early returns", "if state.left == 1:\n    return 0.0\nif item.duration > 10:\n"
          "    return -1.0 * item.duration\nreturn float(item.weight)"),
    style("try and except", "try:\n    return item.weight / (item.duration - 3)\n"
          "except ZeroDivisionError:\n    return 1e6"),
    style("match on a value", "match state.left:\n    case 1 | 2:\n        return 1.0\n"
          "    case n if n > 5:\n        return item.weight * 2.0\n    case _:\n"
          "        return float(item.weight)"),
    style("match on a tuple", "match (item.weight > 10, state.left):\n    case (True, n):\n"
          "        return float(n)\n    case (False, _):\n        return -1.0"),
    style("local lists and dicts", "parts = {}\nparts['a'] = item.weight\n"
          "parts.setdefault('b', []).append(item.duration)\n"
          "return parts['a'] - sum(parts['b']) * 1.0"),
    style("sorted with key", "rows = sorted([(item.weight, 1), (item.duration, 2)],"
          " key=lambda r: (-r[0], r[1]))\nreturn float(rows[0][0])"),
    style("enumerate and zip", "return sum(k * a / b for k, (a, b) in enumerate("
          "zip([item.weight], [item.duration]), start=1))"),
    style("getattr with a default", "return float(getattr(item, 'weight', 0)) "
          "+ float(hasattr(state, 'left'))"),
    style("isinstance",
          "return float(item.weight) if isinstance(item.weight, (int, float)) else 0.0"),
    style("print for debugging", "print('weight', item.weight)\nreturn float(item.weight)"),
    style("assert", "assert item.duration > 0, 'no duration'\nreturn item.weight / item.duration"),
    style("unpacking with a star", "first, *rest = (item.weight, item.duration, state.left)\n"
          "return float(first - sum(rest))"),
    style("global constant read with global", "global ALPHA\nreturn ALPHA * item.weight",
          "ALPHA = 0.5"),
    style("set of strings, only asked",
          "return float('weight' in {'weight', 'time'}) * item.weight"),
    style("conditional import inside",
          "import math\n\nreturn math.tanh(item.weight / item.duration)"),
    style("del and pass", "x = item.weight\ny = x\ndel x\npass\nreturn float(y)"),
)  # fmt: skip
LIBRARY = (
    library("math",
            "return math.log1p(item.weight) - math.hypot(item.duration, 1)", "import math"),
    library("numpy scalars", "return float(np.clip(np.log1p(item.weight), 0, 5))",
            "import numpy as np"),
    library("itertools", "return float(sum(a * b for a, b in itertools.pairwise("
            "[item.weight, item.duration, 1])))", "import itertools"),
    library("heapq", "heap = []\nheapq.heappush(heap, (-item.weight, 0))\n"
            "heapq.heappush(heap, (item.duration, 1))\nreturn float(-heapq.heappop(heap)[0])",
            "import heapq"),
    library("collections", "seen = Counter([item.weight, item.duration])\n"
            "rows = defaultdict(list)\nrows[0].append(deque([1]))\n"
            "return float(seen[item.weight] + len(rows))",
            "from collections import Counter, defaultdict, deque"),
    library("bisect", "return float(bisect.bisect((2, 5, 9), item.duration) + item.weight)",
            "import bisect"),
    library("statistics", "return statistics.mean([item.weight, item.duration]) * 1.0",
            "import statistics"),
    library("statistics deviation", "return statistics.pstdev([item.weight, item.duration, 4])",
            "import statistics"),
    library("copy", "rows = copy.deepcopy([[item.weight], [1]])\nrows[0][0] += 1\n"
            "return float(rows[0][0])", "import copy"),
    library("operator", "return float(max([(1, item.weight), (0, 3)], "
            "key=operator.itemgetter(0))[1])", "import operator"),
    library("attrgetter", "return float(operator.attrgetter('weight')(item))", "import operator"),
    library("reduce", "return float(functools.reduce(operator.mul, [item.weight, 2], 1))",
            "import functools\nimport operator"),
    library("fractions", "return float(Fraction(item.weight, item.duration))",
            "from fractions import Fraction"),
    library("seeded generator", "return item.weight + random.Random(7).random()", "import random"),
    library("unused imports", "return float(item.weight)",
            "import random\nimport sys\nimport time\nfrom typing import List, Optional"),
    library("errstate", "with np.errstate(divide='ignore', invalid='ignore'):\n"
            "    return float(np.float64(item.weight) / np.float64(item.duration))",
            "import numpy as np"),
)  # fmt: skip
SHOPS = (
    shop("weighted sum over the features", """
         score = 0.0
         for name, weight in (("processing_time", -1.0), ("remaining_work", 0.5)):
             score += weight * getattr(feature, "processing_time" if weight < 0 else "job_id")
         return score
         """),
    shop("a helper that takes the state", "return -float(late(feature, state))",
         "def late(feature, state):\n    return feature.earliest_finish - state.makespan"),
    shop("tables of the instance", """
         row = state.instance.durations[feature.job_id]
         rest = [d for k, d in enumerate(row) if k >= feature.op_index]
         return sum(rest) / len(rest) - 0.1 * feature.machine_queue_len
         """),
    shop("a tuple of scores", "return (-feature.earliest_start) * 1e3 + max("
         "feature.remaining_work, 1) ** 0.5"),
)  # fmt: skip
PROGRAMS: tuple[Trick, ...] = (*TABLES, *HELPERS, *CLASSES, *STYLE, *LIBRARY, *SHOPS)
