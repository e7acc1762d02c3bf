//! A daemon that leaves: it listens no more, and finishes and settles under the lock beside its socket. It only looks and
//! waits; it ends nothing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use editd_proto::socket_path;

use super::{PAUSES, ReachError};
use crate::machine;

/// How long a daemon that leaves is waited for: a job's commands may run for twelve minutes, and then it settles.
pub const LEAVE_PATIENCE: Duration = Duration::from_secs(15 * 60);

/// After how long it is said what is waited for.
const TELL_AFTER: Duration = Duration::from_secs(1);

/// Bytes of a lock that are read: the word, and the number of a process.
const LOCK: u64 = 64;

/// The last daemon at a socket, as long as it leaves.
#[derive(Debug)]
pub struct Leaving {
    lock: PathBuf,
    tell: fn(&str),
    since: Option<Instant>,
    told: bool,
}

impl Leaving {
    /// Nothing is looked at yet. `tell` is told once what is waited for, when that takes long.
    pub fn at(socket: &Path, tell: fn(&str)) -> Self {
        Self { lock: socket_path::lock(socket), tell, since: None, told: false }
    }

    /// The process that leaves and has not finished; `None` where there is none.
    pub fn process(&self) -> Option<u32> {
        let said = machine::held(&self.lock, LOCK)?;
        std::str::from_utf8(&said).ok()?.strip_prefix(socket_path::LEAVING)?.trim_end().parse().ok()
    }

    /// Whether one is leaving still.
    ///
    /// # Errors
    /// [`ReachError::Leaving`] after [`LEAVE_PATIENCE`].
    pub(super) fn is_held(&mut self) -> Result<bool, ReachError> {
        let Some(process) = self.process() else {
            self.since = None;
            return Ok(false);
        };
        self.still(process)?;
        Ok(true)
    }

    /// Waits until nobody is leaving any more.
    ///
    /// # Errors
    /// [`ReachError::Leaving`] after [`LEAVE_PATIENCE`].
    pub fn until_left(&mut self) -> Result<(), ReachError> {
        let mut pause = PAUSES.0;
        while self.is_held()? {
            machine::pause(pause);
            pause = (pause * 2).min(PAUSES.1);
        }
        Ok(())
    }

    fn still(&mut self, process: u32) -> Result<(), ReachError> {
        let waited = machine::tick().saturating_duration_since(*self.since.get_or_insert_with(machine::tick));
        if waited >= LEAVE_PATIENCE {
            return Err(ReachError::Leaving { process });
        }
        if waited >= TELL_AFTER && !self.told {
            self.told = true;
            (self.tell)(&format!(
                "the last editd (process {process}) is leaving and has jobs to finish; waiting for it"
            ));
        }
        Ok(())
    }
}
