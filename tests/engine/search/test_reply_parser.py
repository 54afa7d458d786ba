"""Replies as models really send them become programs, or failures that say what to mend."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.program import make_program, normalise
from engine.domain.values import Failure, Program
from engine.search.reply_parser import _drop_thoughts, _match_fence, parse_reply
from problems.base import Argument, Contract

CONTRACT = Contract(
    task="Score items.",
    function="score",
    arguments=(Argument("item", "the item"), Argument("state", "the situation")),
    answer="score",
    result="a number",
    objective="lower is better",
)
CODE = "def score(item, state):\n    return item.weight / item.duration"
IDEA = "Heavy and short first."


def fenced(code: str, info: str = "python", fence: str = "```") -> str:
    """A code block."""
    return f"{fence}{info}\n{code}\n{fence}"


GOOD = {
    "as asked": f"{{{IDEA}}}\n{fenced(CODE)}",
    "no fence": f"{{{IDEA}}}\n{CODE}",
    "no info string": f"{{{IDEA}}}\n{fenced(CODE, '')}",
    "upper case info": f"{{{IDEA}}}\n{fenced(CODE, 'Python')}",
    "py3 info": f"{{{IDEA}}}\n{fenced(CODE, 'python3')}",
    "tilde fence": f"{{{IDEA}}}\n{fenced(CODE, 'python', '~~~')}",
    "four backticks": f"{{{IDEA}}}\n{fenced(CODE, 'python', '````')}",
    "unclosed fence": f"{{{IDEA}}}\n```python\n{CODE}",
    "indented fence": f"{{{IDEA}}}\n  ```python\n  " + CODE.replace("\n", "\n  ") + "\n  ```",
    "windows line ends": f"{{{IDEA}}}\n{fenced(CODE)}".replace("\n", "\r\n"),
    "byte order mark": f"\ufeff{{{IDEA}}}\n{fenced(CODE)}",
    "chatty": f"Sure! Here it is.\n\n{{{IDEA}}}\n\n{fenced(CODE)}\n\nHope this helps!",
    "chatty without fence": f"{{{IDEA}}}\n{CODE}\n\nThis scores by density.",
    "idea inside the block": fenced(f"# {IDEA}\n{CODE}"),
    "braces inside the block": fenced(f"{{{IDEA}}}\n{CODE}"),
    "dict inside the code": f"{{{IDEA}}}\n"
    + fenced("def score(item, state):\n    w = {1: 2.0}\n    return w.get(1, 0.0)"),
    "nested braces in the idea": f"{{Heavy {{and}} short}}\n{fenced(CODE)}",
    "two-line idea": f"{{Heavy and\nshort first.}}\n{fenced(CODE)}",
    "thoughts first": f"<think>def score(a, b): wrong</think>\n{{{IDEA}}}\n{fenced(CODE)}",
    "thoughts with fences": f"<think>\n{fenced('def score(x): pass')}\n</think>\n{fenced(CODE)}",
    "open thought with a program": f"<think>\nLet me see.\n{{{IDEA}}}\n{fenced(CODE)}",
    "lone closing thought": f"def score(a): no\n</think>\n{{{IDEA}}}\n{fenced(CODE)}",
    "reasoning tag": f"<reasoning>hm {{}}</reasoning>{{{IDEA}}}\n{fenced(CODE)}",
    "old version first": f"Before:\n{fenced('def score(item):' + chr(10) + '    return 0')}\n"
    f"After:\n{fenced(CODE)}",
    "helper in another block": f"{{{IDEA}}}\n{fenced('def helper(x):' + chr(10) + '    return x')}"
    "\nand\n" + fenced("def score(item, state):\n    return helper(item.weight)"),
    "null byte in a string": fenced("def score(item, state):\n    return len('\0')"),
    "form feed and byte order mark": fenced(f"\ufeff# heavy\n\f\n{CODE}"),
    "imports": f"{{{IDEA}}}\n"
    + fenced("import math\n\ndef score(item, state):\n    return math.log1p(item.weight)"),
    "import inside": f"{{{IDEA}}}\n"
    + fenced("def score(item, state):\n    import math\n    return math.sqrt(item.weight)"),
    "constants": f"{{{IDEA}}}\n"
    + fenced("A = 0.5\n\ndef score(item, state):\n    return A * item.weight"),
    "annotations": f"{{{IDEA}}}\n"
    + fenced("def score(item: object, state: object) -> float:\n    return 1.0"),
    "main guard": f"{{{IDEA}}}\n"
    + fenced(CODE + "\n\nif __name__ == '__main__':\n    score(1, 2)"),
    "bare call": f"{{{IDEA}}}\n" + fenced(CODE + "\n\nprint(score(None, None))"),
    "another name": f"{{{IDEA}}}\n" + fenced("def priority(item, state):\n    return item.weight"),
    "another name and a helper": f"{{{IDEA}}}\n"
    + fenced("def f(x, y):\n    return x\n\ndef rank(item, state):\n    return f(item, state)"),
    "curly quotes": f"{{{IDEA}}}\n"
    + fenced("def score(item, state):\n    x = \u201ca\u201d\n    return 1.0"),
    "no-break spaces": f"{{{IDEA}}}\n"
    + fenced("def score(item,\u00a0state):\n\u00a0\u00a0\u00a0\u00a0return 1.0"),
    "tabs and spaces": f"{{{IDEA}}}\n"
    + fenced("def score(item, state):\n\tif item:\n        return 1.0\n\treturn 2.0"),
    "envelope": json.dumps({"description": IDEA, "code": CODE}),
    "envelope in a fence": fenced(json.dumps({"idea": IDEA, "code": CODE}), "json"),
    "envelope with fenced code": json.dumps({"description": IDEA, "code": fenced(CODE)}),
    "no idea at all": fenced(CODE),
    "heading": f"## Idea\n{{{IDEA}}}\n## Code\n{fenced(CODE)}",
    "list before": f"1. think\n2. code\n{{{IDEA}}}\n{fenced(CODE)}",
    "shell block before": f"{fenced('pip install numpy', 'bash')}\n{{{IDEA}}}\n{fenced(CODE)}",
    "decorator": f"{{{IDEA}}}\n"
    + fenced("import functools\n\n@functools.cache\ndef score(item, state):\n    return 1.0"),
    "two definitions": f"{{{IDEA}}}\n" + fenced(CODE + "\n\n" + CODE),
    "whole answer indented": f"    {{{IDEA}}}\n" + "    " + CODE.replace("\n", "\n    "),
    "default argument": f"{{{IDEA}}}\n" + fenced("def score(item, state, *, w=2):\n    return w"),
}

BAD = {
    "empty": ("", "contains no function"),
    "prose": ("I would rather talk about the weather.", "contains no function"),
    "open thought": ("<think>first I would", "inside its reasoning"),
    "wrong arity": (fenced("def score(item):\n    return 1"), "must define exactly score(item"),
    "two unnamed": (
        fenced("def a(x, y):\n    return 1\n\ndef b(x, y):\n    return 2"),
        "must define exactly",
    ),
    "syntax error": (fenced("def score(item, state):\n    return (1"), "does not compile"),
    "cut in the middle": (fenced("def score(item, state):\n    if item"), "does not compile"),
    "a class": (fenced("class Score:\n    pass"), "contains no function"),
    "a lambda": (fenced("score = lambda item, state: 1"), "contains no function"),
    "other language": (fenced("function score(item, state) { return 1 }", "js"), "contains no"),
    "deeply nested": (fenced("def score(item, state):\n    return " + "(" * 3000), "compile"),
    "null byte": (fenced("def score(item, state):\n    return 1\0"), "does not compile"),
    "refusal": ("I can't help with that.", "contains no function"),
    "async": (fenced("async def score(item, state):\n    return 1"), "must define exactly"),
}


def test_a_thought_that_is_never_closed_hides_no_later_one_that_is() -> None:
    wrong = fenced("def score(item, state):\n    return 'wrong'")
    reply = f"<think>Let me see.\n{{{IDEA}}}\n{fenced(CODE)}\n<reasoning>{wrong}</reasoning>"
    found = parse_reply(reply, CONTRACT)
    assert isinstance(found, Program) and "wrong" not in found.code


@pytest.mark.parametrize("shape", GOOD)
def test_a_readable_reply_gives_a_program_that_compiles(shape: str) -> None:
    found = parse_reply(GOOD[shape], CONTRACT)
    assert isinstance(found, Program), found
    space: dict[str, object] = {}
    exec(compile(found.code, "reply", "exec"), space)
    assert callable(space["score"])


@pytest.mark.parametrize("shape", BAD)
def test_an_unreadable_reply_says_what_to_mend(shape: str) -> None:
    text, message = BAD[shape]
    found = parse_reply(text, CONTRACT)
    assert isinstance(found, Failure), found
    assert message in found.message
    assert found.repairable


@pytest.mark.parametrize(
    "shape",
    ["as asked", "no fence", "chatty", "thoughts first", "envelope", "braces inside the block"],
)
def test_the_idea_is_found_where_it_stands(shape: str) -> None:
    found = parse_reply(GOOD[shape], CONTRACT)
    assert isinstance(found, Program)
    assert found.idea == IDEA


def test_the_last_block_with_the_function_wins() -> None:
    text = (
        f"{fenced(CODE)}\nBetter:\n{fenced('def score(item, state):' + chr(10) + '    return 7')}"
    )
    found = parse_reply(text, CONTRACT)
    assert isinstance(found, Program)
    assert "return 7" in found.code


def test_a_cut_off_reply_is_repairable_even_when_it_compiles() -> None:
    found = parse_reply(GOOD["as asked"], CONTRACT, finish="length")
    assert isinstance(found, Failure)
    assert found.repairable


@pytest.mark.parametrize("text", ["", "<think>Let me see ...", "<think>Let me see</think>\n"])
def test_a_reply_that_was_cut_while_reasoning_is_told_to_reason_less(text: str) -> None:
    found = parse_reply(text, CONTRACT, finish="length")
    assert isinstance(found, Failure)
    assert "still reasoning; reason less" in found.message


@pytest.mark.parametrize("steps", [10, 400, 1500])
def test_a_long_program_is_read_to_its_end(steps: int) -> None:
    body = "".join(f"    value = {step}\n" for step in range(steps))
    found = parse_reply(
        f"{{Steps}}\n{fenced(f'def score(item, state):{chr(10)}{body}    return value')}", CONTRACT
    )
    assert isinstance(found, Program)
    assert found.code.rstrip().endswith("return value")


@pytest.mark.parametrize("body", ["    value = 1\n" * 4000, "    # " + "x" * 64_000])
def test_a_reply_that_is_too_long_is_never_read_in_part(body: str) -> None:
    found = parse_reply(fenced(f"def score(item, state):\n    return 1\n{body}"), CONTRACT)
    assert isinstance(found, Failure)
    assert "longer than 64,000 characters or 4,000 lines" in found.message
    assert found.repairable


def test_comments_names_of_lines_and_docstrings_do_not_make_a_new_program() -> None:
    noisy = (
        'def score(item, state):\n    """Why."""\n    return (item.weight/item.duration)  # how'
    )
    assert normalise(noisy) == normalise(CODE)
    assert make_program("a", noisy).hash == make_program("b", CODE).hash
    assert make_program("a", CODE.replace("/", "*")).hash != make_program("b", CODE).hash


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n" * 300,
        "def score(item, state):\n    return 1 +\n" * 150,
        "x" * 1_000_000,
        "{" * 100_000,
        "def score(item, state):\n" + "    if item:\n" * 390,
        "```python\n" * 400,
    ],
    ids=["defs", "cut defs", "one line", "braces", "nested ifs", "fences"],
)
def test_hostile_text_is_bounded_in_time(text: str) -> None:
    started = time.process_time()
    assert isinstance(parse_reply(text, CONTRACT), Failure)
    assert time.process_time() - started < 10


THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*([\w+.-]*)[^`]*$")
"""What is to be found, said plainly and in square time."""

TAGS = st.sampled_from(["<think>", "</think>", "<Thinking>", "</thinking>", "</reasoning>", "a\n"])
MARKS = st.sampled_from(["```", "~~~", "`", "~", " ", "\t", "py", "+", "\u00e9", "{"])


@given(st.lists(TAGS).map("".join))
def test_thoughts_are_dropped_as_the_plain_expression_would(text: str) -> None:
    assert _drop_thoughts(text) == THOUGHTS.sub("", text)


@given(st.lists(MARKS).map("".join))
def test_fences_are_found_as_the_plain_expression_would(line: str) -> None:
    plain, found = FENCE.match(line), _match_fence(line)
    assert (plain and plain.groups()) == (found and found.groups())


LONG = "x = " + "+".join(["x"] * 75)
HOSTILE = {
    "opening tags": "<think>" * 9000,
    "mixed tags": "<think></thinking>" * 3500,
    "a fence of blanks": "```" + " " * 63_000 + "`",
    "a fence of letters": "``` " + "a" * 63_000 + "`",
    "prose that breaks in the middle": "\n".join(
        ["import a", *[LONG] * 195, "it's", *[LONG] * 200]
    ),
    "many lines that break at the end": "import a\n" * 3000 + "def score(item, state:\n" * 900,
    "many blocks": "```\nimport a\n```\n" * 1300,
    "a chain": "```\ndef score(item, state):\n    " + "a=" * 28_000 + "1\n    return 0\n```",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_reply_takes_more_than_a_second(text: str) -> None:
    began = time.thread_time()
    parse_reply(text, CONTRACT)
    assert time.thread_time() - began < 1.0


ESCAPES = "\x1b]52;c;Zm9v\x07 \x9b2J \u202e"


@pytest.mark.parametrize(
    "reply",
    [
        f"{{{ESCAPES}}}\n{fenced(f'{CODE}  # {ESCAPES}')}",
        json.dumps({"idea": ESCAPES, "code": f"{CODE}  # {ESCAPES}"}),
    ],
    ids=["plain", "escaped in JSON"],
)
def test_what_a_terminal_would_obey_is_written_out(reply: str) -> None:
    found = parse_reply(reply, CONTRACT)
    assert isinstance(found, Program), found
    plain = "\\u001b]52;c;Zm9v\\u0007 \\u009b2J \\u202e"
    assert found.idea == plain
    assert found.code == f"{CODE}  # {plain}\n"
    assert found.hash == make_program("", CODE).hash
