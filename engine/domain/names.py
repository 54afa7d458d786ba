"""Names as users type and read them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from problems import ProblemRef

if TYPE_CHECKING:
    from engine.domain.status import Job

ON_END = "PRECEPTOR_ON_END"
"""The environment variable with the command that an engine starts when its job is over."""

DEFAULT_DB = Path("runs.db")
"""The run store of the folder one works in."""

WRITERS = (
    "builtin",
    "openai:MODEL",
    "openai:MODEL@ADDRESS",
    "folder:DIR",
    "replay:RUN",
    "replay:FILE.run",
    "FILE.py:CLASS",
)
"""What `--llm` takes besides the names of `preceptor.toml`."""

FILES = (".py", ".run")
"""How the files end that a writer or a teacher may be in."""

IMPORTED = "imported:"
"""Stands before the name of somebody else's writer or teacher: nothing here answers to it."""

ROLLOUT = "rollout"
"""The teacher that tries actions out in the sandbox and needs no network."""

AUTO = "auto"
"""The teacher that is there for a problem, of use only where its checked advice helps."""

TEACHER_WORD = "teacher-word"
"""The note on whether a generation uses the teacher's advice."""

LEFT_OUT = "teacher-left-out"
"""The note on a teacher that prompts leave out from a generation on."""

NOTHING = "-"
"""Stands where there is no value."""

ANALYZER = "analyzer"
SHORT_TERM = "short-term"
LONG_TERM = "long-term"
"""The kinds of reflection: purposes and roles of calls, and names of prompts."""


def split_names(spec: str) -> tuple[str, ...]:
    """The writers that `--llm` names; several have commas between them."""
    return tuple(name.strip() for name in spec.split(","))


def strip_folders(name: str) -> str:
    """A writer or a teacher; of one in a file of the user's own, the file without its folders."""
    return ":".join(Path(part).name if part.endswith(FILES) else part for part in name.split(":"))


def short_name(problem: str) -> str:
    """A problem's word; of one given as a path, the name of its folder or file."""
    return Path(problem).stem


def name_variant(problem: ProblemRef, short: bool = False) -> str:
    """A problem's name with its options, under which it is another: `tsp nint=true`, `tsp whole`.

    Of `kind` and `state`, what programs are shown, the word alone; `short` as by `short_name`.
    """
    name = short_name(problem.name) if short else problem.name
    words = [
        word if key in ("kind", "state") else f"{key}={word}" for key, word in problem.options
    ]
    return " ".join([name, *words])


def command(words: str, db: Path) -> str:
    """A command line to type, for the store in use, quoted where a shell needs it."""
    return f"preceptor {words}" + ("" if db == DEFAULT_DB else f" --db {shlex.quote(str(db))}")


def log_path(db: Path, job: Job) -> Path:
    """Where the engine of a job writes what would have gone to the terminal."""
    return Path(f"{db}.logs") / f"{job.file_name}.log"
