"""What each form asks for: parameters of the command that it types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tui.commands.data import import_sets
from tui.commands.measure import bench, diagnose, tune
from tui.commands.options import make_request
from tui.commands.results import compare
from tui.commands.run import resume, run, study
from tui.commands.teachers import import_teacher, train_teacher
from tui.commands.transfer import export_run, import_run
from tui.screens.panes import Measuring
from tui.widgets.form import CommandForm, FormField, typed_words, write_words

if TYPE_CHECKING:
    from engine.api.resolve import RunRequest

_CAPS = "max_calls max_tokens max_usd max_time"
_BLANKS = dict.fromkeys(("max calls", "max tokens", "max usd", "max time"), "no cap")
_BLANKS |= {"options": "none", "set": "the design set", "solver": "none", "teacher": "none"}


def _generations(blank: str) -> FormField:
    """A setting that most users change, as a field of its own."""

    def write(value: str) -> tuple[str, ...]:
        return write_words("--option", f"generations={value}")

    return FormField("generations", "", blank, "how often the population is renewed", words=write)


_RUN = CommandForm(
    run,
    f"problem method llm teacher seed analyzer_llm design kind preset start {_CAPS} option",
    {"problem": "jssp", "method": "preceptor", "writer": "builtin", "seed": "0"},
    _BLANKS
    | {
        **{"method": "preceptor", "writer": "builtin", "seed": "0", "analyzer": "the writer"},
        **{"teacher": "the problem's", "design": "the problem's", "kind": "the problem's"},
        **{"preset": "none", "start": "seeds alone"},
    },
)
RUN = (*_RUN.fields[:5], _generations("5"), *_RUN.fields[5:])
"""A new run."""

RESUMPTION = CommandForm(
    resume,
    f"{_CAPS} fork llm analyzer_llm teacher option",
    blanks=_BLANKS | dict.fromkeys(("writer", "analyzer", "teacher"), "the same"),
)
RESUME = (*RESUMPTION.fields[:4], _generations("as they are"), *RESUMPTION.fields[4:])
"""A run that continues with more, or as another."""

STUDY = CommandForm(study, "file anew").fields
EXPORT_RUN = CommandForm(export_run, "file").fields
IMPORT_RUN = CommandForm(import_run, "files trust_problem again").fields
_WRITTEN = {"tables": "tables", "plots": "plots"}
COMPARISON = CommandForm(compare, "plots report", _WRITTEN).fields
STUDY_RESULTS = CommandForm(compare, "tables plots report", _WRITTEN).fields
IMPORT_SETS = CommandForm(import_sets, "path name", blanks={"as": "as it is known"}).fields
IMPORT_TEACHER = CommandForm(import_teacher, "file name").fields
TRAINING = CommandForm(
    train_teacher,
    "name minutes seed start device out",
    {"seed": "0", "device": "auto"},
    {**{"minutes": "its own", "seed": "0", "start": "nothing"}, "out": "the user's own"}
    | {"device": "auto"},
).fields
LABEL = (
    FormField("name", "", "none", "one word; it may be typed wherever the run's number may"),
    FormField("note", "", "none", "what to remember"),
    FormField("tags", "", "none", "single words, divided by blanks"),
)


def list_measure_fields(kind: Measuring, problem: str) -> tuple[FormField, ...]:
    """What `bench`, `tune` or `diagnose` asks for, for a problem."""
    names: dict[Measuring, tuple[Callable[..., None], str]] = {
        "bench": (bench, "problem program sets solver teacher option"),
        "tune": (tune, "problem program file sets seconds seed option"),
        "diagnose": (diagnose, "problem program teacher design option"),
    }
    begins = {"problem": problem, "seed": "0", "seconds": "30", "output": "tuned.py"}
    blanks = _BLANKS | {"seed": "0", "seconds": "30"}
    if kind == "tune":
        blanks["set"] = "none"
    elif kind == "diagnose":
        blanks["teacher"] = "the problem's"
    return CommandForm(*names[kind], begins, blanks).fields


def build_requests(values: Mapping[str, str]) -> tuple[RunRequest, ...]:
    """The runs that the fields of `RUN` ask for, one a seed. Raises UserError."""
    seeds = values["seed"].split() or [""]
    typed = (typed_words(RUN, {**values, "seed": seed}) for seed in seeds)
    return tuple(make_request(_RUN.parse(words)) for words in typed)
