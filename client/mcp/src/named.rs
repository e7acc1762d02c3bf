//! The files that calls have named by relative paths.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use editd_proto::FilePath;

/// The most files that are remembered.
const NAMED: usize = 10_000;

/// The files that the calls of a session have named by relative paths.
#[derive(Default)]
pub(crate) struct NamedFiles(Mutex<HashSet<FilePath>>);

impl NamedFiles {
    /// Remembers a file. Files beyond the limit are not remembered.
    pub(crate) fn note(&self, path: &FilePath) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() < NAMED {
            files.insert(path.clone());
        }
    }

    /// Returns true if the file was named.
    pub(crate) fn has(&self, path: &FilePath) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(path)
    }
}
