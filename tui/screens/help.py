"""The help screen: every key, from the one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.widgets import keymap as keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult


class HelpScreen(ModalScreen[None]):
    """All keys by where they work, those of here first; closed as it was opened, or by Esc."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1,escape,backspace,q,ctrl+c", "close", show=False)
    ]

    def __init__(self, here: Sequence[keys.Scope] = ()) -> None:
        super().__init__()
        self._here = here

    def compose(self) -> ComposeResult:
        """One text, to be scrolled."""
        with Keys(classes="box") as box:
            box.border_title = "keys"
            box.border_subtitle = "Esc to close"
            yield Static(describe(self._here))

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()


class Keys(VerticalScroll):
    """The scrolled text."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("text")


def describe(here: Sequence[keys.Scope] = ()) -> Content:
    """The table of keys as text, a block for every scope, those of `here` first."""
    width = max(len(key.shown) for key in keys.KEYS)
    blocks = []
    for scope in dict.fromkeys((*here, *keys.scopes())):
        lines = [Content.styled(scope, "bold $text-accent")]
        lines += [
            Content.assemble((f"  {key.shown:<{width}}  ", "bold"), key.about)
            for key in keys.KEYS
            if key.scope == scope
        ]
        blocks.append(Content("\n").join(lines))
    return Content("\n").join(blocks)
