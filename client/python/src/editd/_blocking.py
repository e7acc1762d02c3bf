"""Blocking sockets. The coroutines of this module never suspend, so `finished` can run what awaits only them."""

from __future__ import annotations

import socket
import time
from typing import Any, Coroutine, TypeVar

from . import _address as address
from ._link import Link, NotSent, time_left
from .errors import ConnectError, ConnectionLost, DeadlineError

T = TypeVar("T")

# The longest time limit that sockets accept everywhere, in seconds.
_LONGEST = 1_000_000.0
PIECE = 256 * 1024


def finished(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    coroutine.close()
    raise AssertionError("a blocking coroutine suspended")


def _limit(peer: socket.socket, end: float) -> None:
    left = time_left(end)
    peer.settimeout(None if left is None else min(left, _LONGEST))


class BlockingChannel:
    """A connected socket."""

    def __init__(self, peer: socket.socket) -> None:
        self._peer = peer

    async def send(self, data: bytes, end: float) -> None:
        """Sends all bytes."""
        try:
            _limit(self._peer, end)
            self._peer.sendall(data)
        except socket.timeout as error:
            raise DeadlineError("the daemon did not accept the request in time") from error
        except OSError as error:
            # The kernel did not take all bytes, so the daemon cannot have the whole frame.
            raise NotSent(f"the connection to the daemon ended: {error}") from error

    async def receive(self, end: float) -> bytes:
        """Returns the next bytes."""
        try:
            _limit(self._peer, end)
            data = self._peer.recv(PIECE)
        except socket.timeout as error:
            raise DeadlineError("the daemon did not answer in time") from error
        except OSError as error:
            raise ConnectionLost(f"the connection to the daemon ended: {error}") from error
        if not data:
            raise ConnectionLost("the daemon closed the connection")
        return data

    def is_open(self) -> bool:
        """Returns false if the daemon has closed the connection, or this client has."""
        try:
            self._peer.setblocking(False)
            return self._peer.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self) -> None:
        """Closes the socket."""
        self._peer.close()


class BlockingTransport:
    """Connects with blocking sockets."""

    async def connect(self, path: str, end: float) -> BlockingChannel:
        """Connects to a socket of this user."""
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _limit(peer, end)
            peer.connect(path)
            if not address.is_own(peer, path):
                raise ConnectError(f"{path} is served by another user's process")
        except socket.timeout as error:
            peer.close()
            raise DeadlineError("the daemon did not accept the connection in time") from error
        except BaseException:
            peer.close()
            raise
        return BlockingChannel(peer)

    async def pause(self, seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)

    def shared(self, link: Link) -> Link:
        """Returns the link itself: a blocking client sends one request at a time."""
        return link
