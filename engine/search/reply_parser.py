"""A reply becomes a program: find the code, check that it defines the contract's function.

Reply contract (paper, appendix "Task Interface Adapter Prompts"): a one-sentence idea in braces,
then the function. Real replies stray from it in many ways; what can be read without guessing is
read, everything else is a Failure that one repair call may cure. Parsing is pure and bounded.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from engine.domain.program import make_program, parse_code
from engine.domain.text.plain_text import clean_reply
from engine.domain.values import Failure, Program
from problems.base import Contract

MAX_REPLY = 1_000_000
"""Characters of a reply that are read, reasoning included."""

MAX_CHARACTERS = 64_000
MAX_LINES = 4_000
MAX_ATTEMPTS = 200
MAX_PARSED = 1_500_000
"""Characters given to Python's parser for one reply: about a second of it, at worst."""

_CLOSING = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_OPENING = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([\w+.-]*)")
_UNICODE = str.maketrans(
    {
        "\u201c": '"',
        "\u201d": '"',
        "\u2018": "'",
        "\u2019": "'",
        "\u00a0": " ",
        "\u2212": "-",
        "\u200b": None,
    }
)
_STARTS = ("def ", "async def ", "import ", "from ", "@", "class ")


@dataclass(frozen=True, slots=True)
class _Layout:
    """A reply split by its fences: the code blocks, and the prose between them."""

    blocks: tuple[str, ...]
    prose: str


@dataclass(slots=True)
class _Attempts:
    """Parses for one reply, until `left` characters are used up."""

    left: int = MAX_PARSED

    def parse(self, code: str) -> ast.Module | None:
        """The syntax tree, None when it does not compile or no more may be tried."""
        self.left -= len(code)
        if self.left < 0:
            return None
        try:
            return parse_code(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def parse_reply(text: str, contract: Contract, finish: str = "stop") -> Program | Failure:
    """The program in a reply, or why there is none.

    `finish` is the provider's finish reason; "length" makes any failure a cut-off reply.
    """
    if finish == "length":
        return _failure(_tell_cut(text))
    text = _tidy(text)
    if len(text) > MAX_CHARACTERS or text.count("\n") >= MAX_LINES:
        limits = f"{MAX_CHARACTERS:,} characters or {MAX_LINES:,} lines"
        return _failure(f"the reply is longer than {limits}; answer more briefly")
    idea, text = _open_envelope(text)
    layout = _split_fences(text)
    for code, tree in _candidates(layout):
        found = _fit(code, tree, contract)
        if found is not None:
            return _program(idea or _find_idea(layout, found), found)
    if _OPENING.search(text):
        return _failure("the reply ends inside its reasoning and contains no program")
    return _explain(layout, contract)


def _tell_cut(text: str) -> str:
    """What is said of a cut reply: one without a word of its answer was all reasoning."""
    answer = _OPENING.split(_tidy(text))[0]
    if answer.strip():
        return "the reply was cut off before it ended; answer more briefly"
    return (
        "the reply was cut off while it was still reasoning; reason less "
        "(or give the writer a higher max_tokens)"
    )


def _program(idea: str, code: str) -> Program | Failure:
    try:
        return make_program(" ".join(idea.split()), code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return _failure(f"the code does not compile: {error}")


def _failure(message: str, kind: Literal["parse", "signature"] = "parse") -> Failure:
    return Failure(kind, message, repairable=True)


def _tidy(text: str) -> str:
    return _CLOSING.split(_drop_thoughts(clean_reply(text[:MAX_REPLY])))[-1]


def _drop_thoughts(text: str) -> str:
    """The text without what stands between a tag and the next tag that closes it.

    In time linear in the text: a tag found to be closed nowhere is not looked for again.
    """
    kept: list[str] = []
    unclosed: set[str] = set()
    start = place = 0
    while opening := _OPENING.search(text, place):
        name = opening.group(1).lower()
        place = opening.end()
        closing = None
        if name not in unclosed:
            closing = re.compile(f"</{name}>", re.IGNORECASE).search(text, place)
        if closing is None:
            unclosed.add(name)
            continue
        kept.append(text[start : opening.start()])
        start = place = closing.end()
    return "".join([*kept, text[start:]])


def _open_envelope(text: str) -> tuple[str, str]:
    """Unpack a JSON object that holds a description and code."""
    bare = text.strip()
    if bare.startswith("```json"):
        bare = bare.removeprefix("```json").rsplit("```", 1)[0].strip()
    if not bare.startswith("{") or '"code"' not in bare:
        return "", text
    try:
        document = json.loads(bare)
    except (ValueError, RecursionError):
        return "", text
    if not isinstance(document, dict) or not isinstance(document.get("code"), str):
        return "", text
    idea = next((document[k] for k in ("description", "idea", "thought") if k in document), "")
    return clean_reply(str(idea)), clean_reply(cast("str", document["code"]))


def _split_fences(text: str) -> _Layout:
    blocks: list[list[str]] = []
    prose: list[str] = []
    fence = ""
    for line in text.split("\n"):
        fence_line = _match_fence(line)
        if fence:
            if fence_line and line.strip().startswith(fence) and not fence_line.group(2):
                fence = ""
            else:
                blocks[-1].append(line)
        elif fence_line:
            fence = fence_line.group(1)
            blocks.append([])
        else:
            prose.append(line)
    return _Layout(tuple("\n".join(block) for block in blocks), "\n".join(prose))


def _match_fence(line: str) -> re.Match[str] | None:
    """A line of at least three backticks or tildes, and no backtick after them."""
    found = _FENCE.match(line)
    return found if found and "`" not in line[found.end(1) :] else None


def _candidates(layout: _Layout) -> Iterator[tuple[str, ast.Module]]:
    """Pieces of the reply that compile: last block first, all blocks joined, then the prose."""
    attempts = _Attempts()
    pieces = [*reversed(layout.blocks)]
    if len(layout.blocks) > 1:
        pieces.append("\n".join(layout.blocks))
    for piece in pieces:
        for variant in _variants(piece):
            tree = attempts.parse(variant)
            if tree is not None:
                yield variant, tree
                break
        else:
            yield from _trim(piece, attempts)
    yield from _trim(layout.prose, attempts)


def _variants(piece: str) -> Iterator[str]:
    piece = _dedent(piece)
    plain = piece.translate(_UNICODE)
    yield piece
    yield plain
    yield plain.expandtabs(4)
    yield plain.expandtabs(8)


def _trim(prose: str, parser: _Attempts) -> Iterator[tuple[str, ast.Module]]:
    """From each plausible first line, drop lines from the end until the rest compiles."""
    lines = prose.translate(_UNICODE).split("\n")
    attempts = 0
    for start, line in enumerate(lines):
        if not line.lstrip().startswith(_STARTS):
            continue
        end = len(lines)
        while end > start and attempts < MAX_ATTEMPTS:
            attempts += 1
            code = _dedent("\n".join(lines[start:end]))
            tree = parser.parse(code)
            if tree is not None:
                yield code, tree
                break
            end -= 1


def _dedent(code: str) -> str:
    lines = code.expandtabs(4).split("\n") if code[:1] in " \t" else code.split("\n")
    first = next((line for line in lines if line.strip()), "")
    margin = len(first) - len(first.lstrip())
    return "\n".join(line[margin:] if not line[:margin].strip() else line for line in lines)


def _fit(code: str, tree: ast.Module, contract: Contract) -> str | None:
    """The code if it defines the contract's function, renamed when the only other fits."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    arity = len(contract.arguments)
    named = [f for f in functions if f.name == contract.function]
    if named:
        return _strip_calls(code, tree) if _arity(named[-1]) == arity else None
    called = {n.func.id for n in ast.walk(tree) if _is_named_call(n)}  # type: ignore[attr-defined]
    fitting = [f for f in functions if _arity(f) == arity and f.name not in called]
    if len(fitting) != 1:
        return None
    renamed = re.sub(rf"\b{re.escape(fitting[0].name)}\b", contract.function, code)
    return _strip_calls(renamed, parse_code(renamed))


def _is_named_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _arity(function: ast.FunctionDef) -> int:
    return len(function.args.posonlyargs) + len(function.args.args)


def _strip_calls(code: str, tree: ast.Module) -> str:
    """Drop main guards and bare calls at module level; the rest keeps its own text."""
    lines = code.split("\n")
    for node in reversed(tree.body):
        guard = isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)
        bare = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
        if guard or bare:
            del lines[node.lineno - 1 : node.end_lineno]
    return "\n".join(lines)


def _find_idea(layout: _Layout, code: str) -> str:
    """The first balanced braces of the prose, else of a block's head, else the first comment."""
    for text in (layout.prose, *(b.split("def ")[0] for b in layout.blocks)):
        braces = _balanced(text)
        if braces:
            return braces
    comment = next((ln for ln in code.split("\n") if ln.strip().startswith("#")), "")
    return comment.strip().lstrip("# ")


def _balanced(text: str) -> str:
    start = text.find("{")
    if start < 0:
        return ""
    depth = 0
    for position, character in enumerate(text[start:], start):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return text[start + 1 : position].strip()
    return ""


def _explain(layout: _Layout, contract: Contract) -> Failure:
    pieces = [*layout.blocks, layout.prose]
    text = next((p for p in pieces if f"def {contract.function}" in p), None)
    if text is None:
        text = next((p for p in pieces if "def " in p), None)
    if text is None:
        return _failure(f"the reply contains no function; define {contract.signature()}")
    try:
        tree = parse_code(_dedent(text))
    except (SyntaxError, ValueError) as error:
        return _failure(f"the code does not compile: {error}")
    except (RecursionError, MemoryError):
        return _failure("the code is nested too deeply to compile")
    found = [f"{n.name}()" for n in tree.body if isinstance(n, ast.FunctionDef)]
    return _failure(
        f"the code defines {', '.join(found) or 'no function'}; it must define exactly "
        f"{contract.signature()}",
        "signature",
    )
