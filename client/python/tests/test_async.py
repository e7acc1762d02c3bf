"""The asyncio client, with a real daemon."""

import asyncio
import gc
import inspect
import re
import signal
import typing
import unittest
import warnings
from typing import Any, Awaitable, Callable, Dict, List

import editd.aio
import editd.client
from editd import AsyncClient, AsyncWatch, Client, ConnectError, StaleError, Watch

from .workspace import WorkspaceTest, append, replace


class AsyncTest(WorkspaceTest):
    def run_with(self, work: Callable[[AsyncClient], Awaitable[Any]], **options: Any) -> Any:
        """Runs a coroutine with a new client."""

        async def run() -> Any:
            async with AsyncClient(self.root, **options) as client:
                return await work(client)

        return asyncio.run(run())

    def test_parallel_calls(self) -> None:
        for number in range(100):
            self.put(f"{number}.txt", b"old\n")

        async def work(client: AsyncClient) -> None:
            receipts = await asyncio.gather(*(client.edit(replace(f"{n}.txt", "old", f"new {n}")) for n in range(100)))
            self.assertEqual(len({one["job"] for one in receipts}), 100)
            reads = await asyncio.gather(*(client.read(f"{n}.txt") for n in range(100)))
            self.assertEqual([one["text"] for one in reads], [f"new {n}\n" for n in range(100)])
            self.assertEqual((await client.status())["sessions"], 1)

        self.run_with(work)
        self.assertEqual(len(self.daemons()), 1)

    def test_parallel_jobs_on_one_file_are_all_applied_while_daemons_are_killed(self) -> None:
        self.put("log.txt", b"")

        def kill() -> None:
            for process in self.daemons():
                process.send_signal(signal.SIGKILL)

        async def work(client: AsyncClient) -> None:
            for first in range(0, 80, 8):
                asyncio.get_running_loop().call_later(first * 0.0001, kill)
                jobs = (client.edit(append("log.txt", f"{first + number}\n")) for number in range(8))
                await asyncio.gather(*jobs)

        self.run_with(work)
        self.assertEqual(sorted(map(int, self.content("log.txt").split())), list(range(80)))

    def test_a_refusal_and_a_merge(self) -> None:
        self.put("a.txt", b"a\nb\nc\nd\n")

        async def work(client: AsyncClient) -> None:
            version = (await client.read("a.txt"))["version"]
            self.put("a.txt", b"A\nb\nc\nd\n")
            with self.assertRaises(StaleError):
                await client.edit(replace("a.txt", "d", "D", base=version))
            checked = await client.verify(replace("a.txt", "d", "D"))
            await client.edit(replace("a.txt", "d", "D"), verified=checked["verified"])
            await client.undo()

        self.run_with(work)
        self.assertEqual(self.content("a.txt"), b"A\nb\nc\nd\n")

    def test_events_and_a_stop(self) -> None:
        self.put("a.txt", b"1\n")

        async def work(client: AsyncClient) -> None:
            seen: List[Any] = []
            watch = await client.watch(["*.txt"])

            async def follow() -> None:
                async for event in watch:
                    seen.append(event)

            follower = asyncio.ensure_future(follow())
            job = (await client.edit(replace("a.txt", "1", "2")))["job"]
            while not any(event.get("entry") == job for event in seen):
                await asyncio.sleep(0.01)
            await client.stop()
            await client.edit(replace("a.txt", "2", "3"))
            while {"change": "overflow"} not in seen:
                await asyncio.sleep(0.01)
            watch.close()
            await asyncio.wait_for(follower, 10)

        self.run_with(lambda client: asyncio.wait_for(work(client), 60))

    def test_a_client_is_used_in_one_loop_after_another(self) -> None:
        def use() -> None:
            client = AsyncClient(self.root)

            async def ask() -> int:
                return (await client.status())["pid"]

            self.assertEqual(asyncio.run(ask()), asyncio.run(ask()))
            asyncio.run(client.close())

        with warnings.catch_warnings():
            # The sockets of a closed loop are closed by the garbage collector.
            warnings.simplefilter("ignore", ResourceWarning)
            use()
            gc.collect()

    def test_limits_pass_while_a_daemon_is_awaited(self) -> None:
        async def work(client: AsyncClient) -> None:
            with self.assertRaises(ConnectError):
                await client.status(timeout=5)
            found = await asyncio.gather(*(client.status(timeout=5) for _ in range(3)), return_exceptions=True)
            self.assertEqual({type(one) for one in found}, {ConnectError})

        self.run_with(work, spawn=False)


class SameMethodsTest(unittest.TestCase):
    def test_both_clients_have_the_same_methods(self) -> None:
        renamed = {"__enter__": "__aenter__", "__exit__": "__aexit__", "__iter__": "__aiter__"}
        for blocking, streaming in ((Client, AsyncClient), (Watch, AsyncWatch)):
            ours, theirs = (self.signatures(one) for one in (blocking, streaming))
            self.assertEqual({renamed.get(name, name): text for name, text in ours.items()}, theirs)

    def signatures(self, client: type) -> Dict[str, str]:
        """Returns the signature and the description of each public method, with the names of the blocking types."""
        modules = (editd._requests, editd._reports, editd.aio, editd.client)
        known = {name: value for module in modules for name, value in vars(module).items()}
        found = {}
        for name, method in inspect.getmembers(client, inspect.isfunction):
            if name.startswith("_") and not name.startswith("__"):
                continue
            typing.get_type_hints(method, known)
            text = re.sub(r"\bAsync(?=[A-Z])", "", str(inspect.signature(method)))
            found[name] = text + ("" if name == "close" else str(inspect.getdoc(method)))
        return found


if __name__ == "__main__":
    unittest.main()
