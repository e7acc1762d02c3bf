"""Lost replies, busy and stopping daemons, and hostile replies, with both clients."""

from __future__ import annotations

import asyncio
import struct
import threading
import time
import unittest
from typing import Any, Callable, List, TypeVar

from editd import AsyncClient, Client, DeadlineError, EditdError, ProtocolError, RefusedError, UnknownOutcomeError
from editd._calls import Request, _Retry
from editd._codec import Message
from editd.replies import Receipt

from .peer import Peer, PeerTest

T = TypeVar("T")
JOB: Any = {"path": "a.txt", "edits": {"op": "create", "text": "x"}}


class Calls(PeerTest):
    """The tests of one kind of client."""

    def ask(self, method: str, *arguments: Any, timeout: float = 20.0, **options: Any) -> Any:
        """Calls a method of a new client."""
        raise NotImplementedError

    def failing(self, error: type[BaseException], method: str, *arguments: Any, **options: Any) -> Any:
        """Returns the exception of a call."""
        with self.assertRaises(error) as caught:
            self.ask(method, *arguments, **options)
        return caught.exception


class RetryTests:
    """The tests, for both kinds."""

    def test_a_job_whose_reply_is_lost_is_asked_for_under_its_key(self: Any) -> None:
        keys: List[str] = []
        sessions: List[str] = []

        def lose(peer: Peer) -> None:
            sessions.append(peer.welcome()["session"])
            keys.append(peer.next()["key"])

        def lose_half(peer: Peer) -> None:
            sessions.append(peer.welcome()["session"])
            keys.append(peer.next()["key"])
            peer.connection.sendall(struct.pack(">I", 100) + b"\x83")

        def answer(peer: Peer) -> None:
            sessions.append(peer.welcome()["session"])
            asked = peer.next()
            keys.append(asked["key"])
            peer.receipt(asked, repeated=True)

        self.serve(lose, lose_half, answer)
        receipt = self.ask("edit", JOB)
        self.assertEqual((receipt["job"], receipt["repeated"]), (17, True))
        self.assertEqual((len(keys), len(set(keys)), len(set(sessions))), (3, 1, 1))

    def test_after_three_losses_the_outcome_is_unknown(self: Any) -> None:
        def lose(peer: Peer) -> None:
            peer.welcome()
            peer.next()

        self.serve(lose, lose, lose)
        self.assertEqual(self.failing(UnknownOutcomeError, "edit", JOB, key="k").key, "k")

    def test_a_request_without_a_key_is_not_sent_again(self: Any) -> None:
        def lose(peer: Peer) -> None:
            peer.welcome()
            peer.next()

        self.serve(lose)
        self.assertIsNone(self.failing(UnknownOutcomeError, "clip_remove", "c").key)

    def test_a_job_without_an_answer_in_time_has_an_unknown_outcome(self: Any) -> None:
        def wait(peer: Peer) -> None:
            peer.welcome()
            peer.next()
            self.assertRaises(StopIteration, peer.next)

        self.serve(wait, wait)
        begun = time.monotonic()
        self.assertEqual(self.failing(UnknownOutcomeError, "edit", JOB, key="k", timeout=1.5).key, "k")
        self.failing(DeadlineError, "read", "a.txt", timeout=1.5)
        self.assertLess(time.monotonic() - begun, 15)

    def test_a_hello_without_an_answer_ends_in_time(self: Any) -> None:
        self.serve(lambda peer: self.assertRaises(StopIteration, lambda: [peer.next(), peer.next()]))
        self.failing(DeadlineError, "edit", JOB, timeout=0.3)

    def test_a_stopping_daemon_has_done_nothing(self: Any) -> None:
        asked: List[Message] = []

        def stop(number: int) -> Callable[[Peer], None]:
            def script(peer: Peer) -> None:
                peer.welcome()
                asked.append(peer.next())
                peer.error(asked[-1]["id"] if number else 0, "stopping")

            return script

        def refuse_hello(peer: Peer) -> None:
            peer.next()
            peer.error(0, "stopping")

        def answer(peer: Peer) -> None:
            peer.welcome()
            asked.append(peer.next())
            peer.send(asked[-1]["id"], "clip", name="c")

        self.serve(stop(0), refuse_hello, stop(1), answer)
        self.assertEqual(self.ask("clip_remove", "c"), {"name": "c"})
        self.assertEqual(len(asked), 3)

    def test_a_busy_daemon_is_asked_again(self: Any) -> None:
        def busy_hello(peer: Peer) -> None:
            peer.next()
            peer.error(0, "busy")

        def starting(peer: Peer) -> None:
            peer.next()
            peer.error(0, "starting")

        def busy(peer: Peer) -> None:
            peer.welcome()
            peer.error(peer.next()["id"], "busy")
            asked = peer.next()
            error = {"code": "busy", "message": "later"}
            peer.send(asked["id"], "edit", status="refused", error=error)
            peer.receipt(peer.next())

        self.serve(busy_hello, starting, busy)
        self.assertEqual(self.ask("edit", JOB)["status"], "applied")

    def test_a_daemon_that_stays_busy_is_reported(self: Any) -> None:
        def busy(peer: Peer) -> None:
            peer.welcome()
            while True:
                peer.error(peer.next()["id"], "busy")

        self.serve(busy)
        self.assertEqual(self.failing(RefusedError, "edit", JOB, timeout=2).code, "busy")

    def test_a_call_without_time_for_another_attempt_has_the_last_refusal(self: Any) -> None:
        busy = RefusedError({"code": "busy", "message": "later"})
        retry = _Retry(Request("edit", {"key": "k"}, Receipt, changes=True))
        retry.begun = True
        self.assertGreater(retry.after(busy, time.monotonic() + 60), 0)
        with self.assertRaises(RefusedError) as caught:
            retry.after(DeadlineError("before it was sent"), 0)
        self.assertIs(caught.exception, busy)
        retry.begun = True
        with self.assertRaises(UnknownOutcomeError):
            retry.after(DeadlineError("after it was sent"), 0)

    def test_an_unknown_code_is_a_refusal(self: Any) -> None:
        def refuse(peer: Peer) -> None:
            peer.welcome()
            peer.send(peer.next()["id"], "error", code="brand_new", message="m", newer={"a": [1]}, others=[7, {}])

        self.serve(refuse)
        error = self.failing(RefusedError, "status")
        self.assertEqual((error.code, error.message, len(error.others)), ("brand_new", "m", 1))
        self.assertTrue(error.describe())

    def test_hostile_replies_are_refused(self: Any) -> None:
        def reply(send: Callable[[Peer, int], None]) -> Callable[[Peer], None]:
            def script(peer: Peer) -> None:
                peer.welcome()
                send(peer, peer.next()["id"])
                self.assertRaises(StopIteration, peer.next)

            return script

        def raw(data: bytes) -> Callable[[Peer], None]:
            return reply(lambda peer, _: peer.connection.sendall(data))

        scripts = [
            raw(struct.pack(">I", 0xFFFFFFFF)),
            raw(struct.pack(">I", 0)),
            raw(struct.pack(">I", 3) + b"\x81\xa1x"),
            raw(struct.pack(">I", 8) + b"\x81\xa1x\xdd\xff\xff\xff\xff"),
            reply(lambda peer, number: peer.send(number + 1, "status")),
            reply(lambda peer, number: peer.send(number, "read")),
        ]
        self.serve(*scripts)
        for _ in scripts:
            self.failing(ProtocolError, "status")

    def test_a_reply_of_another_type_is_refused(self: Any) -> None:
        def script(peer: Peer) -> None:
            peer.welcome()
            peer.send(peer.next()["id"], "status", pid="one")

        self.serve(script)
        self.failing(ProtocolError, "status")

    def test_a_hostile_hello_is_refused(self: Any) -> None:
        def long(peer: Peer) -> None:
            peer.next()
            peer.connection.sendall(struct.pack(">I", 65537))

        def newer(peer: Peer) -> None:
            number = peer.next()["id"]
            limits = {"frame": 1, "file": 1, "files": 1, "edits": 1}
            peer.send(number, "hello", protocol=2, server="2", workspace="/w", session="s", limits=limits)

        self.serve(long, newer, lambda peer: peer.error(peer.next()["id"], "denied"))
        self.failing(ProtocolError, "status")
        self.failing(ProtocolError, "status")
        self.assertEqual(self.failing(RefusedError, "status").code, "denied")


class BlockingTest(RetryTests, Calls):
    def ask(self, method: str, *arguments: Any, timeout: float = 20.0, **options: Any) -> Any:
        with Client(socket=self.socket, timeout=timeout) as client:
            return getattr(client, method)(*arguments, **options)


class AsyncTest(RetryTests, Calls):
    def ask(self, method: str, *arguments: Any, timeout: float = 20.0, **options: Any) -> Any:
        async def call() -> Any:
            async with AsyncClient(socket=self.socket, timeout=timeout) as client:
                return await getattr(client, method)(*arguments, **options)

        return asyncio.run(call())

    def test_parallel_calls_are_answered_in_any_order(self) -> None:
        def script(peer: Peer) -> None:
            peer.welcome()
            asked = [peer.next() for _ in range(20)]
            for one in reversed(asked):
                peer.send(one["id"], "clip", name=one["name"])

        self.serve(script)

        async def calls() -> List[str]:
            async with AsyncClient(socket=self.socket, timeout=20) as client:
                found = await asyncio.gather(*(client.clip_show(str(number)) for number in range(20)))
                return [one["name"] for one in found]

        self.assertEqual(asyncio.run(calls()), [str(number) for number in range(20)])

    def test_the_reply_to_a_cancelled_call_is_dropped(self) -> None:
        arrived = threading.Event()

        def script(peer: Peer) -> None:
            peer.welcome()
            first = peer.next()
            arrived.set()
            second = peer.next()
            peer.send(first["id"], "clip", name="first")
            peer.send(second["id"], "clip", name="second")

        self.serve(script)

        async def calls() -> str:
            async with AsyncClient(socket=self.socket, timeout=20) as client:
                first = asyncio.ensure_future(client.clip_show("first"))
                while not arrived.is_set():
                    await asyncio.sleep(0.01)
                first.cancel()
                return (await client.clip_show("second"))["name"]

        self.assertEqual(asyncio.run(calls()), "second")

    def test_all_parallel_jobs_are_resolved_after_a_loss(self) -> None:
        keys: List[str] = []

        def lose(peer: Peer) -> None:
            peer.welcome()
            keys.extend(peer.next()["key"] for _ in range(10))

        def answer(peer: Peer) -> None:
            peer.welcome()
            for _ in range(10):
                asked = peer.next()
                keys.append(asked["key"])
                peer.receipt(asked)

        self.serve(lose, answer)

        async def calls() -> int:
            async with AsyncClient(socket=self.socket, timeout=20) as client:
                return len(await asyncio.gather(*(client.edit(JOB) for _ in range(10))))

        self.assertEqual(asyncio.run(calls()), 10)
        self.assertEqual((len(keys), len(set(keys))), (20, 10))

    def test_parallel_requests_that_a_stopping_daemon_refuses_share_the_next_connection(self) -> None:
        def stop(peer: Peer) -> None:
            peer.welcome()
            asked = [peer.next() for _ in range(3)]
            peer.error(asked[0]["id"], "stopping")
            answered.wait(20)
            peer.error(asked[1]["id"], "stopping")
            peer.send(asked[2]["id"], "clip", name="c")
            self.assertRaises(StopIteration, peer.next)
            done.set()

        def answer(peer: Peer) -> None:
            peer.welcome()
            for _ in range(2):
                peer.send(peer.next()["id"], "clip", name="c")
                answered.set()
            done.wait(20)

        answered, done = threading.Event(), threading.Event()
        self.serve(stop, answer, parallel=True)

        async def calls() -> int:
            async with AsyncClient(socket=self.socket, timeout=20) as client:
                return len(await asyncio.gather(*(client.clip_remove("c") for _ in range(3))))

        self.assertEqual(asyncio.run(calls()), 3)

    def test_a_closed_client_ends_its_calls(self) -> None:
        arrived = threading.Event()

        def script(peer: Peer) -> None:
            peer.welcome()
            peer.next()
            arrived.set()
            self.assertRaises(StopIteration, peer.next)

        self.serve(script)

        async def calls() -> None:
            client = AsyncClient(socket=self.socket, timeout=20)
            waiting = asyncio.ensure_future(client.edit(JOB, key="k"))
            while not arrived.is_set():
                await asyncio.sleep(0.01)
            await client.close()
            with self.assertRaises(UnknownOutcomeError):
                await waiting
            with self.assertRaises(EditdError):
                await client.status()

        asyncio.run(calls())


if __name__ == "__main__":
    unittest.main()
