"""Bytes that a client must not send, sent to a real daemon: they end that connection and no other."""

import socket
import struct
import unittest
from typing import Optional

import msgpack

from editd import _limits as limits
from editd._codec import encode

from .workspace import WorkspaceTest, messages

HELLO = {"id": 1, "kind": "hello", "protocol": [1], "client": "test"}


def framed(value: object) -> bytes:
    """Returns any value as a frame."""
    body: bytes = msgpack.packb(value)
    return struct.pack(">I", len(body)) + body


HOSTILE = {
    "a length of 4 GB": struct.pack(">I", 0xFFFFFFFF) + b"x" * 100,
    "a length just above the limit": struct.pack(">I", limits.FRAME_BEFORE_HELLO + 1),
    "an empty frame": struct.pack(">I", 0),
    "text that is no frame": b"GET / HTTP/1.1\r\n\r\n",
    "a list": framed([1, 2]),
    "no id": framed({"kind": "status"}),
    "no kind": framed({"id": 1}),
    "an extension": framed({"id": 1, "kind": "status", "x": msgpack.ExtType(1, b"x")}),
    "a number as key": framed({"id": 1, "kind": "status", 7: 7}),
    "a field twice": struct.pack(">I", 9) + b"\x82\xa2id\x01\xa2id\x02",
    "a byte too many": struct.pack(">I", 18) + b"\x82\xa2id\x01\xa4kind\xa6status\xc0",
    "a huge list in few bytes": struct.pack(">I", 8) + b"\x81\xa1x\xdd\xff\xff\xff\xff",
    "a huge text in few bytes": struct.pack(">I", 8) + b"\x81\xa1x\xdb\xff\xff\xff\xff",
    "5,000 nested lists": struct.pack(">I", 5004) + b"\x81\xa1x" + b"\x91" * 5000 + b"\xc0",
}


class ServerTest(WorkspaceTest):
    def setUp(self) -> None:
        super().setUp()
        self.bystander = self.client()
        self.bystander.status()

    def stranger(self) -> socket.socket:
        """Returns a connection that has sent nothing."""
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(peer.close)
        peer.settimeout(20)
        peer.connect(self.socket)
        return peer

    def code_before_end(self, peer: socket.socket) -> Optional[str]:
        """Returns the code of the error of id 0, if there is one, before the daemon closes the connection."""
        code = None
        try:
            for message in messages(peer):
                self.assertEqual((message["id"], message["kind"], code), (0, "error", None))
                code = message["code"]
        except ConnectionError:
            pass
        return code

    def test_hostile_bytes_close_that_connection_and_no_other(self) -> None:
        for greeted in (False, True):
            for what, raw in HOSTILE.items():
                with self.subTest(what, greeted=greeted):
                    peer = self.stranger()
                    if greeted:
                        peer.sendall(encode(HELLO))
                        self.assertEqual(next(messages(peer))["kind"], "hello")
                    if greeted and what == "a length just above the limit":
                        raw = struct.pack(">I", limits.FRAME + 1)
                    peer.sendall(raw)
                    self.assertIn(self.code_before_end(peer), ("malformed", "too_large", None))
        self.assertEqual(self.bystander.status()["queue"], 0)

    def test_a_client_that_dies_in_a_frame_harms_nobody(self) -> None:
        whole = encode(HELLO)
        for end in range(len(whole)):
            peer = self.stranger()
            peer.sendall(whole[:end])
            peer.close()
        self.assertEqual(self.bystander.status()["queue"], 0)

    def test_nothing_is_answered_before_hello(self) -> None:
        peer = self.stranger()
        peer.sendall(encode({"id": 1, "kind": "status"}))
        reply = next(messages(peer))
        self.assertEqual((reply["kind"], reply["code"]), ("error", "malformed"))

    def test_an_unknown_version_is_refused(self) -> None:
        peer = self.stranger()
        peer.sendall(encode({**HELLO, "protocol": [99]}))
        replies = list(messages(peer))
        self.assertEqual([one["code"] for one in replies], ["unsupported"])

    def test_a_fresh_session_has_a_name(self) -> None:
        peer = self.stranger()
        peer.sendall(encode(HELLO))
        welcome = next(messages(peer))
        self.assertTrue(welcome["session"])
        self.assertEqual(welcome["protocol"], 1)
        self.assertGreaterEqual(welcome["limits"]["frame"], limits.FRAME_BEFORE_HELLO)

    def test_unknown_fields_are_ignored(self) -> None:
        self.bystander.request("status", {"unknown_field": [1, {"a": None}]})

    def test_a_job_with_files_and_a_payload_is_malformed(self) -> None:
        files = [{"path": "a", "edits": [{"op": "delete"}]}]
        fields = {"files": files, "payload": {"text": "x"}}
        self.refused("malformed", self.bystander.request, "edit", fields)


if __name__ == "__main__":
    unittest.main()
