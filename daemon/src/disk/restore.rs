//! Stages a file that is made again, with the owner, access control lists, extended attributes and names that it had
//! when it was removed, as far as permitted. It says what it could not restore, and touches no target.

use std::io;

use editd_proto::path::FilePath;

use super::Disk;
use super::names::NameSearch;
use super::observation::Observation;
use super::place::ResolvedPath;
use super::stage::{StageError, StagedContent, StagedFile, StagedFlush, StagedMode};
use crate::os::{File, UnsetAttribute};
use crate::record::{FileAttributes, FileMeta, StagingFolder};

/// A file that is to be made again.
#[derive(Clone, Debug)]
pub struct RestoredFile {
    /// Its metadata when it was removed. The owner counts only with an identity.
    pub meta: FileMeta,
    /// Its attributes; `None` if the journal does not have them.
    pub attributes: Option<FileAttributes>,
}

/// A part of a file that was not restored.
#[derive(Debug)]
pub enum NotRestored {
    /// Owner and group: only a privileged user may give files away.
    Owner,
    /// The owner; the group is restored.
    OwnerAlone,
    /// The journal does not have its extended attributes.
    AttributesUnknown,
    /// An extended attribute.
    Attribute(UnsetAttribute),
    /// Its other names: it is a file of its own now.
    Names(NamesFault),
}

/// The reason why a file was not restored as a further name of another one.
#[derive(Debug)]
pub enum NamesFault {
    /// No other name of it was found in the workspace.
    None,
    /// No other name was found among the first names of the workspace, so many of them.
    NotSearched(usize),
    /// The file at this name has another content, mode or owner by now.
    Changed(FilePath),
    /// The system refused a further name of the file at this one, or does not permit to read it.
    Refused(FilePath, io::Error),
}

impl Disk {
    /// Stages a file with the attributes that it had when it was removed. If it had other names and one of them still
    /// has the same file, the staged file is a further name of that.
    ///
    /// # Errors
    /// See `StageError`; a partly written file is removed.
    pub fn stage_restored(
        &self,
        place: &ResolvedPath,
        restored: &RestoredFile,
        bytes: &[u8],
        (bits, staged_name): (u32, &str),
    ) -> Result<(StagedFile, Vec<NotRestored>), StageError> {
        let mut lost = Vec::new();
        let linked = restored.attributes.as_ref().is_some_and(|one| one.links > 1);
        if linked {
            match self.stage_name(place, restored, bits, staged_name)? {
                Ok(staged) => return Ok((staged, lost)),
                Err(fault) => lost.push(NotRestored::Names(fault)),
            }
        }
        let mode = StagedMode::Exact(bits);
        let staged =
            self.stage_with(place, (0o600, mode, None), StagedContent::new(bytes), staged_name, |file| {
                let mut changed = linked;
                changed |= restore_owner(file, &restored.meta, &mut lost)?;
                match &restored.attributes {
                    None => lost.push(NotRestored::AttributesUnknown),
                    Some(wanted) => {
                        let unset = file.set_attributes(&wanted.extended)?;
                        lost.extend(unset.into_iter().map(NotRestored::Attribute));
                        changed |= !wanted.extended.is_empty();
                    }
                }
                Ok(if changed { StagedFlush::Now } else { StagedFlush::Later })
            })?;
        Ok((staged, lost))
    }

    /// Stages a further name of a file that still exists; the inner error says why that is not possible.
    fn stage_name(
        &self,
        place: &ResolvedPath,
        restored: &RestoredFile,
        bits: u32,
        staged_name: &str,
    ) -> io::Result<Result<StagedFile, NamesFault>> {
        let wanted = &restored.meta;
        let found = match self.find_name(wanted.identity, place.path())? {
            NameSearch::Found(found) => found,
            NameSearch::Nowhere => return Ok(Err(NamesFault::None)),
            NameSearch::Unfinished(names) => return Ok(Err(NamesFault::NotSearched(names))),
        };
        let path = found.path().clone();
        let staging = self.staging_of(place)?;
        match self.link_staged(&found, &staging, staged_name) {
            Ok(()) => {}
            Err(error) if is_refused(&error) => return Ok(Err(NamesFault::Refused(path, error))),
            Err(error) => return Err(error),
        }
        match self.observe_staged(&staging, staged_name) {
            Ok(Observation::File(found))
                if found.is(wanted) && found.shows(wanted) && found.meta.mode == bits =>
            {
                Ok(Ok(StagedFile { staging, staged_name: staged_name.to_owned(), meta: found.meta }))
            }
            observed => {
                // It is a further name of that file.
                self.unstage(&staging, staged_name, wanted.identity);
                Ok(Err(match observed? {
                    Observation::Unreadable(_) => {
                        NamesFault::Refused(path, io::ErrorKind::PermissionDenied.into())
                    }
                    _ => NamesFault::Changed(path),
                }))
            }
        }
    }

    fn link_staged(&self, of: &ResolvedPath, staging: &StagingFolder, staged_name: &str) -> io::Result<()> {
        let (to, to_name) = self.staged_entry(staging, staged_name)?;
        self.os.link(of.parent(), of.name(), &to, &to_name)
    }
}

/// Returns true if the system permits or supports a call only for other files, or for other users: the disk is fine.
fn is_refused(error: &io::Error) -> bool {
    use io::ErrorKind::{
        CrossesDevices, InvalidInput, NotFound, PermissionDenied, TooManyLinks, Unsupported,
    };
    matches!(
        error.kind(),
        PermissionDenied | Unsupported | InvalidInput | CrossesDevices | TooManyLinks | NotFound
    )
}

/// Gives a file its owner and group, or its group alone. Returns true if one of them was changed.
fn restore_owner(file: &File, meta: &FileMeta, lost: &mut Vec<NotRestored>) -> io::Result<bool> {
    let own = file.stat()?;
    if (own.uid, own.gid) == (meta.uid, meta.gid) || meta.identity.ino == 0 {
        return Ok(false);
    }
    match file.set_owner(meta.uid, meta.gid) {
        Ok(()) => return Ok(true),
        Err(error) if is_refused(&error) => {}
        Err(error) => return Err(error),
    }
    if own.gid == meta.gid {
        lost.push(NotRestored::OwnerAlone);
        return Ok(false);
    }
    match file.set_owner(own.uid, meta.gid) {
        Ok(()) if own.uid == meta.uid => Ok(true),
        Ok(()) => {
            lost.push(NotRestored::OwnerAlone);
            Ok(true)
        }
        Err(error) if is_refused(&error) => {
            lost.push(NotRestored::Owner);
            Ok(false)
        }
        Err(error) => Err(error),
    }
}
