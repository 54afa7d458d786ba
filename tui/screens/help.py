"""The help screen: every key, from the one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from tui.screens.text_box import TextBox
from tui.widgets import keymap as keys

if TYPE_CHECKING:
    from collections.abc import Sequence


class HelpScreen(TextBox):
    """All keys by where they work, those of here first; closed as it was opened, or by Esc."""

    def __init__(self, here: Sequence[keys.Scope] = ()) -> None:
        super().__init__("keys", describe(here))


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
