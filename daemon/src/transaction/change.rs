//! A transaction: the changes that an edit, an undo or a redo is about to make. It makes none.

use std::collections::BTreeMap;

use editd_engine::{ClipboardWrite, FileState, QuotedLines, Refusal, Splice};
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::message::{Durability, EntryKind, FileOutcome};
use editd_proto::path::FilePath;

use super::DialectReply;
use crate::caller::Caller;
use crate::disk::restore::RestoredFile;
use crate::disk::stage::StagedMode;
use crate::disk::{FileSnapshot, ResolvedPath};
use crate::record::{EntryPart, ReadReceipt};

/// The request that a transaction carries out.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The kind of the journal entry.
    pub kind: EntryKind,
    /// The caller.
    pub caller: Caller,
    /// The client's key.
    pub key: Option<String>,
    /// The hash of the request.
    pub request: ContentHash,
    /// The label of the journal entry.
    pub label: Option<String>,
    /// The entries that it undoes or redoes.
    pub of: Vec<JobId>,
    /// The parts of those entries that it undoes or redoes, unless all of them.
    pub parts: Vec<EntryPart>,
    /// The durability that the reply waits for.
    pub durability: Durability,
    /// The number under which the client waits for a detached job.
    pub queued: Option<JobId>,
}

/// One path that changes.
pub struct FileChange {
    /// The resolved path.
    pub place: ResolvedPath,
    /// The present file, if there is one.
    pub before: Option<FileSnapshot>,
    /// The state to reach.
    pub after: FileState,
    /// The hash of the content to reach, if it is known.
    pub hash: Option<ContentHash>,
    /// The rule for the mode of a new file.
    pub mode: StagedMode,
    /// The splices from the one content to the other.
    pub splices: Vec<Splice>,
    /// The lines of the content before that the job quotes or copies.
    pub quoted: QuotedLines,
    /// True if the new text is not the session's: an undo or a redo brings it back from the job of another session, or
    /// makes a file again.
    pub foreign: bool,
    /// Lines added.
    pub added: u64,
    /// Lines removed.
    pub removed: u64,
    /// The path whose content this is, for a rename or a copy.
    pub from: Option<FilePath>,
    /// The removed file that this makes again.
    pub restores: Option<RestoredFile>,
}

/// The changes that a job is about to make.
pub struct Transaction {
    /// The request.
    pub origin: Origin,
    /// The changes, each path once, in the order of their swaps.
    pub changes: Vec<FileChange>,
    /// The clipboards to store.
    pub clips: Vec<ClipboardWrite>,
    /// The outcomes to report.
    pub files: Vec<FileOutcome>,
    /// With `partial`: the refusal of the first edit that was left out.
    pub error: Option<Refusal>,
    /// The read receipts of the session for the paths.
    pub seen: BTreeMap<FilePath, ReadReceipt>,
    /// The folders that were made for files which it removes again, for each file outermost first. They are removed if
    /// they are empty.
    pub unmade: Vec<Vec<FilePath>>,
    /// Set if it was merged into newer contents than those it was made for.
    pub rebased: bool,
    /// Set if the receipt shows the changes that commands make to its files.
    pub diffs: bool,
    /// The dialect that words the receipt of a payload.
    pub dialect_reply: Option<DialectReply>,
}
