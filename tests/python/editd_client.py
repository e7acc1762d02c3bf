"""A client of editd from the standard library and `msgpack`, written from proto/WIRE.md alone.

It is an example to copy, and the tests' proof that the page is enough. It starts no daemon.
"""

import hashlib
import os
import socket
import struct

import msgpack

FRAME = 16 * 1024 * 1024


class Refused(Exception):
    """The server answered with an error; `code` is for programs, the text for people."""

    def __init__(self, error):
        super().__init__(error.get("message", ""))
        self.code = error.get("code")
        self.error = error


class Closed(Exception):
    """The server closed the connection."""


def socket_path(workspace):
    """Where the daemon of a workspace listens (WIRE.md, Connecting)."""
    real = os.path.realpath(os.fsencode(workspace))
    tag = hashlib.sha256(real).hexdigest()[:16]
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = os.path.join(runtime, "editd") if os.path.isabs(runtime) else f"/tmp/editd-{os.geteuid()}"
    return os.path.join(folder, tag + ".sock")


def wire_path(name):
    """A path for the wire: text where it is UTF-8, bytes where it is not."""
    raw = os.fsencode(name)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def pack(message):
    """A message as a frame."""
    body = msgpack.packb(message, use_bin_type=True)
    return struct.pack(">I", len(body)) + body


def unpack(body):
    """A frame's bytes as a message."""
    return msgpack.unpackb(body, raw=False, strict_map_key=True)


class Client:
    """One connection. Requests may be pipelined: `send` several, then `wait_for` each."""

    def __init__(self, path, session=None, client="editd_client.py", timeout=30.0, hello=True):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.last_id = 0
        self.replies = {}
        self.events = []
        self.welcome = None
        if hello:
            fields = {"protocol": [1], "client": client}
            if session is not None:
                fields["session"] = session
            self.welcome = self.call("hello", **fields)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Closes the connection."""
        self.socket.close()

    def send(self, kind, **fields):
        """Sends a request and returns its number."""
        self.last_id += 1
        self.socket.sendall(pack({"id": self.last_id, "kind": kind, **fields}))
        return self.last_id

    def send_raw(self, raw):
        """Sends bytes as they are."""
        self.socket.sendall(raw)

    def receive(self):
        """The next message, whatever it is."""
        (length,) = struct.unpack(">I", self._exactly(4))
        if length > FRAME:
            raise Closed(f"the server declared a frame of {length} bytes")
        return unpack(self._exactly(length))

    def wait_for(self, number):
        """The reply to a request; events that come meanwhile are kept in `events`."""
        while number not in self.replies:
            message = self.receive()
            if message["kind"] == "event":
                self.events.append(message)
            elif message["kind"] == "error" and message["id"] == 0:
                raise Refused(message)
            else:
                self.replies[message["id"]] = message
        reply = self.replies.pop(number)
        if reply["kind"] == "error":
            raise Refused(reply)
        return reply

    def call(self, kind, **fields):
        """Sends a request and waits for its reply."""
        return self.wait_for(self.send(kind, **fields))

    def next_event(self):
        """The next event of any subscription."""
        while not self.events:
            message = self.receive()
            if message["kind"] == "event":
                self.events.append(message)
            else:
                self.replies[message["id"]] = message
        return self.events.pop(0)

    def read(self, path, **fields):
        """Reads a file; the session has a receipt for it then."""
        return self.call("read", path=wire_path(path), **fields)

    def edit(self, path, *edits, **fields):
        """One job over one file; returns its receipt, or raises the receipt's error."""
        entry = {"path": wire_path(path), "edits": list(edits)}
        if "base" in fields:
            entry["base"] = fields.pop("base")
        return accepted(self.call("edit", files=[entry], **fields))

    def undo(self, **fields):
        """Takes entries back: the session's last one without a selector."""
        return accepted(self.call("undo", **fields))

    def _exactly(self, count):
        parts = []
        while count:
            part = self.socket.recv(min(count, 65536))
            if not part:
                raise Closed("the server closed the connection")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


def accepted(receipt):
    """A receipt that is no refusal."""
    if receipt["status"] == "refused":
        raise Refused(receipt["error"])
    return receipt
