//! Checking the whole log while it is in use. It changes nothing.

use super::recover::Walk;
use super::writer::Log;
use crate::store::{Position, StoreError};

/// What a check has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    /// Records that hold.
    pub records: u64,
    /// Segments read.
    pub segments: u64,
}

impl Log {
    /// Reads every record up to the last one written so far. No segment may be dropped meanwhile.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        let last = self.last();
        let ids: Vec<u64> = self.segments().iter().map(|(id, _)| *id).collect();
        let mut records = 0;
        if last > Position(0) {
            let walk = Walk { dir: self.dir(), ids: &ids, until: Some(last) };
            walk.run(None, &mut |_, _, _| {
                records += 1;
                Ok(())
            })?;
        }
        Ok(Verified { records, segments: ids.len() as u64 })
    }
}
