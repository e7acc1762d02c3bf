//! The guard of a running job: it holds the reserved memory and the paths that are being written, and releases them when
//! the job ends.

use std::cell::{Cell, OnceCell, RefCell};

use editd_engine::Refusal;
use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use super::JobAbort;
use crate::caller::Caller;
use crate::metrics::{JobTrace, TraceStep};
use crate::state::refusal::fault;
use crate::state::step::JobStep;
use crate::state::{BudgetClass, Reservation, WorkspaceState, lock};
use crate::store::intent::Intended;

/// The parts of a running job that must be released when it ends, whether it succeeds or not.
pub struct JobGuard<'r> {
    state: &'r WorkspaceState,
    entry: Cell<Option<JobId>>,
    /// The paths whose files may have contents that no seal has confirmed.
    busy: RefCell<Vec<FilePath>>,
    /// The reserved memory for contents; none before [`acquire`](Self::acquire).
    reservation: OnceCell<Reservation<'r>>,
    /// The bytes of contents that an earlier attempt of the same job was found to need.
    needed: usize,
    /// The times of its steps, unless it is a part of another job.
    trace: Option<&'r JobTrace>,
    /// Called once the job is sealed: it will not be attempted again.
    when_sealed: Cell<Option<&'r dyn Fn()>>,
}

impl<'r> JobGuard<'r> {
    /// Returns a guard that holds nothing. `needed` are the bytes of contents that an earlier attempt of the same job was
    /// found to need; `trace` gets the times of its steps.
    pub fn new(state: &'r WorkspaceState, needed: usize, trace: Option<&'r JobTrace>) -> Self {
        Self {
            state,
            trace,
            entry: Cell::new(None),
            busy: RefCell::default(),
            reservation: OnceCell::new(),
            needed,
            when_sealed: Cell::new(None),
        }
    }

    /// Notes that a step has just ended.
    pub(super) fn took(&self, step: JobStep) {
        if let Some(trace) = self.trace {
            trace.took(TraceStep::Job(step));
        }
    }

    /// Waits until the job may hold so many bytes of contents, or the bytes that it is known to need if those are more. It
    /// must be called before anything is read.
    ///
    /// # Errors
    /// `busy`: other requests held the memory for too long.
    pub fn acquire(&self, caller: &Caller, bytes: usize) -> Result<(), Refusal> {
        let bytes = bytes.max(self.needed);
        let reservation = self.state.memory.acquire(&caller.owner, bytes, BudgetClass::Job)?;
        // A job that holds memory must not wait for more: two of them could wait for each other.
        self.reservation.set(reservation).map_err(|_| fault("a job asked twice for what it may hold"))
    }

    /// Returns the bytes that the job may hold.
    pub fn room(&self) -> usize {
        self.reservation.get().map_or(usize::MAX, Reservation::granted)
    }

    /// Grows the reservation to so many bytes, without waiting.
    ///
    /// # Errors
    /// [`JobAbort::NeedsMemory`] if there are not as many.
    pub fn grow(&self, bytes: usize) -> Result<(), JobAbort> {
        match self.reservation.get() {
            Some(reservation) if !reservation.grow(bytes) => Err(JobAbort::NeedsMemory(bytes)),
            // A part of a job that has its own reservation.
            _ => Ok(()),
        }
    }

    /// Has a function called once the job is sealed: from then on it is not attempted again, and needs its edits no more.
    pub fn call_when_sealed(&self, free: &'r dyn Fn()) {
        self.when_sealed.set(Some(free));
    }

    /// Notes that the job is sealed. Frees its edits, and all memory but `bytes` for the contents of its files: its hooks
    /// may run for minutes.
    pub(super) fn sealed(&self, bytes: usize) {
        if let Some(free) = self.when_sealed.take() {
            free();
        }
        if let Some(reservation) = self.reservation.get() {
            reservation.shrink(bytes);
        }
    }

    /// Notes the entry that the job is about to intend.
    pub(super) fn intends(&self, entry: JobId) {
        self.entry.set(Some(entry));
    }

    /// Returns the entry that the job has intended, if it has.
    pub fn entry(&self) -> Option<JobId> {
        self.entry.get()
    }

    /// Marks these paths as being written by the job; returns false if another job writes one of them.
    pub(super) fn begin(&self, paths: Vec<FilePath>) -> bool {
        let begun = lock(&self.state.path_cache).begin(&paths);
        if begun {
            *self.busy.borrow_mut() = paths;
        }
        begun
    }

    /// Marks its paths as confirmed by the journal.
    pub(super) fn end(&self) {
        lock(&self.state.path_cache).end(&self.busy.take());
    }

    /// Leaves an entry that could not be repaired to be rolled back later. Its paths stay marked as being written until
    /// then: they may show its contents, which are no changes by other programs.
    pub fn leave_broken(&self, entry: Intended) {
        self.busy.take();
        lock(&self.state.broken).push(entry);
    }
}

impl Drop for JobGuard<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
