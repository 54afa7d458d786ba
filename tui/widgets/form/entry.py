"""A line of a form: a name, a value that can be typed or stepped through, what may be typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding
from textual.widgets import Input

from tui.widgets import keymap as keys

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.events import Key

    from tui.widgets.form.fields import FormField


class FormEntry(Input):
    """The value of one field."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings("a form")
    SCOPES: ClassVar[tuple[keys.Scope, ...]] = ("a form",)

    def __init__(self, field: FormField, **names: Any) -> None:
        super().__init__(field.begin, placeholder=field.blank, compact=True, **names)
        self.field = field
        self._at_once = _editing_keys()
        self.cursor_blink = False  # a blinking cursor writes bytes for ever

    async def on_key(self, event: Key) -> None:
        """Edit at once, as letters do: the application would do it in the field that has the
        focus by then, which is another one where the next key was Tab.
        """
        action = self._at_once.get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            await self.run_action(action)

    def action_choose(self, step: int) -> None:
        """The next value of those that are known, round and round; of a number, the next one."""
        if self.field.known is None:
            self._count(step)
            return
        known = self.field.known()
        if known:
            here = known.index(self.value) if self.value in known else -1
            self._take(known[(here + step) % len(known)])

    def _count(self, step: int) -> None:
        base = self.value or self.field.blank
        if base.isdecimal():
            self._take(str(max(0, int(base) + step)))

    def _take(self, value: str) -> None:
        self.value = value
        self.cursor_position = len(value)


def _editing_keys() -> dict[str, str]:
    """What the keys in force do with the value of a field, by key."""
    shipped = (one for one in Input.BINDINGS if isinstance(one, Binding))
    bound = {key: one.action for one in shipped for key in one.key.split(",")}
    for entry in keys.KEYS:
        if entry.scope == "a form":
            bound |= dict.fromkeys(entry.keys.split(), entry.action)
    return {key: action for key, action in bound.items() if "." not in action}
