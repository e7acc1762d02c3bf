"""The client for asyncio. It has the methods of `Client`; calls run in parallel over one connection."""

from __future__ import annotations

import asyncio
import math
import time
from typing import Any, AsyncIterator, Dict, Literal, Mapping, Optional, Sequence, Union

from . import _requests as requests
from ._calls import R, Request
from ._opening import REPLY, TIMEOUT, make_caller
from ._reports import AsyncReports
from ._requests import AnyPath, Durability, Hunk, Mode, OnStale
from ._streams import StreamTransport
from ._watching import Subscription
from .edits import FileEntry
from .replies import (
    ClipReply,
    ClipsReply,
    ContentReply,
    Event,
    HistoryReply,
    MarkReply,
    NoteReply,
    OutlineReply,
    ReadReply,
    Receipt,
    ShowReply,
)


class AsyncWatch:
    """Events about files. Iterate over it, or await `next` with a time limit."""

    def __init__(self, subscription: Subscription) -> None:
        self._subscription = subscription

    @property
    def folders(self) -> int:
        """The number of watched folders."""
        return self._subscription.folders

    async def next(self, timeout: float = math.inf) -> Optional[Event]:
        """Returns the next event, or `None` if there is none within `timeout` seconds."""
        return await self._subscription.next(timeout)

    def close(self) -> None:
        """Ends the subscription."""
        self._subscription.close()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            event = await self.next()
            if event is None:
                return
            yield event

    async def __aenter__(self) -> AsyncWatch:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


class AsyncClient(AsyncReports):
    """A session with the daemon of one workspace. Its tasks may call it in parallel; `Client` describes the arguments.

    Use it in one event loop. A call that is cancelled may have been carried out.
    """

    def __init__(
        self,
        workspace: Optional[AnyPath] = None,
        *,
        session: Optional[str] = None,
        client: str = "editd-python",
        on_stale: Optional[OnStale] = None,
        socket: Optional[AnyPath] = None,
        program: Optional[str] = None,
        spawn: bool = True,
        timeout: float = TIMEOUT,
    ) -> None:
        self.session = session or requests.fresh("py-")
        self.timeout = timeout
        transport = StreamTransport()
        self._caller = make_caller(transport, workspace, self.session, client, on_stale, socket, program, spawn)

    async def read(
        self,
        path: AnyPath,
        *,
        lines: Optional[Sequence[int]] = None,
        symbol: Optional[str] = None,
        body: bool = False,
        seen: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> ReadReply:
        """Returns a file, some lines of it (first and last) or one definition. The session has read them then."""
        return await self._ask(requests.read(path, lines, symbol, body, seen), timeout)

    async def outline(
        self, path: AnyPath, *, depth: Optional[int] = None, timeout: Optional[float] = None
    ) -> OutlineReply:
        """Returns the definitions in a file."""
        return await self._ask(requests.outline(path, depth), timeout)

    async def edit(
        self,
        files: Union[FileEntry, Sequence[FileEntry]],
        *,
        key: Optional[str] = None,
        label: Optional[str] = None,
        mode: Optional[Mode] = None,
        on_stale: Optional[OnStale] = None,
        partial: bool = False,
        diff: Optional[bool] = None,
        budget: Optional[int] = None,
        durability: Optional[Durability] = None,
        threshold: Optional[float] = None,
        detach: bool = False,
        verified: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Receipt:
        """Applies all edits of a job or none. Raises `RefusedError` if the job is refused.

        `label` is the reason, for the journal. `verified` is the token of a receipt of `verify`.
        """
        request = requests.edit(
            files,
            key=key,
            label=label,
            mode=mode,
            on_stale=on_stale,
            partial=partial,
            diff=diff,
            budget=budget,
            durability=durability,
            threshold=threshold,
            detach=detach,
            verified=verified,
        )
        return await self._ask(request, timeout)

    async def verify(
        self,
        files: Union[FileEntry, Sequence[FileEntry]],
        *,
        on_stale: Optional[OnStale] = None,
        partial: bool = False,
        timeout: Optional[float] = None,
    ) -> Receipt:
        """Checks a job without writing. The receipt has the diffs, and in `verified` a token for `edit`."""
        return await self.edit(files, mode="verify_only", on_stale=on_stale, partial=partial, timeout=timeout)

    async def payload(
        self,
        text: str,
        *,
        dialect: Optional[str] = None,
        path: Optional[AnyPath] = None,
        base: Optional[str] = None,
        key: Optional[str] = None,
        label: Optional[str] = None,
        mode: Optional[Mode] = None,
        on_stale: Optional[OnStale] = None,
        partial: bool = False,
        diff: Optional[bool] = None,
        budget: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Receipt:
        """Applies the payload of another edit tool. `text` of the receipt is the reply in the words of that tool."""
        request = requests.payload(
            text,
            dialect,
            path,
            base,
            key=key,
            label=label,
            mode=mode,
            on_stale=on_stale,
            partial=partial,
            diff=diff,
            budget=budget,
        )
        return await self._ask(request, timeout)

    async def undo(
        self,
        jobs: Union[int, Sequence[int], None] = None,
        *,
        session: Optional[str] = None,
        since: Optional[int] = None,
        after: Optional[int] = None,
        to: Optional[str] = None,
        path: Optional[AnyPath] = None,
        paths: Optional[Sequence[AnyPath]] = None,
        hunks: Optional[Sequence[Hunk]] = None,
        mode: Optional[Mode] = None,
        key: Optional[str] = None,
        label: Optional[str] = None,
        on_stale: Optional[OnStale] = None,
        diff: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> Receipt:
        """Undoes jobs, or some files or hunks of them; by default the last job of the session.

        `since` undoes every entry from this time on, in milliseconds, `after` every entry with a higher number, and `to` everything
        after the newest mark with this name.
        """
        request = requests.turn(
            "undo",
            jobs,
            path,
            paths,
            hunks,
            session=session,
            since=since,
            after=after,
            to=to,
            mode=mode,
            key=key,
            label=label,
            on_stale=on_stale,
            diff=diff,
        )
        return await self._ask(request, timeout)

    async def redo(
        self,
        jobs: Union[int, Sequence[int], None] = None,
        *,
        session: Optional[str] = None,
        since: Optional[int] = None,
        after: Optional[int] = None,
        path: Optional[AnyPath] = None,
        paths: Optional[Sequence[AnyPath]] = None,
        hunks: Optional[Sequence[Hunk]] = None,
        mode: Optional[Mode] = None,
        key: Optional[str] = None,
        label: Optional[str] = None,
        on_stale: Optional[OnStale] = None,
        diff: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> Receipt:
        """Undoes an undo. `jobs` are undos, or the jobs that were undone."""
        request = requests.turn(
            "redo",
            jobs,
            path,
            paths,
            hunks,
            session=session,
            since=since,
            after=after,
            mode=mode,
            key=key,
            label=label,
            on_stale=on_stale,
            diff=diff,
        )
        return await self._ask(request, timeout)

    async def mark(self, name: str, *, timeout: Optional[float] = None) -> MarkReply:
        """Names the present state of the workspace, for `undo(to=name)`."""
        return await self._ask(requests.mark(name), timeout)

    async def note_begin(
        self,
        paths: Optional[Sequence[AnyPath]] = None,
        *,
        label: Optional[str] = None,
        call: Optional[str] = None,
        check: bool = False,
        session: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> NoteReply:
        """Announces that another tool is about to change these files, or any file, for the session.

        `call` names the call for `note_end`. With `check`, files that changed since the session read them are `stale`.
        """
        request = requests.note("begin", paths, session=session, label=label, call=call, check=check)
        return await self._ask(request, timeout)

    async def note_end(
        self,
        paths: Optional[Sequence[AnyPath]] = None,
        *,
        call: Optional[str] = None,
        session: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> NoteReply:
        """Ends an announcement. Returns the entries with the changes that were made since."""
        return await self._ask(requests.note("end", paths, session=session, call=call), timeout)

    async def history(
        self,
        *,
        path: Optional[AnyPath] = None,
        session: Optional[str] = None,
        since: Optional[int] = None,
        after: Optional[int] = None,
        before: Optional[int] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> HistoryReply:
        """Returns entries of the journal, newest first. `since` is a time in milliseconds; `after` and `before` are jobs."""
        request = requests.history(path, session=session, since=since, after=after, before=before, limit=limit)
        return await self._ask(request, timeout)

    async def show(self, job: int, *, start: Optional[int] = None, timeout: Optional[float] = None) -> ShowReply:
        """Returns an entry with its diffs. `start` is the number of its files to skip."""
        return await self._ask(requests.show(job, start), timeout)

    async def content(
        self,
        job: int,
        path: AnyPath,
        *,
        side: Optional[Literal["before", "after"]] = None,
        start: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> ContentReply:
        """Returns at most 4 MiB of the content that a file had before or after a job, from the byte `start` on."""
        return await self._ask(requests.content(job, path, side, start), timeout)

    async def clips(self, *, timeout: Optional[float] = None) -> ClipsReply:
        """Returns the clipboards, without their texts."""
        return await self._ask(requests.clips(), timeout)

    async def clip_show(self, name: str, *, timeout: Optional[float] = None) -> ClipReply:
        """Returns a clipboard. One whose name begins with `/` belongs to the workspace, others to the session."""
        return await self._ask(requests.clip("show", name), timeout)

    async def clip_set(self, name: str, text: str, *, timeout: Optional[float] = None) -> ClipReply:
        """Sets the text of a clipboard."""
        return await self._ask(requests.clip("set", name, text=text), timeout)

    async def clip_copy(self, name: str, to: str, *, timeout: Optional[float] = None) -> ClipReply:
        """Copies a clipboard to another name."""
        return await self._ask(requests.clip("copy", name, to=to), timeout)

    async def clip_remove(self, name: str, *, timeout: Optional[float] = None) -> ClipReply:
        """Removes a clipboard."""
        return await self._ask(requests.clip("rm", name), timeout)

    async def wait(self, job: int, *, seconds: float = 60.0) -> Receipt:
        """Waits for a detached job. After `seconds`, the receipt has the status `queued`."""
        return await self._ask(requests.wait(job, seconds), seconds + REPLY)

    async def cancel(self, job: int, *, timeout: Optional[float] = None) -> Receipt:
        """Withdraws a detached job that has not begun. Returns its receipt, with the status `refused`."""
        return await self._ask(requests.cancel(job), timeout)

    async def request(
        self,
        kind: str,
        fields: Optional[Mapping[str, Any]] = None,
        *,
        repeatable: bool = False,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """Sends a request that has no method here, and returns its reply unchecked.

        A `repeatable` one is sent again after its reply was lost.
        """
        return await self._ask(requests.other(kind, fields, repeatable), timeout)

    async def watch(self, globs: Sequence[str] = (), *, timeout: Optional[float] = None) -> AsyncWatch:
        """Subscribes to events about the files of these globs; by default about all files."""
        subscription = Subscription(self._caller, list(globs))
        await subscription.subscribe(self.timeout if timeout is None else timeout)
        return AsyncWatch(subscription)

    async def close(self) -> None:
        """Closes the connection. The daemon continues to run."""
        self._caller.close()
        # The event loop closes the socket in its next round.
        await asyncio.sleep(0)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _ask(self, request: Request[R], timeout: Optional[float]) -> R:
        return await self._caller.ask(request, time.monotonic() + (self.timeout if timeout is None else timeout))
