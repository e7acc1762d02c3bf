//! The contents of a job's files while its hooks run, and the check that only the job or a hook has changed them. It
//! changes no file.

use std::collections::BTreeMap;
use std::sync::Arc;

use editd_engine::FileState;
use editd_proto::path::FilePath;

use super::HookContext;
use crate::disk::{FileSnapshot, Observation, ResolvedPath};
use crate::journal::external;
use crate::record::FileMeta;
use crate::state::path_cache::ObservationVersion;
use crate::transaction::seal::SealedTransaction;

/// The file at a path.
#[derive(Clone)]
pub(super) struct JobFile {
    pub(super) meta: FileMeta,
    pub(super) bytes: Arc<[u8]>,
}

impl JobFile {
    pub(super) fn of(found: &FileSnapshot) -> Self {
        Self { meta: found.meta.clone(), bytes: found.bytes.clone() }
    }

    pub(super) fn state(&self) -> FileState {
        FileState::File { bytes: self.bytes.clone(), mode: self.meta.mode }
    }
}

/// Returns the files that a job has just written.
pub(super) fn of_job(sealed: &SealedTransaction) -> BTreeMap<FilePath, JobFile> {
    let changes = sealed.transaction.changes.iter().zip(&sealed.entry.files);
    let files = changes.filter_map(|(change, file)| match (&change.after, &file.after) {
        (FileState::File { bytes, .. }, Some(meta)) => {
            Some((file.path.clone(), JobFile { meta: meta.clone(), bytes: bytes.clone() }))
        }
        _ => None,
    });
    files.collect()
}

impl HookContext<'_> {
    /// Observes every file again before a hook starts. A file that another program has changed is journaled as such and
    /// left alone from then on. Returns the warnings about these files.
    pub(super) fn drop_foreign(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        let paths: Vec<FilePath> = self.files.keys().cloned().collect();
        for path in paths {
            let seen = self.observe(&path).map(|(_, observation)| observation);
            let same = match (&seen, self.files.get_mut(&path)) {
                (Ok(Observation::File(found)), Some(file)) if found.meta.hash == file.meta.hash => {
                    file.meta = found.meta.clone();
                    true
                }
                _ => false,
            };
            if same {
                continue;
            }
            if let Ok(observation) = &seen {
                external::note(self.state, &path, observation, ObservationVersion::Lane, None, true);
            }
            self.files.remove(&path);
            told.push(format!("{path}: another program changed it; it is left as it is"));
        }
        told
    }

    /// Reads the present file at a path.
    pub(super) fn observe(&self, path: &FilePath) -> Result<(ResolvedPath, Observation), String> {
        let place = self.state.disk.resolve_link(path).map_err(|error| error.to_string())?;
        let observation = self.state.disk.observe(&place).map_err(|error| error.to_string())?;
        Ok((place, observation))
    }
}
