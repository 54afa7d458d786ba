"""Writers: ours, a recording, a language model or a user's own; whether they can be reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.concurrency import run_apart
from engine.domain.names import WRITERS
from engine.domain.specs.endpoint import Endpoint
from engine.llm.base import Writer
from engine.llm.openai.secret import Secret
from engine.runtime.writers.writer_config import collect_keys
from problems.base import Problem
from problems.errors import UnknownName

if TYPE_CHECKING:
    from engine.store.reader import Reader


def open_writer(
    spec: str,
    problem: Problem,
    reader: Reader,
    secrets: Mapping[str, Secret],
    endpoints: Sequence[Endpoint] = (),
    concurrency: int = 4,
) -> Writer:
    """The writer that a specification names.

    `endpoints` are the run's language models, `secrets` their keys by environment variable,
    `concurrency` the requests under way at most. A class of the user's own is built from the
    problem alone. Raises UnknownName and UserError, BadModule for a class that is no writer.
    """
    for endpoint in endpoints:
        if endpoint.name == spec:
            from engine.llm.openai.client import LanguageModel

            return LanguageModel(endpoint, secrets, concurrency)
    if spec == "builtin":
        from engine.llm.builtin import Builtin

        return Builtin(problem.contract, problem.seeds())
    kind, _, rest = spec.partition(":")
    if kind == "replay":
        from engine.runtime.writers.replay import open_replay

        if replay := open_replay(reader, rest):
            return replay
    if kind == "folder" and rest:
        from engine.llm.folder import FolderWriter

        return FolderWriter(Path(rest))
    if kind.endswith(".py") and rest:
        from engine.runtime.writers.own_writer import open_own

        return open_own(Path(kind), rest, problem)
    raise UnknownName("writer", spec, WRITERS)


def refuse_unreachable(endpoints: Sequence[Endpoint]) -> None:
    """Try address and key of every model, at no cost.

    Raises WriterUnavailable for a key that is missing or not accepted and for an address at which
    nothing answers.
    """
    secrets = {name: Secret(key) for name, key in collect_keys(endpoints).items()}
    if not endpoints:
        return
    from engine.llm.openai.client import LanguageModel  # takes a while to import

    for endpoint in endpoints:
        run_apart(LanguageModel(endpoint, secrets, concurrency=1).refuse_unusable())
