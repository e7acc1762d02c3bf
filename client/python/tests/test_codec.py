"""Bytes that a daemon must not send, and values that the library must not send."""

import struct
import unittest

import msgpack

from editd import ProtocolError, RefusedError
from editd import _limits as limits
from editd._codec import FrameBuffer, decode, encode
from editd._conform import conforming
from editd.replies import HistoryReply, ReadReply


def nested(levels: int) -> bytes:
    """Returns a message of this many levels: the map itself and lists inside."""
    return b"\x83\xa2id\x01\xa4kind\xa1x\xa1x" + b"\x91" * (levels - 2) + b"\x90"


HOSTILE = {
    "nothing": b"",
    "a list": b"\x91\x01",
    "a number": b"\x01",
    "an extension": b"\x83\xa2id\x01\xa4kind\xa1x\xa1x\xd4\x01\x00",
    "a timestamp": b"\x83\xa2id\x01\xa4kind\xa1x\xa1x\xd6\xff\x00\x00\x00\x00",
    "a value of no type": b"\x83\xa2id\x01\xa4kind\xa1x\xa1x\xc1",
    "a number as key": b"\x83\xa2id\x01\xa4kind\xa1x\x07\x07",
    "bytes as key": b"\x83\xa2id\x01\xa4kind\xa1x\xc4\x01x\x07",
    "a number as key inside": b"\x83\xa2id\x01\xa4kind\xa1x\xa1x\x81\x07\x07",
    "a field twice": b"\x83\xa2id\x01\xa4kind\xa1x\xa2id\x02",
    "a byte too many": b"\x82\xa2id\x01\xa4kind\xa1x\xc0",
    "text that is not UTF-8": b"\x83\xa2id\x01\xa4kind\xa1x\xa1x\xa1\xff",
    "a text that ends too early": b"\x83\xa2id\x01\xa4kind\xa1x\xa1x\xa9xx",
    "a map that ends too early": b"\x84\xa2id\x01\xa4kind\xa1x\xa1x\x01",
    "a huge list in few bytes": b"\x83\xa2id\x01\xa4kind\xa1x\xa1x\xdd\xff\xff\xff\xff",
    "a huge map in few bytes": b"\xdf\xff\xff\xff\xff",
    "a huge text in few bytes": b"\x83\xa2id\x01\xa4kind\xa1x\xa1x\xdb\xff\xff\xff\xff",
    "huge lists within lists": b"\x83\xa2id\x01\xa4kind\xa1x\xa1x" + b"\xdd\x00\x01\x86\xa0" * 40,
    "5,000 nested lists": nested(5000),
    "one level too many": nested(limits.DEPTH + 1),
    "no id": b"\x81\xa4kind\xa1x",
    "a negative id": b"\x82\xa2id\xff\xa4kind\xa1x",
    "a bool as id": b"\x82\xa2id\xc3\xa4kind\xa1x",
    "no kind": b"\x81\xa2id\x01",
    "a number as kind": b"\x82\xa2id\x01\xa4kind\x01",
    "a long kind": msgpack.packb({"id": 1, "kind": "x" * 257}),
    "too many values": msgpack.packb({"id": 1, "kind": "x", "x": [[0] * 99_999] * 11}),
}


class HostileBytesTest(unittest.TestCase):
    def test_they_are_refused(self) -> None:
        for what, body in HOSTILE.items():
            with self.subTest(what), self.assertRaises(ProtocolError):
                decode(body)

    def test_messages_at_the_limits_are_read(self) -> None:
        self.assertEqual(decode(nested(limits.DEPTH))["id"], 1)
        decode(msgpack.packb({"id": 2**64 - 1, "kind": "x" * 256, "x": [0] * limits.COUNT}))
        for value in (1.5, -1, -(2**63), 2**64 - 1, None, True, "é" * 70_000, b"\xff" * 70_000, {"a": [{}]}):
            self.assertEqual(decode(msgpack.packb({"id": 1, "kind": "x", "x": value}))["x"], value)

    def test_every_prefix_of_a_message_is_refused(self) -> None:
        body = msgpack.packb({"id": 1, "kind": "x", "x": [1, {"a": b"bb", "c": 2.5, "d": "e" * 300}]})
        decode(body)
        for end in range(len(body)):
            with self.assertRaises(ProtocolError):
                decode(body[:end])

    def test_a_long_frame_is_refused_by_its_length(self) -> None:
        for limit in (limits.FRAME_BEFORE_HELLO, limits.FRAME):
            buffer = FrameBuffer()
            buffer.limit = limit
            buffer.add(struct.pack(">I", limit))
            self.assertIsNone(buffer.next())
            buffer = FrameBuffer()
            buffer.limit = limit
            buffer.add(struct.pack(">I", limit + 1))
            with self.assertRaises(ProtocolError):
                buffer.next()

    def test_messages_are_taken_one_by_one_whatever_the_pieces_are(self) -> None:
        frames = b"".join(encode({"id": number, "kind": "x"}) for number in range(1, 20))
        for size in (1, 2, 7, 1000):
            buffer, taken = FrameBuffer(), []
            for at in range(0, len(frames), size):
                buffer.add(frames[at : at + size])
                while True:
                    message = buffer.next()
                    if message is None:
                        break
                    taken.append(message["id"])
            self.assertEqual(taken, list(range(1, 20)))


class EncodingTest(unittest.TestCase):
    def test_requests_that_cannot_be_sent_are_refused(self) -> None:
        deep: list = []
        for _ in range(limits.DEPTH):
            deep = [deep]
        for fields, code in (
            ({"x": "y" * limits.FRAME}, "too_large"),
            ({"x": object()}, "malformed"),
            ({"x": 2**64}, "malformed"),
            ({"x": "\ud800"}, "malformed"),
            ({"x": {7: 7}}, "malformed"),
            ({"x": msgpack.ExtType(1, b"x")}, "malformed"),
            ({"x": deep}, "too_large"),
            ({"x": [0] * (limits.COUNT + 1)}, "too_large"),
        ):
            with self.assertRaises(RefusedError) as caught:
                encode({"id": 1, "kind": "x", **fields})
            self.assertEqual(caught.exception.code, code)


class ConformingTest(unittest.TestCase):
    READ = {
        "path": "a",
        "version": "0123456789ab",
        "hash": "blake3:",
        "lines": 1,
        "first_line": 1,
        "encoding": "utf-8",
        "line_ending": "lf",
        "bom": False,
        "size": 2,
    }

    def test_unknown_fields_are_kept_and_wrong_ones_refused(self) -> None:
        newer = {**self.READ, "newer": [1]}
        self.assertEqual(conforming({"id": 1, "kind": "read", **newer}, ReadReply), newer)
        for field, value in (("path", 7), ("lines", True), ("lines", "1"), ("bom", 0), ("text", b"x"), ("symbol", [])):
            with self.assertRaises(ProtocolError) as caught:
                conforming({**self.READ, field: value}, ReadReply)
            self.assertIn(f"`{field}`", str(caught.exception))
        lacking = dict(self.READ)
        del lacking["version"]
        with self.assertRaises(ProtocolError):
            conforming(lacking, ReadReply)

    def test_parts_within_lists_are_checked(self) -> None:
        entry = {"id": 1, "key": None, "time": 1, "session": "s", "client": "c", "label": None, "kind": "edit"}
        file = {"path": b"\xff", "before": None, "after": "x", "added": 1, "removed": 0}
        shape = {**entry, "undone": False, "files": [file]}
        conforming({"entries": [shape], "more": False}, HistoryReply)
        for wrong in ({**shape, "files": [{**file, "before": 1}]}, {**shape, "files": {}}, {**shape, "of": ["1"]}, 1):
            with self.assertRaises(ProtocolError):
                conforming({"entries": [wrong], "more": False}, HistoryReply)


if __name__ == "__main__":
    unittest.main()
