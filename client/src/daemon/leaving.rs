//! A stopping daemon. It no longer listens, but holds the lock beside its socket until its jobs are finished and
//! settled. This module only observes and waits.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use editd_proto::socket_path;

use super::ReachError;
use super::attempt::{PAUSES, TELL_AFTER};
use crate::machine;

/// The time limit for a stopping daemon: the commands of a job may run for twelve minutes, and then it settles.
pub const LEAVE_PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Maximum number of bytes that are read from a lock file: the word and a process id.
const LOCK: u64 = 64;

/// The previous daemon of a socket, while it stops.
#[derive(Debug)]
pub struct StoppingDaemon {
    lock: PathBuf,
    tell: fn(&str),
    since: Option<Instant>,
    told: bool,
}

impl StoppingDaemon {
    /// Creates the value without looking at the lock. `tell` is called once if the wait takes long.
    pub fn at(socket: &Path, tell: fn(&str)) -> Self {
        Self { lock: socket_path::lock(socket), tell, since: None, told: false }
    }

    /// Returns the id of the stopping process, or `None` if there is none.
    pub fn process(&self) -> Option<u32> {
        let said = machine::held(&self.lock, LOCK)?;
        std::str::from_utf8(&said).ok()?.strip_prefix(socket_path::LEAVING)?.trim_end().parse().ok()
    }

    /// Returns true if a daemon is still stopping.
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

    /// Waits until no daemon is stopping.
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
                "waiting for the previous editd (process {process}), which is stopping and has jobs to finish"
            ));
        }
        Ok(())
    }
}
