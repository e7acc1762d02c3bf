"""The part of a client that both clients share, and their default times."""

from __future__ import annotations

import os
from typing import Optional

from . import _requests as requests
from ._address import find_workspace
from ._calls import Caller
from ._link import Transport
from ._reach import Place
from ._requests import AnyPath, OnStale

# The default time limit of a call in seconds. Validators and formatters of a workspace may take long.
TIMEOUT = 60.0
# The time after the end of a `wait` in which the reply must arrive, in seconds.
REPLY = 10.0


def make_caller(
    transport: Transport,
    workspace: Optional[AnyPath],
    session: str,
    client: str,
    on_stale: Optional[OnStale],
    socket: Optional[AnyPath],
    program: Optional[str],
    spawn: bool,
) -> Caller:
    """Returns the part of a client that both clients share."""
    given = None if workspace is None else os.fsdecode(workspace)
    # A socket without a workspace stands for the workspace of the daemon that listens there.
    root = find_workspace(given) if given is not None or socket is None else None
    address = None if socket is None else os.path.abspath(os.fsdecode(socket))
    hello = requests.hello(client, session, on_stale)
    return Caller(Place(root, address, program, spawn, hello), transport)
