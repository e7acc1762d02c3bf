"""Connections of asyncio: many requests at a time over one connection."""

from __future__ import annotations

import asyncio
import math
import socket
from typing import Any, Awaitable, Dict, Optional, Set, Tuple, TypeVar

from . import _address as address
from ._blocking import PIECE
from ._codec import Message
from ._link import Link, NotSent, time_left
from .errors import ConnectError, ConnectionLost, DeadlineError, EditdError, ProtocolError, RefusedError, refusal

T = TypeVar("T")


async def _within(work: Awaitable[T], end: float) -> T:
    return await asyncio.wait_for(work, time_left(end))


class StreamChannel:
    """A connected stream."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, data: bytes, end: float) -> None:
        """Sends all bytes. Frames of parallel calls are not mixed, since a write is never split."""
        try:
            time_left(end)
            self._writer.write(data)
            await _within(self._writer.drain(), end)
        except (asyncio.TimeoutError, DeadlineError) as error:
            raise DeadlineError("the daemon did not accept the request in time") from error
        except (OSError, RuntimeError) as error:
            raise ConnectionLost(f"the connection to the daemon ended: {error}") from error

    async def receive(self, end: float) -> bytes:
        """Returns the next bytes."""
        try:
            reading = self._reader.read(PIECE)
            data = await (reading if math.isinf(end) else _within(reading, end))
        except (asyncio.TimeoutError, DeadlineError) as error:
            raise DeadlineError("the daemon did not answer in time") from error
        except OSError as error:
            raise ConnectionLost(f"the connection to the daemon ended: {error}") from error
        if not data:
            raise ConnectionLost("the daemon closed the connection")
        return data

    def is_open(self) -> bool:
        """Returns false if the daemon has closed the connection, or this client has."""
        return not (self._writer.is_closing() or self._reader.at_eof())

    def close(self) -> None:
        """Closes the stream."""
        try:
            self._writer.close()
        except RuntimeError:
            # The event loop is closed, and the stream with it.
            pass


class SharedLink(Link):
    """A connection for parallel requests. A task receives the replies."""

    def __init__(self, link: Link) -> None:
        super().__init__(link.channel)
        self.buffer, self.welcome, self._last_id = link.buffer, link.welcome, link._last_id
        self._waiting: Dict[int, Tuple[str, asyncio.Future[Message]]] = {}
        # Requests whose caller does not wait any more. Their replies may still come.
        self._abandoned: Set[int] = set()
        self._ended: Optional[EditdError] = None
        self._retired = False
        self._receiver = asyncio.ensure_future(self._receive())

    def is_open(self) -> bool:
        """Returns false if the connection has ended."""
        return not (self._retired or self._ended or self._receiver.done()) and super().is_open()

    def retire(self) -> None:
        """Sends no further request. Closes the connection when no reply is awaited."""
        self._retired = True
        if not self._waiting:
            self.close()

    def close(self) -> None:
        """Closes the connection. Calls that wait for a reply learn that it is lost."""
        self._end(ConnectionLost("the client was closed"))
        try:
            self._receiver.cancel()
        except RuntimeError:
            pass

    async def ended(self, end: float) -> None:
        """Waits until the daemon has closed the connection, after the reply to `stop`."""
        try:
            await asyncio.wait({self._receiver}, timeout=time_left(end))
            if not self._receiver.done():
                raise DeadlineError("the daemon did not exit in time")
        finally:
            self.close()

    def leave_to_parent(self) -> None:
        """Does nothing: a forked process shares the selector of the event loop, from which closing would remove it."""

    async def exchange(self, kind: str, fields: Dict[str, Any], end: float) -> Message:
        """Sends a request and returns its reply. Raises the daemon's error as `RefusedError`."""
        number, frame = self.framed(kind, fields)
        time_left(end)
        if self._ended is not None:
            raise NotSent(f"the connection to the daemon ended: {self._ended}")
        waiting: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[number] = (kind, waiting)
        try:
            try:
                await self.channel.send(frame, end)
            except ConnectionLost:
                # The receiver learns that too; its last message may say why.
                pass
            done, _ = await asyncio.wait({waiting}, timeout=time_left(end))
            if not done:
                raise DeadlineError("the daemon did not answer in time")
            reply = waiting.result()
        finally:
            if self._waiting.pop(number, None) is not None and not waiting.done():
                self._abandoned.add(number)
                waiting.cancel()
            if self._retired and not self._waiting:
                self.close()
        if reply["kind"] == "error":
            raise refusal(reply)
        return reply

    async def _receive(self) -> None:
        """Receives until the connection ends."""
        try:
            while True:
                self._arrived(await self.message(math.inf))
        except RefusedError as error:
            # Only these codes say that nothing was done. Another error is about one of the requests.
            certain = error.code in ("stopping", "busy") or len(self._waiting) == 1
            self._end(error if certain else ConnectionLost(f"the daemon ended the connection: {error}"))
        except EditdError as error:
            self._end(error)
        except Exception as error:
            self._end(ProtocolError(f"the replies cannot be received: {error!r}"))

    def _arrived(self, message: Message) -> None:
        number, kind = message["id"], message["kind"]
        if number in self._abandoned:
            self._abandoned.discard(number)
            return
        asked, waiting = self._waiting.get(number, (None, None))
        if waiting is None or kind not in (asked, "error"):
            raise ProtocolError(f"the daemon sent a message of the kind {kind[:40]!r} to request {number}")
        if not waiting.done():
            waiting.set_result(message)

    def _end(self, error: EditdError) -> None:
        if self._ended is None:
            self._ended = error
        self.channel.close()
        for _, waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(self._ended)
                # A caller that was cancelled does not retrieve it.
                waiting.exception()


class StreamTransport:
    """Connects with asyncio."""

    async def connect(self, path: str, end: float) -> StreamChannel:
        """Connects to a socket of this user."""
        time_left(end)
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            # A local socket connects at once or raises `BlockingIOError`, which asyncio would take for a connection.
            peer.setblocking(False)
            peer.connect(path)
            # asyncio closes a socket as soon as the daemon does, so the check comes before.
            if not address.is_own(peer, path):
                raise ConnectError(f"{path} is served by another user's process")
            return StreamChannel(*await asyncio.open_unix_connection(sock=peer, limit=PIECE))
        except BaseException:
            peer.close()
            raise

    async def pause(self, seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)

    def shared(self, link: Link) -> Link:
        """Returns a link for parallel requests."""
        return SharedLink(link)
