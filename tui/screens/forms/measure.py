"""The forms that measure a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.screens.forms.command import CommandScreen
from tui.widgets.form.fields import begin_with, list_measure_fields

if TYPE_CHECKING:
    from tui.screens.viewer import Measuring


class MeasureScreen(CommandScreen):
    """What `bench`, `tune` or `diagnose` shall do; `begins` are values at first, by name."""

    def __init__(self, kind: Measuring, problem: str, **begins: str) -> None:
        fields = list_measure_fields(problem)[kind]
        super().__init__(kind, (kind,), begin_with(fields, **begins))
