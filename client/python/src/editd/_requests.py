"""Makes the requests of both clients. Sends nothing."""

from __future__ import annotations

import os
import uuid
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Type, Union

from . import replies
from ._calls import R, Request
from ._link import PROTOCOL
from .edits import FileEntry

AnyPath = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
OnStale = Literal["reject", "rebase"]
Mode = Literal["strict", "interactive", "verify_only"]
Durability = Literal["durable", "full", "relaxed"]
Hunk = Union[int, Tuple[int, int], List[int]]


def wire_path(path: AnyPath) -> Union[str, bytes]:
    """Returns a path for the wire: text if it is UTF-8, otherwise bytes."""
    raw = os.fsencode(path)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


def hello(client: str, session: str, on_stale: Optional[OnStale]) -> Dict[str, Any]:
    """Returns the fields of `hello`."""
    return _present(protocol=[PROTOCOL], client=client, session=session, on_stale=on_stale)


def fresh(prefix: str = "") -> str:
    """Returns a name that is used once: a key or a session."""
    return prefix + uuid.uuid4().hex


def read(
    path: AnyPath, lines: Optional[Sequence[int]], symbol: Optional[str], body: bool, seen: Optional[str]
) -> Request[replies.ReadReply]:
    """Returns a `read`."""
    numbers = None if lines is None else list(lines)
    return _query("read", replies.ReadReply, path=wire_path(path), lines=numbers, symbol=symbol, body=body, seen=seen)


def edit(files: Union[FileEntry, Sequence[FileEntry]], **options: Any) -> Request[replies.Receipt]:
    """Returns an `edit` with native edits."""
    entries = [files] if isinstance(files, Mapping) else list(files)
    return _job("edit", options, files=[_entry(one) for one in entries])


def payload(
    text: str, dialect: Optional[str], path: Optional[AnyPath], base: Optional[str], **options: Any
) -> Request[replies.Receipt]:
    """Returns an `edit` with the payload of another tool."""
    place = None if path is None else wire_path(path)
    return _job("edit", options, payload=_present(dialect=dialect, text=text, path=place, base=base))


def turn(
    kind: Literal["undo", "redo"],
    jobs: Union[int, Sequence[int], None],
    path: Optional[AnyPath],
    paths: Optional[Sequence[AnyPath]],
    hunks: Optional[Sequence[Hunk]],
    **options: Any,
) -> Request[replies.Receipt]:
    """Returns an `undo` or `redo`."""
    numbers = [jobs] if isinstance(jobs, int) else None if jobs is None else list(jobs)
    chosen = [one if isinstance(one, int) else list(one) for one in hunks] if hunks is not None else None
    return _job(
        kind,
        options,
        jobs=numbers,
        path=None if path is None else wire_path(path),
        paths=None if paths is None else [wire_path(one) for one in paths],
        hunks=chosen,
    )


def outline(path: AnyPath, depth: Optional[int]) -> Request[replies.OutlineReply]:
    """Returns an `outline`."""
    return _query("outline", replies.OutlineReply, path=wire_path(path), depth=depth)


def history(path: Optional[AnyPath], **fields: Any) -> Request[replies.HistoryReply]:
    """Returns a `history`."""
    place = None if path is None else wire_path(path)
    return _query("history", replies.HistoryReply, path=place, **fields)


def show(job: int, start: Optional[int]) -> Request[replies.ShowReply]:
    """Returns a `show`."""
    return _query("show", replies.ShowReply, job=job, **{"from": start})


def content(job: int, path: AnyPath, side: Optional[str], start: Optional[int]) -> Request[replies.ContentReply]:
    """Returns a `content`."""
    return _query("content", replies.ContentReply, job=job, path=wire_path(path), side=side, **{"from": start})


def clips() -> Request[replies.ClipsReply]:
    """Returns a `clip` that lists."""
    return _query("clip", replies.ClipsReply, action="list")


def clip(action: str, name: str, to: Optional[str] = None, text: Optional[str] = None) -> Request[replies.ClipReply]:
    """Returns a `clip` that shows or changes one clipboard."""
    fields = _present(action=action, name=name, to=to, text=text)
    # A second `rm` would say that there is no such clipboard.
    return Request("clip", fields, replies.ClipReply, changes=action != "show", repeatable=action != "rm")


def wait(job: int, seconds: float) -> Request[replies.Receipt]:
    """Returns a `wait`."""
    return _query("wait", replies.Receipt, job=job, timeout_ms=_milliseconds(seconds))


def cancel(job: int) -> Request[replies.Receipt]:
    """Returns a `cancel`. A second one would be refused."""
    return Request("cancel", {"job": job}, replies.Receipt, changes=True, repeatable=False, refuses="rejected")


def dialects() -> Request[replies.DialectsReply]:
    """Returns a `dialects`."""
    return _query("dialects", replies.DialectsReply)


def status(trace: Optional[int]) -> Request[replies.StatusReply]:
    """Returns a `status`."""
    return _query("status", replies.StatusReply, trace=trace)


def metrics() -> Request[replies.MetricsReply]:
    """Returns a `metrics`."""
    return _query("metrics", replies.MetricsReply)


def config() -> Request[replies.ConfigReply]:
    """Returns a `config`."""
    return _query("config", replies.ConfigReply)


def checks(job: Optional[int], unseen: bool, seconds: float) -> Request[replies.ChecksReply]:
    """Returns a `checks`. Unseen results are sent once, so a second request would not get them."""
    fields = _present(job=job, unseen=unseen, timeout_ms=_milliseconds(seconds) or None)
    return Request("checks", fields, replies.ChecksReply, changes=unseen, repeatable=not unseen)


def mark(name: str) -> Request[replies.MarkReply]:
    """Returns a `mark`. A second one names a later moment of the same call."""
    return Request("mark", {"name": name}, replies.MarkReply, changes=True)


def note(
    phase: Literal["begin", "end"],
    paths: Optional[Sequence[AnyPath]],
    *,
    session: Optional[str],
    label: Optional[str] = None,
    call: Optional[str],
    check: bool = False,
) -> Request[replies.NoteReply]:
    """Returns a `note`. A second `end` finds no announcement, and a second check finds the change read."""
    named = None if paths is None else [wire_path(one) for one in paths]
    fields = _present(phase=phase, paths=named, session=session, label=label, call=call, check=check)
    return Request("note", fields, replies.NoteReply, changes=True, repeatable=phase == "begin" and not check)


def stop() -> Request[replies.StopReply]:
    """Returns a `stop`. A second one would start and stop the next daemon."""
    return Request("stop", {}, replies.StopReply, changes=True, repeatable=False, ends=True)


def subscribe(globs: Sequence[str]) -> Dict[str, Any]:
    """Returns the fields of `subscribe`."""
    return {"globs": list(globs)}


def other(kind: str, fields: Optional[Mapping[str, Any]], repeatable: bool) -> Request[Dict[str, Any]]:
    """Returns a request of any kind."""
    return Request(kind, dict(fields or {}), dict, changes=True, repeatable=repeatable)


def _query(kind: str, shape: Type[R], **fields: Any) -> Request[R]:
    return Request(kind, _present(**fields), shape)


def _job(kind: str, options: Dict[str, Any], **fields: Any) -> Request[replies.Receipt]:
    """Returns a job. It gets a key if it has none, so that it can be sent again after its reply was lost."""
    changes = options.get("mode") != "verify_only"
    key = options.pop("key") or (fresh() if changes else None)
    label = options.pop("label")
    return Request(kind, _present(key=key, label=label, **fields, **options), replies.Receipt, changes)


def _entry(entry: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns a file entry with its paths as they are sent."""
    made = dict(entry)
    if "path" in made:
        made["path"] = wire_path(made["path"])
    if isinstance(made.get("paths"), (list, tuple)):
        made["paths"] = [wire_path(one) for one in made["paths"]]
    edits = made.get("edits")
    if isinstance(edits, Mapping):
        made["edits"] = _edit(edits)
    elif isinstance(edits, (list, tuple)):
        made["edits"] = [_edit(one) for one in edits]
    return made


def _edit(one: Any) -> Any:
    if isinstance(one, Mapping) and one.get("op") in ("rename", "copy") and "to" in one:
        return {**one, "to": wire_path(one["to"])}
    return one


def _milliseconds(seconds: float) -> int:
    """Returns a time to wait as the daemon takes it: at most an hour."""
    return max(0, int(min(seconds, 3600.0) * 1000))


def _present(**fields: Any) -> Dict[str, Any]:
    """Returns the fields that are not absent or false."""
    return {
        name: value for name, value in fields.items() if value is not None and (value is not False or name == "diff")
    }
