"""Small screens over others: a text, a question, the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from engine.domain.text.plain_text import clean
from tui.widgets import keymap as keys


class TextBox(ModalScreen[None]):
    """A title and a text; closed by Esc, by Enter, or by what quits and helps elsewhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1,enter,escape,backspace,q,ctrl+c", "close", show=False)
    ]

    CELLS = 70
    """What a line of it holds, where the terminal has `AROUND` cells more."""

    AROUND = 6
    """Cells of its border, its padding and its scroll bar."""

    def __init__(self, title: str, text: Content) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        with BoxedText(classes="box") as box:
            box.border_title = Content(clean(self._title))
            box.border_subtitle = "Esc to close"
            yield Static(self._text)

    def action_close(self) -> None:
        self.dismiss()


class BoxedText(VerticalScroll):
    """The scrolled text."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("text")


class Confirm(ModalScreen[bool]):
    """Returns True for y, False for any other answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", show=False),
        Binding("n,escape,backspace,q,ctrl+c", "answer(False)", show=False),
    ]

    def __init__(self, question: str, yes: str, no: str) -> None:
        super().__init__()
        self._question = question
        self._yes = yes
        self._no = no

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Static(Content(self._question))
            yield Static(
                Content.assemble(
                    ("\ny", "bold $text-accent"),
                    f" {self._yes}   ",
                    ("n", "bold $text-accent"),
                    f" {self._no}",
                )
            )

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)


class HelpScreen(TextBox):
    """All keys by where they work, those of here first; closed as it was opened, or by Esc."""

    def __init__(self, here: Sequence[keys.Scope] = ()) -> None:
        super().__init__("keys", describe_keys(here))


def describe_keys(here: Sequence[keys.Scope] = ()) -> Content:
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
