//! The request of an edit job. The reply is in `receipt`.

use serde::{Deserialize, Serialize};

use crate::ids::JobId;
use crate::path::WirePath;

/// Implements serde for a struct with derived functions, and records the struct's unknown fields.
macro_rules! strict {
    ($name:ident) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let mut unknown = Vec::new();
                let read = Self::deserialize(super::strict::StrictDeserializer::new(from, &mut unknown))?;
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

/// The handling of validator issues.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobMode {
    /// Refuse the job.
    #[default]
    Strict,
    /// Write the job and return the issues.
    Interactive,
    /// Write nothing; return the result that the job would have.
    VerifyOnly,
}

/// The handling of content that changed since its base.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnStale {
    /// Refuse the job, with the details that are needed to try again.
    #[default]
    Reject,
    /// Merge the plan into the current content.
    Rebase,
}

/// The moment at which the reply may be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// After the intent is on disk. The job survives a killed daemon and a power cut.
    #[default]
    Durable,
    /// After everything is settled: the files are flushed, too.
    Full,
    /// After the files are swapped. The job survives a killed daemon; a power cut may lose the last 50 ms and tear
    /// files.
    Relaxed,
}

/// An edit job.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct JobRequest {
    /// The client's name for the job. A job with the same key is not applied again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// A description for the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The handling of validator issues.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: JobMode,
    /// The handling of content that changed since its base; if absent, the session's setting, else the daemon's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_stale: Option<OnStale>,
    /// Apply the edits that can be applied and report the rest, instead of all or nothing.
    #[serde(default, skip_serializing_if = "is_default")]
    pub partial: bool,
    /// Set if the reply shows diffs; if absent, it shows those of files whose result differs from the request
    /// (merged, matched loosely, or changed by a command).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<bool>,
    /// Maximum size of the reply as JSON in bytes, without a requested diff. If absent, a default for the kind of
    /// reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// The moment at which the reply may be sent; if absent, the daemon's setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// The similarity that fuzzy matching requires (0.5–1), for edits without their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// Queue the job durably and reply at once with its number.
    #[serde(default, skip_serializing_if = "is_default")]
    pub detach: bool,
    /// The token of a `verify_only` reply: apply exactly that plan, or fail as stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<String>,
    /// The files. A path that is listed again is a later stage.
    #[serde(default, deserialize_with = "super::bounded::files", skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileEntry>,
    /// Instead of `files`: the payload of another tool, as that tool's callers write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
}

/// The payload of another tool.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Payload {
    /// The dialect, as listed by `dialects`. If it is absent, it is recognised by the payload's fields or its first
    /// marker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The payload: JSON or text.
    pub text: String,
    /// The file, if the payload does not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<WirePath>,
    /// The base of that file; for a payload about several files only `any`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

/// The edits of one file. All are located in the same content.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct FileEntry {
    /// The file; empty if `paths` is used.
    #[serde(default, skip_serializing_if = "is_default")]
    pub path: WirePath,
    /// Instead of `path`: paths and globs of the files in which one `substitute` is applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The base: a version, `blake3:…`, `sha256:…`, `any` or `absent`. If it is absent, this session's receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The edits. A single edit need not be in a list.
    #[serde(deserialize_with = "super::strict::one_or_many")]
    pub edits: Vec<Edit>,
    /// The names of unknown fields. An entry with any is refused.
    #[serde(skip)]
    pub unknown: Vec<String>,
}

strict!(FileEntry);

/// An edit: `op` and the fields of that operation. The engine checks which fields belong together, so that its error
/// can name the edit. `daemon/docs/edit-language.md` describes the fields.
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
    /// The names of unknown fields, including nested ones (`reindent.stirp`). An edit with any is refused.
    #[serde(skip)]
    pub unknown: Vec<String>,
}

strict!(Edit);

/// The part of a file in which an edit searches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Within {
    /// The first and the last line, 1-based and inclusive.
    Lines((u64, u64)),
    /// A symbol, by name path (`Class/method`).
    Symbol(String),
    /// The symbol that starts at a position.
    Position(SymbolPosition),
}

/// A position as a language server counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SymbolPosition {
    /// The line, 0-based.
    pub line: u64,
    /// The column, 0-based, in UTF-16 code units.
    pub column: u64,
}

/// Permission bits: octal digits as text (`"644"`, `"0644"`), or a number below 512 (420 is 0o644). A number that could
/// also be meant as octal digits is refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FileMode {
    /// The bits.
    Bits(u32),
    /// Octal digits.
    Octal(String),
}

/// The place at which `insert` puts its text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// Before the first byte, but behind a byte order mark.
    Start,
    /// Behind the last byte.
    End,
    /// Before this line, which may be one past the last.
    Line(u64),
    /// Directly before the only occurrence of this text.
    Before(String),
    /// Directly behind the only occurrence of this text.
    After(String),
}

/// A change of the indentation of the new text: `strip` is removed from each line that is not blank, then `add` is put
/// in front.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Reindent {
    /// The text with which each line must start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strip: Option<String>,
    /// The text that is added to each line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add: Option<String>,
}

/// Waits for a detached job, or cancels one that has not started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WaitRequest {
    /// The number of the job.
    pub job: JobId,
    /// The time to wait in milliseconds; an hour if absent, which is also the maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
