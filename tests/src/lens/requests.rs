//! Short functions that make the requests of scenarios.

use editd_proto::message::{Durability, Edit, FileEntry, FileMode, JobRequest, Position};

use super::story::Act;

/// One file's edits, whatever the session has seen of it.
#[must_use]
pub fn file(path: &str, edits: Vec<Edit>) -> FileEntry {
    FileEntry { path: path.into(), base: None, edits, ..FileEntry::default() }
}

/// A job.
#[must_use]
pub fn job(files: Vec<FileEntry>) -> Act {
    Act::Edit(JobRequest { files, diff: Some(false), ..JobRequest::default() })
}

/// The same with another durability.
#[must_use]
pub fn with(act: Act, durability: Durability) -> Act {
    match act {
        Act::Edit(request) => Act::Edit(JobRequest { durability: Some(durability), ..request }),
        other => other,
    }
}

fn op(op: &str) -> Edit {
    Edit { op: op.to_owned(), ..Edit::default() }
}

/// Replaces the one place of a text.
#[must_use]
pub fn replace(old: &str, new: &str) -> Edit {
    Edit { old: Some(old.to_owned()), new: Some(new.to_owned()), ..op("replace") }
}

/// Adds at the end.
#[must_use]
pub fn append(text: &str) -> Edit {
    Edit { text: Some(text.to_owned()), at: Some(Position::End), ..op("insert") }
}

/// Makes a file.
#[must_use]
pub fn create(text: &str) -> Edit {
    Edit { text: Some(text.to_owned()), ..op("create") }
}

/// Writes a file anew.
#[must_use]
pub fn write(text: &str) -> Edit {
    Edit { text: Some(text.to_owned()), ..op("write") }
}

/// Takes a file away.
#[must_use]
pub fn delete() -> Edit {
    op("delete")
}

/// Moves a file.
#[must_use]
pub fn rename(to: &str) -> Edit {
    Edit { to: Some(to.into()), ..op("rename") }
}

/// Copies a file.
#[must_use]
pub fn copy(to: &str) -> Edit {
    Edit { to: Some(to.into()), ..op("copy") }
}

/// Sets the permission bits.
#[must_use]
pub fn chmod(mode: u32) -> Edit {
    Edit { mode: Some(FileMode::Bits(mode)), ..op("chmod") }
}

/// Replaces a text and keeps it in a clipboard.
#[must_use]
pub fn cut(old: &str, clipboard: &str) -> Edit {
    Edit { to_clipboard: Some(clipboard.to_owned()), ..replace(old, "") }
}

/// Adds a clipboard at the end.
#[must_use]
pub fn paste(clipboard: &str) -> Edit {
    Edit { from_clipboard: Some(clipboard.to_owned()), at: Some(Position::End), ..op("insert") }
}
