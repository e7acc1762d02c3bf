//! Builds file entries for the dialects of patches: the hunks of one path are one entry, and each change of a whole
//! file is an entry of its own. It knows no dialect.

use std::collections::HashMap;

use editd_types::{FileEdit, FileEntry, FilePath};

/// The entries so far.
#[derive(Default)]
pub(super) struct Entries {
    files: Vec<FileEntry>,
    /// The entries that may take more hunks.
    open: HashMap<FilePath, usize>,
}

impl Entries {
    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns the index of the entry that collects the hunks of a path. A new entry is empty.
    pub(super) fn shared(&mut self, path: &FilePath) -> usize {
        *self.open.entry(path.clone()).or_insert_with(|| {
            self.files.push(FileEntry { path: path.clone(), ..FileEntry::default() });
            self.files.len() - 1
        })
    }

    /// Adds a separate entry. Later hunks of the path go to a new entry after it.
    pub(super) fn alone(&mut self, path: FilePath, edits: Vec<FileEdit>) {
        self.close(&path);
        self.files.push(FileEntry { path, edits, ..FileEntry::default() });
    }

    /// Closes the entry of a path. Later hunks of the path go to a new entry.
    pub(super) fn close(&mut self, path: &FilePath) {
        self.open.remove(path);
    }

    /// Adds an edit to an entry.
    pub(super) fn add(&mut self, entry: usize, edit: FileEdit) {
        if let Some(file) = self.files.get_mut(entry) {
            file.edits.push(edit);
        }
    }

    /// Returns true if an entry has no edits.
    pub(super) fn is_empty(&self, entry: usize) -> bool {
        self.files.get(entry).is_none_or(|file| file.edits.is_empty())
    }

    /// Returns all entries.
    pub(super) fn into_files(self) -> Vec<FileEntry> {
        self.files
    }
}

/// Returns an edit that creates a missing file, or fills an empty one, with a text.
pub(super) fn fill(text: &str) -> FileEdit {
    FileEdit { text: Some(text.to_owned()), if_empty: Some(true), ..edit("create") }
}

/// Returns an edit of this kind without any other field.
pub(super) fn edit(op: &str) -> FileEdit {
    FileEdit { op: op.to_owned(), ..FileEdit::default() }
}
