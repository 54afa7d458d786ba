"""The layout of the code: a sentence for each room, no circles, pages that name what is there."""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("problems", "teachers", "engine", "tui")
PAGES = ("ARCHITECTURE.md", "METHODS.md", "CONTRIBUTING.md", "README.md", "docs/design.md")
PATH = re.compile(r"`((?:problems|teachers|engine|tui|tests|docs|studies)/[a-z0-9_./-]+)`")


def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    files = [file for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    dotted = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in files}
    return {name.removesuffix(".__init__"): file for name, file in dotted.items()}


def imports(name: str, file: Path, known: dict[str, Path]) -> set[str]:
    """The modules of ours that a module names in an import, those for types alone included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & known.keys()) or {node.module}
    return (found & known.keys()) - {name}


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = modules()
    graph = {name: imports(name, file, known) for name, file in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' <- '.join(error.args[1])}")


def test_one_function_of_the_engine_makes_syntax_trees() -> None:
    calls = re.compile(r"\bast\.(parse|literal_eval)\(")
    found = [
        f
        for n, f in modules().items()
        if n.startswith("engine.") and calls.search(f.read_text("utf-8"))
    ]
    assert [file.name for file in found] == ["program.py"], "threads that parse at once fail"


def test_every_room_says_in_a_sentence_what_it_is() -> None:
    rooms = {file.parent for file in modules().values()}
    silent = [
        str(room.relative_to(ROOT))
        for room in sorted(rooms)
        if not ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8")))
    ]
    assert silent == []


@pytest.mark.parametrize("list", ["slow", "nightly"])
def test_every_test_that_is_listed_is_there(list: str) -> None:
    gone = []
    for line in (ROOT / f"tests/{list}.txt").read_text("utf-8").splitlines():
        path, _, test = line.partition("[")[0].partition("::")
        file = ROOT / path
        if not file.exists() or (test and f"def {test}(" not in file.read_text("utf-8")):
            gone.append(line)
    assert gone == []


@pytest.mark.parametrize("page", PAGES)
def test_every_path_that_a_page_names_is_there(page: str) -> None:
    named = PATH.findall((ROOT / page).read_text("utf-8"))
    assert [path for path in named if not (ROOT / path).exists()] == []
