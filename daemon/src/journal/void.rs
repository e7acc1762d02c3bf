//! The end of a job that was taken back: what it overwrote and cannot get back is taken into the journal, and a void says
//! that it did not happen. It puts nothing back.
//!
//! *Calling sequence*: [`rescue_overwritten`] once every file is back, then [`void`].

use std::io;

use editd_proto::ids::JobId;

use super::recover::mend::find;
use super::{external, settle};
use crate::disk::Sight;
use crate::disk::sight::hash;
use crate::rooms::Rooms;
use crate::store::StoreError;
use crate::store::record::{Entry, Face, FileRecord, How, Record};

/// Takes what stood in a file that was rewritten in place into the journal, where others changed the file by then, so
/// that it was not rewritten again. A file that was exchanged has that in its slot, which is emptied later.
///
/// # Errors
/// What the system or the log says: then nothing may be voided.
pub fn rescue_overwritten(rooms: &Rooms, id: JobId, files: &[FileRecord]) -> io::Result<()> {
    for file in files.iter().filter(|file| file.how == How::InPlace) {
        let (Some(before), [splice]) = (&file.before, file.splices.as_slice()) else { continue };
        let shown = find(rooms, file)?.map(|place| rooms.disk.look(&place)).transpose()?;
        let shown = shown.as_ref().and_then(Sight::found);
        if shown.is_some_and(|found| found.face.hash == before.hash) {
            continue;
        }
        // What stands before the first changed byte was never touched by the job.
        let prefix = usize::try_from(splice.at).ok().and_then(|at| shown?.bytes.get(..at));
        let rebuilt = prefix.map(|prefix| [prefix, &splice.old].concat());
        let whole =
            rebuilt.filter(|bytes| hash(bytes) == before.hash).or_else(|| rooms.store.content(before.hash));
        let bytes = whole.unwrap_or_else(|| splice.old.clone());
        let face = Face { hash: hash(&bytes), size: bytes.len() as u64, ..before.clone() };
        external::rescue_displaced(rooms, file, id, &face, &bytes)?;
    }
    Ok(())
}

/// Says that a job did not happen, and leaves its slots to be emptied.
///
/// # Errors
/// The log failed: the next start decides about the job.
pub fn void(rooms: &Rooms, entry: &Entry) -> Result<(), StoreError> {
    let at = rooms.store.append(&[Record::Void(entry.id)])?;
    let _durable = rooms.store.flush(at)?;
    settle::leave_slots(rooms, entry);
    Ok(())
}
