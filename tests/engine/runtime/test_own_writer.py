"""What a user reads of a mistake in her own writer: its line, and what the seam says of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import problems
from engine.domain.values import Message, Reply, Request, Usage
from engine.llm.base import ProviderDown, Writer
from engine.runtime.writers.own_writer import open_own
from engine.runtime.writers.suite import CHECKS
from problems.errors import PreceptorError, WriterUnavailable
from tests.conftest import ROOT, TOY

COMPLETE = "    async def complete(self, request: Request) -> Reply:"
REPLY = "return Reply(self.answer(random.Random(request.draw), request))"
SUM = 'head = f"def {self._contract.signature()}:"'

MISTAKES = {
    "a syntax error": ("class Writer:", "class Writer", "class Writer", "SyntaxError: expected"),
    "an error in the module": (
        "class Writer:",
        "KEY = None.key\n\n\nclass Writer:",
        "KEY = None.key",
        "AttributeError: 'NoneType' object has no attribute 'key'",
    ),
    "a writer of nothing": (
        "def __init__(self, problem: Problem)",
        "def __init__(self)",
        "class Writer:",
        "takes 1 positional argument but 2 were given",
    ),
    "a writer that cannot be built": (
        "self._contract = problem.contract",
        "self._contract = problem.contracts",
        "self._contract = problem.contracts",
        "has no attribute 'contracts' in __init__()",
    ),
    "no name": ('    name = "by-chance"\n', "", "class Writer:", "no name; the seam says of name"),
    "no complete": (
        "async def complete(",
        "async def write(",
        "class Writer:",
        "no complete(request)",
    ),
    "complete without async": (
        COMPLETE,
        COMPLETE.replace("async ", ""),
        COMPLETE.replace("async ", ""),
        "complete is no `async def`; the seam says of complete: Answer one request.",
    ),
    "complete of nothing": (
        COMPLETE,
        "    async def complete(self) -> Reply:",
        "    async def complete(self) -> Reply:",
        "complete() cannot be called as complete(request)",
    ),
    "no reply": (
        REPLY,
        REPLY.removeprefix("return "),
        COMPLETE,
        "complete() returned None, not a",
    ),
    "text in the place of a reply": (
        REPLY,
        "return self.answer(random.Random(request.draw), request)",
        COMPLETE,
        ", not a Reply; the seam says of complete",
    ),
    "a reply of bytes": (REPLY, "return Reply(b'')", COMPLETE, "whose text is of type bytes"),
    "half a character": (REPLY, r"return Reply('\udc80')", COMPLETE, "a lone surrogate"),
    "tokens as text": (
        REPLY,
        "from preceptor import Usage; return Reply('', usage=Usage('ten', 0))",
        COMPLETE,
        "a Usage of 'ten' and 0 tokens",
    ),
    "no usage": (
        REPLY,
        "return Reply('', usage=None)",
        COMPLETE,
        "whose usage is of type NoneType",
    ),
    "an error in an answer": (
        SUM,
        'head = f"def {self._contract.head()}:"',
        'head = f"def {self._contract.head()}:"',
        "AttributeError: 'Contract' object has no attribute 'head' in answer()",
    ),
}


async def complain(file: Path) -> str:
    """What is said of a writer when it is built and asked; "" where nothing is wrong."""
    toy = problems.load(TOY)
    try:
        await open_own(file, "Writer", toy).complete(REQUEST)
    except PreceptorError as error:
        return str(error)
    return ""


REQUEST = Request("program", "s", (Message("user", "Write a program."),), ())


def write(folder: Path, old: str = "", new: str = "") -> Path:
    """The writer of the template with one change."""
    text = (ROOT / "tui/template/writer/writer.py").read_text("utf-8")
    assert old in text
    file = folder / "author.py"
    file.write_text(text.replace(old, new, 1), "utf-8")
    return file


@pytest.mark.parametrize("mistake", MISTAKES)
async def test_the_line_at_fault_is_named(mistake: str, tmp_path: Path) -> None:
    old, new, blamed, words = MISTAKES[mistake]
    file = write(tmp_path, old, new)
    told = await complain(file)
    lines = file.read_text("utf-8").splitlines()
    line = next(number for number, line in enumerate(lines, 1) if blamed in line)
    assert words in told
    assert "\n" not in told
    assert re.match(rf"\S*/author\.py:{line}: ", told), (line, told)


async def test_a_class_that_a_file_does_not_have_names_those_that_it_has(tmp_path: Path) -> None:
    with pytest.raises(PreceptorError, match=r"unknown writer in .*; did you mean 'Writer'"):
        open_own(write(tmp_path), "Writr", problems.load(TOY))


async def test_a_provider_that_is_down_stays_one(tmp_path: Path) -> None:
    down = "raise ProviderDown('busy', Usage(), 'no')"
    file = write(tmp_path, REPLY, f"from preceptor import ProviderDown, Usage; {down}")
    with pytest.raises(ProviderDown, match="busy"):
        await open_own(file, "Writer", problems.load(TOY)).complete(REQUEST)


async def test_a_quote_of_a_wrong_kind_is_named(tmp_path: Path) -> None:
    quote = "    def quote(self, request):\n        return 12\n\n"
    writer = open_own(write(tmp_path, COMPLETE, quote + COMPLETE), "Writer", problems.load(TOY))
    with pytest.raises(WriterUnavailable, match=r"quote\(\) returned int 12"):
        writer.quote(REQUEST)  # type: ignore[attr-defined]


class Silent:
    """A writer that says nothing."""

    name = "silent"

    async def complete(self, request: Request) -> Reply:
        """Nothing."""
        return Reply("", usage=Usage())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_suite_of_writers_holds_for_the_template(check: object, tmp_path: Path) -> None:
    toy = problems.load(TOY)
    author: Writer = open_own(write(tmp_path), "Writer", toy)
    check(author, toy)  # type: ignore[operator]


def test_the_suite_of_writers_names_the_line_of_one_that_says_nothing() -> None:
    for check in CHECKS[1:3]:
        with pytest.raises(AssertionError, match=r"test_own_writer\.py:\d+: "):
            check(Silent(), problems.load(TOY))
