"""A question to confirm what cannot be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

if TYPE_CHECKING:
    from textual.app import ComposeResult


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
        """The question and its two answers."""
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
        """Give the answer."""
        self.dismiss(answer)
