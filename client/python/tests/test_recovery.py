"""Daemons that are killed, stopped, started by many clients at once, or reached by another address."""

import fcntl
import os
import signal
import subprocess
import threading
import time
import unittest
import warnings
from typing import List

from editd import Client, ConnectError
from editd._address import escape_path, leaving_process, recorded_socket

from .workspace import RecordedProcess, WorkspaceTest, append, replace


class RecoveryTest(WorkspaceTest):
    def kill(self) -> None:
        """Kills the daemon and waits until it has ended."""
        for process in self.daemons():
            process.send_signal(signal.SIGKILL)
            process.wait(10)

    def test_the_session_survives_a_kill(self) -> None:
        self.put("a.txt", b"1\n")
        client = self.client()
        client.read("a.txt")
        client.edit(replace("a.txt", "1", "2"))
        client.clip_set("c", "text")
        self.kill()
        self.assertEqual(client.clip_show("c")["text"], "text")
        self.kill()
        client.edit({"path": "a.txt", "edits": {"op": "write", "text": "3\n"}})
        self.kill()
        client.undo()
        self.assertEqual(self.content("a.txt"), b"2\n")

    def test_no_edit_is_lost_or_applied_twice_while_daemons_are_killed(self) -> None:
        self.put("log.txt", b"")
        client = self.client()
        client.status()
        count, repeated = 40, 0
        for number in range(count):
            # Kills before, in and after the job: some take less than a millisecond.
            killer = threading.Timer(number % 12 * 0.0004, self.kill)
            killer.start()
            repeated += bool(client.edit(append("log.txt", f"{number}\n")).get("repeated"))
            killer.join()
        self.assertEqual(self.content("log.txt").decode().split(), [str(number) for number in range(count)])
        self.assertGreater(self.started(), count / 2, f"few daemons were killed; {repeated} replies were repeated")

    def started(self) -> int:
        """Returns the number of daemons that the library has started."""
        return len(RecordedProcess.all)

    def test_a_stopped_daemon_is_replaced(self) -> None:
        self.put("a.txt", b"1\n")
        client, other = self.client(), self.client()
        client.read("a.txt")
        first = other.status()["pid"]
        self.assertEqual(other.stop()["pid"], first)
        receipt = client.edit(replace("a.txt", "1", "2"))
        self.assertEqual((receipt["status"], receipt.get("repeated")), ("applied", None))
        self.assertNotEqual(client.status()["pid"], first)
        for _ in range(3):
            client.stop()
            self.assertEqual(other.status()["entries"], 1)

    def test_many_clients_start_one_daemon(self) -> None:
        pids: List[int] = []
        errors: List[BaseException] = []

        def ask() -> None:
            try:
                with Client(self.root) as client:
                    pids.append(client.status()["pid"])
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual((len(pids), len(set(pids))), (8, 1))

    def test_threads_share_a_client(self) -> None:
        client = self.client()

        def create(number: int) -> None:
            client.edit({"path": f"{number}.txt", "edits": {"op": "create", "text": f"{number}"}})

        threads = [threading.Thread(target=create, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([self.content(f"{n}.txt") for n in range(16)], [str(n).encode() for n in range(16)])

    def test_a_forked_process_uses_a_connection_of_its_own(self) -> None:
        client = self.client()
        before = client.status()
        with warnings.catch_warnings():
            # The thread that waits for the daemon does nothing that the child needs.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if client.status()["sessions"] == before["sessions"] + 1 else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(client.status()["pid"], before["pid"])

    def test_the_daemon_inherits_nothing_and_has_a_session_of_its_own(self) -> None:
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        os.set_inheritable(writing, True)
        os.environ["NOTIFY_SOCKET"] = "@test"
        self.addCleanup(os.environ.pop, "NOTIFY_SOCKET", None)
        pid = self.client().status()["pid"]
        os.close(writing)
        os.set_blocking(reading, False)
        self.assertEqual(os.read(reading, 1), b"", "a copy of the pipe is open")
        self.assertEqual(os.getsid(pid), pid)
        if os.path.isdir("/proc/self/fd"):
            for number in range(3):
                self.assertEqual(os.readlink(f"/proc/{pid}/fd/{number}"), "/dev/null")
            with open(f"/proc/{pid}/environ", "rb") as file:
                self.assertNotIn(b"NOTIFY_SOCKET", file.read())

    def test_a_daemon_of_another_environment_is_found_by_its_lock_file(self) -> None:
        pid = self.client().status()["pid"]
        self.assertEqual(recorded_socket(self.root), self.socket)
        os.environ["XDG_RUNTIME_DIR"] = os.path.join(self.folder, "home")
        self.assertEqual(self.client(spawn=False).status()["pid"], pid)

    def test_an_address_that_leads_elsewhere_is_not_used(self) -> None:
        self.client().status()
        elsewhere = os.path.join(self.folder, "elsewhere")
        os.makedirs(os.path.join(elsewhere, ".editd"))
        lock = os.path.join(elsewhere, ".editd", "lock")
        for address in (self.socket, "/none", "relative", "", "x" * 5000, "/a\0b"):
            with open(lock, "w", encoding="utf-8") as file:
                file.write(f"{address}\n")
            with Client(elsewhere, spawn=False) as client, self.assertRaises(ConnectError):
                client.status()
        os.unlink(lock)
        os.mkfifo(lock)
        with Client(elsewhere, spawn=False) as client, self.assertRaises(ConnectError):
            client.status()
        with Client(elsewhere, socket=self.socket) as client, self.assertRaises(ConnectError):
            client.status()

    def test_a_given_socket_is_used(self) -> None:
        address = os.path.join(self.folder, "s.sock")
        with Client(self.root, socket=address) as client:
            pid = client.status()["pid"]
        with Client(socket=address) as client:
            self.assertEqual(client.status()["pid"], pid)

    def test_the_exit_of_the_previous_daemon_is_awaited(self) -> None:
        os.makedirs(os.path.dirname(self.socket), mode=0o700)
        with open(self.socket + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write("leaving 4711\n")
            lock.flush()
            self.assertEqual(leaving_process(self.socket), 4711)
            released = threading.Timer(0.5, lambda: fcntl.flock(lock, fcntl.LOCK_UN))
            released.start()
            begun = time.monotonic()
            self.client().status()
            self.assertGreater(time.monotonic() - begun, 0.4)
            released.join()
        self.assertEqual(self.started(), 1)
        self.assertIsNone(leaving_process(self.socket))

    def test_a_program_that_fails_is_named(self) -> None:
        with Client(self.root, program="none-such") as client, self.assertRaises(ConnectError) as caught:
            client.status()
        self.assertIn("none-such", str(caught.exception))
        with Client(self.root, program="false") as client, self.assertRaises(ConnectError) as caught:
            client.status()
        self.assertIn("exited with status 1", str(caught.exception))
        with Client(self.root, spawn=False) as client, self.assertRaises(ConnectError):
            client.status()

    def test_a_watch_goes_on_with_the_next_daemon(self) -> None:
        self.put("a.txt", b"1\n")
        client = self.client()
        with client.watch(["a.txt"], timeout=20) as watch:
            self.kill()
            self.assertEqual(watch.next(20), {"change": "overflow"})
            client.edit(replace("a.txt", "1", "2"))
            self.until(lambda: (watch.next(20) or {}).get("by") == "edit", "the event of the edit")
            client.stop()
            # A watch does not start a daemon again that was stopped.
            self.until(lambda: watch.next(0.5) is None, "the last event")
            self.assertEqual(self.daemons(), [])
            client.edit(replace("a.txt", "2", "3"))
            self.assertEqual(watch.next(20), {"change": "overflow"})

    def test_editctl_and_the_library_use_one_daemon(self) -> None:
        editctl = os.environ.get("EDITCTL_BIN")
        if not editctl:
            self.skipTest("EDITCTL_BIN does not name editctl")
        self.put("a.txt", b"1\n")
        client = self.client()
        client.edit(replace("a.txt", "1", "2"), label="of the library")
        words = [os.path.abspath(editctl), "--workspace", self.root, "--no-spawn", "log"]
        told = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertIn("of the library", told)

    def test_the_name_of_a_unit_is_that_of_systemd(self) -> None:
        for path, escaped in (
            (b"/", "-"),
            (b"//home//me/", "home-me"),
            (b"/home/my-app", "home-my\\x2dapp"),
            (b"/.cfg/a.b", "\\x2ecfg-a.b"),
            (b"/tmp/\xc3\xa4 b", "tmp-\\xc3\\xa4\\x20b"),
            (b"/a:b/c_d", "a:b-c_d"),
        ):
            self.assertEqual(escape_path(path), escaped)


if __name__ == "__main__":
    unittest.main()
