"""What forms ask for, the words of the command line that say the same, and a line of a form."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import typer
from textual.binding import Binding, BindingType
from textual.events import Key, Paste
from textual.widgets import Input

from problems.errors import UserError
from tui.widgets import keymap as keys

Words = tuple[str, ...]

LABELS = {"llm": "writer", "analyzer llm": "analyzer", "option": "options"}
"""What fields are called whose flag says too little."""

_NONE: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class FormField:
    """One thing to ask for.

    `begin` is its value at first, `blank` what an empty field means, `about` what may be typed;
    `known` lists values to step through, none for a number. `words` says a value on the command
    line, which a `required` field cannot be missing from.
    """

    name: str
    begin: str
    blank: str
    about: str
    known: Callable[[], Words] | None = None
    words: Callable[[str], Words] = lambda value: (value,)
    required: bool = False


class CommandForm:
    """Some parameters of a command as fields: flag, help and completion are those of its options.

    `names` are parameters of the function in their order; `begins` and `blanks` go by the names of
    the fields, which are those of the flags.
    """

    def __init__(
        self,
        function: Callable[..., None],
        names: str,
        begins: Mapping[str, str] = _NONE,
        blanks: Mapping[str, str] = _NONE,
    ) -> None:
        line = typer.Typer(add_completion=False)
        line.command(add_help_option=False)(function)
        self._command = typer.main.get_command(line)
        known = {param.name: param for param in self._command.params}
        self._command.params = [known[name] for name in names.split()]
        self._context = typer.Context(self._command)
        self._context.params = {"problem": begins.get("problem", "")}
        self.fields = tuple(self._make(one, begins, blanks) for one in self._command.params)

    def parse(self, words: Sequence[str]) -> dict[str, Any]:
        """What the command would be given, by parameter. Raises UserError as the command does."""
        try:
            return self._command.make_context(None, list(words)).params
        except typer.TyperException as error:
            raise UserError(error.format_message()) from error

    def _make(self, param: Any, begins: Mapping[str, str], blanks: Mapping[str, str]) -> FormField:
        flag = max(param.opts, key=len)
        is_option = flag.startswith("-")
        name = flag.strip("-").replace("-", " ").replace("_", " ")
        name = LABELS.get(name, name)
        field = FormField(
            name,
            begins.get(name, ""),
            blanks.get(name, ""),
            param.help or "",
            words=partial(write_words, flag if is_option else "", several=_takes_several(param)),
            required=param.required,
        )
        if getattr(param, "is_flag", False):
            return replace(field, begin="no", blank="no", known=_yes_or_no, words=_switch(flag))
        if param._custom_shell_complete is None:
            return field
        return replace(field, known=partial(self._complete, param, not field.begin))

    def _complete(self, param: Any, empty: bool) -> Words:
        """What the shell would offer, but for beginnings such as `openai:`."""
        found = (item.value for item in param.shell_complete(self._context, ""))
        return (*("",) * empty, *(value for value in found if not value.endswith(":")))


def write_words(flag: str, value: str, several: bool = False) -> Words:
    """A value on the command line behind its flag, if it has one; of several values, each."""
    values = split(value) if several else [value]
    return tuple(word for one in values for word in ((flag, one) if flag else (one,)))


def _takes_several(param: Any) -> bool:
    return bool(getattr(param, "multiple", False) or param.nargs != 1)


def _switch(flag: str) -> Callable[[str], Words]:
    return lambda value: (flag,) if value == "yes" else ()


def _yes_or_no() -> Words:
    return ("no", "yes")


def split(text: str) -> list[str]:
    """Values divided by blanks; one that holds blanks is in quotes, as in a shell."""
    try:
        return shlex.split(text)
    except ValueError:  # a quote that is still open
        return text.split()


def begin_with(fields: Sequence[FormField], **begins: str) -> tuple[FormField, ...]:
    """The fields with other values at first, by their names (`_` for a blank)."""
    told = {name.replace("_", " "): value for name, value in begins.items()}
    return tuple(replace(field, begin=told.get(field.name, field.begin)) for field in fields)


def typed_words(fields: Sequence[FormField], values: Mapping[str, str]) -> Words:
    """What to type behind the command; fields that say nothing new are left out.

    A required one that is empty is listed by its name, as in the help of the command.
    """
    typed: list[str] = []
    for field in fields:
        value = values[field.name].strip()
        if field.required:
            typed += field.words(value or field.name.upper())
        elif value not in ("", field.blank):
            typed += field.words(value)
    return tuple(typed)


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

    def on_paste(self, event: Paste) -> None:
        """Keep all lines that are pasted, as one: `Input` would take the first alone."""
        event.text = " ".join(event.text.split("\n")).replace("\r", "").strip()

    def action_choose(self, step: int) -> None:
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
