//! The attributes of files beside content and mode: records those of the files that a job removes, gives them to files
//! that it moves or makes again, and words the warnings about what is not kept. It touches no target.

use std::collections::BTreeMap;
use std::io;

use editd_engine::FileState;
use editd_proto::message::FileOutcome;
use editd_proto::path::FilePath;

use super::Transaction;
use crate::disk::FileSnapshot;
use crate::disk::observation::hash;
use crate::disk::restore::{NamesFault, NotRestored, RestoredFile};
use crate::disk::stage::StagedMode;
use crate::limits::{FILE_ATTRIBUTES, JOB_ATTRIBUTES};
use crate::os::{ExtendedAttribute, UnsetReason};
use crate::record::FileAttributes;
use crate::state::{WorkspaceState, lock};

/// Names of attributes that one warning lists.
const LISTED: usize = 8;

/// The attributes of the files that a job removes, and the files that it makes again.
pub(super) struct JobAttributes {
    /// The removed files by their paths.
    removed: BTreeMap<FilePath, RestoredFile>,
    /// The warnings, each with its path.
    warnings: Vec<(FilePath, String)>,
}

impl JobAttributes {
    /// Reads the attributes of the files that a job removes.
    ///
    /// # Errors
    /// The path of the file, and the error of the system.
    pub(super) fn read(
        state: &WorkspaceState,
        transaction: &Transaction,
    ) -> Result<Self, (FilePath, io::Error)> {
        let mut all = Self { removed: BTreeMap::new(), warnings: Vec::new() };
        let mut left = JOB_ATTRIBUTES;
        for change in &transaction.changes {
            let (Some(found), FileState::Absent) = (&change.before, &change.after) else { continue };
            let path = change.place.path();
            let mut attributes = read(found, &mut left).map_err(|error| (path.clone(), error))?;
            // Names that earlier jobs removed are in staging until these are settled.
            attributes.links -= lock(&state.unsettled).names_of(found.meta.identity).min(attributes.links);
            let moved = transaction.changes.iter().any(|other| other.from.as_ref() == Some(path));
            let unrecorded = unrecorded(path, &attributes, moved);
            all.warnings.extend(unrecorded.map(|warning| (path.clone(), warning)));
            all.removed.insert(
                path.clone(),
                RestoredFile { meta: found.meta.clone(), attributes: Some(attributes) },
            );
        }
        Ok(all)
    }

    /// Returns the recorded attributes of a removed file.
    pub(super) fn of_removed(&self, path: &FilePath) -> Option<FileAttributes> {
        self.removed.get(path).and_then(|file| file.attributes.clone())
    }

    /// Returns the removed file at a path as the one that a new file at another path becomes. It stays the same file as its
    /// further names, unless the job also changes it.
    pub(super) fn moved(
        &mut self,
        from: &FilePath,
        to: &FilePath,
        bytes: &[u8],
        mode: StagedMode,
    ) -> Option<RestoredFile> {
        let mut file = self.removed.get(from)?.clone();
        let is_same = || hash(bytes) == file.meta.hash && mode == StagedMode::Exact(file.meta.mode);
        if let Some(attributes) = file.attributes.as_mut().filter(|one| one.links > 1 && !is_same()) {
            let links = attributes.links;
            let warning = format!(
                "{to} was one of {links} hard links of a file and is a file of its own now, since the job also changes it"
            );
            self.warnings.push((to.clone(), warning));
            attributes.links = 1;
        }
        Some(file)
    }

    /// Notes the parts of a file that it did not get when it was staged again.
    pub(super) fn lost(&mut self, path: &FilePath, of: &RestoredFile, lost: &[NotRestored]) {
        self.warnings.extend(lost.iter().map(|one| (path.clone(), not_restored(path, of, one))));
    }

    /// Adds the warnings to the outcomes of a transaction.
    pub(super) fn warn(self, transaction: &mut Transaction) {
        for (path, warning) in self.warnings {
            // The outcome of a moved file has its old path.
            let is_of = |file: &&mut FileOutcome| file.path == path || file.to.as_ref() == Some(&path);
            if let Some(file) = transaction.files.iter_mut().find(is_of) {
                file.warnings.push(warning);
            }
        }
    }
}

fn read(found: &FileSnapshot, left: &mut usize) -> io::Result<FileAttributes> {
    let extended = found.file.attributes(FILE_ATTRIBUTES.min(*left))?;
    let size = |one: &ExtendedAttribute| one.value.as_ref().map_or(0, |value| one.name.len() + value.len());
    *left = left.saturating_sub(extended.iter().map(size).sum());
    Ok(FileAttributes { extended, links: found.links })
}

/// Returns the warning about attributes of a removed file that an undo, or a move, will not restore.
fn unrecorded(path: &FilePath, attributes: &FileAttributes, moved: bool) -> Option<String> {
    let names: Vec<String> =
        attributes.extended.iter().filter(|one| one.value.is_none()).map(|one| shown(&one.name)).collect();
    if names.is_empty() || moved {
        return None;
    }
    let more = names.len().saturating_sub(LISTED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let listed = names.get(..LISTED).unwrap_or(&names).join(", ");
    Some(format!(
        "an undo will not restore these extended attributes of {path}, which are too large for the journal or may not \
         be read: {listed}{rest}"
    ))
}

fn shown(name: &[u8]) -> String {
    FilePath::new(name).display()
}

/// Words a part of a file that was not restored.
fn not_restored(path: &FilePath, of: &RestoredFile, lost: &NotRestored) -> String {
    let (uid, gid) = (of.meta.uid, of.meta.gid);
    match lost {
        NotRestored::Owner => {
            format!("{path} belonged to user {uid} and group {gid}, which only root can restore (`chown`)")
        }
        NotRestored::OwnerAlone => {
            format!("{path} belonged to user {uid}, which only root can restore (`chown`)")
        }
        NotRestored::AttributesUnknown => format!(
            "if {path} had extended attributes or further names, they are not restored: the journal does not have them"
        ),
        NotRestored::Attribute(unset) => {
            let name = shown(&unset.name);
            match &unset.reason {
                UnsetReason::Unknown => {
                    format!("{path} had the extended attribute {name}, which the journal does not have")
                }
                UnsetReason::Bound => {
                    format!(
                        "{path} had the extended attribute {name}; it is not restored, as after every write"
                    )
                }
                UnsetReason::Refused(error) => {
                    format!(
                        "{path} had the extended attribute {name}, which the system refused to restore: {error}"
                    )
                }
            }
        }
        NotRestored::Names(fault) => names_lost(path, of, fault),
    }
}

fn names_lost(path: &FilePath, of: &RestoredFile, fault: &NamesFault) -> String {
    let names = of.attributes.as_ref().map_or(0, |one| one.links);
    let reason = match fault {
        NamesFault::None => "none of the others is in the workspace any more".to_owned(),
        NamesFault::NotSearched(most) => {
            format!("none of the others is among the first {most} names of the workspace")
        }
        NamesFault::Changed(other) => format!("{other}, one of the others, was changed since"),
        NamesFault::Refused(other, error) => format!("the system refused to link it to {other}: {error}"),
    };
    format!("{path} was one of {names} hard links of a file and is a file of its own now: {reason}")
}
