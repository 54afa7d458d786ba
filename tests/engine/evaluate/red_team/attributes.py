"""Attributes read or written without a dot that the gate can see."""

from __future__ import annotations

from functools import partial

from tests.engine.evaluate.red_team.trick import Trick, trick

matched = partial(trick, "attribute by a class pattern")
formatted = partial(trick, "attribute by a format")
copied = partial(trick, "attribute by a helper of the library")
classed = partial(trick, "class made by type()")


def caught(name: str, lines: str, *, top: str = "", known: bool = False) -> Trick:
    """A pattern on a trapped error `error`, whose class is `ZeroDivisionError`."""
    inside = "\n".join(f"    {line}" for line in lines.strip("\n").split("\n"))
    return trick(
        "frames of an exception",
        name,
        f"try:\n    1 / 0\nexcept ZeroDivisionError as error:\n{inside}",
        top,
        known=known,
    )


FRAME = """
def up(frame):
    match frame:
        case Frame(f_back=back, f_locals=names):
            return up(back) if "instances" not in names else names


def pieces(error):
    match error:
        case BaseException(__traceback__=trace):
            return trace
"""
PATTERNS = (
    matched(
        "__globals__ of the function",
        """
        Function = type(score)
        match score:
            case Function(__globals__=found):
                return float(found["__builtins__"]["id"](item) % 1000)
        """,
        known=True,
    ),
    matched(
        "__dict__ of the function",
        """
        Function = type(score)
        match score:
            case Function(__dict__=kept):
                kept["calls"] = kept.get("calls", 0) + 1
                return float(kept["calls"] * item.weight)
        """,
        known=True,
    ),
    matched(
        "__hash__ of a string",
        "match 'word':\n    case str(__hash__=number):\n        return float(number() % 1000)",
    ),
    matched(
        "address of an array",
        """
        match np.zeros(3):
            case np.ndarray(__array_interface__=told):
                return float(told["data"][0] // 16 % 1000)
        """,
    ),
)
FRAMES = (
    caught(
        "__traceback__ by a pattern",
        """
match error:
    case ZeroDivisionError(__traceback__=trace):
        return float(len(str(trace)))
""",
        known=True,
    ),
    caught(
        "the names of a caller",
        """
trace = pieces(error)
Trace = type(trace)
match trace:
    case Trace(tb_frame=frame):
        pass
Frame = type(frame)
while True:
    match frame:
        case Frame(f_back=back, f_locals=names):
            if "instances" in names:
                return float(sum(names["instances"][0].weights) * item.weight)
            frame = back
""",
        top=FRAME,
        known=True,
    ),
    caught(
        "the names of a caller by a format",
        """
text = "{0.__traceback__.tb_frame.f_back.f_locals}".format(error)
return float(len(text))
""",
    ),
    caught(
        "the other items by a format",
        """
text = "{0.__traceback__.tb_frame.f_back.f_locals[state].instance.weights}".format(error)
weights = [int(x) for x in text.strip("()").split(",")]
return float(item.weight - max(weights))
""",
    ),
    trick(
        "frames of an exception",
        "a profiler that is handed frames",
        """
        seen = []
        system = np.ma.core.warnings.sys
        system.setprofile(lambda frame, event, argument: seen.append(frame))
        float(item.weight)
        system.setprofile(None)
        return float(len(str(seen[0])))
        """,
    ),
    trick(
        "frames of an exception",
        "a running generator that formats itself",
        """
        def steps():
            yield len("{0.gi_frame.f_back.f_back.f_locals}".format(own[0]))

        own = []
        own.append(steps())
        return float(next(own[0]))
        """,
        "",
    ),
)
FORMATS = (
    formatted("the class of an argument", "return float(len('{0.__class__}'.format(item)))",
              "", known=True),
    formatted("globals of the function",
              "return float(len('{0.__globals__}'.format(score)))", "", known=True),
    formatted("format_map", "return float(len('{x.__class__}'.format_map({'x': item})))", ""),
    formatted(
        "format by getattr",
        "return float(len(getattr('{0.__class__}', 'format')(item)))",
        "",
    ),
    formatted(
        "the formatter of the string module",
        """
        form = np.ma.core.np.f2py.crackfortran.string.Formatter()
        return float(len(form.get_field("0.__globals__", (score,), {})[0]))
        """,
    ),
)  # fmt: skip
HELPERS = (
    copied(
        "update_wrapper keeps a count in a default",
        """
        holder = type("Holder", (), {"__defaults__": (helper() + 1,)})
        functools.update_wrapper(helper, holder, assigned=("__defaults__",), updated=())
        return float(helper() * item.weight)
        """,
        "import functools\n\n\ndef helper(calls=0):\n    return calls",
    ),
    copied(
        "update_wrapper counts calls on the function",
        """
        calls = getattr(score, "calls", 0)
        holder = type("Holder", (), {"calls": calls + 1})
        functools.update_wrapper(score, holder, assigned=("calls",), updated=())
        return float(calls * item.weight)
        """,
        "import functools",
    ),
    copied(
        "update_wrapper merges dicts into the globals",
        """
        holder = type("Holder", (), {"__globals__": {"CALLS": CALLS + 1}})
        functools.update_wrapper(score, holder, assigned=(), updated=("__globals__",))
        return float(CALLS * item.weight)
        """,
        "import functools\n\nCALLS = 0",
    ),
    copied(
        "wraps reads the dict of a class",
        """
        kept = functools.wraps(score, assigned=("__dict__",), updated=())(functools.partial(len))
        return float(len(str(kept)))
        """,
        "import functools",
    ),
    copied(
        "copy sets an attribute of the function",
        """
        calls = getattr(score, "calls", 0)
        order = (lambda: score, (), (None, {"calls": calls + 1}))
        copy.copy(type("Order", (), {"__reduce_ex__": lambda self, version: order})())
        return float(calls * item.weight)
        """,
        "import copy",
    ),
    copied(
        "typing.overload remembers a call",
        """
        kept = typing.get_overloads(score)
        typing.overload(score)
        return float(item.weight if kept else -item.weight)
        """,
        "import typing",
    ),
    copied(
        "methodcaller behind numpy.ma",
        "call = np.ma.core.operator.methodcaller('__sizeof__')\nreturn float(call(score))",
    ),
)
CLASSES = (
    classed(
        "getattribute of its own",
        "Any = type('Any', (), {'__getattr__': lambda self, name: len(name)})\n"
        "return float(Any().word * item.weight)",
        "",
    ),
    classed(
        "__class_getitem__",
        "Any = type('Any', (), {'__class_getitem__': lambda cls, key: key})\n"
        "return float(Any[0] + item.weight)",
        "",
    ),
    classed(
        "an abstract class that remembers",
        """
        if isinstance(item, Reversible):
            return float(item.weight)
        Reversible.register(type(item))
        return float(item.duration)
        """,
        "from collections.abc import Reversible",
    ),
)
DECORATED = (
    Trick(
        "decorator",
        "a decorator that keeps results",
        "import functools\n\n\n@functools.lru_cache(None)\ndef helper(x):\n    return [x]\n\n\n"
        "def score(item, state):\n    kept = helper(0)\n    kept.append(0)\n"
        "    return float(len(kept) * item.weight)\n",
    ),
    Trick(
        "decorator",
        "a class that looks like the function",
        "class Score:\n    def __call__(self, item, state):\n        return 1.0\n\n\n"
        "score = Score()\n",
    ),
    Trick(
        "decorator",
        "a metaclass with a body",
        "class Meta(type):\n    def __getattr__(cls, name):\n        return 1\n\n\n"
        "class Made(metaclass=Meta):\n    pass\n\n\n"
        "def score(item, state):\n    return float(Made.anything * item.weight)\n",
    ),
)
PROGRAMS = (*PATTERNS, *FRAMES, *FORMATS, *HELPERS, *CLASSES, *DECORATED)
