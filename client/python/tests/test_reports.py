"""Marks, announcements, checks, settings and counters, with a real daemon and both clients."""

import asyncio
import unittest

from editd import AsyncClient
from editd import _requests as requests

from .workspace import WorkspaceTest, append, replace

# A check that reports each line with the word, and passes.
CHECK = r"""
[[check]]
name = "words"
files = ["*.txt"]
command = ["sh", "-c", "grep -nH bad \"$@\" | sed 's/:bad/: bad/'", "sh", "{files}"]
"""


class ReportsTest(WorkspaceTest):
    def test_everything_after_a_mark_is_undone(self) -> None:
        self.put("a.txt", b"1\n")
        client = self.client()
        client.read("a.txt")
        client.edit(replace("a.txt", "1", "2"))
        mark = client.mark("before")
        self.assertEqual((mark["name"], client.show(mark["job"])["entry"]["kind"]), ("before", "mark"))
        other = self.client()
        other.edit(append("a.txt", "3\n"))
        client.edit({"path": "b.txt", "edits": {"op": "create", "text": "b\n"}})
        self.assertEqual(client.undo(to="before", mode="verify_only")["status"], "verified")
        self.assertEqual(client.undo(to="before")["status"], "applied")
        self.assertEqual(self.content("a.txt"), b"2\n")
        with self.assertRaises(FileNotFoundError):
            self.content("b.txt")
        error = self.refused("not_found", client.undo, to="never")
        self.assertIn("before", error.message)
        self.refused("malformed", client.mark, "two\nlines")

    def test_changes_of_an_announced_call_belong_to_its_session(self) -> None:
        self.put("a.txt", b"1\n")
        client = self.client()
        client.read("a.txt")
        self.assertTrue(client.note_begin(["a.txt"], label="Edit", call="c", check=True)["announced"])
        self.put("a.txt", b"2\n")
        ended = client.note_end(["a.txt"], call="c")
        self.assertTrue(ended["announced"])
        # The daemon may have seen the file between its truncation and the write.
        self.assertEqual({one["path"] for one in ended["entries"]}, {"a.txt"})
        entry = client.show(ended["entries"][0]["job"])["entry"]
        self.assertEqual((entry["kind"], entry["session"], entry["label"]), ("external", client.session, "Edit"))
        self.put("a.txt", b"3\n")
        error = self.refused("stale", client.note_begin, ["a.txt"], check=True)
        self.assertIn("+3", error.diff or "")
        self.assertFalse(client.note_end(["a.txt"])["announced"])
        self.assertTrue(client.note_begin(session="other")["announced"])
        self.assertEqual(client.note_end(session="other"), {"announced": True})

    def test_results_of_checks(self) -> None:
        self.put(".editd.toml", CHECK.encode())
        client = self.client()
        self.assertEqual(client.checks()["checks"], [])
        hash = client.request("trust")["hash"]
        client.request("trust", {"hash": hash})
        job = client.edit({"path": "a.txt", "edits": {"op": "create", "text": "good\nbad\n"}})["job"]
        [result] = client.checks(job, seconds=30)["checks"]
        self.assertEqual((result["check"], result["status"], result["jobs"]), ("words", "passed", [job]))
        self.assertEqual(result["new"], [{"path": "a.txt", "line": 2, "message": "bad"}])
        self.assertEqual([one["check"] for one in client.checks()["checks"]], ["words"])
        self.assertEqual([one["jobs"] for one in client.checks(unseen=True)["checks"]], [[job]])
        self.assertEqual(client.checks(unseen=True)["checks"], [])
        self.refused("not_found", client.checks, 4711)

    def test_settings_counters_and_the_times_of_a_job(self) -> None:
        self.put(".editd.toml", b'unread = "allow"\n')
        client = self.client()
        job = client.edit({"path": "a.txt", "edits": {"op": "create", "text": "1\n"}})["job"]
        self.refused("missing", client.read, "none")
        status = client.status(trace=job)
        self.assertEqual((status["counters"]["edit_applied"], status["refusals"]["missing"]), (1, 1))
        self.assertEqual((status["latency"]["job"]["count"], status["trace"]["job"]), (1, job))
        self.assertTrue(status["trace"]["steps"])
        self.assertNotIn("trace", client.status())
        self.assertEqual(client.status(trace=0)["trace"]["kind"], "edit")
        self.refused("not_found", client.status, trace=4711)
        text = client.metrics()["text"]
        self.assertIn("\n# EOF\n", text)
        config = client.config()
        self.assertFalse(config["changed"])
        [unread] = [one for one in config["settings"] if one["name"] == "unread"]
        self.assertEqual((unread["source"], unread["written"], unread["waits"]), ("default", "allow", "trust"))
        self.put(".editd.toml", b"unread = 1\n")
        config = client.config()
        self.assertTrue(config["changed"])
        self.assertIn("unread", config["problem"])

    def test_the_same_with_asyncio(self) -> None:
        async def run() -> None:
            async with AsyncClient(self.root) as client:
                await client.mark("start")
                await client.note_begin(["a.txt"], label="Write")
                self.put("a.txt", b"1\n")
                ended = await client.note_end(["a.txt"])
                self.assertEqual({one["path"] for one in ended["entries"]}, {"a.txt"})
                await client.undo(to="start")
                self.assertEqual((await client.checks(seconds=1))["checks"], [])
                asked = (client.status(trace=0), client.metrics(), client.config())
                status, metrics, config = await asyncio.gather(*asked)
                self.assertEqual(status["trace"]["kind"], "undo")
                self.assertIn("editd_", metrics["text"])
                self.assertTrue(config["settings"])

        asyncio.run(run())
        with self.assertRaises(FileNotFoundError):
            self.content("a.txt")

    def test_requests_whose_second_reply_would_lack_something_are_sent_once(self) -> None:
        self.assertTrue(requests.checks(None, False, 0).repeatable)
        self.assertFalse(requests.checks(None, True, 0).repeatable)
        self.assertTrue(requests.note("begin", ["a"], session=None, call=None).repeatable)
        self.assertFalse(requests.note("begin", ["a"], session=None, call=None, check=True).repeatable)
        self.assertFalse(requests.note("end", ["a"], session=None, call=None).repeatable)


if __name__ == "__main__":
    unittest.main()
