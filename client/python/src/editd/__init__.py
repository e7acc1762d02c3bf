"""A client of editd, the daemon that applies the file edits of coding agents."""

from .aio import AsyncClient, AsyncWatch
from .client import Client, Watch
from .edits import Edit, FileEdits, FileEntry, SeveralFiles
from .errors import (
    ConnectError,
    ConnectionLost,
    DeadlineError,
    EditdError,
    ProtocolError,
    RefusedError,
    StaleError,
    UnknownOutcomeError,
)

__version__ = "0.1.0"

__all__ = [
    "AsyncClient",
    "AsyncWatch",
    "Client",
    "ConnectError",
    "ConnectionLost",
    "DeadlineError",
    "Edit",
    "EditdError",
    "FileEdits",
    "FileEntry",
    "ProtocolError",
    "RefusedError",
    "SeveralFiles",
    "StaleError",
    "UnknownOutcomeError",
    "Watch",
]
