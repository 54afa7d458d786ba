"""A client that reads no more of a reply than a reply may be long."""

from __future__ import annotations

from typing import Any

import httpx2
import openai

LONGEST = 8_000_000
"""Bytes of a reply, decompressed; a model that says everything it can says less than this."""

_OF_THE_WIRE = (b"content-encoding", b"content-length", b"transfer-encoding")


class ReplyTooLong(Exception):
    """A reply was longer than `LONGEST` and has not been read to its end."""


class BoundedClient(openai.DefaultAsyncHttpxClient):
    """Hands on whole replies, in memory by then, and hangs up on a longer one."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """The response, read. Raises ReplyTooLong and the errors of httpx2."""
        response = await super().send(request, **{**options, "stream": True})
        body = bytearray()
        try:
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > LONGEST:
                    raise ReplyTooLong(f"the reply is longer than {LONGEST // 1_000_000} MB")
        finally:
            await response.aclose()
        headers = [(k, v) for k, v in response.headers.raw if k.lower() not in _OF_THE_WIRE]
        return httpx2.Response(
            response.status_code, headers=headers, content=bytes(body), request=request
        )
