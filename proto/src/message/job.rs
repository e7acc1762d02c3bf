//! An edit job. What became of it stands in `receipt`.

use serde::{Deserialize, Serialize};

use crate::ids::JobId;
use crate::path::WirePath;

/// Reads and writes a struct of which serde made functions of its own, and notes its unknown fields.
macro_rules! strict {
    ($name:ident) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let mut unknown = Vec::new();
                let read = Self::deserialize(super::strict::Strict::new(from, &mut unknown))?;
                Ok(Self { unknown, ..read })
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, to)
            }
        }
    };
}

/// What to do with what validators say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Refuse the job.
    #[default]
    Strict,
    /// Write, and return the issues.
    Interactive,
    /// Never write; say what would have happened.
    VerifyOnly,
}

/// What to do when the content changed since the base.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnStale {
    /// Refuse, with what is needed to try again.
    #[default]
    Reject,
    /// Merge the plan into what is there now.
    Rebase,
}

/// When a reply may be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// Once the intent is on the disk: survives kills and power cuts.
    #[default]
    Durable,
    /// Once everything is settled: the files themselves are flushed too.
    Full,
    /// Once the files are swapped: survives kills; a power cut may lose the last 50 ms and tear files.
    Relaxed,
}

/// A job.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct JobRequest {
    /// The client's own name for the job: the same key is the same job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Why, for the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What to do with what validators say.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// The action when content changed since its base; if absent, the session's setting, else the daemon's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_stale: Option<OnStale>,
    /// Apply what resolves and report the rest, instead of all or nothing.
    #[serde(default, skip_serializing_if = "is_default")]
    pub partial: bool,
    /// Set if the reply shows diffs; if absent, it shows those of files whose result differs from the request
    /// (merged, matched loosely, or changed by a command).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<bool>,
    /// Bytes that the reply may have, as JSON, beside a diff that was asked for; a default for each kind of reply where
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// When the reply may be sent; the daemon's setting where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// Similarity that fuzzy matching accepts (0.5–1), for edits without their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Queue it durably and answer at once with the job's number.
    #[serde(default, skip_serializing_if = "is_default")]
    pub detach: bool,
    /// The token of a `verify_only` reply: apply exactly that, or be stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<String>,
    /// The files. A path listed again is a later stage.
    #[serde(default, deserialize_with = "super::bounded::files", skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileEntry>,
    /// Instead of `files`: the payload of another tool, as that tool's callers write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
}

/// What another tool would have been sent.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Payload {
    /// The tool's dialect, as `dialects` lists them; recognised by its fields or first marker where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The payload itself: JSON or text.
    pub text: String,
    /// The file, where the payload does not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<WirePath>,
    /// The base of that file's entry; for a payload about several files only `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// The edits of one file, all located in the same content.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct FileEntry {
    /// The file; empty where `paths` names several.
    #[serde(default, skip_serializing_if = "is_default")]
    pub path: WirePath,
    /// Instead of `path`: paths and globs of the files in which one `substitute` is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// A version, `blake3:…`, `sha256:…`, `any`, `absent`; absent means this session's receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The edits; one may come without its list.
    #[serde(deserialize_with = "super::strict::one_or_many")]
    pub edits: Vec<Edit>,
    /// Names of fields that it came with and that no entry has. Such an entry is refused.
    #[serde(skip)]
    pub unknown: Vec<String>,
}

strict!(FileEntry);

/// One edit: `op` and the fields of that operation; which belong together the engine checks, so that
/// its refusal can name the edit. Fields and meaning: `daemon/docs/edit-language.md`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
#[expect(
    missing_docs,
    reason = "each field is described once, at the operation that reads it, in engine/src/op"
)]
pub struct Edit {
    pub op: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Position>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub loosest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_lines: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eol: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_clipboard: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_clipboard: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reindent: Option<Reindent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<WirePath>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overwrite: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_empty: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_line: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<FileMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Within>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_order: Option<bool>,
    /// Names of fields that it came with and that no edit has, also those inside other fields (`reindent.stirp`). Such an
    /// edit is refused.
    #[serde(skip)]
    pub unknown: Vec<String>,
}

strict!(Edit);

/// Where a `chunk` is looked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Within {
    /// First and last line, 1-based, inclusive.
    Lines((u64, u64)),
    /// A symbol, by name path (`Class/method`).
    Symbol(String),
    /// The symbol that starts at a place.
    Position(SymbolPosition),
}

/// A place as a language server counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SymbolPosition {
    /// The line, 0-based.
    pub line: u64,
    /// The column, 0-based, in UTF-16 code units.
    pub column: u64,
}

/// Permission bits: octal digits as text (`"644"`, `"0644"`), or a number below 512 (0o644 is 420) that nobody can
/// mean as octal digits (400, 511).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FileMode {
    /// The bits.
    Bits(u32),
    /// Octal digits.
    Octal(String),
}

/// Where `insert` puts its text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// Before the first byte after a BOM.
    Start,
    /// After the last byte.
    End,
    /// Before this line, at most one past the last.
    Line(u64),
    /// Directly before the one place of this text.
    Before(String),
    /// Directly after the one place of this text.
    After(String),
}

/// Indentation of inserted text: every line that is not blank loses `strip`, then gains `add`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Reindent {
    /// What each line must start with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strip: Option<String>,
    /// What each line gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add: Option<String>,
}

/// Waits for a detached job, or cancels one that has not begun.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WaitRequest {
    /// The job.
    pub job: JobId,
    /// How long to wait, milliseconds; an hour at most, where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
