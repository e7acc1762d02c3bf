//! Rewriting a file in place, where exchanging would break its hard links or lose its owner. A reader can see
//! the middle of it; its intent therefore holds every byte, old and new, from the first changed one to the end.

use std::io;

use super::Disk;
use super::place::Place;
use super::put::{Foreign, Swapped};
use super::sight::Sight;
use crate::os::Access;
use crate::store::record::FileRecord;

impl Disk {
    pub(super) fn put_in_place(
        &self,
        file: &FileRecord,
        place: &Place,
    ) -> io::Result<Result<Swapped, Foreign>> {
        let sight = self.look(place)?;
        let same = match (&sight, &file.before) {
            (Sight::File(found), Some(before)) => found.is(before) && found.shows(before),
            (Sight::Absent, _) => return Ok(Err(Foreign::Vanished)),
            (Sight::Other(kind), _) => return Ok(Err(Foreign::Special(*kind))),
            _ => false,
        };
        if !same {
            return Ok(Err(Foreign::Changed));
        }
        self.write_in_place(file, place, Side::After)?;
        Ok(Ok(Self::swapped()))
    }

    pub(super) fn withdraw_in_place(&self, file: &FileRecord, place: &Place) -> io::Result<()> {
        let shows_after = match (self.look(place)?, &file.after) {
            (Sight::File(found), Some(after)) => found.is(after),
            _ => false,
        };
        if shows_after { self.write_in_place(file, place, Side::Before) } else { Ok(()) }
    }

    /// Writes one side of an in-place record into what was looked at just before.
    fn write_in_place(&self, file: &FileRecord, place: &Place, side: Side) -> io::Result<()> {
        let face = match side {
            Side::Before => &file.before,
            Side::After => &file.after,
        };
        let open = place.parent().open_file(place.name(), Access::Write)?;
        for splice in &file.splices {
            let bytes = match side {
                Side::Before => &splice.old,
                Side::After => &splice.new,
            };
            open.write_all_at(bytes, splice.at)?;
            open.set_len(splice.at.saturating_add(bytes.len() as u64))?;
        }
        if let Some(face) = face
            && open.stat()?.mode != face.mode
        {
            open.set_mode(face.mode)?;
        }
        Ok(())
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

/// One side of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    /// What was.
    Before,
    /// What shall be.
    After,
}
