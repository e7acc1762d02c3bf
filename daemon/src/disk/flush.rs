//! Making what was put durable: the file, its folder, the folder of its slot. It changes nothing.

use std::collections::BTreeSet;
use std::io;

use editd_proto::path::WirePath;

use super::Disk;
use super::folders::is_gone;
use super::place::ResolvedPath;
use crate::os::{Access, File, FileKind, Identity};
use crate::store::record::{FileMeta, Staging};

/// A file that a job has just put in place.
pub struct PutFile {
    /// Open for reading: it stays this file whatever happens to its name.
    pub file: File,
    /// When the system last changed anything about it, nanoseconds since 1970.
    pub changed: i64,
}

/// What stands at a place, as far as it could be flushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlushedTarget {
    /// No file.
    Nothing,
    /// This file, which was flushed.
    Flushed(Identity),
    /// This file, which may not be read: whoever knows no other way to it cannot flush it.
    Unreadable(Identity),
}

impl Disk {
    /// Opens what a job has just put at a place; `None` where another file stands there by now, or none that may be
    /// read.
    pub fn open_left(&self, place: &ResolvedPath, face: &FileMeta) -> Option<PutFile> {
        let resolved;
        let place = if place.missing().is_empty() {
            place
        } else {
            // Its folders were made since.
            resolved = self.resolve_link(place.path()).ok()?;
            &resolved
        };
        let file = place.parent().open_file(place.name(), Access::Read).ok()?;
        let stat = file.stat().ok().filter(|stat| stat.identity == face.identity)?;
        Some(PutFile { file, changed: stat.changed })
    }

    /// Flushes what stands at a place now, whoever put it there, and tells which file that was.
    ///
    /// # Errors
    /// What the system says: then nothing that it covers may be called settled, nor when it is asked again and says
    /// nothing more ([`Disk::doubts`]).
    pub fn flush_file(&self, place: &ResolvedPath) -> io::Result<FlushedTarget> {
        if !place.missing().is_empty() {
            return Ok(FlushedTarget::Nothing);
        }
        match place.parent().open_file(place.name(), Access::Read) {
            Ok(file) => {
                self.sync(&file)?;
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

    /// Flushes the folder of a place and every folder above it that the job made.
    ///
    /// # Errors
    /// As [`Disk::flush_file`].
    pub fn flush_folders(&self, place: &ResolvedPath, made: &[WirePath]) -> io::Result<()> {
        place.parent().sync()?;
        let above: BTreeSet<WirePath> = made.iter().map(WirePath::folder).collect();
        for path in above {
            match self.folder(&path) {
                Ok(dir) => dir.sync()?,
                // Others took it away: there is nothing of ours to keep.
                Err(gone) if is_gone(&gone) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Flushes the file in a slot.
    ///
    /// # Errors
    /// As [`Disk::flush_file`].
    pub fn flush_staged(&self, staging: &Staging, staged_name: &str) -> io::Result<()> {
        let (dir, name) = self.staged_entry(staging, staged_name)?;
        dir.open_file(&name, Access::Read)?.sync_all()
    }

    /// Flushes the folder that holds slots.
    ///
    /// # Errors
    /// As [`Disk::flush_file`].
    pub fn flush_staging(&self, staging: &Staging) -> io::Result<()> {
        match self.staged_entry(staging, "") {
            Ok((dir, _)) => dir.sync(),
            Err(gone) if is_gone(&gone) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
