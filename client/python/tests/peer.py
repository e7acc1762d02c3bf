"""A daemon that follows a script, for replies that a real one does not give on request."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
import unittest
from typing import Any, Callable, Iterator, List

from editd._codec import Message, encode

from .workspace import messages

Script = Callable[["Peer"], None]


class Peer:
    """A connection of the library, seen from the daemon."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.received: Iterator[Message] = messages(connection)

    def next(self) -> Message:
        """Returns the next request."""
        return next(self.received)

    def send(self, number: int, kind: str, **fields: Any) -> None:
        """Sends a message."""
        self.connection.sendall(encode({"id": number, "kind": kind, **fields}))

    def error(self, number: int, code: str) -> None:
        """Sends an error."""
        self.send(number, "error", code=code, message=f"this is {code}")

    def welcome(self) -> Message:
        """Answers `hello`, and returns it."""
        asked = self.next()
        limits = {"frame": 16777216, "file": 67108864, "files": 10000, "edits": 100000}
        fields = {"protocol": 1, "server": "0.1.0", "workspace": "/w", "session": asked["session"], "limits": limits}
        self.send(asked["id"], "hello", **fields)
        return asked

    def receipt(self, asked: Message, **fields: Any) -> None:
        """Answers a job as applied."""
        self.send(asked["id"], asked["kind"], job=17, status="applied", files=[], **fields)


class PeerTest(unittest.TestCase):
    """A test with a socket on which scripts are served, one for each connection."""

    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="editd-py-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.socket = os.path.join(self.folder, "s.sock")

    def serve(self, *scripts: Script, parallel: bool = False) -> None:
        """Serves each of the next connections with one of the scripts, in their order or at the same time."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self.socket)
        listener.listen(16)
        listener.settimeout(20)
        self.failures: List[BaseException] = []

        def follow(script: Script, connection: socket.socket) -> None:
            try:
                with connection:
                    connection.settimeout(20)
                    script(Peer(connection))
            except (BrokenPipeError, ConnectionResetError, StopIteration):
                # The library has closed the connection.
                pass
            except BaseException as error:
                self.failures.append(error)

        def run() -> None:
            followers = []
            with listener:
                for script in scripts:
                    try:
                        connection, _ = listener.accept()
                    except OSError as error:
                        self.failures.append(error)
                        break
                    follower = threading.Thread(target=follow, args=(script, connection))
                    follower.start()
                    followers.append(follower)
                    if not parallel:
                        follower.join()
            for follower in followers:
                follower.join()

        thread = threading.Thread(target=run)
        thread.start()

        def check() -> None:
            thread.join(30)
            self.assertEqual((thread.is_alive(), self.failures), (False, []))

        self.addCleanup(check)
