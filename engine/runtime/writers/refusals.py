"""Refusals in a row: whether one and the same meets call after call, and what to ask again then.

A refusal of one request costs its slot. Three alike say that the requests are not at fault: the
run pauses, and what was refused is asked again once somebody has mended the cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine.domain.records import CallKey, CallRow
from engine.domain.values import Reply

MOST = 3
"""Equal refusals in a row after which it is not the requests that are at fault."""

_LEAVES = "program"
"""The purpose of calls on whose replies no other request of their generation depends."""


@dataclass(slots=True)
class Refusals:
    """The unpaid refusals since anything else was answered, as long as they say the same."""

    text: str = ""
    keys: list[CallKey] = field(default_factory=list)

    @property
    def too_many(self) -> bool:
        """Whether asking on would be refused alike."""
        return len(self.keys) >= MOST

    def note(self, key: CallKey, reply: Reply) -> None:
        """Count an answer."""
        used = reply.usage
        refused = reply.finish == "content_filter" and not used.tokens_in + used.tokens_out
        if not refused or reply.text != self.text:
            self.keys.clear()
        self.text = reply.text if refused else ""
        if refused:
            self.keys.append(key)


def recall(answered: Iterable[CallRow]) -> Refusals:
    """The refusals at the end of what was `answered`, in the order in which that came."""
    refusals = Refusals()
    for call in answered:
        if call.reply is not None:
            refusals.note(call.key, call.reply)
    return refusals


def choose_withdrawn(refused: Sequence[CallKey], calls: Sequence[CallRow]) -> list[CallKey]:
    """Those of the refused calls that can be asked again, whatever they are then answered.

    Only of the generation that is open, that of the last one. A program can always; what others
    build on only when nothing else was asked after it. `calls` are all, in the order sent.
    """
    wanted = {key for key in refused if key.generation == refused[-1].generation}
    chosen: list[CallKey] = []
    nothing_after = True
    for call in reversed(calls):
        if call.key in wanted and (nothing_after or call.key.purpose == _LEAVES):
            chosen.append(call.key)
        else:
            nothing_after = False
    return chosen
