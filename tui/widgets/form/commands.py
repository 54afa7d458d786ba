"""What the forms of single commands ask for: files to write and to read, a training, a label."""

from __future__ import annotations

import teachers
from tui.widgets.form.fields import FormField, behind, switch

_DEVICES = ("auto", "cpu", "cuda")


def _started() -> tuple[str, ...]:
    return ("", *teachers.learned())


STUDY = (
    FormField("file", "", "", "a study's settings, FILE.toml"),
    FormField(
        "anew",
        "no",
        "no",
        "yes: begin it anew, whatever an equal study has done",
        lambda: ("no", "yes"),
        switch("--new"),
    ),
)
"""A study from its file."""

EXPORT_RUN = (
    FormField("file", "run.run", "", "the new file, NAME.run", words=behind("--output")),
)
"""A whole run as a file."""

IMPORT_RUN = (FormField("file", "", "", "a file of export-run, or another run store"),)
"""Runs from another machine."""

COMPARISON = (
    FormField("plots", "plots", "none", "a folder for .png, .svg, .pdf", words=behind("--plots")),
    FormField("report", "", "none", "a Markdown page, FILE.md", words=behind("--report")),
)
"""What is written of runs side by side."""

STUDY_RESULTS = (
    FormField(
        "tables", "tables", "none", "a folder for .md, .tex, .csv, .json", words=behind("--tables")
    ),
    *COMPARISON,
)
"""What is written of a study."""

IMPORT_SETS = (
    FormField("path", "", "", "a folder, an archive or a file"),
    FormField("name", "", "as it is known", "of a set of your own", words=behind("--as")),
)
"""Instance sets from files."""

IMPORT_TEACHER = (
    FormField("file", "", "", "an official network of L2D, LEHD or ECO-DQN"),
    FormField("name", "", "that of the file", "what to call it", words=behind("--name")),
)
"""A teacher that others trained."""

TRAINING = (
    FormField("teacher", "", "", "whom to train", teachers.learned),
    FormField("minutes", "", "its own", "in all, data included", words=behind("--minutes")),
    FormField("seed", "0", "0", "seeds data and network", words=behind("--seed")),
    FormField(
        "start",
        "",
        "nothing",
        "a teacher whose weights to begin with",
        _started,
        behind("--start"),
    ),
    FormField("device", "auto", "auto", "where", lambda: _DEVICES, behind("--device")),
    FormField("folder", "", "the user's own", "for the weights", words=behind("--out")),
)
"""The training of a teacher."""

LABEL = (
    FormField("name", "", "none", "one word; it may be typed wherever the run's number may"),
    FormField("note", "", "none", "what to remember"),
    FormField("tags", "", "none", "single words, divided by blanks"),
)
"""What a run is called."""
