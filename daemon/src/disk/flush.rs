//! Makes files that were put in place durable: the file, its folder, and its staging folder. It changes nothing.

use std::collections::BTreeSet;
use std::io;

use editd_proto::path::FilePath;

use super::Disk;
use super::folders::is_gone;
use super::place::ResolvedPath;
use crate::os::{Access, File, FileIdentity, FileKind};
use crate::record::{FileMeta, StagingFolder};

/// A file that a job has just put in place.
pub struct PutFile {
    /// Open for reading: it stays this file whatever happens to its name.
    pub file: File,
    /// The time of the last change of the file or its metadata, in nanoseconds since 1970.
    pub changed: i64,
}

/// The file at a place, as far as it could be flushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlushedTarget {
    /// No regular file.
    Nothing,
    /// This file, which was flushed.
    Flushed(FileIdentity),
    /// This file, which may not be read: it can be flushed only through a handle opened before.
    Unreadable(FileIdentity),
}

impl Disk {
    /// Opens the file that a job has just put in place; `None` if another file is there by now, or it may not be
    /// read.
    pub fn open_left(&self, place: &ResolvedPath, meta: &FileMeta) -> Option<PutFile> {
        let resolved;
        let place = if place.missing().is_empty() {
            place
        } else {
            // Its folders were created since.
            resolved = self.resolve_link(place.path()).ok()?;
            &resolved
        };
        let (file, stat) = place.parent().open_with_stat(place.name(), Access::Read).ok()?;
        (stat.identity == meta.identity).then_some(PutFile { file, changed: stat.changed })
    }

    /// Flushes the file that is now at a place, whoever put it there, and returns its identity.
    ///
    /// # Errors
    /// Errors of the system: then nothing that depends on the flush may be settled, even if a second flush succeeds
    /// ([`Disk::doubts`]).
    pub fn flush_file(&self, place: &ResolvedPath) -> io::Result<FlushedTarget> {
        if !place.missing().is_empty() {
            return Ok(FlushedTarget::Nothing);
        }
        match place.parent().open_with_stat(place.name(), Access::Read) {
            Ok((file, stat)) => {
                self.sync_known(&file, stat.identity)?;
                // Some file systems change it with the flush.
                Ok(FlushedTarget::Flushed(file.stat()?.identity))
            }
            Err(error) => match place.parent().stat(place.name()) {
                Ok(stat) if stat.kind != FileKind::File => Ok(FlushedTarget::Nothing),
                Ok(stat) if error.kind() == io::ErrorKind::PermissionDenied => {
                    Ok(FlushedTarget::Unreadable(stat.identity))
                }
                Ok(_) => Err(error),
                Err(_) => Ok(FlushedTarget::Nothing),
            },
        }
    }

    /// Flushes the folder of a place and, for every folder that the job created, the folder that has its name.
    ///
    /// # Errors
    /// Errors of the system: then nothing that depends on the flush may be settled.
    pub fn flush_folders(&self, place: &ResolvedPath, made: &[FilePath]) -> io::Result<()> {
        place.parent().sync()?;
        let above: BTreeSet<FilePath> = made.iter().map(FilePath::folder).collect();
        for path in above {
            match self.folder(&path) {
                Ok(dir) => dir.sync()?,
                // Another program removed it: there is nothing to keep.
                Err(gone) if is_gone(&gone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Flushes a staged file.
    ///
    /// # Errors
    /// Errors of the system. [`Disk::doubts`] does not know of them, so the file must not be put in place then.
    pub fn flush_staged(&self, staging: &StagingFolder, staged_name: &str) -> io::Result<()> {
        let (dir, name) = self.staged_entry(staging, staged_name)?;
        dir.open_file(&name, Access::Read)?.sync_all()
    }

    /// Flushes a staging folder.
    ///
    /// # Errors
    /// Errors of the system: then nothing that depends on the flush may be settled.
    pub fn flush_staging(&self, staging: &StagingFolder) -> io::Result<()> {
        match self.staged_entry(staging, "") {
            Ok((dir, _)) => dir.sync(),
            Err(gone) if is_gone(&gone) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
