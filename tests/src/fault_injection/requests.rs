//! Short functions that make the requests of scenarios.

use editd_proto::message::{Durability, EditPosition, FileEdit, FileEntry, FileMode, JobRequest};

use super::sim_scenario::ChangeRequest;

/// One file's edits, whatever the session has seen of it.
#[must_use]
pub fn file(path: &str, edits: Vec<FileEdit>) -> FileEntry {
    FileEntry { path: path.into(), base: None, edits, ..FileEntry::default() }
}

/// A job.
#[must_use]
pub fn job(files: Vec<FileEntry>) -> ChangeRequest {
    ChangeRequest::Edit(JobRequest { files, diff: Some(false), ..JobRequest::default() })
}

/// The same with another durability.
#[must_use]
pub fn with(request: ChangeRequest, durability: Durability) -> ChangeRequest {
    match request {
        ChangeRequest::Edit(request) => {
            ChangeRequest::Edit(JobRequest { durability: Some(durability), ..request })
        }
        other => other,
    }
}

fn op(op: &str) -> FileEdit {
    FileEdit { op: op.to_owned(), ..FileEdit::default() }
}

/// Replaces the one place of a text.
#[must_use]
pub fn replace(old: &str, new: &str) -> FileEdit {
    FileEdit { old: Some(old.to_owned()), new: Some(new.to_owned()), ..op("replace") }
}

/// Adds at the end.
#[must_use]
pub fn append(text: &str) -> FileEdit {
    FileEdit { text: Some(text.to_owned()), at: Some(EditPosition::End), ..op("insert") }
}

/// Makes a file.
#[must_use]
pub fn create(text: &str) -> FileEdit {
    FileEdit { text: Some(text.to_owned()), ..op("create") }
}

/// Takes a file away.
#[must_use]
pub fn delete() -> FileEdit {
    op("delete")
}

/// Sets the permission bits.
#[must_use]
pub fn chmod(mode: u32) -> FileEdit {
    FileEdit { mode: Some(FileMode::Bits(mode)), ..op("chmod") }
}

/// Moves a file.
#[must_use]
pub fn rename(to: &str) -> FileEdit {
    FileEdit { to: Some(to.into()), ..op("rename") }
}
