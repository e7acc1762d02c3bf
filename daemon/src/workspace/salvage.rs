//! Damage of the log: checks while the daemon serves, and salvage while none does. It changes no file of the workspace.

use std::path::Path;
use std::sync::Arc;

use editd_engine::Refusal;

use super::{OpenError, Workspace};
use crate::disk::Disk;
use crate::os::Os;
use crate::state::refusal::store_refusal;
use crate::store::salvage::{SalvageReport, salvage};
use crate::store::{DamageSignal, StoreOptions};

impl Workspace {
    /// Writes a new log from all valid records of a damaged one, with the lock of the workspace. `None` if nothing is
    /// damaged.
    ///
    /// # Errors
    /// Fails if a daemon serves the workspace, or for errors of the system.
    pub fn salvage(
        os: &Arc<dyn Os>,
        root: &Path,
        state: &Path,
        options: StoreOptions,
        now_ms: u64,
    ) -> Result<Option<SalvageReport>, OpenError> {
        let _locked = Disk::open(Arc::clone(os), root).map_err(|error| OpenError(error.to_string()))?;
        let dir = os
            .open_dir(state)
            .map_err(|error| OpenError(format!("cannot open the state folder: {error}")))?;
        salvage(os, &dir, options, now_ms)
            .map_err(|error| OpenError(format!("the journal cannot be salvaged: {error}")))
    }

    /// Returns the numbers of the log's segments, oldest first.
    pub fn log_segments(&self) -> Vec<u64> {
        self.state.store.segments()
    }

    /// Checks a segment of the log. Returns damage that no earlier check found, and the remedy.
    ///
    /// # Errors
    /// `io`: the log cannot be read.
    pub fn check_log_segment(&self, id: u64) -> Result<Option<String>, Refusal> {
        self.state.store.check_segment(id).map_err(|error| store_refusal(&error))
    }

    /// Sets the function that is called when a request has found damage of the log. It must not call the workspace.
    pub fn on_damage(&self, signal: DamageSignal) {
        self.state.store.on_damage(signal);
    }

    /// Returns the damage of the log that requests have found since the last call, with the remedy.
    pub fn found_damage(&self) -> Vec<String> {
        self.state.store.found_damage()
    }

    /// Returns the progress while the database is being rebuilt for so long that requests should not wait.
    pub fn rebuilding(&self) -> Option<String> {
        self.state.store.rebuilding()
    }

    /// Returns a sentence about a database that is not on the disk, and what to do; `None` if it is.
    pub fn database_fault(&self) -> Option<String> {
        self.state.store.database_fault()
    }

    /// Returns the known damage of the log and the remedy; `None` if there is none.
    pub fn damage(&self) -> Option<String> {
        self.state.store.damage()
    }
}
