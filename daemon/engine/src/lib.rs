//! Plans edits of text files: finds the text that an edit quotes, computes the changed ranges, merges them into newer
//! content and formats diffs. The crate is pure: it uses no file, clock or socket.
//!
//! *Calling sequence*: [`Job::parse`] parses a job and [`needs`] lists the files and clipboards that it depends on.
//! [`plan()`] computes the [`PlannedChange`]s of the job from a [`WorkspaceSnapshot`], and [`apply`] and [`invert`]
//! apply their splices. [`dialect::translate`] turns the payload of another edit tool into the input of a job.
//!
//! *Invariants*: every byte outside of the splices stays the same; the same job and snapshot give the same plan; no
//! input causes a panic, and every refusal is a [`RequestError`] with a stable code.
//!
//! *Limitations*: work is counted in bytes and steps, since the engine has no clock; `symbol` edits support the
//! languages of `editd_syntax`, in the file as it was before the entry.

mod clip;
mod cut;
pub mod dialect;
mod diff;
mod generated;
mod hash;
mod job;
mod limits;
mod locate;
mod merge;
mod omission;
mod op;
mod plan;
mod refusal;
mod reindent;
mod splice;
mod symbols;
mod syntax;
mod text;
mod tree;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use diff::{
    HunkExtent, LineChange, NearbyDiff, after_diff, describe_change, nearby_diff, splice_diff, unified_diff,
};
pub use editd_syntax::{Certainty, SyntaxError, TreeCache, count_parser_memory};
pub use editd_types as types;
pub use editd_types::{
    ContentHash, EditOutcome, EditPosition, EditScope, EditStatus, ErrorCode, FileEdit, FileEntry, FileMode,
    FileOutcome, FilePath, JobInput, JobMode, JobStatus, Receipt, Reindent, RequestError, SymbolInfo,
};
pub use generated::generated;
pub use hash::{HashParts, MakeParts, part_size};
pub use job::{EditFacts, Job, JobEntry, needs_of_input, plan_input};
pub use merge::{BothContents, LineMap, StaleFiles, merge, rebase};
pub use op::{NamedLines, Quotation};
pub use plan::{
    CountBudget, PatternCounts, check_names, failures, has_unlisted_failures, lacks_room, needs, plan,
    plan_known,
};
pub use splice::{apply, invert, splices_between};
pub use symbols::{FileOutline, SymbolView, longest_parsed, outline, too_long_to_parse, view_symbol};
pub use syntax::{ContentChange, introduced};
pub use text::LineBreak;
pub use view::{FileView, view};

/// The reason why an edit was refused. Boxed, since it is large and rare.
pub type Refusal = Box<RequestError>;

/// A changed range of a content: `new` replaces `old` at the offset `at`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Splice {
    /// The offset in the content before the change, in bytes.
    pub at: u64,
    /// The bytes before the change.
    #[serde(with = "serde_bytes")]
    pub old: Vec<u8>,
    /// The bytes after the change.
    #[serde(with = "serde_bytes")]
    pub new: Vec<u8>,
}

/// The file at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileState {
    /// There is no file.
    Absent,
    /// A regular file.
    File {
        /// Its content.
        bytes: Arc<[u8]>,
        /// Its permission bits.
        mode: u32,
    },
}

impl FileState {
    /// Returns the content of the file; empty if there is no file.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Absent => &[],
            Self::File { bytes, .. } => bytes,
        }
    }
}

/// The files and clipboards on which a job is planned.
#[derive(Clone, Default, Debug)]
pub struct WorkspaceSnapshot {
    /// The file at each path that [`needs`] lists.
    pub files: BTreeMap<FilePath, FileState>,
    /// The content of each clipboard that [`needs`] lists. Empty clipboards are absent.
    pub clips: BTreeMap<String, Vec<u8>>,
}

/// The files and clipboards that must be in the snapshot on which a job is planned.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobNeeds {
    /// The paths of the entries and of the targets of `rename` and `copy`, each once, in order of appearance.
    pub paths: Vec<FilePath>,
    /// The clipboards that an edit reads and no earlier edit of the job stores.
    pub clips: Vec<String>,
}

/// The knowledge of the replaced content that a file entry proves, for a session that has not read the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContentProof {
    /// No content is replaced: the edits only create, move or copy the file, change its mode, or add text at its start
    /// or end.
    NotNeeded,
    /// Every edit quotes the text that it replaces, or names the text beside which it adds.
    Quoted,
    /// At least one edit replaces content that it does not quote (`write`, `lines`, `substitute`, `delete`, …).
    Blind,
}

/// The lines of a content that the edits of an entry quote, replace without a quotation, and copy: ranges, 1-based and
/// inclusive, sorted and joined.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct QuotedLines {
    /// The lines that edits quote or replace whole, after which the session knows all text of them.
    pub whole: Vec<(u64, u64)>,
    /// The lines whose text edits replace without quoting it. With `last` = `first` − 1 it is the place before a line.
    pub unquoted: Vec<(u64, u64)>,
    /// The lines of which edits copy text into the new content: the groups of a substitution. A range as in `unquoted`.
    pub copied: Vec<(u64, u64)>,
}

/// The net change of one path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedChange {
    /// The path that changes.
    pub path: FilePath,
    /// The state before the change.
    pub before: FileState,
    /// The state after the change.
    pub after: FileState,
    /// The hash of the content after the change, if it is known. Code that replaces `after` removes it.
    pub hash: Option<ContentHash>,
    /// The splices that turn `before` into `after`; `Absent` counts as empty content.
    pub splices: Vec<Splice>,
    /// The lines of `before` that the edits quote or do not quote; none if several entries changed the content.
    pub quoted: QuotedLines,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines.
    pub removed: u64,
}

/// A clipboard that a job stores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClipboardWrite {
    /// The name. A clipboard whose name starts with `/` belongs to the workspace, any other to the session.
    pub name: String,
    /// The content: bytes of a file.
    pub bytes: Vec<u8>,
    /// The file that contained the bytes.
    pub origin: FilePath,
}

/// The result of planning a job.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The net change of each path whose file changes, in the order in which the job names the paths.
    pub changes: Vec<PlannedChange>,
    /// The stored clipboards, each with its last content.
    pub clips: Vec<ClipboardWrite>,
    /// The outcome of each file entry of the job, with diffs if the job asks for them.
    pub files: Vec<FileOutcome>,
    /// The first error of the edits that were left out, if the job is `partial`.
    pub error: Option<Refusal>,
}

/// The encodings of files, a limit of memory, the trees of recent texts, and a way to hash.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// The encodings of files that are not UTF-8, by label (see `encoding_rs`). The first one for a path is used.
    pub encodings: Vec<(FilePath, String)>,
    /// The maximum size of the new contents and changed ranges of a plan, in bytes; if absent, the limit of a job. A
    /// plan that needs more is refused with `busy` (see [`lacks_room`]), and can be tried again with more.
    pub room: Option<usize>,
    /// The trees of recent texts, by which similar texts are parsed in less time. They change no result.
    pub trees: Arc<TreeCache>,
    /// Hashes the new contents while they are made. By default, each part is hashed as it is made.
    pub hash_parts: HashParts,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self { encodings: Vec::new(), room: None, trees: Arc::default(), hash_parts: hash::hash_parts }
    }
}

impl PlanOptions {
    /// Returns the label of the encoding of a path.
    pub(crate) fn label(&self, path: &FilePath) -> Option<&str> {
        self.encodings.iter().find(|(known, _)| known == path).map(|(_, label)| label.as_str())
    }
}

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct EngineReadmeExample;
