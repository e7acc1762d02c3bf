"""Finds a workspace and the addresses of its daemon (proto/WIRE.md, Connecting). Changes nothing."""

from __future__ import annotations

import fcntl
import hashlib
import os
import socket
import stat
import struct
import sys
from typing import List, Optional

from .errors import ConnectError

MARKERS = (".editd.toml", ".git")
SOCKET_PATH = 107 if sys.platform == "linux" else 103
_ADDRESS = 4096
_LEAVING = b"leaving "
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.")


def find_workspace(folder: Optional[str]) -> str:
    """Returns the absolute path of a workspace with links resolved.

    Without `folder`, it is the nearest parent of the current folder with `.editd.toml` or `.git`, else that folder.
    """
    root = os.path.realpath(folder if folder is not None else os.getcwd())
    if not os.path.isdir(root):
        raise ConnectError(f"the workspace {root} is not a folder")
    if folder is not None:
        return root
    above = root
    while True:
        markers = [os.path.join(above, name) for name in MARKERS]
        there = [path for path in markers if os.path.lexists(path)]
        if there:
            _refuse_foreign([*there, above])
            return above
        parent = os.path.dirname(above)
        if parent == above:
            return root
        above = parent


def _refuse_foreign(paths: List[str]) -> None:
    """Refuses a workspace that was found by a file of another user, who could choose its configuration."""
    for path in paths:
        owner = os.lstat(path).st_uid
        if owner not in (0, os.geteuid()):
            raise ConnectError(f"{path} belongs to user {owner}, so it is not used; name the workspace to use it")


def socket_folder() -> str:
    """Returns the folder of the sockets of this user."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return os.path.join(runtime, "editd") if os.path.isabs(runtime) else f"/tmp/editd-{os.geteuid()}"


def usual_socket(root: str) -> str:
    """Returns the usual socket of a workspace. Raises `ConnectError` if its path is too long."""
    tag = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    path = os.path.join(socket_folder(), f"{tag}.sock")
    if len(os.fsencode(path)) > SOCKET_PATH:
        raise ConnectError(f"the socket path {path} is too long; set XDG_RUNTIME_DIR to a shorter folder")
    return path


def unit_socket(root: str) -> Optional[str]:
    """Returns the socket of the systemd unit of a workspace, or `None` if its path is too long for a unit."""
    path = os.path.join(socket_folder(), f"@{escape_path(os.fsencode(root))}.sock")
    return path if len(os.fsencode(path)) <= SOCKET_PATH else None


def escape_path(path: bytes) -> str:
    """Escapes a path as `systemd-escape --path` does."""
    parts = [part for part in path.split(b"/") if part not in (b"", b".")]
    escaped = "-".join("".join(_escaped(byte) for byte in part) for part in parts) or "-"
    return "\\x2e" + escaped[1:] if escaped.startswith(".") else escaped


def _escaped(byte: int) -> str:
    return chr(byte) if byte in _PLAIN else f"\\x{byte:02x}"


def recorded_socket(root: str) -> Optional[str]:
    """Returns the address that the daemon of a workspace has stored in its lock file, if there is one."""
    content = _head(os.path.join(root, ".editd", "lock"), _ADDRESS)
    line = content.split(b"\n", 1)[0] if content is not None else b""
    usable = line.startswith(b"/") and b"\0" not in line and len(line) <= SOCKET_PATH
    return os.fsdecode(line) if usable else None


def leaving_process(path: str) -> Optional[int]:
    """Returns the id of the daemon that is exiting and holds the lock of a socket, or `None`."""
    try:
        lock = os.open(path + ".lock", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        # The lock is shared, so that other readers are not mistaken for the owner. Closing releases it.
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        content = os.read(lock, 64)
        number = content[len(_LEAVING) :].strip()
        return int(number) if content.startswith(_LEAVING) and number.isdigit() else None
    except OSError:
        return None
    finally:
        os.close(lock)
    return None


def is_own(peer: socket.socket, path: str) -> bool:
    """Returns true if the process that listens on a connected socket belongs to this user."""
    if sys.platform == "linux":
        credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return bool(struct.unpack("3i", credentials)[1] == os.geteuid())
    return os.lstat(path).st_uid == os.geteuid()


def _head(path: str, size: int) -> Optional[bytes]:
    """Returns the first bytes of a regular file. The workspace may have a link or a pipe in its place."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return os.read(file, size) if stat.S_ISREG(os.fstat(file).st_mode) else None
    except OSError:
        return None
    finally:
        os.close(file)
