//! Rewriting a file in place, where exchanging would break its hard links or lose its owner. A reader can see
//! the middle of it; its intent therefore holds every byte, old and new, from the first changed one to the end.

use std::io;

use super::Disk;
use super::place::Place;
use super::put::{Foreign, Swapped};
use super::sight::{self, Found, Sight};
use crate::os::Access;
use crate::store::record::FileRecord;

impl Disk {
    pub(super) fn put_in_place(
        &self,
        file: &FileRecord,
        place: &Place,
    ) -> io::Result<Result<Swapped, Foreign>> {
        let found = match open_in_place(file, place)? {
            Sight::File(found) => found,
            Sight::Absent => return Ok(Err(Foreign::Vanished)),
            Sight::Other(kind) => return Ok(Err(Foreign::Special(kind))),
            Sight::TooLarge(_) => return Ok(Err(Foreign::Changed)),
        };
        if !file.before.as_ref().is_some_and(|before| found.is(before) && found.shows(before)) {
            return Ok(Err(Foreign::Changed));
        }
        write_in_place(file, &found, Side::After)?;
        Ok(Ok(Self::swapped()))
    }

    pub(super) fn withdraw_in_place(&self, file: &FileRecord, place: &Place) -> io::Result<()> {
        match (open_in_place(file, place)?, &file.after) {
            (Sight::File(found), Some(after)) if found.is(after) => {
                write_in_place(file, &found, Side::Before)
            }
            _ => Ok(()),
        }
    }

    /// Writes a content into the file that stands at a place, and flushes it: for recovery.
    ///
    /// # Errors
    /// What the system says.
    pub fn rewrite(&self, place: &Place, bytes: &[u8], mode: u32) -> io::Result<()> {
        let open = place.parent().open_file(place.name(), Access::Write)?;
        open.write_all_at(bytes, 0)?;
        open.set_len(bytes.len() as u64)?;
        if open.stat()?.mode != mode {
            open.set_mode(mode)?;
        }
        open.sync_all()
    }
}

/// Looks at a target through the very descriptor that will write to it: whatever happens to its name meanwhile, no
/// other file is written to.
fn open_in_place(file: &FileRecord, place: &Place) -> io::Result<Sight> {
    // The mode alone is changed without the permission to write.
    let access = if file.splices.is_empty() { Access::Read } else { Access::Write };
    sight::look_with(place.parent(), place.name(), access)
}

/// Writes one side of an in-place record into what was looked at just before.
fn write_in_place(file: &FileRecord, found: &Found, side: Side) -> io::Result<()> {
    let face = match side {
        Side::Before => &file.before,
        Side::After => &file.after,
    };
    let open = &found.file;
    for splice in &file.splices {
        let bytes = match side {
            Side::Before => &splice.old,
            Side::After => &splice.new,
        };
        open.write_all_at(bytes, splice.at)?;
        open.set_len(splice.at.saturating_add(bytes.len() as u64))?;
    }
    match face {
        Some(face) if open.stat()?.mode != face.mode => open.set_mode(face.mode),
        _ => Ok(()),
    }
}

/// One side of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    /// What was.
    Before,
    /// What shall be.
    After,
}
