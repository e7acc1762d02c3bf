"""The blocking client. `AsyncClient` in `aio` has the same methods."""

from __future__ import annotations

import math
import threading
import time
from typing import Any, Dict, Iterator, Literal, Mapping, Optional, Sequence, Union

from . import _requests as requests
from ._blocking import BlockingTransport, finished
from ._calls import R, Request
from ._link import time_left
from ._opening import REPLY, TIMEOUT, make_caller
from ._reports import Reports
from ._requests import AnyPath, Durability, Hunk, Mode, OnStale
from ._watching import Subscription
from .edits import FileEntry
from .errors import DeadlineError
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


class Watch:
    """Events about files. Iterate over it, or call `next` with a time limit. Only one thread may use it."""

    def __init__(self, subscription: Subscription) -> None:
        self._subscription = subscription

    @property
    def folders(self) -> int:
        """The number of watched folders."""
        return self._subscription.folders

    def next(self, timeout: float = math.inf) -> Optional[Event]:
        """Returns the next event, or `None` if there is none within `timeout` seconds."""
        return finished(self._subscription.next(timeout))

    def close(self) -> None:
        """Ends the subscription."""
        self._subscription.close()

    def __iter__(self) -> Iterator[Event]:
        while True:
            event = self.next()
            if event is None:
                return
            yield event

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Client(Reports):
    """A session with the daemon of one workspace. Threads may share it: their calls run one after the other.

    `workspace` is the folder; by default the nearest parent of the current folder with `.editd.toml` or `.git`.
    `session` owns what was read, the clipboards and the undo; by default it has a new name. `timeout` is the time limit
    of each call in seconds, which includes the start of a daemon and all retries. Paths are relative to the workspace.
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
        transport = BlockingTransport()
        self._caller = make_caller(transport, workspace, self.session, client, on_stale, socket, program, spawn)
        self._lock = threading.Lock()

    def read(
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
        return self._ask(requests.read(path, lines, symbol, body, seen), timeout)

    def outline(self, path: AnyPath, *, depth: Optional[int] = None, timeout: Optional[float] = None) -> OutlineReply:
        """Returns the definitions in a file."""
        return self._ask(requests.outline(path, depth), timeout)

    def edit(
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
        return self._ask(request, timeout)

    def verify(
        self,
        files: Union[FileEntry, Sequence[FileEntry]],
        *,
        on_stale: Optional[OnStale] = None,
        partial: bool = False,
        timeout: Optional[float] = None,
    ) -> Receipt:
        """Checks a job without writing. The receipt has the diffs, and in `verified` a token for `edit`."""
        return self.edit(files, mode="verify_only", on_stale=on_stale, partial=partial, timeout=timeout)

    def payload(
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
        return self._ask(request, timeout)

    def undo(
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
        return self._ask(request, timeout)

    def redo(
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
        return self._ask(request, timeout)

    def mark(self, name: str, *, timeout: Optional[float] = None) -> MarkReply:
        """Names the present state of the workspace, for `undo(to=name)`."""
        return self._ask(requests.mark(name), timeout)

    def note_begin(
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
        return self._ask(request, timeout)

    def note_end(
        self,
        paths: Optional[Sequence[AnyPath]] = None,
        *,
        call: Optional[str] = None,
        session: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> NoteReply:
        """Ends an announcement. Returns the entries with the changes that were made since."""
        return self._ask(requests.note("end", paths, session=session, call=call), timeout)

    def history(
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
        return self._ask(request, timeout)

    def show(self, job: int, *, start: Optional[int] = None, timeout: Optional[float] = None) -> ShowReply:
        """Returns an entry with its diffs. `start` is the number of its files to skip."""
        return self._ask(requests.show(job, start), timeout)

    def content(
        self,
        job: int,
        path: AnyPath,
        *,
        side: Optional[Literal["before", "after"]] = None,
        start: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> ContentReply:
        """Returns at most 4 MiB of the content that a file had before or after a job, from the byte `start` on."""
        return self._ask(requests.content(job, path, side, start), timeout)

    def clips(self, *, timeout: Optional[float] = None) -> ClipsReply:
        """Returns the clipboards, without their texts."""
        return self._ask(requests.clips(), timeout)

    def clip_show(self, name: str, *, timeout: Optional[float] = None) -> ClipReply:
        """Returns a clipboard. One whose name begins with `/` belongs to the workspace, others to the session."""
        return self._ask(requests.clip("show", name), timeout)

    def clip_set(self, name: str, text: str, *, timeout: Optional[float] = None) -> ClipReply:
        """Sets the text of a clipboard."""
        return self._ask(requests.clip("set", name, text=text), timeout)

    def clip_copy(self, name: str, to: str, *, timeout: Optional[float] = None) -> ClipReply:
        """Copies a clipboard to another name."""
        return self._ask(requests.clip("copy", name, to=to), timeout)

    def clip_remove(self, name: str, *, timeout: Optional[float] = None) -> ClipReply:
        """Removes a clipboard."""
        return self._ask(requests.clip("rm", name), timeout)

    def wait(self, job: int, *, seconds: float = 60.0) -> Receipt:
        """Waits for a detached job. After `seconds`, the receipt has the status `queued`."""
        return self._ask(requests.wait(job, seconds), seconds + REPLY)

    def cancel(self, job: int, *, timeout: Optional[float] = None) -> Receipt:
        """Withdraws a detached job that has not begun. Returns its receipt, with the status `refused`."""
        return self._ask(requests.cancel(job), timeout)

    def request(
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
        return self._ask(requests.other(kind, fields, repeatable), timeout)

    def watch(self, globs: Sequence[str] = (), *, timeout: Optional[float] = None) -> Watch:
        """Subscribes to events about the files of these globs; by default about all files."""
        subscription = Subscription(self._caller, list(globs))
        finished(subscription.subscribe(self.timeout if timeout is None else timeout))
        return Watch(subscription)

    def close(self) -> None:
        """Closes the connection. The daemon continues to run. A call of another thread ends first."""
        with self._lock:
            self._caller.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, request: Request[R], timeout: Optional[float]) -> R:
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        left = time_left(end)
        if not self._lock.acquire(timeout=-1 if left is None else min(left, threading.TIMEOUT_MAX)):
            raise DeadlineError("the time limit of the call passed while another thread used the client")
        try:
            return finished(self._caller.ask(request, end))
        finally:
            self._lock.release()
