//! A file that goes back to its name: what others write to it on the way is seen before the next program can
//! overwrite it there. It moves nothing.

use std::io;

use super::observation::{self, FileSnapshot, Observation};
use super::put::{RescuedBytes, Rescuer};
use crate::os::{Access, Dir, File, Lease};
use crate::store::record::{FileMeta, FileRecord};

/// Looks before the move at a file that somebody has open for writing.
const LOOKS: usize = 2;

/// A slot's file that is about to be moved.
///
/// As long as it is away, another program sees the staged file under its name, or none, and what that program then
/// writes goes over what comes back: all of it must be in the journal by then. A lease keeps the file from changing
/// between the last look and the move. None is to be had while somebody has the file open for writing: it is looked at
/// again behind the move.
pub(super) struct Returning<'a> {
    of: &'a FileRecord,
    file: Option<File>,
    lease: Lease,
    /// As it was last seen, with its bytes in the journal.
    found: Option<FileSnapshot>,
    refused: io::Result<()>,
}

impl<'a> Returning<'a> {
    /// Looks at the slot's file, and hands what the journal has not to `rescue`. What cannot be read needs no
    /// reading to go back.
    pub(super) fn look(
        of: &'a FileRecord,
        staging: &Dir,
        staged_name: &[u8],
        rescue: &mut Rescuer<'_>,
    ) -> Self {
        let file = staging.open_file(staged_name, Access::Read).ok();
        let mut this = Self { of, file, lease: Lease::Unsupported, found: None, refused: Ok(()) };
        for _ in 0..LOOKS {
            this.lease();
            this.rescue(rescue);
            if this.lease == Lease::Held {
                return this;
            }
        }
        // Its writer may have ended during the last look.
        this.lease();
        if this.lease == Lease::Held {
            this.rescue(rescue);
        }
        this
    }

    /// Looks again where somebody could write during the move, and lets others write. Returns what was moved, and
    /// whether the journal took all of it.
    pub(super) fn moved(mut self, rescue: &mut Rescuer<'_>) -> (Option<FileMeta>, io::Result<()>) {
        if self.lease != Lease::Held {
            self.lease();
            self.rescue(rescue);
        }
        if let (Some(file), Lease::Held) = (&self.file, self.lease) {
            // Closing the file, which comes next, ends a lease that cannot be given back.
            let _ = file.release_lease();
        }
        (self.found.map(|found| found.face), self.refused)
    }

    fn lease(&mut self) {
        let lease = self.file.as_ref().and_then(|file| file.lease().ok());
        self.lease = lease.unwrap_or(Lease::Unsupported);
    }

    /// Hands over what the journal has not: it has *before*, *after*, and what it was given a moment ago.
    fn rescue(&mut self, rescue: &mut Rescuer<'_>) {
        let Some(file) = &self.file else { return };
        let Ok(Observation::File(found)) = observation::read(file.clone()) else { return };
        let hash = found.face.hash;
        let journaled = [&self.of.before, &self.of.after].into_iter().flatten();
        let given = self.found.iter().map(|earlier| &earlier.face);
        if !journaled.chain(given).any(|face| face.hash == hash)
            && let Err(error) = rescue(RescuedBytes { of: self.of, found: &found })
        {
            self.refused = Err(error);
            return;
        }
        self.found = Some(found);
    }
}
