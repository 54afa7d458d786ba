"""Whether the language models of a run can be asked, found out before anything is booked."""

from __future__ import annotations

from collections.abc import Sequence

from engine.domain.concurrency import run_apart
from engine.domain.specs.endpoint import Endpoint
from engine.llm.openai.secret import Secret
from engine.runtime.writers.writer_config import collect_keys


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
