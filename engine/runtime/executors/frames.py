"""Numbered messages between a worker and its process for one problem, over a socket."""

from __future__ import annotations

import asyncio
import struct

HEAD = struct.Struct("=IQ")
"""The length of a message in bytes, and the number of the task that it is about."""

LONGEST = 1 << 30
"""Bytes of a message at most."""


async def read_frame(stream: asyncio.StreamReader) -> tuple[int, bytes] | None:
    """The next message and its number; None where the other side has ended."""
    try:
        length, number = HEAD.unpack(await stream.readexactly(HEAD.size))
        if length > LONGEST:
            return None
        return number, await stream.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def write_frame(writer: asyncio.StreamWriter, number: int, message: bytes) -> None:
    """Send a message; an empty one about a task takes it back."""
    writer.write(HEAD.pack(len(message), number) + message)
