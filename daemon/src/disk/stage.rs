//! Stages a file: writes the new bytes to a file of their own, on the file system of their target, with its mode,
//! owner, access control lists and extended attributes. It flushes only a file that cannot be opened for that later, or
//! whose attributes must be on the disk before its name. It touches no target.

use std::io;
use std::sync::{Mutex, PoisonError};

use editd_proto::ids::ContentHash;

use super::Disk;
use super::observation::{self, FileSnapshot, meta};
use super::place::ResolvedPath;
use crate::os::{File, FileIdentity, Stat};
use crate::record::{FileMeta, StagingFolder};

/// The mode of a new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StagedMode {
    /// These bits.
    Exact(u32),
    /// Read and write for everybody, without the bits of the process's mask.
    Masked,
}

/// A content to stage.
#[derive(Clone, Copy)]
pub struct StagedContent<'b> {
    /// The bytes.
    pub bytes: &'b [u8],
    /// Their hash, if it is known.
    pub hash: Option<ContentHash>,
}

impl<'b> StagedContent<'b> {
    /// Returns a content whose hash is not known.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, hash: None }
    }
}

/// A staged file.
#[derive(Clone, Debug)]
#[must_use]
pub struct StagedFile {
    /// The staging folder.
    pub staging: StagingFolder,
    /// The name in it.
    pub staged_name: String,
    /// The metadata that the target will have.
    pub meta: FileMeta,
}

/// The owner that a new file in `.editd/staging` has, once it is known.
#[derive(Default)]
pub(super) struct StagedOwner(Mutex<Option<(u32, u32)>>);

impl StagedOwner {
    fn load(&self, staging: &StagingFolder) -> Option<(u32, u32)> {
        if *staging == StagingFolder::Root {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner)
        } else {
            None
        }
    }

    fn note(&self, staging: &StagingFolder, owner: (u32, u32)) {
        if *staging == StagingFolder::Root {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(owner);
        }
    }
}

/// The time at which a staged file is flushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StagedFlush {
    /// As its entry is settled.
    Later,
    /// Before its intent is written, so that a power cut never shows it at its place without its attributes.
    Now,
}

/// The reason why a file could not be staged.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// A new file cannot get the owner: only rewriting in place keeps it.
    #[error("the owner cannot be kept")]
    Owner,
    /// The file may not be written.
    #[error("the file is read-only")]
    ReadOnly,
    /// The system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Disk {
    /// Writes new bytes to a staged file, with the attributes of the file that it will replace.
    ///
    /// # Errors
    /// See `StageError`; a partly written file is removed.
    pub fn stage(
        &self,
        place: &ResolvedPath,
        replaces: Option<&FileSnapshot>,
        content: StagedContent<'_>,
        mode: StagedMode,
        staged_name: &str,
    ) -> Result<StagedFile, StageError> {
        let private = match (replaces, mode) {
            (Some(_), _) => 0o600,
            (None, StagedMode::Exact(bits)) => bits & 0o777,
            (None, StagedMode::Masked) => 0o666,
        };
        let owner = replaces.map(|old| (old.meta.uid, old.meta.gid));
        self.stage_with(place, (private, mode, owner), content, staged_name, |file| {
            if let Some(old) = replaces {
                file.copy_attributes(&*old.file)?;
            }
            Ok(StagedFlush::Later)
        })
    }

    /// Writes bytes to a staged file that is made with the mode `private`; `attributes` then sets what else it shall
    /// have, before its final mode. A file that must have another owner than a new one gets it, and its attributes again.
    pub(super) fn stage_with(
        &self,
        place: &ResolvedPath,
        (private, mode, owner): (u32, StagedMode, Option<(u32, u32)>),
        StagedContent { bytes, hash }: StagedContent<'_>,
        staged_name: &str,
        mut attributes: impl FnMut(&File) -> Result<StagedFlush, StageError>,
    ) -> Result<StagedFile, StageError> {
        let staging = self.staging_of(place)?;
        let (dir, name) = self.staged_entry(&staging, staged_name)?;
        let file = match dir.create_file(&name, private) {
            Err(gone) if gone.kind() == io::ErrorKind::NotFound && staging == StagingFolder::Root => {
                self.renew()?;
                let (dir, _) = self.staged_entry(&staging, staged_name)?;
                dir.create_file(&name, private)?
            }
            other => other?,
        };
        let mut finish = || -> Result<Stat, StageError> {
            let flush = attributes(&file)?;
            if let StagedMode::Exact(bits) = mode {
                file.set_mode(bits)?;
            }
            // Settling could not open a file that its owner may not read.
            let closed = matches!(mode, StagedMode::Exact(bits) if bits & 0o400 == 0);
            if closed || flush == StagedFlush::Now {
                file.sync_all()?;
            }
            Ok(file.stat()?)
        };
        let written = (|| -> Result<FileMeta, StageError> {
            file.write_all_at(bytes, 0)?;
            let owner_of = |stat: &Stat| (stat.uid, stat.gid);
            let give = |(uid, gid)| file.set_owner(uid, gid).map_err(|_| StageError::Owner);
            let usual = self.staged_owner.load(&staging);
            // With its mode but not yet its owner, others might read it.
            if let Some(owner) = owner.filter(|owner| usual != Some(*owner)) {
                let own = owner_of(&file.stat()?);
                self.staged_owner.note(&staging, own);
                if own != owner {
                    give(owner)?;
                }
            }
            let mut finished = finish();
            if let (Some(owner), Ok(stat)) = (owner, &finished)
                && owner_of(stat) != owner
            {
                give(owner)?;
                // Some attributes go with the old owner.
                finished = finish();
            }
            let hash = hash.unwrap_or_else(|| observation::hash(bytes));
            debug_assert_eq!(hash, observation::hash(bytes), "the planned hash is that of the bytes");
            Ok(meta(&finished?, bytes, hash))
        })();
        match written {
            Ok(meta) => Ok(StagedFile { staging, staged_name: staged_name.to_owned(), meta }),
            Err(error) => {
                if let Ok(own) = file.stat() {
                    self.unstage(&staging, staged_name, own.identity);
                }
                Err(error)
            }
        }
    }

    /// Removes a staged file that was never put in place: the caller still has its bytes. Another program's file under
    /// its name stays.
    pub fn unstage(&self, staging: &StagingFolder, staged_name: &str, staged: FileIdentity) {
        if let Ok((dir, name)) = self.staged_entry(staging, staged_name)
            && dir.stat(&name).is_ok_and(|found| found.identity == staged)
        {
            // A file that stays is set aside when the workspace is next opened.
            let _ = dir.remove_file(&name);
        }
    }

    /// Checks that no other program has a file open in a way that forbids a job to replace or remove it, or with `in_place`
    /// to write it.
    ///
    /// # Errors
    /// `WouldBlock` if one has.
    #[cfg(windows)]
    pub fn check_shared(&self, place: &ResolvedPath, in_place: bool) -> io::Result<()> {
        if !in_place {
            return place.parent().check_movable(place.name());
        }
        match place.parent().may_write(place.name()) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(()),
        }
    }

    /// Checks that the daemon's user may change the content of a file.
    ///
    /// # Errors
    /// `StageError::ReadOnly` if not.
    pub fn writable(&self, place: &ResolvedPath, found: &FileSnapshot) -> Result<(), StageError> {
        if found.meta.mode & 0o222 == 0 {
            return Err(StageError::ReadOnly);
        }
        match place.parent().may_write(place.name()) {
            Ok(false) => Err(StageError::ReadOnly),
            // Any other error shows in the exchange, where it matters.
            Ok(true) | Err(_) => Ok(()),
        }
    }
}
