"""A connection to a daemon, without the way in which its bytes are sent: see `_blocking` and `_streams`."""

from __future__ import annotations

import math
import time
from collections import deque
from typing import Any, Deque, Dict, Optional, Protocol

from . import _limits as limits
from ._codec import FrameBuffer, Message, encode
from ._conform import conforming
from .errors import ConnectionLost, DeadlineError, ProtocolError, refusal
from .replies import HelloReply

PROTOCOL = 1
# Events that are kept while a reply is awaited.
EVENTS = 1024


class NotSent(ConnectionLost):
    """The connection ended before the request was sent completely, so nothing of it was done."""


def time_left(end: float) -> Optional[float]:
    """Returns the seconds until `end`, or `None` without a limit. Raises `DeadlineError` if it has passed."""
    if math.isinf(end):
        return None
    left = end - time.monotonic()
    if left <= 0:
        raise DeadlineError("the time limit of the call has passed")
    return left


class Channel(Protocol):
    """The bytes of a connection. The blocking implementation never suspends."""

    async def send(self, data: bytes, end: float) -> None:
        """Sends all bytes. Raises `ConnectionLost` or `DeadlineError`."""

    async def receive(self, end: float) -> bytes:
        """Returns the next bytes. Raises `ConnectionLost` or `DeadlineError`."""

    def is_open(self) -> bool:
        """Returns false if the daemon is known to have closed the connection."""

    def close(self) -> None:
        """Closes the connection."""


class Transport(Protocol):
    """The way in which a client waits and connects."""

    async def connect(self, path: str, end: float) -> Channel:
        """Connects to a socket. Raises `OSError` if nothing listens."""

    async def pause(self, seconds: float) -> None:
        """Waits."""

    def shared(self, link: Link) -> Link:
        """Returns a link for all requests of a client."""


class Link:
    """A connection with one request at a time."""

    welcome: HelloReply

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.buffer = FrameBuffer()
        self._last_id = 0
        self._events: Deque[Message] = deque()

    def is_open(self) -> bool:
        """Returns false if the connection cannot be used for another request."""
        return self.channel.is_open()

    def close(self) -> None:
        """Closes the connection."""
        self.channel.close()

    def retire(self) -> None:
        """Sends no further request. Closes the connection when no reply is awaited."""
        self.close()

    def leave_to_parent(self) -> None:
        """Closes the copy of the connection in a forked process. The parent's stays open."""
        self.close()

    async def hello(self, fields: Dict[str, Any], end: float) -> None:
        """Sends `hello`; the frames that follow may be long."""
        self.welcome = conforming(await self.exchange("hello", fields, end), HelloReply)
        if self.welcome["protocol"] != PROTOCOL:
            raise ProtocolError(f"the daemon chose version {self.welcome['protocol']} of the protocol")
        self.buffer.limit = limits.FRAME

    async def exchange(self, kind: str, fields: Dict[str, Any], end: float) -> Message:
        """Sends a request and returns its reply. Raises the daemon's error as `RefusedError`.

        After any other exception, and after an error about the connection itself, the connection is closed.
        """
        number, frame = self.framed(kind, fields)
        try:
            try:
                await self.channel.send(frame, end)
            except ConnectionLost:
                await self._last_words(end)
                raise
            reply = await self._reply(number, kind, end)
        except BaseException:
            self.close()
            raise
        if reply["kind"] == "error":
            raise refusal(reply)
        return reply

    async def event(self, end: float) -> Message:
        """Returns the next event."""
        while not self._events:
            self.keep(await self.message(end))
        return self._events.popleft()

    async def ended(self, end: float) -> None:
        """Waits until the daemon has closed the connection, after the reply to `stop`."""
        try:
            while True:
                await self.channel.receive(end)
        except ConnectionLost:
            pass
        finally:
            self.close()

    def framed(self, kind: str, fields: Dict[str, Any]) -> tuple[int, bytes]:
        """Returns the number of a new request, and its frame."""
        self._last_id += 1
        limit = limits.FRAME_BEFORE_HELLO if kind == "hello" else limits.FRAME
        # The fields of every message come first, and no other field replaces them.
        message = {"id": self._last_id, "kind": kind}
        return self._last_id, encode({**message, **fields, **message}, limit)

    async def message(self, end: float) -> Message:
        """Returns the next message. Raises an error about the connection itself."""
        while True:
            message = self.buffer.next()
            if message is None:
                self.buffer.add(await self.channel.receive(end))
            elif message["id"] == 0 and message["kind"] == "error":
                raise refusal(message)
            else:
                return message

    def keep(self, message: Message) -> None:
        """Stores an event until it is taken."""
        if message["kind"] != "event":
            raise ProtocolError(f"the daemon replied to request {message['id']}, which is not open")
        if len(self._events) >= EVENTS:
            raise ProtocolError("the daemon sent events, and no reply")
        self._events.append(message)

    async def _last_words(self, end: float) -> None:
        """Reads the messages that are left after a failed write. The last one may be an error that says why."""
        try:
            while True:
                await self.message(end)
        except (ConnectionLost, DeadlineError):
            return

    async def _reply(self, number: int, kind: str, end: float) -> Message:
        while True:
            message = await self.message(end)
            if message["id"] == number and message["kind"] in (kind, "error"):
                return message
            self.keep(message)
