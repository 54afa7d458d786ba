"""The rules of a problem as text of its own: what exported files carry to check themselves."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def simulator(folder: Path, name: str = "solve") -> str:
    """The parts of `standalone.py` that one of its functions needs, which is then `solve`.

    The module imports nothing of ours, and our own walks are those of its functions.
    """
    text = (folder / "standalone.py").read_text("utf-8")
    docstring, *body = ast.parse(text).body
    needed = {name}
    before = set[str]()
    while needed != before:
        before = set(needed)
        for node in body:
            if not isinstance(node, ast.Import | ast.ImportFrom) and _defines(node) & needed:
                needed |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    kept = [_show(node, text, needed) for node in (docstring, *body)]
    return "\n".join(filter(None, kept)).replace(f"def {name}(", "def solve(") + "\n"


def _defines(node: ast.stmt) -> set[str]:
    """The names that a statement of a module gives a meaning."""
    if isinstance(node, ast.Assign):
        return {one.id for one in node.targets if isinstance(one, ast.Name)}
    return {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else set()


def _show(node: ast.stmt, text: str, needed: set[str]) -> str:
    """The text of a statement, of an import what is needed, empty where nothing is."""
    source = ast.get_source_segment(text, node) or ""
    if isinstance(node, ast.Import | ast.ImportFrom):
        node.names = [one for one in node.names if (one.asname or one.name) in needed]
        return ast.unparse(node) if node.names else ""
    if isinstance(node, ast.Assign):
        return f"\n{source}" if _defines(node) & needed else ""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return f"\n\n{source}" if _defines(node) & needed else ""
    return f"{source}\n"
