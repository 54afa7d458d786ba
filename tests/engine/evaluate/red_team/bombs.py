"""Programs that ask for too much time, memory or depth, of the child or of the gate itself."""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product

from tests.engine.evaluate.red_team.trick import trick

bomb = partial(trick, "resource bomb", top="", expected="harmless")
heavy = partial(trick, "text that is heavy on the gate", top="", expected="harmless")

BOMBS = (
    bomb("endless loop", "while True:\n    pass"),
    bomb("endless loop in C", "return float(max(iter(int, 1)))"),
    bomb("sum of a huge range", "return float(sum(range(10**12)))"),
    bomb("endless list", "return float(len(list(itertools.count())))", top="import itertools"),
    bomb("endless deque", "deque(itertools.count(), maxlen=0)",
         top="import itertools\nfrom collections import deque"),
    bomb("permutations", "return float(len(list(itertools.permutations(range(20)))))",
         top="import itertools"),
    bomb("huge integer", "return float(9 ** 9 ** 9 % 7)"),
    bomb("huge factorial", "return float(math.factorial(10**8) % 7)", top="import math"),
    bomb("huge shift", "return float((1 << 10**12) % 7)"),
    bomb("integer as text", "return float(len(str(10 ** 5000)))"),
    bomb("huge string", "return float(len('x' * 10**12))"),
    bomb("padded string", "return float(len('x'.ljust(10**11)))"),
    bomb("huge format", "return float(len(f'{1:{10**10}}'))"),
    bomb("huge array", "return float(np.ones(10**11).sum())", top="import numpy as np"),
    bomb("array of lazy zeros", "return float(np.zeros((10**5, 10**5))[0, 0])",
         top="import numpy as np"),
    bomb("a cube of broadcasts",
         "x = np.ones((900, 900))\nreturn float((x[:, None] - x)[0, 0, 0])",
         top="import numpy as np"),
    bomb("eigenvalues", "return float(np.linalg.eigvals(np.ones((2500, 2500)))[0].real)",
         top="import numpy as np"),
    bomb("deep recursion", "return score(item, state)"),
    bomb("recursion through key=", "f = lambda x: max([x], key=f)\nreturn f(0)"),
    bomb("iterators nested too deeply", """
         steps = iter([1.0])
         for _ in range(300_000):
             steps = map(float, steps)
         return next(steps)
         """),
    bomb("chains nested too deeply", """
         steps = iter([1.0])
         for _ in range(300_000):
             steps = itertools.chain(steps)
         return next(steps)
         """, top="import itertools"),
    bomb("generators nested too deeply", """
         steps = iter([1.0])
         for _ in range(5_000):
             steps = (x for x in steps)
         return next(steps)
         """),
    bomb("partials nested too deeply", """
         call = float
         for _ in range(300_000):
             call = functools.partial(operator.call, call)
         return call(1)
         """, top="import functools\nimport operator"),
    bomb("comparison of nested tuples", """
         one, two = (), ()
         for _ in range(300_000):
             one = (one,)
             two = (two,)
         return float(one == two)
         """),
    bomb("hash of nested tuples", """
         one = ()
         for _ in range(300_000):
             one = (one,)
         return float(len({one}))
         """),
    bomb("deepcopy of nested lists", """
         deep = []
         for _ in range(100_000):
             deep = [deep]
         return float(len(copy.deepcopy(deep)))
         """, top="import copy"),
    bomb("endless exceptions", """
         error = ValueError()
         while True:
             try:
                 raise error
             except ValueError as found:
                 error = KeyError(found)
                 try:
                     raise error from found
                 except KeyError:
                     error = found
         """),
    bomb("output flood", "for _ in range(100):\n    print('x' * 10**5)\nreturn 1.0"),
    bomb("error with a huge message", "raise ValueError('x' * 10**8)"),
    bomb("error with a huge name", "raise type('x' * 10**7, (Exception,), {})"),
    bomb("regular expression", "np.ma.core.re.match('(a+)+$', 'a' * 40 + 'b')\nreturn 1.0",
         top="import numpy as np", expected="refused"),
    bomb("a growing fraction", """
         x, y = 1, 3
         while True:
             x = x * y + 1
             y = y * x + 1
         """),
    bomb("collisions of a dict", "return float(len({(2**61 - 1) * k: k for k in range(60_000)}))"),
)  # fmt: skip
NESTED_FINALLY = "".join(
    f"{' ' * depth}try:\n{' ' * depth} x = 1\n{' ' * depth}finally:\n" for depth in range(19)
)
NAMES = ["b" + "".join(letters) for letters in product("acdeghjkmnpqrstuvwxyz", repeat=3)][:5_500]
BACKWARDS = ";".join(
    f"{name}={before}" for before, name in reversed([*pairwise(["state", *NAMES])])
)
GATE = (
    heavy("a chain of names, last first", "\n".join(
        f"a{number} = a{number + 1}" for number in range(3000, 0, -1)
    ) + "\nreturn 1.0", top="a3001 = 0"),
    heavy("a chain of names, each a part of the next", "\n".join(
        f"a{number} = a{number - 1}" for number in range(1, 3000)
    ) + "\nreturn 1.0", top="a0 = 0"),
    heavy("56 kB of names that start at the state, the wrong way round",
          f"{BACKWARDS}\nreturn float({NAMES[-1]}.left)"),
    heavy("56 kB of targets", "a = " * 14_000 + "0\nreturn 1.0"),
    heavy("56 kB of targets with items", "x = [0]\n" + "x[0] = " * 8_000 + "0\nreturn 1.0"),
    heavy("56 kB of one name", "x = item.weight\n" + "x = x\n" * 4_500 + "return float(x)"),
    heavy("attributes of attributes", "x = item" + ".weight" * 90 + "\nreturn 1.0"),
    heavy("deep attributes", f"return item{'.x' * 30_000}"),
    heavy("deep calls", f"return item{'()' * 30_000}"),
    heavy("deep subscripts", f"return item{'[0]' * 20_000}"),
    heavy("deep subscripts as a target", f"x = [0]\nx{'[0]' * 900} = 1\nreturn 1.0"),
    heavy("deep lambdas", f"f = {'lambda: ' * 7_000}0\nreturn 1.0"),
    heavy("deep conditions", f"return {'1 if 0 else ' * 5_000}0"),
    heavy("deep negations", f"return float({'not ' * 15_000}0)"),
    heavy("deep powers", f"return float({'2**' * 20_000}1)"),
    heavy("a long sum", f"return float({'+'.join(['1'] * 30_000)})"),
    heavy("a long comparison", f"return float({'<'.join(['1'] * 30_000)})"),
    heavy("many branches",
          "x = 0\nif x: pass\n" + "elif x: pass\n" * 3_000 + "return 1.0"),
    heavy("many patterns", f"match item:\n    case {' | '.join(['1'] * 14_000)}:\n        pass\n"
          "return 1.0"),
    heavy("nested patterns", f"match item:\n    case {'[' * 190}{']' * 190}:\n        pass\n"
          "return 1.0"),
    heavy("nested brackets", f"return {'[' * 190}{']' * 190}"),
    heavy("nested functions", "\n".join(
        f"{' ' * depth}def f{depth}():" for depth in range(90)
    ) + f"\n{' ' * 90}pass\nreturn 1.0"),
    heavy("nested f-strings", "x = f\"{f'{1}'}\"\n" * 2_500 + "return 1.0"),
    heavy("nested finally blocks", f"{NESTED_FINALLY}{' ' * 19}pass\nreturn 1.0"),
    heavy("nested comprehensions", f"return {'[0 for x in ' * 45}[1]{']' * 45}"),
    heavy("many comprehensions", f"return [0 {'for x in [1] if x ' * 3_000}]"),
    heavy("many functions", "return 1.0", top="\n".join(
        f"def f{number}(): pass" for number in range(2_500)
    )),
    heavy("a large tuple", "return float(TABLE[1])", top=f"TABLE = ({'1, ' * 15_000})"),
    heavy("a large number", "return float(0x" + "f" * 50_000 + " % 7)"),
)  # fmt: skip
PROGRAMS = (*BOMBS, *GATE)
