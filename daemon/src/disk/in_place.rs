//! Rewrites a file in place, if exchanging it would break its hard links or lose its owner. A reader can see an
//! intermediate state, so the intent holds every byte, old and new, from the first changed one to the end. The file
//! is observed, written and flushed through one handle, so that it stays the file that was checked.

use std::io;

use super::Disk;
use super::observation::{self, Observation};
use super::place::ResolvedPath;
use super::put::{SwapRefusal, is_in_use};
use crate::os::{Access, File};
use crate::record::{FileMeta, FileRecord};
use crate::store::intent::IntendedFile;

/// The mode bits by which a program runs as its file's owner or group.
const SET_ID: u32 = 0o6000;

impl Disk {
    pub(super) fn put_in_place(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
    ) -> io::Result<Result<(), SwapRefusal>> {
        let open = match open_for(file, place) {
            Ok(open) => open,
            Err(error) if is_in_use(&error) => return Ok(Err(SwapRefusal::InUse)),
            Err(error) => {
                return match self.observe(place)? {
                    Observation::Absent => Ok(Err(SwapRefusal::Vanished)),
                    Observation::Other(kind) => Ok(Err(SwapRefusal::Special(kind))),
                    Observation::File(_) | Observation::TooLarge(_) | Observation::Unreadable(_) => {
                        Err(error)
                    }
                };
            }
        };
        let is_expected = match (observation::read(open.clone())?, &file.before) {
            (Observation::File(found), Some(before)) => found.is(before) && found.shows(before),
            _ => false,
        };
        if !is_expected {
            return Ok(Err(SwapRefusal::Changed));
        }
        write(&open, file, ChangeSide::After)?;
        // The journal cannot flush its other names later.
        self.sync(&open)?;
        Ok(Ok(()))
    }

    pub(super) fn withdraw_in_place(&self, file: &FileRecord, place: &ResolvedPath) -> io::Result<()> {
        let open = match open_for(file, place) {
            Ok(open) => open,
            Err(error) => {
                return match self.observe(place)? {
                    // Another program removed it, or replaced it by something that is not a file.
                    Observation::Absent | Observation::Other(_) => Ok(()),
                    Observation::File(_) | Observation::TooLarge(_) | Observation::Unreadable(_) => {
                        Err(error)
                    }
                };
            }
        };
        match (observation::read(open.clone())?, &file.after) {
            (Observation::File(found), Some(after)) if found.is(after) => {
                write(&open, file, ChangeSide::Before)?;
                self.sync(&open)
            }
            _ => Ok(()),
        }
    }

    /// Writes a content of an intended entry to its file, if that still is the observed one, and flushes it: for recovery.
    ///
    /// # Errors
    /// Errors of the system; `InvalidInput` if it is another file.
    pub fn rewrite(
        &self,
        _permitted: IntendedFile<'_>,
        place: &ResolvedPath,
        was: &FileMeta,
        bytes: &[u8],
        mode: u32,
    ) -> io::Result<()> {
        let open = place.parent().open_file(place.name(), Access::Write)?;
        if open.stat()?.identity != was.identity {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "another file took its place"));
        }
        mode_first(&open, mode, true)?;
        open.write_all_at(bytes, 0)?;
        open.set_len(bytes.len() as u64)?;
        mode_last(&open, mode)?;
        self.sync(&open)?;
        self.trust_again(was.identity);
        Ok(())
    }
}

/// A change of the mode alone needs no write permission.
fn open_for(file: &FileRecord, place: &ResolvedPath) -> io::Result<File> {
    let access = if file.splices.is_empty() { Access::Read } else { Access::Write };
    place.parent().open_file(place.name(), access)
}

/// Sets the mode before any byte is written, so that nothing has changed if that is refused. Also sets an equal mode,
/// if writing will clear bits of it.
fn mode_first(open: &File, mode: u32, writes: bool) -> io::Result<()> {
    if open.stat()?.mode != mode || (writes && mode & SET_ID != 0) { open.set_mode(mode) } else { Ok(()) }
}

/// Sets the mode again: a write clears set-id bits unless the process is privileged.
fn mode_last(open: &File, mode: u32) -> io::Result<()> {
    if open.stat()?.mode == mode { Ok(()) } else { open.set_mode(mode) }
}

fn write(open: &File, file: &FileRecord, side: ChangeSide) -> io::Result<()> {
    let meta = match side {
        ChangeSide::Before => &file.before,
        ChangeSide::After => &file.after,
    };
    if let Some(meta) = meta {
        mode_first(open, meta.mode, !file.splices.is_empty())?;
    }
    for splice in &file.splices {
        let bytes = match side {
            ChangeSide::Before => &splice.old,
            ChangeSide::After => &splice.new,
        };
        open.write_all_at(bytes, splice.at)?;
        open.set_len(splice.at.saturating_add(bytes.len() as u64))?;
    }
    if let Some(meta) = meta {
        mode_last(open, meta.mode)?;
    }
    Ok(())
}

/// A side of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChangeSide {
    /// The old content.
    Before,
    /// The new content.
    After,
}
