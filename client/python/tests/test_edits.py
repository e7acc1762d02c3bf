"""The requests of the blocking client, with a real daemon."""

import json
import os
import unittest
from pathlib import Path

from editd import Client, DeadlineError, EditdError, StaleError

from .workspace import WorkspaceTest, append, replace


class EditsTest(WorkspaceTest):
    def test_read_edit_undo_and_redo(self) -> None:
        self.put("a.txt", b"one\ntwo\n")
        client = self.client()
        read = client.read("a.txt")
        self.assertEqual((read["text"], read["lines"], read["line_ending"]), ("one\ntwo\n", 2, "lf"))
        self.assertEqual(client.read("a.txt", lines=(2, 9))["text"], "two\n")
        receipt = client.edit(replace("a.txt", "two", "2", base=read["version"]), label="shorter")
        self.assertEqual(receipt["status"], "applied")
        file = receipt["files"][0]
        self.assertEqual((file["lines"], "before" in file), ("2", False))
        self.assertEqual(file["after"], client.read("a.txt")["version"])
        self.assertEqual(self.content("a.txt"), b"one\n2\n")
        entry = client.history(path="a.txt")["entries"][0]
        self.assertEqual((entry["id"], entry["kind"], entry["label"]), (receipt["job"], "edit", "shorter"))
        self.assertEqual((entry["session"], entry["client"]), (client.session, "editd-python"))
        shown = client.show(receipt["job"])
        self.assertIn("+2\n", shown["changes"][0]["diff"])
        self.assertEqual(client.content(receipt["job"], "a.txt", side="before")["bytes"], b"one\ntwo\n")
        self.assertEqual(client.content(receipt["job"], "a.txt", start=2)["bytes"], b"e\n2\n")
        self.assertEqual(client.undo(receipt["job"], hunks=[(1, 1)])["status"], "applied")
        self.assertEqual(self.content("a.txt"), b"one\ntwo\n")
        self.assertEqual(client.redo()["status"], "applied")
        self.assertEqual(self.content("a.txt"), b"one\n2\n")
        self.assertEqual(client.undo(mode="verify_only")["status"], "verified")
        self.assertEqual(self.content("a.txt"), b"one\n2\n")

    def test_a_job_edits_all_files_or_none(self) -> None:
        self.put("a.txt", b"1\n")
        self.put("b.txt", b"1\n")
        client = self.client()
        error = self.refused("not_found", client.edit, [replace("a.txt", "1", "2"), replace("b.txt", "x", "2")])
        self.assertEqual((error.path, self.content("a.txt")), ("b.txt", b"1\n"))
        assert error.receipt is not None
        self.assertEqual(error.receipt["status"], "refused")
        client.edit([replace("a.txt", "1", "2"), {"path": "b.txt", "edits": [{"op": "rename", "to": "c.txt"}]}])
        self.assertEqual((self.content("a.txt"), self.content("c.txt")), (b"2\n", b"1\n"))
        several = {"op": "substitute", "pattern": "\n", "replacement": "!\n", "expect": 2}
        client.edit({"paths": ["*.txt"], "edits": several})  # type: ignore[typeddict-item]
        self.assertEqual((self.content("a.txt"), self.content("c.txt")), (b"2!\n", b"1!\n"))

    def test_a_stale_edit_is_refused_and_the_refusal_is_enough_to_try_again(self) -> None:
        self.put("stale.txt", b"a\nb\nc\n")
        client = self.client()
        version = client.read("stale.txt")["version"]
        self.put("stale.txt", b"a\nB\nc\n")
        error = self.refused("stale", client.edit, replace("stale.txt", "c", "d", base=version))
        self.assertIsInstance(error, StaleError)
        self.assertIn("+B", error.diff or "")
        self.assertIn("+B", error.describe())
        self.assertEqual(error.would_apply, "clean")
        self.assertNotEqual(error.version, version)
        client.edit(replace("stale.txt", "c", "d", base=error.version))
        self.assertEqual(self.content("stale.txt"), b"a\nB\nd\n")

    def test_an_edit_is_merged_into_changes_of_others(self) -> None:
        self.put("m.txt", b"a\nb\nc\nd\ne\n")
        client = self.client(on_stale="rebase")
        version = client.read("m.txt")["version"]
        self.put("m.txt", b"A\nb\nc\nd\ne\n")
        lines = {"op": "lines", "start": 5, "end": 5, "text": "E\n"}
        receipt = client.edit({"path": "m.txt", "base": version, "edits": lines})  # type: ignore[typeddict-item]
        self.assertEqual(receipt["status"], "applied")
        self.assertEqual(self.content("m.txt"), b"A\nb\nc\nd\nE\n")

    def test_a_check_writes_nothing_and_its_token_applies_exactly_that(self) -> None:
        self.put("v.txt", b"1\n")
        client = self.client()
        job = replace("v.txt", "1", "2")
        checked = client.verify(job)
        self.assertEqual((checked["status"], self.content("v.txt")), ("verified", b"1\n"))
        self.assertIn("+2", checked["files"][0]["diff"])
        self.assertEqual(client.edit(job, verified=checked["verified"])["status"], "applied")
        again = client.verify(replace("v.txt", "2", "3"))
        self.put("v.txt", b"0\n2\n")
        self.refused("stale", client.edit, replace("v.txt", "2", "3"), verified=again["verified"])
        self.assertEqual(self.content("v.txt"), b"0\n2\n")

    def test_the_same_key_is_the_same_job(self) -> None:
        self.put("key.txt", b"x\n")
        client = self.client()
        first = client.edit(append("key.txt", "y\n"), key="k")
        second = client.edit(append("key.txt", "y\n"), key="k")
        self.assertEqual((second["job"], second.get("repeated")), (first["job"], True))
        self.assertEqual(self.content("key.txt"), b"x\ny\n")

    def test_definitions_are_listed_and_read_by_name(self) -> None:
        self.put("s.rs", b"struct S;\nimpl S {\n    fn f(&self) { g() }\n}\n")
        client = self.client()
        symbols = client.outline("s.rs")["symbols"]
        names = [(one["kind"], one["name"], one["lines"]) for one in symbols]
        self.assertEqual(names, [("struct", "S", [1, 1]), ("impl", "impl S", [2, 4]), ("method", "impl S/f", [3, 3])])
        self.assertEqual(symbols[2]["body"], {"start": [3, 17], "end": [3, 24]})
        self.assertEqual(len(client.outline("s.rs", depth=0)["symbols"]), 2)
        self.assertEqual(client.read("s.rs", symbol="f")["text"], "    fn f(&self) { g() }\n")
        self.assertEqual(client.read("s.rs", symbol="f", body=True)["text"], "{ g() }")
        error = self.refused("symbol_not_found", client.read, "s.rs", symbol="h")
        self.assertEqual(sorted(error.details["symbols"]), ["S", "impl S", "impl S/f"])
        self.assertIn("impl S/f", error.describe())

    def test_payloads_of_other_tools(self) -> None:
        self.put("p.txt", b"one\ntwo\n")
        client = self.client()
        names = [one["name"] for one in client.dialects()["dialects"]]
        self.assertIn("patch", names)
        patches = [{"operation": "replace", "oldText": "two", "newText": "2"}]
        text = json.dumps({"path": "p.txt", "patches": patches})
        receipt = client.payload(text, dialect="patch")
        self.assertEqual((receipt["status"], receipt["dialect"]), ("applied", "patch"))
        self.assertIn("<patches_applied>all</patches_applied>", receipt["text"])
        error = self.refused("not_found", client.payload, text)
        self.assertEqual(error.details["by"], receipt["job"])
        assert error.receipt is not None
        self.assertIn("made this very change", error.receipt["text"])
        self.refused("malformed", client.payload, "hello")

    def test_text_is_cut_and_pasted(self) -> None:
        self.put("clip.txt", b"cut me\nkeep\n")
        client = self.client()
        cut = {"op": "replace", "old": "cut me\n", "new": "", "to_clipboard": "c"}
        client.edit({"path": "clip.txt", "edits": cut})  # type: ignore[typeddict-item]
        shown = client.clip_show("c")
        self.assertEqual((shown["text"], shown["origin"]), ("cut me\n", "clip.txt"))
        paste = {"op": "insert", "at": "end", "from_clipboard": "c", "text": ""}
        client.edit({"path": "clip.txt", "edits": paste})  # type: ignore[typeddict-item]
        self.assertEqual(self.content("clip.txt"), b"keep\ncut me\n")
        client.clip_copy("c", "/shared")
        client.clip_set("d", "text")
        self.assertEqual(sorted(one["name"] for one in client.clips()["clips"]), ["/shared", "c", "d"])
        client.clip_remove("d")
        self.refused("no_clipboard", client.clip_show, "d")

    def test_names_and_contents_that_are_not_text_are_bytes(self) -> None:
        raw = b"caf\xe9\n.txt"
        with open(os.path.join(os.fsencode(self.root), raw), "wb") as file:
            file.write(b"x\n")
        client = self.client()
        for name in (raw, os.fsdecode(raw), Path(os.fsdecode(raw))):
            read = client.read(name)
            self.assertEqual((read["path"], read["text"]), (raw, "x\n"))
        client.edit({"path": raw, "edits": {"op": "rename", "to": os.fsdecode(b"\xe8.txt")}})
        self.assertTrue(os.path.exists(os.path.join(os.fsencode(self.root), b"\xe8.txt")))
        self.put("binary", b"\x00\xff\x01")
        read = client.read("binary")
        self.assertEqual((read["bytes"], read.get("text"), read["encoding"]), (b"\x00\xff\x01", None, "binary"))

    def test_a_detached_job_is_awaited(self) -> None:
        self.put("d.txt", b"1\n")
        client = self.client()
        queued = client.edit(replace("d.txt", "1", "2"), detach=True)
        self.assertEqual(queued["status"], "queued")
        self.assertEqual(client.wait(queued["job"], seconds=30)["status"], "applied")
        with self.assertRaises(EditdError):
            client.cancel(queued["job"])

    def test_paths_that_leave_the_workspace_are_refused(self) -> None:
        os.symlink("/", os.path.join(self.root, "out"))
        client = self.client()
        for path in ("../x", "/etc/passwd", "out/etc/passwd", "a/../../x"):
            self.refused("outside", client.read, path)

    def test_requests_that_make_no_sense_are_refused_and_the_connection_goes_on(self) -> None:
        client = self.client()
        self.refused("missing", client.read, "none")
        self.refused("missing", client.outline, "none.rs")
        self.refused("unsupported", client.request, "brand_new_kind")
        self.refused("malformed", client.request, "read", {"path": 7})
        self.refused("malformed", client.edit, {"path": "a", "edits": {"op": "replace", "old": "x", "knew": "y"}})
        self.refused("malformed", client.request, "hello", {"protocol": [1], "client": "again"})
        entry = {"path": "f", "edits": []}
        self.refused("too_large", client.edit, [entry] * 10_001)
        edits = [{"op": "delete"}] * 50_001
        self.refused("too_large", client.edit, [{"path": "a", "edits": edits}] * 2)
        self.assertEqual(client.status()["sessions"], 1)
        self.assertTrue(client.request("check", repeatable=True)["findings"])

    def test_events_tell_of_edits_and_of_others(self) -> None:
        self.put("watched.txt", b"1\n")
        client = self.client()
        with client.watch(["watched.*"], timeout=20) as watch:
            self.assertGreaterEqual(watch.folders, 1)
            job = client.edit(replace("watched.txt", "1", "2"))["job"]
            event = watch.next(20)
            while event is not None and "entry" not in event:
                # The file was made a moment before: a hint of that may come late.
                event = watch.next(20)
            assert event is not None
            self.assertEqual((event["path"], event["change"]), ("watched.txt", "changed"))
            self.assertEqual((event["entry"], event["by"], event["session"]), (job, "edit", client.session))
            self.put("watched.txt", b"3\n")
            version = client.read("watched.txt")["version"]
            while event is not None and event.get("version") != version:
                # The write empties the file first, which may be an event of its own.
                event = watch.next(20)
            assert event is not None
            self.assertEqual((event["path"], event["change"]), ("watched.txt", "changed"))
            self.put("other.txt", b"3\n")
            self.assertIsNone(watch.next(0.3))
        self.refused("malformed", client.watch, ["x" * 1025])

    def test_a_read_file_of_megabytes(self) -> None:
        text = b"0123456789abcde\n" * (8 * 65536)
        self.put("large.txt", text)
        client = self.client()
        self.assertEqual(client.read("large.txt")["text"].encode(), text)
        client.edit({"path": "copy.txt", "edits": {"op": "create", "text": text.decode()}})
        self.assertEqual(self.content("copy.txt"), text)
        self.put("larger.txt", text * 3)
        self.refused("too_large", client.read, "larger.txt")
        huge = "x" * (17 * 1024 * 1024)
        self.refused("too_large", client.edit, {"path": "huge.txt", "edits": {"op": "create", "text": huge}})
        self.assertEqual(client.read("larger.txt", lines=[1, 1])["text"], "0123456789abcde\n")

    def test_a_closed_client_and_a_passed_limit(self) -> None:
        client = self.client()
        with self.assertRaises(DeadlineError):
            client.status(timeout=0)
        self.assertEqual(client.status()["workspace"], self.root)
        client.close()
        with self.assertRaises(EditdError):
            client.status()

    def test_the_workspace_is_found_from_a_folder_in_it(self) -> None:
        self.put(".editd.toml", b"")
        os.makedirs(os.path.join(self.root, "deep", "er"))
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(os.path.join(self.root, "deep", "er"))
        with Client() as client:
            self.assertEqual(client.status()["workspace"], self.root)
        with self.assertRaises(EditdError):
            Client(os.path.join(self.root, "none"))


if __name__ == "__main__":
    unittest.main()
