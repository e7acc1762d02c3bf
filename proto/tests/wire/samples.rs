//! A sample of every message with every field set, and its expected JSON. Contains no tests.

mod status;

use editd_proto::FilePath;
use editd_proto::ids::{JobId, Version};
use editd_proto::message::*;

use crate::checks;
pub(crate) use crate::errors::{error, errors};
pub(crate) use status::status;

pub(crate) fn version() -> Version {
    Version("0123456789ab".into())
}

pub(crate) fn odd_path() -> FilePath {
    FilePath::new(b"src/caf\xe9\n.rs".to_vec())
}

pub(crate) fn edit() -> FileEdit {
    let text = |text: &str| Some(text.to_owned());
    FileEdit {
        op: "replace".into(),
        old: text("a\r\n"),
        new: text(""),
        text: text("ü"),
        at: Some(EditPosition::Line(3)),
        start: Some(1),
        end: Some(0),
        near: Some(42),
        window: Some(40),
        loosest: text("typographic"),
        threshold: Some(0.9),
        whole_lines: Some(true),
        all: Some(false),
        expect: Some(1),
        eol: text("file"),
        pattern: text("a+"),
        replacement: text("\\1"),
        regex: Some(true),
        flags: text("im"),
        count: Some(2),
        to_clipboard: text("c"),
        from_clipboard: text("/shared"),
        reindent: Some(Reindent { strip: text("\t"), add: text("    ") }),
        to: Some(odd_path()),
        overwrite: Some(true),
        if_empty: Some(true),
        own_line: Some(true),
        mode: Some(FileMode::Octal("755".into())),
        name: text("main"),
        action: text("delete"),
        before: text("before"),
        after: text("after"),
        within: Some(EditScope::Lines((3, 9))),
        in_order: Some(true),
        unknown: Vec::new(),
    }
}

pub(crate) fn edits() -> Vec<FileEdit> {
    let at = |at| FileEdit { op: "insert".into(), at: Some(at), ..FileEdit::default() };
    let within = |within| FileEdit { op: "chunk".into(), within: Some(within), ..FileEdit::default() };
    vec![
        edit(),
        within(EditScope::Symbol("Class/method".into())),
        within(EditScope::Position(SymbolPosition { line: 0, column: 4 })),
        at(EditPosition::Start),
        at(EditPosition::End),
        at(EditPosition::Before("fn a".into())),
        at(EditPosition::After("fn a".into())),
        FileEdit { op: "chmod".into(), mode: Some(FileMode::Bits(0o644)), ..FileEdit::default() },
        FileEdit { op: "delete".into(), ..FileEdit::default() },
    ]
}

pub(crate) fn job() -> JobRequest {
    JobRequest {
        key: Some("k-1".into()),
        label: Some("why".into()),
        mode: JobMode::VerifyOnly,
        on_stale: Some(OnStale::Rebase),
        partial: true,
        diff: Some(false),
        budget: Some(4000),
        durability: Some(Durability::Relaxed),
        threshold: Some(0.75),
        detach: true,
        verified: Some("token".into()),
        files: vec![
            FileEntry { path: odd_path(), base: Some("any".into()), edits: edits(), ..FileEntry::default() },
            FileEntry { paths: vec!["src/**/*.rs".into()], edits: vec![edit()], ..FileEntry::default() },
        ],
        payload: None,
    }
}

pub(crate) fn payload_job() -> JobRequest {
    let payload = Payload {
        dialect: Some("patch".into()),
        text: "{\"path\": \"a\"}".into(),
        path: Some(odd_path()),
        base: Some("any".into()),
    };
    JobRequest { payload: Some(payload), ..JobRequest::default() }
}

pub(crate) fn dialects() -> DialectsReply {
    let one = DialectInfo { name: "patch".into(), sentence: "what it is".into() };
    DialectsReply { dialects: vec![one] }
}

pub(crate) fn issue() -> Issue {
    Issue {
        path: odd_path(),
        validator: "syntax".into(),
        line: Some(3),
        column: Some(7),
        message: "unbalanced".into(),
    }
}

pub(crate) fn receipt() -> Receipt {
    Receipt {
        omitted_files: 0,
        hooks: vec![HookOutcome {
            name: "fmt".into(),
            job: Some(JobId(18)),
            files: Vec::new(),
            warnings: vec!["slow".into()],
        }],
        job: Some(JobId(17)),
        queued: Some(JobId(15)),
        status: JobStatus::Partial,
        files: vec![FileOutcome {
            path: "src/a.rs".into(),
            to: Some("src/b.rs".into()),
            status: JobStatus::Partial,
            before: Some(version()),
            after: Some(version()),
            lines: LineRanges(vec![(10, 12), (40, 40), (57, 56)]),
            places: Some(4),
            added: 3,
            removed: 1,
            diff: Some("--- a\n+++ b\n".into()),
            omitted_hunks: Some(2),
            formatted: Some(FormatterChange {
                by: vec!["rustfmt".into()],
                diff: "-a\n+b\n".into(),
                omitted_hunks: 1,
            }),
            edits: vec![EditOutcome {
                edit: Some(2),
                status: EditStatus::Refused,
                rung: Some("indent".into()),
                lines: Some((10, 12)),
                now: Some((10, 14)),
                moved: Some(-3),
                replacements: Some(5),
                score: Some(1.0),
                converted_breaks: Some(1),
                error: Some(Box::new(error())),
            }],
            issues: vec![issue()],
            warnings: vec!["a hard link".into()],
        }],
        checks: vec![checks::outcome()],
        error: Some(error()),
        verified: Some("token".into()),
        rebased: true,
        repeated: true,
        dialect: Some("patch".into()),
        text: Some("<patches_applied>all</patches_applied>".into()),
    }
}

pub(crate) fn undo() -> UndoRequest {
    UndoRequest {
        jobs: vec![JobId(17), JobId(18)],
        session: Some("s".into()),
        since: Some(1_700_000_000_000),
        after: Some(JobId(16)),
        to: Some("m".into()),
        path: Some(odd_path()),
        paths: vec![odd_path()],
        hunks: vec![HunkChoice::One(2), HunkChoice::Run((4, 6))],
        key: Some("k-2".into()),
        label: Some("why".into()),
        mode: JobMode::VerifyOnly,
        on_stale: OnStale::Rebase,
        durability: Some(Durability::Full),
        diff: Some(true),
        budget: Some(4000),
    }
}

pub(crate) fn entry() -> EntrySummary {
    EntrySummary {
        id: JobId(17),
        queued: Some(JobId(15)),
        key: Some("k-1".into()),
        time: 1_700_000_000_000,
        session: "s".into(),
        client: "editctl".into(),
        label: Some("why".into()),
        kind: EntryKind::Undo,
        undone: true,
        partly_undone: true,
        diverged: true,
        forgotten: true,
        of: vec![JobId(16)],
        omitted_of: 0,
        omitted_files: 0,
        files: vec![EntryFile {
            path: odd_path(),
            before: Some(version()),
            after: None,
            added: 0,
            removed: 3,
            undone: true,
            undone_hunks: vec![(1, 2)],
        }],
    }
}

pub(crate) fn detail() -> EntryDetail {
    EntryDetail {
        path: odd_path(),
        diff: "-a\n+b\n".into(),
        partial: true,
        before_unknown: true,
        forgotten: true,
        omitted_hunks: 0,
        hunks: vec![EntryHunk { hunk: 1, line: 3, added: 1, removed: 1, undone: true }],
    }
}

pub(crate) fn symbol() -> SymbolInfo {
    let extent = TextExtent { start: (2, 1), end: (4, 2) };
    SymbolInfo {
        name: "Class/method".into(),
        kind: "method".into(),
        depth: 1,
        lines: (1, 4),
        definition: extent,
        body: Some(extent),
        position: SymbolPosition { line: 1, column: 3 },
        declarations: vec![SymbolDeclaration { name: "Class/method[1]".into(), lines: (1, 1) }],
    }
}

pub(crate) fn outline() -> OutlineReply {
    OutlineReply {
        path: odd_path(),
        version: version(),
        language: "rust".into(),
        symbols: vec![symbol()],
        omitted: Some(1),
        warnings: vec!["syntax errors".into()],
    }
}

pub(crate) fn config() -> ConfigReply {
    ConfigReply {
        file: "/home/me/src/.editd.toml".into(),
        changed: true,
        problem: Some("line 1: it is wrong".into()),
        settings: vec![SettingInfo {
            name: "unread".into(),
            value: "anchored".into(),
            source: SettingSource::Option,
            by: Some("--state".into()),
            line: Some(3),
            written: Some("allow".into()),
            waits: Some(SettingWait::Trust),
        }],
    }
}

pub(crate) fn trust() -> TrustReply {
    let one = CommandInfo {
        kind: "validator".into(),
        name: "ruff".into(),
        files: vec!["*.py".into()],
        command: vec!["ruff".into(), "check".into()],
        env: vec!["RUFF_CACHE_DIR".into()],
        write: vec!["~/.cache/ruff".into()],
    };
    let settings = vec!["unread = \"allow\"".into()];
    TrustReply {
        hash: Some(format!("blake3:{}", "0".repeat(64))),
        trusted: true,
        commands: vec![one],
        settings,
    }
}

pub(crate) fn read_reply() -> ReadReply {
    ReadReply {
        path: "src/a.rs".into(),
        version: version(),
        hash: format!("blake3:{}", "0".repeat(64)),
        text: Some("a\n".into()),
        bytes: Some(vec![0, 255, 10]),
        lines: 1,
        first_line: 1,
        encoding: "utf-8".into(),
        line_ending: "lf".into(),
        bom: false,
        size: 2,
        symbol: Some(symbol()),
    }
}

pub(crate) fn hello() -> Hello {
    Hello {
        protocol: vec![1],
        client: "editctl".into(),
        on_stale: Some(OnStale::Rebase),
        session: Some("s".into()),
        capabilities: vec!["future".into()],
    }
}

pub(crate) fn welcome() -> Welcome {
    Welcome {
        protocol: 1,
        server: "0.1.0".into(),
        workspace: "/home/me/src".into(),
        session: "s".into(),
        limits: ServerLimits { frame: 1 << 24, file: 1 << 26, files: 10_000, edits: 100_000 },
    }
}

pub(crate) fn event() -> ChangeEvent {
    ChangeEvent {
        change: ChangeKind::Changed,
        path: Some(odd_path()),
        version: Some(version()),
        entry: Some(JobId(17)),
        by: Some(EntryKind::External),
        session: Some("s".into()),
        message: Some("what is damaged".into()),
        check: Some(checks::outcome()),
    }
}

pub(crate) fn clip_reply() -> ClipReply {
    let clip = ClipInfo { name: "c".into(), size: 3, time: 1, origin: Some(odd_path()) };
    ClipReply {
        clips: Some(vec![clip]),
        name: Some("c".into()),
        text: Some("abc".into()),
        bytes: Some(vec![0xff]),
        origin: Some("a".into()),
        omitted: None,
    }
}

pub(crate) fn clip_request() -> ClipRequest {
    let (name, to, text) = (Some("c".into()), Some("/d".into()), Some("abc".into()));
    ClipRequest { action: ClipAction::Set, name, to, text }
}

pub(crate) fn content_request() -> ContentRequest {
    ContentRequest { job: JobId(17), path: odd_path(), side: EntrySide::Before, from: 3 }
}

pub(crate) fn content_reply() -> ContentReply {
    let shown = Some(version());
    ContentReply { path: odd_path(), version: shown, size: u64::MAX, bytes: vec![0, 255] }
}

pub(crate) fn export_request() -> ExportRequest {
    ExportRequest { since: Some(JobId(17)), cursor: Some("1.17.17.c".into()) }
}

pub(crate) fn export_reply() -> ExportReply {
    ExportReply { bytes: b"{}\n".to_vec(), cursor: Some("1.17.17.c".into()) }
}

pub(crate) fn note_request() -> NoteRequest {
    NoteRequest {
        phase: NotePhase::Begin,
        paths: vec!["src/a.rs".into()],
        session: Some("s".into()),
        label: Some("Edit".into()),
        call: Some("t-1".into()),
        check: true,
    }
}

pub(crate) fn note_reply() -> NoteReply {
    let entries = vec![NotedEntry { job: JobId(18), path: "src/a.rs".into() }];
    NoteReply { announced: true, entries, omitted: Some(1) }
}
