"""A program's ancestors and children as a tree to move through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from engine.domain.values import Candidate
from tui.text.formatting import number, share
from tui.widgets import keymap as keys
from tui.widgets.frame import retitle


@dataclass(frozen=True, slots=True)
class Kin:
    """A line of the tree: a relative, the branches before it, whether it is shown above too."""

    candidate: Candidate
    branch: str
    again: bool = False


class Lineage(OptionList):
    """Ancestors above, children below; posts `Pointed` when the cursor moves to a relative."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("lineage", "a list")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("lineage",)

    class Pointed(Message):
        """The cursor is on a relative."""

        def __init__(self, id: str) -> None:
            super().__init__()
            self.id = id

    class RelativeOpened(Pointed):
        """A relative shall be shown in full."""

    def __init__(self, **names: Any) -> None:
        super().__init__(**names)
        self._kin: list[Kin] = []

    def show(self, id: str, known: Mapping[str, Candidate]) -> None:
        """Show the relatives of a program among the known candidates, by id."""
        self._kin = [*ancestors(id, known), *offspring(id, known)]
        others = len(self._kin) - 1
        retitle(self, f"lineage · {others} relative{'' if others == 1 else 's'}")
        self.clear_options()
        self.add_options([Option(_describe(kin)) for kin in self._kin])
        self.highlighted = 0

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.post_message(self.Pointed(self._kin[event.option_index].candidate.id))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.RelativeOpened(self._kin[event.option_index].candidate.id))


def ancestors(id: str, known: Mapping[str, Candidate]) -> list[Kin]:
    """The program, its parents, and theirs; each subtree once."""
    return list(_climb(id, known, "", "", set()))


def offspring(id: str, known: Mapping[str, Candidate]) -> list[Kin]:
    """The program's children, oldest first."""
    children = [c for c in known.values() if id in c.parents]
    return [Kin(child, "↳ ") for child in children]


def _climb(
    id: str, known: Mapping[str, Candidate], branch: str, margin: str, seen: set[str]
) -> Iterator[Kin]:
    if id not in known:
        return
    candidate = known[id]
    yield Kin(candidate, branch, again=id in seen)
    if id in seen:
        return
    seen.add(id)
    parents = list(dict.fromkeys(candidate.parents))
    for parent in parents:
        last = parent == parents[-1]
        step, rest = ("└─ ", "   ") if last else ("├─ ", "│  ")
        yield from _climb(parent, known, margin + step, margin + rest, seen)


def _describe(kin: Kin) -> Content:
    c = kin.candidate
    if kin.again:
        return Content(f"{kin.branch}{c.id} (above)")
    failed = f"✗ {c.failure.kind}" if c.failure else f"{number(c.cost)}  {share(c.agreement)}"
    return Content.assemble(kin.branch, (c.id, "bold"), f" {c.operator}  {failed}")
