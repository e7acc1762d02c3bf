"""Every example of the protocol: its bytes are decoded, compared with the documented value, and made again."""

import json
import os
import re
import unittest
from typing import Any, Dict, List, Tuple

from editd import _requests as requests
from editd import replies
from editd._codec import FrameBuffer, Message, encode
from editd._conform import conforming
from editd.errors import refusal

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "proto")

SHAPES: Dict[str, Any] = {
    "hello": replies.HelloReply,
    "read": replies.ReadReply,
    "edit": replies.Receipt,
    "history": replies.HistoryReply,
    "clip": replies.ClipReply,
    "content": replies.ContentReply,
    "dialects": replies.DialectsReply,
    "outline": replies.OutlineReply,
    "subscribe": replies.SubscribeReply,
    "event": replies.Event,
    "status": replies.StatusReply,
    "metrics": replies.MetricsReply,
    "config": replies.ConfigReply,
    "checks": replies.ChecksReply,
    "mark": replies.MarkReply,
    "note": replies.NoteReply,
    "stop": replies.StopReply,
}
# Requests and replies that have no method: `Client.request` sends them.
UNTYPED = {"check", "export", "forget", "trust"}


def with_bytes(value: Any) -> Any:
    """Returns the documented value with bytes where the wire has them."""
    if isinstance(value, dict):
        if list(value) == ["bytes"] and isinstance(value["bytes"], list):
            return bytes(value["bytes"])
        return {k: bytes(v) if k == "bytes" and isinstance(v, list) else with_bytes(v) for k, v in value.items()}
    return [with_bytes(one) for one in value] if isinstance(value, list) else value


def samples() -> List[Tuple[int, str, bytes, Message]]:
    """Returns the number, the sender, the bytes and the documented value of each example."""
    with open(os.path.join(PROTO, "WIRE-SAMPLES.md"), encoding="utf-8") as file:
        dumps = re.findall(r"^## (\d+): `\w+`, (\w+)\n\n```hex\n(.*?)```", file.read(), re.DOTALL | re.MULTILINE)
    with open(os.path.join(PROTO, "WIRE.md"), encoding="utf-8") as file:
        values = re.findall(r"^\[Example (\d+)\]\(.*?```json \w+\n(.*?)```", file.read(), re.DOTALL | re.MULTILINE)
    documented = {int(number): with_bytes(json.loads(text)) for number, text in values}
    found = []
    for number, sender, dump in dumps:
        digits = "".join(line.split("  |")[0] for line in dump.splitlines())
        found.append((int(number), sender, bytes.fromhex(digits), documented[int(number)]))
    return found


@unittest.skipUnless(os.path.isdir(PROTO), "the pages of the protocol are not here")
class SamplesTest(unittest.TestCase):
    def test_every_example_is_decoded_and_made_again(self) -> None:
        found = samples()
        self.assertGreaterEqual(len(found), 43)
        self.assertEqual([number for number, *_ in found], list(range(1, len(found) + 1)))
        for number, _, frame, documented in found:
            with self.subTest(example=number):
                buffer = FrameBuffer()
                buffer.add(frame[:-1])
                self.assertIsNone(buffer.next())
                buffer.add(frame[-1:])
                message = buffer.next()
                self.assertEqual(message, documented)
                self.assertIsNone(buffer.next())
                assert message is not None
                self.assertEqual(encode(message), frame)

    def test_replies_conform_to_their_types(self) -> None:
        for number, sender, _, documented in samples():
            if sender != "server" or documented["kind"] in UNTYPED:
                continue
            with self.subTest(example=number):
                body = {name: value for name, value in documented.items() if name not in ("id", "kind")}
                if documented["kind"] == "error":
                    error = refusal(documented)
                    self.assertEqual((error.code, error.message), (documented["code"], documented["message"]))
                else:
                    self.assertEqual(conforming(documented, SHAPES[documented["kind"]]), body)

    def test_requests_of_the_library_have_the_documented_bytes(self) -> None:
        made = {number: encode(message) for number, message in self.made().items()}
        for number, sender, frame, documented in samples():
            if sender == "client" and documented["kind"] not in UNTYPED:
                with self.subTest(example=number):
                    self.assertEqual(made[number], frame)

    def made(self) -> Dict[int, Message]:
        """Returns the requests of the examples, as the library makes them. The key is left out where it is made up."""
        options: Any = {"key": None, "label": None}
        patch = '{"path": "a.txt", "patches": [{"operation": "append_eof", "newText": "b"}]}'
        edits: Any = [
            {"op": "replace", "old": "fn a", "new": "fn b"},
            {"op": "insert", "text": "// b\n", "at": {"line": 1}},
        ]
        entry: Any = {"path": "src/a.rs", "base": "af1349b9f5f9", "edits": edits}
        undo = requests.turn("undo", [17], None, None, None, on_stale="reject", **options)
        redo = requests.turn("redo", None, None, None, None, on_stale="reject", **options)
        payload = requests.payload(patch, "patch", None, None, **options)
        for request in (undo, redo, payload):
            self.assertRegex(request.fields.pop("key"), "^[0-9a-f]{32}$")
        numbered: Dict[int, Tuple[int, Any]] = {
            4: (2, requests.read("src/a.rs", (1, 40), None, False, None)),
            6: (3, requests.read("src/a.rs", None, "S/new", True, None)),
            9: (3, requests.read(b"caf\xe9", None, None, False, None)),
            10: (4, requests.edit(entry, key="k-1", label="rename")),
            13: (17, payload),
            16: (6, undo),
            17: (7, redo),
            18: (8, requests.history("src/a.rs", limit=10)),
            20: (9, requests.show(17, None)),
            21: (10, requests.clip("set", "/shared", text="abc")),
            23: (10, requests.content(17, "logo.png", None, None)),
            29: (10, requests.note("begin", ["src/a.rs"], session="s", label="Edit", call="t-1", check=True)),
            30: (11, requests.note("end", ["src/a.rs"], session="s", call="t-1")),
            32: (18, requests.dialects()),
            34: (19, requests.outline("src/a.rs", 1)),
            39: (12, requests.wait(17, 5)),
            40: (13, requests.cancel(17)),
            41: (14, requests.status(None)),
            44: (18, requests.checks(17, False, 5)),
            47: (18, requests.config()),
            51: (20, requests.mark("before refactoring")),
        }
        made = {n: {"id": id_, "kind": one.kind, **one.fields} for n, (id_, one) in numbered.items()}
        made[1] = {"id": 1, "kind": "hello", **requests.hello("example", "s", None)}
        made[36] = {"id": 11, "kind": "subscribe", **requests.subscribe(["src/**/*.rs"])}
        return made


if __name__ == "__main__":
    unittest.main()
