"""Connects to the daemon of a workspace; waits for one that starts, stops or is busy; starts one if none serves."""

from __future__ import annotations

import enum
import os
import time
from dataclasses import dataclass
from typing import Any, Dict, Optional, Union

from . import _address as address
from ._link import Link, Transport
from ._spawn import OCCUPIED, SpawnedDaemon
from .errors import ConnectError, ConnectionLost, DeadlineError, ProtocolError, RefusedError

# The first and the longest pause between two attempts, in seconds.
_PAUSES = (0.002, 0.05)
# The failed starts after which no further one is tried.
_STARTS = 3
_NOBODY_ERRORS = (FileNotFoundError, ConnectionRefusedError, ConnectionResetError, BlockingIOError, BrokenPipeError)


@dataclass(frozen=True)
class Place:
    """A workspace and the way to its daemon."""

    # Absent if only a socket was given.
    root: Optional[str]
    # The socket, if it is not one of those of the workspace.
    socket: Optional[str]
    program: Optional[str]
    spawn: bool
    hello: Dict[str, Any]


class State(enum.Enum):
    """The reason why an attempt to connect had no success."""

    NOBODY = "no daemon listens"
    LEAVING = "the daemon exits"
    BUSY = "the daemon has as many connections as it serves"
    STARTING = "the daemon is starting"


@dataclass(frozen=True)
class Unserved:
    """An attempt to connect without success."""

    state: State
    error: Optional[RefusedError] = None


_STATES = {"stopping": State.LEAVING, "busy": State.BUSY, "starting": State.STARTING}


async def reach(transport: Transport, place: Place, end: float, spawn: bool = True) -> Link:
    """Returns a connection after `hello`. Tries until `end`."""
    start: Optional[SpawnedDaemon] = None
    failures, pause = 0, _PAUSES[0]
    while True:
        # Read before the attempt: if the program exited since another daemon serves, the attempt reaches that one.
        status = start.exit_status() if start is not None else None
        found = await _attempt(transport, place, end)
        if isinstance(found, Link):
            return found
        if start is not None and status is not None:
            failures += status != OCCUPIED
            if failures >= _STARTS:
                advice = f"run it with `--workspace {place.root}` to see the reason"
                raise ConnectError(f"{start.program} exited with status {status}; {advice}")
            start = None
        if found.state is State.NOBODY and start is None:
            start = _start(place, spawn)
        if time.monotonic() + pause >= end:
            raise _too_late(place, found)
        await transport.pause(pause)
        pause = min(2 * pause, _PAUSES[1])


def _start(place: Place, spawn: bool) -> Optional[SpawnedDaemon]:
    """Starts a daemon, unless the previous one has not exited yet."""
    if place.root is None or not (spawn and place.spawn):
        raise ConnectError(f"no daemon serves {place.root or place.socket}")
    if address.leaving_process(place.socket or address.usual_socket(place.root)) is not None:
        return None
    return SpawnedDaemon(place.root, place.socket, place.program)


def _too_late(place: Place, found: Unserved) -> Exception:
    if found.error is not None and found.state is not State.LEAVING:
        return found.error
    return DeadlineError(f"no daemon served {place.root or place.socket} in time: {found.state.value}")


async def _attempt(transport: Transport, place: Place, end: float) -> Union[Link, Unserved]:
    """Tries the given socket, or the usual one, that of the systemd unit and the one that a daemon has recorded."""
    if place.socket is not None:
        return await _attempt_at(transport, place, place.socket, end)
    assert place.root is not None
    found = await _attempt_at(transport, place, address.usual_socket(place.root), end)
    unit = address.unit_socket(place.root)
    if _nobody(found) and unit is not None:
        found = await _attempt_at(transport, place, unit, end)
    recorded = address.recorded_socket(place.root) if _nobody(found) else None
    if recorded is not None:
        try:
            return await _attempt_at(transport, place, recorded, end)
        except (OSError, ConnectError, ProtocolError, RefusedError):
            # An address that does not lead to this workspace's daemon is like none.
            return found
    return found


def _nobody(found: Union[Link, Unserved]) -> bool:
    return isinstance(found, Unserved) and found.state is State.NOBODY


async def _greeted(transport: Transport, place: Place, socket: str, end: float) -> Link:
    """Returns a connection after `hello`."""
    link = Link(await transport.connect(socket, end))
    try:
        await link.hello(place.hello, end)
    except BaseException:
        link.close()
        raise
    return link


async def _attempt_at(transport: Transport, place: Place, socket: str, end: float) -> Union[Link, Unserved]:
    try:
        link = await _greeted(transport, place, socket, end)
    except _NOBODY_ERRORS:
        return Unserved(State.NOBODY)
    except ConnectionLost:
        return Unserved(State.LEAVING)
    except RefusedError as error:
        if error.code not in _STATES:
            raise
        return Unserved(_STATES[error.code], error)
    except OSError as error:
        raise ConnectError(f"{socket} cannot be connected to: {error}") from error
    serves = link.welcome["workspace"]
    if place.root is not None and os.fsencode(place.root).decode("utf-8", "replace") != serves:
        link.close()
        raise ConnectError(f"the daemon at {socket} serves {serves}, not {place.root}")
    return link
