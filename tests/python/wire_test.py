#!/usr/bin/env python3
"""Talks to a live daemon as a foreign client would, and as a hostile one.

    wire_test.py SOCKET            against the daemon that listens there; it writes in the daemon's workspace,
                                   below a folder of its own
    wire_test.py --document WIRE   reads every example of the document with Python's MessagePack

Prints a line for each test. Exits with 0 if all passed, 1 if one failed, 77 if it could not run.
"""

import json
import os
import re
import shutil
import socket
import struct
import sys
import uuid

try:
    import msgpack
except ImportError:
    print("skipped: python3 has no module msgpack (pip install msgpack)")
    sys.exit(77)

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from editd_client import Client, Closed, Refused, pack, unpack  # noqa: E402

TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Place:
    """A folder of this run in the workspace, and sessions of this run."""

    def __init__(self, path):
        self.socket = path
        self.session = "py-" + uuid.uuid4().hex[:8]
        with self.client() as client:
            self.workspace = client.welcome["workspace"]
        self.folder = "wire-test-" + uuid.uuid4().hex[:8]
        os.mkdir(os.path.join(self.workspace, self.folder))

    def client(self, session=None):
        return Client(self.socket, session=session or self.session)

    def stranger(self):
        return Client(self.socket, hello=False)

    def file(self, name, content):
        with open(self.absolute(name), "wb") as file:
            file.write(content)
        return self.folder + "/" + name

    def absolute(self, name):
        return os.path.join(self.workspace, self.folder, name)

    def content(self, name):
        with open(self.absolute(name), "rb") as file:
            return file.read()

    def clean(self):
        shutil.rmtree(os.path.join(self.workspace, self.folder), ignore_errors=True)


def equal(got, expected, what=""):
    if got != expected:
        raise AssertionError(f"{what}: {got!r} is not {expected!r}")


def refused(code, call, *args, **fields):
    try:
        reply = call(*args, **fields)
    except Refused as error:
        equal(error.code, code, str(error))
        return error.error
    raise AssertionError(f"not refused as {code} but answered {reply!r}")


def closed(client):
    """The server says at most one error of id 0, then closes. Returns the error's code."""
    code = None
    try:
        message = client.receive()
        equal((message["id"], message["kind"]), (0, "error"))
        code = message["code"]
        client.receive()
    except (Closed, ConnectionError):
        return code
    raise AssertionError("the connection stayed open")


@test
def hello_tells_who_and_what(place):
    with place.client() as client:
        welcome = client.welcome
        equal(welcome["protocol"], 1)
        equal(welcome["session"], place.session)
        assert welcome["limits"]["frame"] >= 65536
    with Client(place.socket) as client:
        assert client.welcome["session"], "a fresh session has a name"


@test
def payloads_of_other_tools(place):
    path = place.file("p.txt", b"one\ntwo\n")
    with place.client() as client:
        names = [one["name"] for one in client.call("dialects")["dialects"]]
        assert "patch" in names and all(names), names
        patches = [{"operation": "replace", "oldText": "two", "newText": "2"}]
        payload = {"text": json.dumps({"path": path, "patches": patches})}
        receipt = client.call("edit", payload=dict(payload, dialect="patch"))
        equal((receipt["status"], receipt["dialect"]), ("applied", "patch"))
        summary = f"<summary>job {receipt['job']}: {path} +1 -1, line 2</summary>"
        equal(receipt["text"], f"<patches_applied>all</patches_applied>\n{summary}")
        equal(place.content("p.txt"), b"one\n2\n")
        again = client.call("edit", payload=payload)
        equal((again["status"], again["error"]["code"]), ("refused", "not_found"))
        equal(again["error"]["by"], receipt["job"])
        assert "made this very change" in again["text"], again
        unknown = client.call("edit", payload={"text": "hello"})
        equal((unknown["status"], unknown["error"]["code"]), ("refused", "malformed"))
        both = client.call("edit", payload=payload, files=[{"path": path, "edits": [{"op": "delete"}]}])
        equal(both["error"]["code"], "malformed")


@test
def read_edit_and_undo(place):
    path = place.file("a.txt", b"one\ntwo\n")
    with place.client() as client:
        read = client.read(path)
        equal((read["text"], read["lines"], read["line_ending"]), ("one\ntwo\n", 2, "lf"))
        receipt = client.edit(path, {"op": "replace", "old": "two", "new": "2"}, base=read["version"])
        equal(receipt["status"], "applied")
        equal(receipt["files"][0]["after"], client.read(path)["version"])
        equal((receipt["files"][0]["lines"], "before" in receipt["files"][0]), ("2", False))
        equal(place.content("a.txt"), b"one\n2\n")
        entry = client.call("history", path=path)["entries"][0]
        equal((entry["id"], entry["kind"], entry["session"]), (receipt["job"], "edit", place.session))
        shown = client.call("show", job=receipt["job"])
        equal(shown["entry"]["id"], receipt["job"])
        equal(client.undo()["status"], "applied")
        equal(place.content("a.txt"), b"one\ntwo\n")
        equal(accepted_redo(client)["status"], "applied")
        equal(place.content("a.txt"), b"one\n2\n")


def accepted_redo(client):
    return client.call("redo")


@test
def definitions_are_listed_and_read_by_name(place):
    path = place.file("s.rs", b"struct S;\nimpl S {\n    fn f(&self) { g() }\n}\n")
    with place.client() as client:
        outline = client.call("outline", path=path)
        names = [(one["kind"], one["name"], one["lines"]) for one in outline["symbols"]]
        equal(names, [("struct", "S", [1, 1]), ("impl", "impl S", [2, 4]), ("method", "impl S/f", [3, 3])])
        equal(outline["symbols"][2]["body"], {"start": [3, 17], "end": [3, 24]})
        equal(client.call("read", path=path, symbol="f")["text"], "    fn f(&self) { g() }\n")
        equal(client.call("read", path=path, symbol="f", body=True)["text"], "{ g() }")
        error = refused("symbol_not_found", client.call, "read", path=path, symbol="h")
        equal(sorted(error["symbols"]), ["S", "impl S", "impl S/f"])


@test
def a_stale_edit_is_refused_and_the_refusal_is_enough_to_try_again(place):
    path = place.file("stale.txt", b"a\nb\nc\n")
    with place.client() as client:
        version = client.read(path)["version"]
        place.file("stale.txt", b"a\nB\nc\n")
        edit = {"op": "replace", "old": "c", "new": "d"}
        error = refused("stale", client.edit, path, edit, base=version)
        assert error["version"] != version and "+B" in error["diff"], error
        equal(error["by"] == "outside" or isinstance(error["by"], int), True)
        equal(error["would_apply"], "clean")
        equal(client.edit(path, edit, base=error["version"])["status"], "applied")
        equal(place.content("stale.txt"), b"a\nB\nd\n")


@test
def the_same_key_is_the_same_job(place):
    path = place.file("key.txt", b"x\n")
    key = uuid.uuid4().hex
    with place.client() as client:
        client.read(path)
        job = {"op": "insert", "at": "end", "text": "y\n"}
        first = client.edit(path, job, key=key)
        second = client.edit(path, job, key=key)
        equal((second["job"], second.get("repeated")), (first["job"], True))
    equal(place.content("key.txt"), b"x\ny\n")


@test
def replies_to_pipelined_requests_are_told_apart(place):
    paths = [place.file(f"p{n}.txt", f"{n}\n".encode()) for n in range(40)]
    with place.client() as client:
        numbers = [client.send("read", path=path) for path in paths]
        for n in reversed(range(40)):
            equal(client.wait_for(numbers[n])["text"], f"{n}\n")


@test
def a_clipboard_is_cut_and_pasted(place):
    path = place.file("clip.txt", b"cut me\nkeep\n")
    with place.client() as client:
        client.read(path)
        client.edit(path, {"op": "replace", "old": "cut me\n", "new": "", "to_clipboard": "c"})
        equal(client.call("clip", action="show", name="c")["text"], "cut me\n")
        client.edit(path, {"op": "insert", "at": "end", "from_clipboard": "c", "text": ""})
        equal(place.content("clip.txt"), b"keep\ncut me\n")
        names = [clip["name"] for clip in client.call("clip", action="list")["clips"]]
        assert "c" in names, names


@test
def a_name_that_is_not_utf8_is_bytes(place):
    raw = os.fsencode(place.folder) + b"/caf\xe9\n.txt"
    with open(os.path.join(os.fsencode(place.workspace), raw), "wb") as file:
        file.write(b"x\n")
    with place.client() as client:
        reply = client.read(raw)
        equal((reply["path"], reply["text"]), (raw, "x\n"))


@test
def bytes_that_are_not_text_are_bytes(place):
    path = place.file("binary", b"\x00\xff\x01")
    with place.client() as client:
        reply = client.read(path)
        equal((reply.get("bytes"), reply.get("text"), reply["encoding"]), (b"\x00\xff\x01", None, "binary"))


@test
def a_subscription_hears_of_edits_and_of_others(place):
    path = place.file("watched.txt", b"1\n")
    with place.client() as watcher, place.client() as client:
        number = watcher.send("subscribe", globs=[place.folder + "/watched.*"])
        assert watcher.wait_for(number)["folders"] >= 1
        client.read(path)
        job = client.edit(path, {"op": "replace", "old": "1", "new": "2"})["job"]
        event = watcher.next_event()
        while "entry" not in event:
            # The file was made a moment before: a hint of that may come late.
            equal((event["id"], event["path"]), (number, path))
            event = watcher.next_event()
        equal((event["id"], event["path"], event["change"]), (number, path, "changed"))
        equal((event["entry"], event["by"]), (job, "edit"))
        place.file("watched.txt", b"3\n")
        while event.get("by") == "edit":
            event = watcher.next_event()
        equal((event["path"], event["change"]), (path, "changed"))


@test
def paths_that_leave_are_outside(place):
    os.symlink("/", place.absolute("out"))
    with place.client() as client:
        for path in ["../x", "/etc/passwd", place.folder + "/out/etc/passwd", place.folder + "/../../x"]:
            refused("outside", client.read, path)


@test
def requests_that_make_no_sense_are_refused_and_the_connection_goes_on(place):
    with place.client() as client:
        refused("unsupported", client.call, "brand_new_kind")
        refused("missing", client.call, "outline", path=place.folder + "/none.rs")
        refused("malformed", client.call, "read")
        refused("malformed", client.call, "read", path=7)
        refused("malformed", client.call, "edit", files="none")
        refused("malformed", client.call, "hello", protocol=[1], client="again")
        refused("missing", client.read, place.folder + "/none")
        equal(client.call("status", unknown_field=[1, {"a": None}])["kind"], "status")


@test
def a_job_over_its_limits_is_too_large(place):
    with place.client() as client:
        entry = {"path": place.folder + "/f", "edits": []}
        refused("too_large", client.call, "edit", files=[entry] * 10001)
        edits = [{"op": "delete"}] * 50001
        refused("too_large", client.call, "edit", files=[{"path": "a", "edits": edits}] * 2)


@test
def an_unknown_version_is_refused(place):
    with place.stranger() as client:
        refused("unsupported", client.call, "hello", protocol=[99], client="x")
        try:
            client.receive()
        except (Closed, ConnectionError):
            return
        raise AssertionError("the connection stayed open")


@test
def nothing_is_answered_before_hello(place):
    with place.stranger() as client:
        refused("malformed", client.call, "status")


HOSTILE = {
    "a length of 4 GB": struct.pack(">I", 0xFFFFFFFF) + b"x" * 100,
    "a length just above the limit": struct.pack(">I", 65537),
    "an empty frame": struct.pack(">I", 0),
    "text that is no frame": b"GET / HTTP/1.1\r\n\r\n",
    "a list": pack([1, 2]),
    "no id": pack({"kind": "status"}),
    "no kind": pack({"id": 1}),
    "an extension": pack({"id": 1, "kind": "status", "x": msgpack.ExtType(1, b"x")}),
    "a number as key": pack({"id": 1, "kind": "status", 7: 7}),
    "a field twice": struct.pack(">I", 9) + b"\x82\xa2id\x01\xa2id\x02",
    "a byte too many": struct.pack(">I", 18) + b"\x82\xa2id\x01\xa4kind\xa6status\xc0",
    "a huge list in few bytes": struct.pack(">I", 8) + b"\x81\xa1x\xdd\xff\xff\xff\xff",
    "a huge text in few bytes": struct.pack(">I", 8) + b"\x81\xa1x\xdb\xff\xff\xff\xff",
    "5,000 nested lists": struct.pack(">I", 5004) + b"\x81\xa1x" + b"\x91" * 5000 + b"\xc0",
}


@test
def hostile_bytes_close_that_connection_and_no_other(place):
    with place.client() as bystander:
        for greeted in (False, True):
            for what, raw in HOSTILE.items():
                if greeted and what == "a length just above the limit":
                    raw = struct.pack(">I", 16 * 1024 * 1024 + 1)
                with place.client() if greeted else place.stranger() as client:
                    try:
                        client.send_raw(raw)
                        code = closed(client)
                    except (AssertionError, socket.timeout) as error:
                        raise AssertionError(f"{what}, greeted: {greeted}: {error}") from error
                    assert code in ("malformed", "too_large", None), (what, code)
        equal(bystander.call("status")["kind"], "status")


@test
def a_client_that_dies_mid_frame_harms_nobody(place):
    whole = pack({"id": 1, "kind": "hello", "protocol": [1], "client": "x"})
    with place.client() as bystander:
        for end in range(len(whole)):
            with place.stranger() as client:
                client.send_raw(whole[:end])
        equal(bystander.call("status")["kind"], "status")


def check_document(path):
    with open(path, encoding="utf-8") as file:
        document = file.read()
    pairs = re.findall(r"```json \w+\n(.*?)```\n```hex\n(.*?)```", document, re.DOTALL)
    for text, dump in pairs:
        lines = (line.split("  |")[0] for line in dump.splitlines())
        frame = bytes.fromhex("".join(lines))
        (length,) = struct.unpack(">I", frame[:4])
        equal(length, len(frame) - 4, text)
        message = unpack(frame[4:])
        expected = json.loads(text)
        path_field = expected.get("path")
        if isinstance(path_field, dict):
            expected["path"] = bytes(path_field["bytes"])
        equal(message, expected, text)
    assert len(pairs) >= 24, f"only {len(pairs)} examples were found"
    print(f"ok: {len(pairs)} examples of the document")


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--document":
        check_document(arguments[1])
        return 0
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    place = Place(arguments[0])
    failed = 0
    try:
        for function in TESTS:
            try:
                function(place)
                print("ok:", function.__name__)
            except Exception as error:  # each test tells for itself
                failed += 1
                print(f"FAILED: {function.__name__}: {type(error).__name__}: {error}")
    finally:
        place.clean()
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
