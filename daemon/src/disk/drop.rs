//! Drops a displaced file: only when nobody can still write to it, and only if the journal has its bytes.

use std::io;

use editd_proto::ids::ContentHash;
use editd_proto::limits;

use super::Disk;
use super::folders::is_gone;
use super::observation::{self, FileSnapshot, Observation};
use crate::os::{Access, File, FileKind, LeaseState, Stat};
use crate::record::StagingFolder;

/// The result of dropping a displaced file.
pub enum DropOutcome {
    /// The name is free.
    Gone,
    /// The file is open for writing, or may be: try again later.
    Wait,
    /// The name is free, but in the last moment a process opened the file for writing. Its writes go to this file,
    /// which has no name any more: keep it and observe it again with [`observe_late`].
    Open(File),
    /// It is not a file, may not be read, or is too large for the journal: it must be set aside.
    Keep,
}

/// The conditions under which a displaced file may be dropped.
#[derive(Clone, Copy)]
pub struct DropConditions<'a> {
    /// Hashes of contents that the journal has.
    pub hashes: &'a [ContentHash],
    /// True if the grace time has passed, for systems without leases.
    pub ripe: bool,
}

impl Disk {
    /// Removes a displaced file: takes a lease, reads the file once more, passes bytes that the journal does not have
    /// to `rescue`, unlinks the file, and checks the lease again.
    ///
    /// # Errors
    /// Errors of the system or of `rescue`; the file is unchanged.
    pub fn drop_staged(
        &self,
        staging: &StagingFolder,
        staged_name: &str,
        known: DropConditions<'_>,
        rescue: &mut dyn FnMut(&FileSnapshot) -> io::Result<()>,
    ) -> io::Result<DropOutcome> {
        let (dir, name) = match self.staged_entry(staging, staged_name) {
            Err(gone) if is_gone(&gone) => return Ok(DropOutcome::Gone),
            other => other?,
        };
        let (file, stat) = match dir.open_with_stat(&name, Access::Read) {
            Ok(open) => open,
            Err(error) => {
                let is_denied = error.kind() == io::ErrorKind::PermissionDenied;
                return match dir.stat(&name) {
                    Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(DropOutcome::Gone),
                    Ok(stat) if stat.kind != FileKind::File => Ok(DropOutcome::Keep),
                    // The bytes keep another name, and the file would get one more by being set aside.
                    Ok(stat) if is_denied && stat.links > 1 => {
                        dir.remove_file(&name).map(|()| DropOutcome::Gone)
                    }
                    Ok(_) if is_denied => Ok(DropOutcome::Keep),
                    Ok(_) | Err(_) => Err(error),
                };
            }
        };
        if stat.links > 1 {
            // The bytes keep another name.
            return dir.remove_file(&name).map(|()| DropOutcome::Gone);
        }
        let lease = file.lease()?;
        let done = has_bytes(&file, stat, known.hashes, rescue).and_then(|kept| match (kept, lease) {
            (false, _) => Ok(DropOutcome::Keep),
            (true, LeaseState::Writer) => Ok(DropOutcome::Wait),
            (true, LeaseState::Unsupported) if !known.ripe => Ok(DropOutcome::Wait),
            (true, _) => dir.remove_file(&name).map(|()| DropOutcome::Gone),
        });
        if lease != LeaseState::Held {
            return done;
        }
        let quiet = file.lease_intact().unwrap_or(false);
        if quiet && matches!(done, Ok(DropOutcome::Gone)) {
            // Closing the file releases the lease.
            return done;
        }
        file.release_lease()?;
        match done? {
            DropOutcome::Gone if !quiet => Ok(DropOutcome::Open(file)),
            other => Ok(other),
        }
    }
}

/// Reads a file without a name once more. Returns true if its writer is done.
///
/// # Errors
/// Errors of the system or of `rescue`.
pub fn observe_late(
    file: &File,
    known: DropConditions<'_>,
    rescue: &mut dyn FnMut(&FileSnapshot) -> io::Result<()>,
) -> io::Result<bool> {
    let lease = file.lease()?;
    let looked = rescue_unknown(observation::read(file.clone()), known.hashes, rescue);
    if lease == LeaseState::Held {
        file.release_lease()?;
    }
    looked?;
    Ok(match lease {
        LeaseState::Held => true,
        LeaseState::Writer => false,
        LeaseState::Unsupported => known.ripe,
    })
}

/// Returns true if the journal has, or now has, the bytes of an open file.
fn has_bytes(
    file: &File,
    stat: Stat,
    known: &[ContentHash],
    rescue: &mut dyn FnMut(&FileSnapshot) -> io::Result<()>,
) -> io::Result<bool> {
    let is_known = stat.size <= limits::FILE as u64
        && observation::hash_within(&**file, &stat)?.is_some_and(|hash| known.contains(&hash));
    if is_known {
        return Ok(true);
    }
    rescue_unknown(observation::read_within(file.clone(), stat, limits::FILE), known, rescue)
}

/// Returns true if the journal has, or now has, the bytes of an observed file.
fn rescue_unknown(
    observation: io::Result<Observation>,
    known: &[ContentHash],
    rescue: &mut dyn FnMut(&FileSnapshot) -> io::Result<()>,
) -> io::Result<bool> {
    match observation? {
        Observation::File(found) => {
            if !known.contains(&found.meta.hash) {
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
