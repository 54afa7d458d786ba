"""The form for a run's name, note and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.screens.forms.form import FormScreen
from tui.widgets.form.commands import LABEL
from tui.widgets.form.fields import begin_with

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.records import Label


class LabelScreen(FormScreen):
    """What a run is called; `label` is what it is called now."""

    def __init__(self, run: int, label: Label) -> None:
        fields = begin_with(LABEL, name=label.name, note=label.note, tags=" ".join(label.tags))
        super().__init__(f"run {run}", ("label", str(run)), fields)
        self.run = run
        self.label = label

    def commands(self, values: Mapping[str, str]) -> list[tuple[str, ...]]:
        """What changes, as options of `label`."""
        told = [
            word
            for name, before in (("name", self.label.name), ("note", self.label.note))
            if values[name].strip() != before
            for word in (f"--{name}", values[name].strip())
        ]
        tags = values["tags"].split()
        told += [word for tag in tags if tag not in self.label.tags for word in ("--tag", tag)]
        told += [word for tag in self.label.tags if tag not in tags for word in ("--untag", tag)]
        return [(*self.words, *told)]

    def carry_out(self, values: Mapping[str, str]) -> None:
        """Call it so. Raises UserError for a name or a tag that is no word, or taken."""
        name, note = values["name"].strip(), values["note"].strip()
        self.app.label(self.run, name, note, values["tags"].split())
