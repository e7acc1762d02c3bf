"""The types of replies and events. Fields that may be absent are in the second class of each pair.

A reply is checked against its type when it arrives. It may have further fields, which newer daemons send.
"""

from __future__ import annotations

from typing import Any, Dict, List, TypedDict, Union

WirePath = Union[str, bytes]
# A name that no field of a reply has.
_Binary = bytes


class ServerLimits(TypedDict):
    """The limits that a daemon has for a request."""

    frame: int
    file: int
    files: int
    edits: int


class HelloReply(TypedDict):
    """The reply to `hello`."""

    protocol: int
    server: str
    workspace: str
    session: str
    limits: ServerLimits


class Extent(TypedDict):
    """A part of a file: `start` and `end` are `[line, column]`, from 1."""

    start: List[int]
    end: List[int]


class SymbolPosition(TypedDict):
    """The place of a name as a language server counts."""

    line: int
    column: int


class Declaration(TypedDict):
    """A declaration of a symbol that is implemented elsewhere."""

    name: str
    lines: List[int]


class _SymbolFields(TypedDict, total=False):
    body: Extent
    declarations: List[Declaration]


class SymbolInfo(_SymbolFields):
    """A definition in a file."""

    name: str
    kind: str
    depth: int
    lines: List[int]
    definition: Extent
    position: SymbolPosition


class _ReadFields(TypedDict, total=False):
    text: str
    bytes: _Binary
    symbol: SymbolInfo


class ReadReply(_ReadFields):
    """The content of a file. `bytes` stands for `text` if the file is not text; neither is sent with `seen`."""

    path: WirePath
    version: str
    hash: str
    lines: int
    first_line: int
    encoding: str
    line_ending: str
    bom: bool
    size: int


class _OutlineFields(TypedDict, total=False):
    omitted: int
    warnings: List[str]


class OutlineReply(_OutlineFields):
    """The definitions in a file."""

    path: WirePath
    version: str
    language: str
    symbols: List[SymbolInfo]


class _IssueFields(TypedDict, total=False):
    line: int
    column: int


class Issue(_IssueFields):
    """An error that a validator found."""

    path: WirePath
    validator: str
    message: str


class EditResult(TypedDict, total=False):
    """The result of one edit."""

    edit: int
    status: str
    match: str
    lines: List[int]
    now: List[int]
    moved: int
    replacements: int
    score: float
    converted_breaks: int
    error: Dict[str, Any]


class _FileResultFields(TypedDict, total=False):
    to: WirePath
    status: str
    before: str
    after: str
    lines: str
    places: int
    added: int
    removed: int
    diff: str
    omitted_hunks: int
    formatted: Dict[str, Any]
    edits: List[EditResult]
    issues: List[Issue]
    warnings: List[str]


class FileResult(_FileResultFields):
    """The result for one file. `status` is absent if it is `applied`."""

    path: WirePath


class _HookFields(TypedDict, total=False):
    job: int
    files: List[FileResult]
    warnings: List[str]


class HookResult(_HookFields):
    """The result of a command that ran after the files were written."""

    name: str


class _DiagnosticFields(TypedDict, total=False):
    path: Any
    line: int
    column: int


class Diagnostic(_DiagnosticFields):
    """A problem that a check found."""

    message: str


class _CheckFields(TypedDict, total=False):
    jobs: List[int]
    new: List[Diagnostic]
    more: int
    known: int
    first: bool
    message: str


class CheckResult(_CheckFields):
    """The result of a check: `running`, `passed`, `failed`, `timeout` or `could_not_run`."""

    check: str
    status: str


class _ReceiptFields(TypedDict, total=False):
    job: int
    queued: int
    files: List[FileResult]
    omitted_files: int
    error: Dict[str, Any]
    verified: str
    rebased: bool
    repeated: bool
    dialect: str
    text: str
    hooks: List[HookResult]
    checks: List[CheckResult]


class Receipt(_ReceiptFields):
    """The reply to a job: `applied`, `unchanged`, `verified`, `partial` or `queued`; `refused` is raised."""

    status: str


class _EntryFileFields(TypedDict, total=False):
    undone: bool
    undone_hunks: List[Any]


class EntryFile(_EntryFileFields):
    """A file that an entry changed, with its versions before and after."""

    path: WirePath
    before: Union[str, None]
    after: Union[str, None]
    added: int
    removed: int


class _EntryFields(TypedDict, total=False):
    queued: int
    partly_undone: bool
    diverged: bool
    forgotten: bool
    of: List[int]
    omitted_of: int
    omitted_files: int


class Entry(_EntryFields):
    """An entry of the journal. `kind` is `edit`, `undo`, `redo`, `external`, `hook` or `mark`."""

    id: int
    key: Union[str, None]
    label: Union[str, None]
    time: int
    session: str
    client: str
    kind: str
    undone: bool
    files: List[EntryFile]


class HistoryReply(TypedDict):
    """Entries, newest first."""

    entries: List[Entry]
    more: bool


class _HunkFields(TypedDict, total=False):
    undone: bool


class HunkInfo(_HunkFields):
    """A hunk of a change, with the number that `undo` takes."""

    hunk: int
    line: int
    added: int
    removed: int


class _ChangeFields(TypedDict, total=False):
    partial: bool
    before_unknown: bool
    forgotten: bool
    omitted_hunks: int
    hunks: List[HunkInfo]


class Change(_ChangeFields):
    """The change of one file by an entry."""

    path: WirePath
    diff: str


class ShowReply(TypedDict):
    """An entry with its changes."""

    entry: Entry
    changes: List[Change]


class _ContentFields(TypedDict, total=False):
    version: str
    size: int
    bytes: _Binary


class ContentReply(_ContentFields):
    """A content from the journal."""

    path: WirePath


class _ClipInfoFields(TypedDict, total=False):
    origin: WirePath


class ClipInfo(_ClipInfoFields):
    """A clipboard: its bytes, the time of its last change, and the path from which it was cut."""

    name: str
    size: int
    time: int


class _ClipsFields(TypedDict, total=False):
    omitted: int


class ClipsReply(_ClipsFields):
    """The clipboards that the session can use."""

    clips: List[ClipInfo]


class _ClipFields(TypedDict, total=False):
    text: str
    bytes: _Binary
    origin: WirePath


class ClipReply(_ClipFields):
    """A clipboard; its text or bytes only in the reply to `clip_show`."""

    name: str


class DialectInfo(TypedDict):
    """A kind of payloads."""

    name: str
    sentence: str


class DialectsReply(TypedDict):
    """The payloads that the daemon understands."""

    dialects: List[DialectInfo]


class Latency(TypedDict):
    """The times of requests of one kind: their number, and their sum and quantiles in microseconds."""

    count: int
    sum_us: int
    p50_us: int
    p90_us: int
    p99_us: int
    max_us: int


class Step(TypedDict):
    """A step of a job, and its time in microseconds."""

    step: str
    us: int


class _TraceFields(TypedDict, total=False):
    job: int
    queued: int
    code: str


class Trace(_TraceFields):
    """The times of one job. `time` is that of its end, in milliseconds since 1970 UTC."""

    kind: str
    status: str
    time: int
    total_us: int
    steps: List[Step]


class _StatusFields(TypedDict, total=False):
    failed: str
    damage: str
    database: str
    left_out: str
    nearby: List[str]
    counters: Dict[str, int]
    refusals: Dict[str, int]
    latency: Dict[str, Latency]
    trace: Trace


class StatusReply(_StatusFields):
    """The state of the daemon, and counts since its start. `trace` is there if it was asked for."""

    pid: int
    version: str
    workspace: str
    socket: str
    state: str
    uptime: int
    sessions: int
    queue: int
    entries: int
    unsettled: int
    watch: int


class MetricsReply(TypedDict):
    """Counters, latencies and the present state as OpenMetrics text."""

    text: str


class _SettingFields(TypedDict, total=False):
    by: str
    line: int
    written: str
    waits: str


class Setting(_SettingFields):
    """A setting with the value that applies and its source: `default`, `file`, `option`, `environment` or `systemd`.

    `written` is a value in `.editd.toml` that does not apply yet; `waits` says for what: `trust` or `restart`.
    """

    name: str
    value: str
    source: str


class _ConfigFields(TypedDict, total=False):
    problem: str


class ConfigReply(_ConfigFields):
    """The settings. `changed`: `.editd.toml` has changes that the daemon reads only when it starts, or a problem."""

    file: str
    changed: bool
    settings: List[Setting]


class ChecksReply(TypedDict):
    """Results of checks, by name."""

    checks: List[CheckResult]


class MarkReply(TypedDict):
    """A mark, and the number of its entry."""

    job: int
    name: str


class NotedEntry(TypedDict):
    """An entry with a change that a call made."""

    job: int
    path: WirePath


class _NoteFields(TypedDict, total=False):
    entries: List[NotedEntry]
    omitted: int


class NoteReply(_NoteFields):
    """The announcement of a call: `announced` is false if the daemon no longer knew it at its end."""

    announced: bool


class StopReply(TypedDict):
    """The process that stops."""

    pid: int


class SubscribeReply(TypedDict):
    """The number of watched folders."""

    folders: int


class _EventFields(TypedDict, total=False):
    path: WirePath
    version: str
    entry: int
    by: str
    session: str
    message: str
    check: CheckResult


class Event(_EventFields):
    """A change of a file. After `overflow` events were lost: check every file that matters."""

    change: str
