//! What a job is about to do, whoever planned it: an edit, an undo or a redo.

use std::collections::BTreeMap;

use editd_engine::{ClipWrite, Refusal, Splice, State};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{Durability, EntryKind, FileOutcome};
use editd_proto::path::WirePath;

use crate::disk::stage::StagedMode;
use crate::disk::{FileSnapshot, ResolvedPath};
use crate::store::record::{EntryPart, ReadReceipt};
use crate::workspace::Who;

use super::Said;

/// Whose it is and why.
#[derive(Clone, Debug)]
pub struct Origin {
    /// What makes it.
    pub kind: EntryKind,
    /// Who asked.
    pub who: Who,
    /// The client's key.
    pub key: Option<String>,
    /// Hash of the request.
    pub request: ContentHash,
    /// Why.
    pub label: Option<String>,
    /// Entries that it takes back or brings back.
    pub of: Vec<JobId>,
    /// The parts of those entries that it means, where it does not mean them whole.
    pub parts: Vec<EntryPart>,
    /// When it may be answered.
    pub durability: Durability,
    /// The number under which its client waits, for a detached job.
    pub queued: Option<JobId>,
}

/// One path that changes.
pub struct Drafted {
    /// Where.
    pub place: ResolvedPath,
    /// What is there now, where something is.
    pub before: Option<FileSnapshot>,
    /// What shall be there.
    pub after: State,
    /// How a new file's mode is chosen.
    pub mode: StagedMode,
    /// What turns one into the other.
    pub splices: Vec<Splice>,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// The path whose content this is, for a rename or a copy.
    pub from: Option<WirePath>,
}

/// What a job is about to do.
pub struct Draft {
    /// Whose it is and why.
    pub origin: Origin,
    /// Its changes, each path once, in the order in which they are swapped.
    pub changes: Vec<Drafted>,
    /// Clipboards that it stores.
    pub clips: Vec<ClipWrite>,
    /// What to report.
    pub files: Vec<FileOutcome>,
    /// With `partial`: the first edit that was left out, and why.
    pub error: Option<Refusal>,
    /// What the session had seen of the paths.
    pub seen: BTreeMap<WirePath, ReadReceipt>,
    /// Folders that were made for files which it takes away again, of each file outermost first: they go with it where
    /// nothing else is in them.
    pub unmade: Vec<Vec<WirePath>>,
    /// Whether it was merged into contents that are newer than those it was made for.
    pub rebased: bool,
    /// Set if the receipt shows the changes that commands make to its files.
    pub diffs: bool,
    /// How the receipt is said, where the job came as a payload.
    pub said: Option<Said>,
}
