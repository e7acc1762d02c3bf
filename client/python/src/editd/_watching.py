"""The subscription of a watch, which is made again on the next connection if one is lost."""

from __future__ import annotations

import time
from typing import List, Optional

from ._calls import Caller
from ._conform import conforming
from ._link import Link
from ._reach import reach
from ._requests import subscribe
from .errors import ConnectError, ConnectionLost, DeadlineError, ProtocolError, RefusedError
from .replies import Event, SubscribeReply

# The pause before the next attempt to find a daemon, in seconds.
_PAUSE = 0.2


class Subscription:
    """Events of a connection of its own, so that a slow reader of events delays no reply."""

    def __init__(self, caller: Caller, globs: List[str]) -> None:
        self._caller = caller
        self._globs = globs
        self._link: Optional[Link] = None
        self._spawn = True
        self._closed = False
        self.folders = 0

    async def subscribe(self, timeout: float) -> None:
        """Subscribes for the first time."""
        end = time.monotonic() + timeout
        while not await self._subscribed(end):
            await self._caller.transport.pause(_PAUSE)

    async def next(self, timeout: float) -> Optional[Event]:
        """Returns the next event, or `None` after `timeout` seconds. After a new subscription it is an `overflow`."""
        end = time.monotonic() + timeout
        try:
            while not self._closed:
                if self._link is None:
                    if await self._subscribed(end):
                        return {"change": "overflow"}
                    await self._caller.transport.pause(max(0.0, min(_PAUSE, end - time.monotonic())))
                    continue
                try:
                    message = await self._link.event(end)
                    return conforming(message, Event)
                except (ConnectionLost, ProtocolError, RefusedError) as error:
                    self._lost(error)
        except DeadlineError:
            return None
        return None

    async def _subscribed(self, end: float) -> bool:
        """Connects and subscribes. Returns false if that may succeed later."""
        link: Optional[Link] = None
        try:
            link = await reach(self._caller.transport, self._caller.place, end, self._spawn)
            reply = await link.exchange("subscribe", subscribe(self._globs), end)
            self.folders = conforming(reply, SubscribeReply)["folders"]
        except (ConnectionLost, RefusedError) as error:
            if link is not None:
                link.close()
            self._lost(error)
            return False
        except ConnectError:
            if self._spawn:
                raise
            # The watch waits for the daemon that another client starts.
            if time.monotonic() >= end:
                raise DeadlineError("no daemon serves the workspace") from None
            return False
        except BaseException:
            if link is not None:
                link.close()
            raise
        if self._closed:
            link.close()
            return False
        self._link, self._spawn = link, True
        return True

    def _lost(self, error: Exception) -> None:
        """Closes the connection. Raises an error that a new subscription would have, too."""
        if self._link is not None:
            self._link.close()
            self._link = None
        if isinstance(error, ProtocolError):
            raise error
        if isinstance(error, RefusedError):
            if error.code not in ("stopping", "busy", "starting"):
                raise error
            # A daemon that was stopped on purpose is not started again by those that only watch.
            self._spawn = self._spawn and error.code != "stopping"

    def close(self) -> None:
        """Ends the subscription."""
        self._closed = True
        if self._link is not None:
            self._link.close()
            self._link = None
