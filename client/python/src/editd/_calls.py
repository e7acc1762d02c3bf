"""Sends requests until they are answered: again to the next daemon if one exits, and again later if it is busy.

The code is written once for both clients. With the blocking transport, no coroutine of it ever suspends.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any, Dict, Generic, Mapping, Optional, Type, TypeVar, cast

from ._conform import conforming
from ._link import Link, NotSent, Transport, time_left
from ._reach import Place, reach
from .errors import (
    ConnectError,
    ConnectionLost,
    DeadlineError,
    EditdError,
    ProtocolError,
    RefusedError,
    UnknownOutcomeError,
    refusal,
)
from .replies import Receipt

R = TypeVar("R", bound=Mapping[str, Any])

# The first and the longest pause between two requests to a busy daemon, in seconds.
_PAUSES = (0.01, 0.2)
# The connections that may be lost while one request waits for its reply: it may be the cause.
_LOSSES = 3
# The daemons that may stop before they begin one request.
_DAEMONS = 16


@dataclass(frozen=True)
class Request(Generic[R]):
    """A request and the type of its reply."""

    kind: str
    fields: Dict[str, Any]
    shape: Type[R]
    # False if the request changes nothing.
    changes: bool = False
    # True if the request has the same effect when it is carried out twice.
    repeatable: bool = True
    # The daemon exits after the reply.
    ends: bool = False
    # The code of the error in the receipt of a job that the request ends.
    refuses: Optional[str] = None

    @property
    def key(self) -> Optional[str]:
        """The key of a job."""
        return self.fields.get("key")


class Caller:
    """The connection of a client, which is made again after it was lost."""

    def __init__(self, place: Place, transport: Transport) -> None:
        self.place = place
        self.transport = transport
        self._link: Optional[Link] = None
        self._process = os.getpid()
        self._connecting = False
        self._closed = False

    async def ask(self, request: Request[R], end: float) -> R:
        """Returns the reply to a request. Tries until `end`."""
        retry = _Retry(request)
        while True:
            link: Optional[Link] = None
            try:
                link = await self.link(end)
                time_left(end)
                retry.begun = True
                reply = await link.exchange(request.kind, request.fields, end)
                answer = _accepted(conforming(reply, request.shape), request.refuses)
                break
            except EditdError as error:
                pause = retry.after(error, end)
                if isinstance(error, RefusedError) and error.code == "stopping":
                    self._retire(link)
            if pause:
                await self.transport.pause(pause)
        if request.ends:
            if link is self._link:
                self._link = None
            await link.ended(end)
        return answer

    async def link(self, end: float) -> Link:
        """Returns the connection. Makes one if there is none; parallel calls wait for the first of them."""
        while self._connecting:
            if time.monotonic() >= end:
                raise DeadlineError("the time limit of the call passed before a connection was made")
            await self.transport.pause(0.005)
        if self._closed:
            raise ConnectError("the client is closed")
        if self._process != os.getpid():
            # The connection belongs to the parent process.
            if self._link is not None:
                self._link.leave_to_parent()
            self._process, self._link = os.getpid(), None
        if self._link is not None and not self._link.is_open():
            self._retire(self._link)
        if self._link is None:
            self._connecting = True
            try:
                reached = await reach(self.transport, self.place, end)
            finally:
                self._connecting = False
            if self._closed:
                reached.close()
                raise ConnectError("the client is closed")
            self._link = self.transport.shared(reached)
        return self._link

    def _retire(self, link: Optional[Link]) -> None:
        """Uses another connection than this one for later requests."""
        if link is not None:
            link.retire()
        if link is self._link:
            self._link = None

    def close(self) -> None:
        """Closes the connection for good."""
        self._closed = True
        if self._link is not None:
            self._link.close()
            self._link = None


def _accepted(reply: R, refuses: Optional[str]) -> R:
    """Raises the error of a receipt that is a refusal. One with the code `refuses` is the effect of the request."""
    error = reply.get("error")
    if reply.get("status") != "refused" or not isinstance(error, dict):
        return reply
    if refuses is None or error.get("code") != refuses:
        raise refusal(error, cast(Receipt, reply))
    return reply


class _Retry:
    """The failed attempts of one request."""

    def __init__(self, request: Request[Any]) -> None:
        self._request = request
        self._pause = _PAUSES[0]
        self._losses = 0
        self._stops = 0
        # A request was sent since the last failure.
        self.begun = False
        # An earlier attempt may have been carried out.
        self._doubtful = False
        # The last refusal after which the request was to be sent again.
        self._postponed: Optional[RefusedError] = None

    def after(self, error: EditdError, end: float) -> float:
        """Returns the seconds to wait before the next attempt, or raises the error for the caller."""
        begun, self.begun = self.begun, False
        if isinstance(error, RefusedError):
            return self._refused(error, end)
        if isinstance(error, NotSent):
            self._stops += 1
            if self._stops < _DAEMONS:
                return 0.0
        elif isinstance(error, (ConnectionLost, ProtocolError, DeadlineError)) and begun:
            self._doubtful, self._postponed = True, None
            self._losses += 1
            again = isinstance(error, ConnectionLost) and self._request.repeatable
            if again and self._losses < _LOSSES:
                return 0.0
        elif isinstance(error, DeadlineError) and self._postponed is not None:
            # Nothing was sent since.
            raise self._final(self._postponed)
        raise self._final(error)

    def _refused(self, error: RefusedError, end: float) -> float:
        self._postponed = error
        if error.code == "busy" and time.monotonic() + self._pause < end:
            pause, self._pause = self._pause, min(2 * self._pause, _PAUSES[1])
            return pause
        if error.code == "stopping" and self._stops < _DAEMONS and time.monotonic() < end:
            self._stops += 1
            return 0.0
        if error.code in ("busy", "stopping", "starting"):
            # These say nothing about an earlier attempt.
            raise self._final(error)
        raise error

    def _final(self, error: EditdError) -> EditdError:
        if not (self._doubtful and self._request.changes):
            return error
        key = self._request.key
        advice = f"send it again with the key {key}" if key else "look at the present state"
        lost = UnknownOutcomeError(f"it is unknown if the request was carried out ({error}); {advice}", key)
        lost.__cause__ = error
        return lost
