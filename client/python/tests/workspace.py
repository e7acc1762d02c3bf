"""Workspaces with real daemons for the tests. Ends only processes that the tests started."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from typing import Any, Callable, Iterator, List
from unittest import mock

import editd._spawn as spawn
from editd import Client, RefusedError
from editd._address import usual_socket
from editd._codec import FrameBuffer, Message


class RecordedProcess(subprocess.Popen):  # type: ignore[type-arg]
    """A process that the library starts, which the tests end."""

    all: List[RecordedProcess] = []

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        RecordedProcess.all.append(self)


class WorkspaceTest(unittest.TestCase):
    """A test with a folder of its own, in which the library starts daemons."""

    def setUp(self) -> None:
        program = os.environ.get("EDITD_BIN") or shutil.which("editd")
        if program is None:
            self.skipTest("editd is not in PATH, and EDITD_BIN does not name it")
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="editd-py-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, mode in (("w", 0o755), ("run", 0o700), ("state", 0o700), ("home", 0o755)):
            os.mkdir(os.path.join(self.folder, name), mode)
        self.root = os.path.join(self.folder, "w")
        environment = {
            "EDITD_BIN": os.path.abspath(str(program)),
            "HOME": os.path.join(self.folder, "home"),
            "XDG_RUNTIME_DIR": os.path.join(self.folder, "run"),
            "XDG_STATE_HOME": os.path.join(self.folder, "state"),
        }
        changed = mock.patch.dict(os.environ, environment)
        changed.start()
        self.addCleanup(changed.stop)
        os.environ.pop("XDG_CONFIG_HOME", None)
        recorded = mock.patch.object(spawn.subprocess, "Popen", RecordedProcess)
        recorded.start()
        self.addCleanup(recorded.stop)
        RecordedProcess.all = []
        self.addCleanup(self.end_daemons)

    @property
    def socket(self) -> str:
        """The usual socket of the workspace."""
        return usual_socket(self.root)

    def client(self, **options: Any) -> Client:
        """Returns a client that is closed at the end of the test."""
        client = Client(self.root, **options)
        self.addCleanup(client.close)
        return client

    def put(self, name: str, content: bytes) -> str:
        """Writes a file as another program would."""
        with open(os.path.join(self.root, name), "wb") as file:
            file.write(content)
        return name

    def content(self, name: str) -> bytes:
        """Returns the content of a file."""
        with open(os.path.join(self.root, name), "rb") as file:
            return file.read()

    def refused(self, code: str, call: Callable[..., Any], *args: Any, **options: Any) -> RefusedError:
        """Returns the refusal of a call, which must have this code."""
        with self.assertRaises(RefusedError) as caught:
            call(*args, **options)
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        return caught.exception

    def daemons(self) -> List[RecordedProcess]:
        """Returns the running processes that the library has started."""
        return [one for one in RecordedProcess.all if one.poll() is None]

    def end_daemons(self) -> None:
        """Ends the processes that the library has started."""
        for process in self.daemons():
            process.send_signal(signal.SIGKILL)
        for process in RecordedProcess.all:
            process.wait(10)

    def until(self, condition: Callable[[], Any], what: str) -> Any:
        """Waits until the condition holds, and returns its value."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.01)
        self.fail(f"not within 20 s: {what}")


def replace(path: str, old: str, new: str, **fields: Any) -> Any:
    """Returns a file entry with one replacement."""
    return {"path": path, "edits": {"op": "replace", "old": old, "new": new}, **fields}


def append(path: str, text: str) -> Any:
    """Returns a file entry that adds text at the end."""
    return {"path": path, "edits": {"op": "insert", "at": "end", "text": text}}


def messages(peer: socket.socket) -> Iterator[Message]:
    """Yields the messages that a blocking socket receives until it is closed."""
    buffer = FrameBuffer()
    while True:
        message = buffer.next()
        if message is not None:
            buffer.limit = 16 * 1024 * 1024
            yield message
            continue
        data = peer.recv(65536)
        if not data:
            return
        buffer.add(data)
