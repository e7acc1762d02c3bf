//! A displaced file that goes back to its name: bytes that another program writes on the way are stored before the
//! next program can overwrite them there. It moves nothing.

use std::io;

use super::observation::{self, FileSnapshot, Observation};
use super::put::{RescueSink, RescuedBytes};
use crate::os::{Access, Dir, File, LeaseState};
use crate::record::{FileMeta, FileRecord};

/// Observations of a file that is open for writing, before the move.
const LOOKS: usize = 2;

/// Times that another thread may run before a file that is still open for writing is moved.
const YIELDS: usize = 64;

/// A displaced file that is about to be moved back.
///
/// While it is away, other programs see the staged file under its name, or none, and what they write then is
/// overwritten when it comes back: the journal must have all of it by then. A lease keeps the file from changing
/// between the last observation and the move. No lease is granted while a process has the file open for writing: the
/// file is then observed again after the move.
pub(super) struct ReturningFile<'a> {
    of: &'a FileRecord,
    file: Option<File>,
    lease: LeaseState,
    /// The file as last observed; the journal has its bytes.
    found: Option<FileSnapshot>,
    refused: io::Result<()>,
}

impl<'a> ReturningFile<'a> {
    /// Observes the displaced file and passes bytes that the journal does not have to `rescue`. An unreadable
    /// file is moved back without a rescue.
    pub(super) fn look(
        of: &'a FileRecord,
        staging: &Dir,
        staged_name: &[u8],
        rescue: &mut RescueSink<'_>,
    ) -> Self {
        let file = staging.open_file(staged_name, Access::Read).ok();
        let mut this = Self { of, file, lease: LeaseState::Unsupported, found: None, refused: Ok(()) };
        for _ in 0..LOOKS {
            this.lease();
            this.rescue(rescue);
            if this.lease == LeaseState::Held {
                return this;
            }
        }
        // Most writers end at once: a program that saves a file has it open for a moment.
        for _ in 0..YIELDS {
            this.lease();
            if this.lease == LeaseState::Held {
                this.rescue(rescue);
            }
            if this.lease != LeaseState::Writer {
                break;
            }
            std::thread::yield_now();
        }
        this
    }

    /// Observes again if the file could be written to during the move, and releases the lease. Returns the moved
    /// file, and an error if the journal did not take all of it.
    pub(super) fn moved(mut self, rescue: &mut RescueSink<'_>) -> (Option<FileMeta>, io::Result<()>) {
        if self.lease != LeaseState::Held {
            self.lease();
            self.rescue(rescue);
        }
        if let (Some(file), LeaseState::Held) = (&self.file, self.lease) {
            // Closing the file, which comes next, ends a lease that cannot be released.
            let _ = file.release_lease();
        }
        (self.found.map(|found| found.meta), self.refused)
    }

    fn lease(&mut self) {
        let lease = self.file.as_ref().and_then(|file| file.lease().ok());
        self.lease = lease.unwrap_or(LeaseState::Unsupported);
    }

    /// Passes on bytes that the journal does not have: it has *before*, *after*, and what it was given a moment ago.
    fn rescue(&mut self, rescue: &mut RescueSink<'_>) {
        let Some(file) = &self.file else { return };
        let Ok(Observation::File(found)) = observation::read(file.clone()) else { return };
        let hash = found.meta.hash;
        let journaled = [&self.of.before, &self.of.after].into_iter().flatten();
        let given = self.found.iter().map(|earlier| &earlier.meta);
        if !journaled.chain(given).any(|meta| meta.hash == hash)
            && let Err(error) = rescue(RescuedBytes { of: self.of, found: &found })
        {
            self.refused = Err(error);
            return;
        }
        self.found = Some(found);
    }
}
