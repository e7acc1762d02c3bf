//! The edits by line numbers that were refused since their lines had moved. The refusal shows the present lines, whose
//! numbers count as read from then on. But a client may send several calls before it sees the reply to the first one: the
//! numbers of the others are still those that it read. So until it sends a refused edit again, or reads the file, other edits of
//! that file by numbers are refused, too.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use editd_proto::message::{EditPosition, EditScope, FileEdit, FileEntry, JobRequest, Receipt};
use editd_proto::{ErrorCode, FilePath, RequestError};

/// The most files that are remembered.
const FILES: usize = 16;

/// The most edits of a file that are remembered.
const EDITS: usize = 64;

/// A file, with those of its edits that were refused, without their numbers.
struct RefusedFile {
    root: PathBuf,
    path: FilePath,
    edits: Vec<FileEdit>,
}

/// The files with edits that were refused for their numbers, oldest first.
#[derive(Default)]
pub(crate) struct RefusedNumbers(Mutex<Vec<RefusedFile>>);

impl RefusedNumbers {
    /// Checks the edits of a job by line numbers. A file of which a refused edit is sent again is forgotten.
    ///
    /// # Errors
    /// `stale`: the numbers may be older than the lines that a refusal has shown.
    pub(crate) fn check(&self, root: &Path, job: &JobRequest) -> Result<(), Box<RequestError>> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in &job.files {
            let Some(at) = files.iter().position(|file| file.root == root && file.path == entry.path) else {
                continue;
            };
            let numbered: Vec<FileEdit> = without_numbers(entry).collect();
            let Some(file) = files.get_mut(at).filter(|_| !numbered.is_empty()) else { continue };
            if numbered.iter().any(|edit| file.edits.contains(edit)) {
                files.remove(at);
                continue;
            }
            file.edits.extend(numbered);
            file.edits.truncate(EDITS);
            let message = format!(
                "{}: an earlier call was refused since its lines had moved, and this one may have numbers from before; send it \
                 again with the numbers that were shown, or read the file",
                entry.path
            );
            return Err(Box::new(RequestError::new(ErrorCode::Stale, message).at(&entry.path)));
        }
        Ok(())
    }

    /// Remembers the edits that a receipt refuses since their lines have moved.
    pub(crate) fn note(&self, root: &Path, job: &JobRequest, receipt: &Receipt) {
        let Some(error) = &receipt.error else { return };
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for error in std::iter::once(error).chain(&error.others).filter(|error| !error.moved.is_empty()) {
            for entry in job.files.iter().filter(|entry| error.path.as_ref() == Some(&entry.path)) {
                files.retain(|file| file.root != root || file.path != entry.path);
                if files.len() == FILES {
                    files.remove(0);
                }
                let edits = without_numbers(entry).take(EDITS).collect();
                files.push(RefusedFile { root: root.to_owned(), path: entry.path.clone(), edits });
            }
        }
    }

    /// Forgets a file that was read.
    pub(crate) fn forget(&self, root: &Path, path: &FilePath) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|file| file.root != root || file.path != *path);
    }
}

/// Returns the edits of a file that have line numbers, without the numbers.
fn without_numbers(entry: &FileEntry) -> impl Iterator<Item = FileEdit> {
    entry.edits.iter().filter_map(|edit| {
        let mut edit = edit.clone();
        let by_place = matches!(edit.at, Some(EditPosition::Line(_)));
        let by_scope = matches!(edit.within, Some(EditScope::Lines(_)));
        if edit.op != "lines" && !by_place && !by_scope {
            return None;
        }
        (edit.start, edit.end) = (None, None);
        if by_place {
            edit.at = None;
        }
        if by_scope {
            edit.within = None;
        }
        Some(edit)
    })
}
