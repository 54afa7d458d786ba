"""`docs/prompts.md` shows a prompt of each kind as it is now.

After an intended change write it anew: `python -m tests.engine.search.test_prompt_page`.
"""

from __future__ import annotations

from engine.domain.values import Request
from tests.conftest import ROOT
from tests.engine.search.test_prompts import asked

PAGE = ROOT / "docs/prompts.md"

KINDS = {
    "ours": ("analyzer", "s", "p", "m"),
    "eoh": ("e1", "e2", "m1", "m2"),
    "reevo": ("short-term", "crossover", "long-term", "mutation"),
    "preceptor": ("analyzer", "s", "p", "m", "free"),
}

BEGIN = "<!-- prompts -->\n"
COMMON = "(the task and its rules, as above)"
TITLES = {
    "ours": "ours, its ablations and controls",
    "eoh": "EoH",
    "reevo": "ReEvo",
    "preceptor": "preceptor",
}


def find(method: str, kind: str) -> Request:
    """The last prompt of a kind that three generations on the toy asked."""
    found = asked("tests/toy", method).values()
    return [r for r in found if kind in (r.operator, r.role) and r.role != "repair"][-1]


def write_out() -> str:
    """All kinds of prompts, what they begin with said once."""
    begins = find("eoh", "e1").messages[0].content.partition("\n\n# ")[0]
    parts = ["## What all prompts begin with", fenced(begins)]
    for method, kinds in KINDS.items():
        parts.append(f"## {TITLES[method]}")
        for kind in kinds:
            messages = find(method, kind).messages
            told = "\n\n".join(f"[{m.role}]\n{m.content}" for m in messages[:-1])
            body = messages[-1].content.replace(begins, COMMON).strip()
            parts += [f"### {kind}", fenced(f"{told}\n\n[user]\n{body}" if told else body)]
    return "\n\n".join(parts) + "\n"


def fenced(text: str) -> str:
    """The text as Markdown shows it untouched."""
    return f"````text\n{text.strip()}\n````"


def test_the_page_shows_prompts_as_they_are() -> None:
    assert PAGE.read_text("utf-8").partition(BEGIN)[2] == write_out()


if __name__ == "__main__":
    head = PAGE.read_text("utf-8").partition(BEGIN)[0]
    PAGE.write_text(head + BEGIN + write_out(), "utf-8")
