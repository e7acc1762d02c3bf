//! Dropping a displaced file: only when nobody can still write to it, and only bytes that the journal has.

use std::io;

use editd_proto::ids::ContentHash;

use super::Disk;
use super::folders::is_gone;
use super::observation::{self, FileSnapshot, Observation};
use crate::os::{Access, File, FileKind, Lease};
use crate::store::record::Staging;

/// What became of a slot.
pub enum DropOutcome {
    /// It is empty.
    Gone,
    /// Somebody has its file open for writing, or may have: look again later.
    Wait,
    /// It is empty, but somebody opened its file for writing in the last moment: what they write goes
    /// to this file, which has no name any more. Keep it and look again with [`observe_late`].
    Open(File),
    /// It holds something that is no file, or one too large for the journal: it must be set aside.
    Keep,
}

/// What a caller knows of a slot that is to be dropped.
#[derive(Clone, Copy)]
pub struct DropConditions<'a> {
    /// Contents that the journal has.
    pub hashes: &'a [ContentHash],
    /// Whether the grace time has passed, where no lease can tell that nobody writes.
    pub ripe: bool,
}

impl Disk {
    /// Empties a slot: takes a lease, looks at the file once more, hands what the journal does not have to
    /// `rescue`, unlinks it, and looks at the lease again.
    ///
    /// # Errors
    /// What the system says, or `rescue`; the slot is as it was.
    pub fn drop_staged(
        &self,
        staging: &Staging,
        staged_name: &str,
        known: DropConditions<'_>,
        rescue: &mut dyn FnMut(&FileSnapshot) -> io::Result<()>,
    ) -> io::Result<DropOutcome> {
        let (dir, name) = match self.staged_entry(staging, staged_name) {
            Err(gone) if is_gone(&gone) => return Ok(DropOutcome::Gone),
            other => other?,
        };
        let file = match dir.open_file(&name, Access::Read) {
            Ok(file) => file,
            Err(error) => {
                return match dir.stat(&name) {
                    Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(DropOutcome::Gone),
                    Ok(stat) if stat.kind != FileKind::File => Ok(DropOutcome::Keep),
                    Ok(_) if error.kind() == io::ErrorKind::PermissionDenied => Ok(DropOutcome::Keep),
                    Ok(_) | Err(_) => Err(error),
                };
            }
        };
        if file.stat()?.links > 1 {
            // Its bytes keep another name.
            return dir.remove_file(&name).map(|()| DropOutcome::Gone);
        }
        let lease = file.lease()?;
        let done = rescue_unknown(&file, known.hashes, rescue).and_then(|kept| match (kept, lease) {
            (false, _) => Ok(DropOutcome::Keep),
            (true, Lease::Writer) => Ok(DropOutcome::Wait),
            (true, Lease::Unsupported) if !known.ripe => Ok(DropOutcome::Wait),
            (true, _) => dir.remove_file(&name).map(|()| DropOutcome::Gone),
        });
        if lease != Lease::Held {
            return done;
        }
        let quiet = file.lease_intact().unwrap_or(false);
        file.release_lease()?;
        match done? {
            DropOutcome::Gone if !quiet => Ok(DropOutcome::Open(file)),
            other => Ok(other),
        }
    }
}

/// Looks at a file without a name once more: whether its writer is done, and what it wrote.
///
/// # Errors
/// What the system says, or `rescue`.
pub fn observe_late(
    file: &File,
    known: DropConditions<'_>,
    rescue: &mut dyn FnMut(&FileSnapshot) -> io::Result<()>,
) -> io::Result<bool> {
    let lease = file.lease()?;
    let looked = rescue_unknown(file, known.hashes, rescue);
    if lease == Lease::Held {
        file.release_lease()?;
    }
    looked?;
    Ok(match lease {
        Lease::Held => true,
        Lease::Writer => false,
        Lease::Unsupported => known.ripe,
    })
}

/// Whether the journal has, or now has, what the file holds.
fn rescue_unknown(
    file: &File,
    known: &[ContentHash],
    rescue: &mut dyn FnMut(&FileSnapshot) -> io::Result<()>,
) -> io::Result<bool> {
    match observation::read(file.clone())? {
        Observation::File(found) => {
            if !known.contains(&found.face.hash) {
                rescue(&found)?;
            }
            Ok(true)
        }
        Observation::Absent
        | Observation::TooLarge(_)
        | Observation::Unreadable(_)
        | Observation::Other(_) => Ok(false),
    }
}
