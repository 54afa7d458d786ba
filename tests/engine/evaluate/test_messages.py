"""A child's message is read only in the one form that an honest child sends."""

from __future__ import annotations

from asyncio import StreamReader

import pytest

from engine.domain.values import Failure
from engine.evaluate.sandbox.messages import (
    MESSAGE,
    Malformed,
    pack_actions,
    pack_failure,
    receive,
)


def sent(data: bytes) -> StreamReader:
    stream = StreamReader()
    stream.feed_data(data)
    stream.feed_eof()
    return stream


async def test_actions_arrive_as_they_were_sent() -> None:
    assert await receive(sent(pack_actions(3, [5, 0, 2**31 - 1])), 3, 3) == (5, 0, 2**31 - 1)


async def test_a_failure_arrives_as_it_was_sent() -> None:
    failure = Failure("smoke", "a quote ' and a line\nbreak", 4, repairable=True)
    assert await receive(sent(pack_failure(0, failure)), 0, 3) == failure


async def test_a_long_message_in_any_script_is_cut_and_still_arrives() -> None:
    arrived = await receive(sent(pack_failure(0, Failure("smoke", "\ud800é\0" * 10_000))), 0, 3)
    assert isinstance(arrived, Failure)
    assert arrived.message.startswith("\\ud800\\xe9\\u0000")
    assert len(arrived.message) == MESSAGE


@pytest.mark.parametrize("actions", [[1.5], ["1"], [2**31], [None]])
def test_an_action_that_is_no_small_integer_is_not_sent(actions: list[int]) -> None:
    with pytest.raises((TypeError, OverflowError)):
        pack_actions(0, actions)


async def test_a_message_cut_short_is_the_end_of_the_child() -> None:
    with pytest.raises(EOFError):
        await receive(sent(pack_actions(0, [1, 2, 3])[:-1]), 0, 3)


async def test_no_more_actions_are_read_than_an_instance_can_have() -> None:
    with pytest.raises(Malformed, match="a message of kind 1 and length 4"):
        await receive(sent(pack_actions(0, [1, 2, 3, 4])), 0, 3)


async def test_a_message_about_another_instance_is_malformed() -> None:
    with pytest.raises(Malformed, match="instance 1 in place of 0"):
        await receive(sent(pack_actions(1, [1])), 0, 3)
