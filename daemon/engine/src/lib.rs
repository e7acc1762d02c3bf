//! Plans edits of text files: finds the text that an edit quotes, computes the changed ranges, merges them into newer
//! content and formats diffs. The crate is pure: it uses no file, clock or socket.
//!
//! *Calling sequence*: [`Job::parse`] parses a job and [`needs`] lists the files and clipboards that it depends on.
//! [`plan`] computes the [`PlannedChange`]s of the job from a [`WorkspaceSnapshot`], and [`apply`] and [`invert`]
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

pub use diff::{HunkExtent, LineChange, NearbyDiff, describe_change, nearby_diff, splice_diff, unified_diff};
pub use editd_syntax::{Certainty, SyntaxError};
pub use editd_types as types;
pub use editd_types::{
    ContentHash, EditOutcome, EditPosition, EditScope, EditStatus, ErrorCode, FileEdit, FileEntry, FileMode,
    FileOutcome, FilePath, JobInput, JobMode, JobStatus, Receipt, Reindent, RequestError, SymbolInfo,
};
pub use generated::generated;
pub use job::{EditFacts, Job, JobEntry, needs_of_input, plan_input};
pub use merge::{BothContents, StaleFiles, merge, rebase, same_lines};
pub use op::{NamedLines, Quotation};
pub use plan::{
    CountBudget, PatternCounts, check_names, failures, has_unlisted_failures, lacks_room, needs, plan,
    plan_known,
};
pub use splice::{apply, invert, splices_between};
pub use symbols::{FileOutline, SymbolView, longest_parsed, outline, too_long_to_parse, view_symbol};
pub use syntax::introduced;
pub use view::{FileView, view};

/// The reason why an edit was refused. Boxed, since it is large and rare.
pub type Refusal = Box<RequestError>;

/// One changed range: at `at` in the content before, `new` replaces `old`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Splice {
    /// Byte offset in the content before.
    pub at: u64,
    /// The bytes before the change.
    #[serde(with = "serde_bytes")]
    pub old: Vec<u8>,
    /// The bytes after the change.
    #[serde(with = "serde_bytes")]
    pub new: Vec<u8>,
}

/// The state of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileState {
    /// No file.
    Absent,
    /// A regular file.
    File {
        /// Its content.
        bytes: Arc<[u8]>,
        /// Its permission bits.
        mode: u32,
    },
}

/// The input of a job: the files it names and the clipboards it reads, as they were when the job was judged.
#[derive(Clone, Default, Debug)]
pub struct WorkspaceSnapshot {
    /// Every path that [`needs`] names.
    pub files: BTreeMap<FilePath, FileState>,
    /// Every clipboard that [`needs`] names and that holds something.
    pub clips: BTreeMap<String, Vec<u8>>,
}

/// The files and clipboards that a job needs to see before it can be planned.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobNeeds {
    /// Paths, each once, in order of appearance: of the entries and of `rename` and `copy` targets.
    pub paths: Vec<FilePath>,
    /// Clipboards that are read before an earlier edit of the job stored them.
    pub clips: Vec<String>,
}

/// The proof that a file entry knows the content it replaces, for a session that has no receipt for the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContentProof {
    /// It replaces nothing: it only creates, moves, copies from, changes the mode, or adds at start or end.
    NotNeeded,
    /// Every edit quotes what it replaces, or names what it adds to.
    Quoted,
    /// Some edit replaces content that it does not quote (`write`, `lines`, `substitute`, `delete`, …).
    Blind,
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
    /// The splices that turn `before` into `after`; `Absent` counts as empty content.
    pub splices: Vec<Splice>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
}

/// A clipboard that a job stores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClipboardWrite {
    /// Its name; with a leading `/` it is the workspace's.
    pub name: String,
    /// The matched bytes of the file.
    pub bytes: Vec<u8>,
    /// The file that the bytes come from.
    pub origin: FilePath,
}

/// The result of planning a job.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// Net changes, one for each path whose state changes, in the order of first mention.
    pub changes: Vec<PlannedChange>,
    /// Clipboards, the last store of each name.
    pub clips: Vec<ClipboardWrite>,
    /// The reports, one for each file entry of the job, diffs included if the job asks for them.
    pub files: Vec<FileOutcome>,
    /// With `partial`: the first error among the edits that were left out.
    pub error: Option<Refusal>,
}

/// Limits of planning, and the encodings in which text is read.
#[derive(Clone, Debug, Default)]
pub struct PlanOptions {
    /// Encodings that the configuration names for paths, by label (`encoding_rs`), first match wins.
    pub encodings: Vec<(FilePath, String)>,
    /// Bytes that a plan may make, new contents and changed ranges together; if absent, the limit of a job. A plan
    /// that would need more fails with `busy`, and may be tried again with more.
    pub room: Option<usize>,
}

impl PlanOptions {
    /// The encoding that the configuration names for a path.
    pub(crate) fn label(&self, path: &FilePath) -> Option<&str> {
        self.encodings.iter().find(|(known, _)| known == path).map(|(_, label)| label.as_str())
    }
}

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
