//! Rewriting a file in place, where exchanging would break its hard links or lose its owner. A reader can see
//! the middle of it; its intent therefore holds every byte, old and new, from the first changed one to the end.
//! It is looked at, written and flushed through one handle, so that it stays the file that was judged.

use std::io;

use super::Disk;
use super::observation::{self, Observation};
use super::place::ResolvedPath;
use super::put::{SwapRefusal, Swapped};
use crate::os::{Access, File};
use crate::store::record::{FileMeta, FileRecord};

/// Bits of a mode by which a program runs as its file's owner or group.
const SET_ID: u32 = 0o6000;

impl Disk {
    pub(super) fn put_in_place(
        &self,
        file: &FileRecord,
        place: &ResolvedPath,
    ) -> io::Result<Result<Swapped, SwapRefusal>> {
        let open = match open_for(file, place) {
            Ok(open) => open,
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
        let judged = match (observation::read(open.clone())?, &file.before) {
            (Observation::File(found), Some(before)) => found.is(before) && found.shows(before),
            _ => false,
        };
        if !judged {
            return Ok(Err(SwapRefusal::Changed));
        }
        write(&open, file, Side::After)?;
        // Its other names are not the journal's to flush later.
        self.sync(&open)?;
        Ok(Ok(Self::swapped()))
    }

    pub(super) fn withdraw_in_place(&self, file: &FileRecord, place: &ResolvedPath) -> io::Result<()> {
        let open = match open_for(file, place) {
            Ok(open) => open,
            Err(error) => {
                return match self.observe(place)? {
                    // Others took it away, or put something else in its place.
                    Observation::Absent | Observation::Other(_) => Ok(()),
                    Observation::File(_) | Observation::TooLarge(_) | Observation::Unreadable(_) => {
                        Err(error)
                    }
                };
            }
        };
        match (observation::read(open.clone())?, &file.after) {
            (Observation::File(found), Some(after)) if found.is(after) => {
                write(&open, file, Side::Before)?;
                self.sync(&open)
            }
            _ => Ok(()),
        }
    }

    /// Writes a content into the file that stands at a place, if it still is the one that was looked at, and
    /// flushes it: for recovery.
    ///
    /// # Errors
    /// What the system says; `InvalidInput` where it is another file.
    pub fn rewrite(&self, place: &ResolvedPath, was: &FileMeta, bytes: &[u8], mode: u32) -> io::Result<()> {
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

/// A change of the mode alone needs no right to write.
fn open_for(file: &FileRecord, place: &ResolvedPath) -> io::Result<File> {
    let access = if file.splices.is_empty() { Access::Read } else { Access::Write };
    place.parent().open_file(place.name(), access)
}

/// The mode before any byte, so that no byte has changed where it is refused: also the one that it has, where writing will
/// take it away.
fn mode_first(open: &File, mode: u32, writes: bool) -> io::Result<()> {
    if open.stat()?.mode != mode || (writes && mode & SET_ID != 0) { open.set_mode(mode) } else { Ok(()) }
}

/// The mode again: who writes to a file takes its set-id bits away, unless the system trusts him with them.
fn mode_last(open: &File, mode: u32) -> io::Result<()> {
    if open.stat()?.mode == mode { Ok(()) } else { open.set_mode(mode) }
}

fn write(open: &File, file: &FileRecord, side: Side) -> io::Result<()> {
    let face = match side {
        Side::Before => &file.before,
        Side::After => &file.after,
    };
    if let Some(face) = face {
        mode_first(open, face.mode, !file.splices.is_empty())?;
    }
    for splice in &file.splices {
        let bytes = match side {
            Side::Before => &splice.old,
            Side::After => &splice.new,
        };
        open.write_all_at(bytes, splice.at)?;
        open.set_len(splice.at.saturating_add(bytes.len() as u64))?;
    }
    if let Some(face) = face {
        mode_last(open, face.mode)?;
    }
    Ok(())
}

/// One side of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    /// What was.
    Before,
    /// What shall be.
    After,
}
