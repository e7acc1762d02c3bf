//! Limits the requests that wait or run at once. A request beyond the limits is refused with `busy` at once instead
//! of late.
//!
//! *Invariants*: no connection, session or process has more than its share of the jobs and of the bytes; large requests
//! use no bytes that are reserved for small ones; at most one request is larger than a share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};

use super::reply;
use crate::caller::{RequestOwner, ShareHolder, ShareTable};
use crate::limits;
use crate::sync::lock;

/// Counts requests and their bytes, over all connections.
#[derive(Debug, Default)]
pub struct AdmissionGate {
    admitted: Mutex<AdmittedRequests>,
    closed: AtomicBool,
}

/// An admitted request; dropping it ends the admission.
#[derive(Debug)]
#[must_use]
pub struct AdmissionPass {
    gate: Arc<AdmissionGate>,
    owner: RequestOwner,
    held: Mutex<HeldCounts>,
}

#[derive(Debug, Default)]
struct AdmittedRequests {
    all: HeldCounts,
    of: ShareTable<HeldCounts>,
}

/// The counts of a request, of an owner, or of all requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct HeldCounts {
    jobs: usize,
    /// Bytes of small requests.
    small: usize,
    /// Bytes of large requests.
    large: usize,
    /// Bytes of a request that is larger than a share.
    oversized: usize,
}

impl HeldCounts {
    fn of_bytes(bytes: usize) -> Self {
        if bytes <= limits::SMALL_REQUEST {
            Self { small: bytes, ..Self::default() }
        } else if bytes <= limits::LARGE_SHARE {
            Self { large: bytes, ..Self::default() }
        } else {
            Self { oversized: bytes, ..Self::default() }
        }
    }

    /// Returns these counts with one part replaced.
    fn changed(self, from: Self, to: Self) -> Self {
        let changed = |all: usize, from: usize, to: usize| all.saturating_sub(from).saturating_add(to);
        Self {
            jobs: changed(self.jobs, from.jobs, to.jobs),
            small: changed(self.small, from.small, to.small),
            large: changed(self.large, from.large, to.large),
            oversized: changed(self.oversized, from.oversized, to.oversized),
        }
    }
}

impl AdmittedRequests {
    fn change(&mut self, owner: &RequestOwner, from: HeldCounts, to: HeldCounts) {
        self.all = self.all.changed(from, to);
        self.of.change(owner, |held| *held = held.changed(from, to));
    }

    /// Replaces the bytes of a request if the limits permit that.
    fn replace(&mut self, owner: &RequestOwner, from: HeldCounts, to: HeldCounts) -> Result<(), Refusal> {
        let after = self.all.changed(from, to);
        let is_over = |held: &HeldCounts| {
            let held = held.changed(from, to);
            (to.small > 0 && held.small > limits::SMALL_SHARE)
                || (to.large > 0 && held.large > limits::LARGE_SHARE)
        };
        if let Some((holder, held)) = self.of.exhausted(owner, is_over) {
            return Err(too_many_bytes_of(&holder, held.small + held.large));
        }
        let over = (to.small > 0 && after.small > limits::SMALL_REQUESTS)
            || (to.large > 0 && after.large > limits::LARGE_REQUESTS);
        if over {
            return Err(busy("too many bytes of requests are waiting; try again in a moment"));
        }
        if to.oversized > 0 && self.all.oversized > 0 {
            let share = limits::LARGE_SHARE;
            let message = format!(
                "another request that needs more than {share} bytes is waiting; try again in a moment, or send less at once"
            );
            return Err(busy(message));
        }
        self.change(owner, from, to);
        Ok(())
    }
}

impl AdmissionGate {
    /// Creates a gate that admits requests.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Admits a request of `bytes` bytes.
    ///
    /// # Errors
    /// `busy` above [`limits::QUEUE_BYTES`], or above the share of one of its owners.
    pub fn request(self: &Arc<Self>, owner: &RequestOwner, bytes: usize) -> Result<AdmissionPass, Refusal> {
        let held = HeldCounts::of_bytes(bytes);
        lock(&self.admitted).replace(owner, HeldCounts::default(), held)?;
        Ok(self.pass(owner, held))
    }

    /// Admits a request as a job.
    ///
    /// # Errors
    /// `busy` above [`limits::QUEUE`] jobs, or above the share of one of its owners; `stopping` once the gate is closed.
    pub fn job(&self, mut pass: AdmissionPass) -> Result<AdmissionPass, Refusal> {
        if self.closed.load(Ordering::Acquire) {
            return Err(reply::stopping());
        }
        let mut admitted = lock(&self.admitted);
        if let Some((holder, held)) =
            admitted.of.exhausted(&pass.owner, |held| held.jobs >= limits::QUEUE_SHARE)
        {
            let jobs = held.jobs;
            return Err(busy(format!(
                "{holder} has {jobs} jobs waiting, its share of the queue; wait for some"
            )));
        }
        if admitted.all.jobs >= limits::QUEUE {
            return Err(busy("too many jobs are waiting; try again in a moment"));
        }
        let held = *lock(&pass.held);
        let job = HeldCounts { jobs: 1, ..held };
        admitted.change(&pass.owner, held, job);
        drop(admitted);
        pass.held = Mutex::new(job);
        Ok(pass)
    }

    /// Admits a job that an earlier daemon acknowledged: it is counted, and never refused, since the limits of that
    /// daemon applied to it.
    pub fn requeue(self: &Arc<Self>, session: &str, bytes: usize) -> AdmissionPass {
        let owner = RequestOwner::of_session(session);
        let held = HeldCounts { jobs: 1, ..HeldCounts::of_bytes(bytes) };
        lock(&self.admitted).change(&owner, HeldCounts::default(), held);
        self.pass(&owner, held)
    }

    fn pass(self: &Arc<Self>, owner: &RequestOwner, held: HeldCounts) -> AdmissionPass {
        AdmissionPass { gate: Arc::clone(self), owner: owner.clone(), held: Mutex::new(held) }
    }

    /// Closes the gate: no more jobs are admitted.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Returns the number of jobs that wait or run.
    pub fn jobs(&self) -> usize {
        lock(&self.admitted).all.jobs
    }
}

impl AdmissionPass {
    /// Counts the memory of the decoded request in place of its encoded bytes. For a job of many small edits, it is a
    /// hundred times as large.
    ///
    /// # Errors
    /// As for [`AdmissionGate::request`].
    pub fn weighing(mut self, cost: usize) -> Result<Self, Refusal> {
        let held = *lock(&self.held);
        let bytes = held.small + held.large + held.oversized;
        let all = HeldCounts { jobs: held.jobs, ..HeldCounts::of_bytes(cost.max(bytes)) };
        lock(&self.gate.admitted).replace(&self.owner, held, all)?;
        self.held = Mutex::new(all);
        Ok(self)
    }

    /// Ends the admission of the request's bytes, since they were freed; a job is counted until it ends.
    pub fn freed(&self) {
        let held = &mut *lock(&self.held);
        let left = HeldCounts { jobs: held.jobs, ..HeldCounts::default() };
        lock(&self.gate.admitted).change(&self.owner, *held, left);
        *held = left;
    }
}

impl Drop for AdmissionPass {
    fn drop(&mut self) {
        let held = *lock(&self.held);
        lock(&self.gate.admitted).change(&self.owner, held, HeldCounts::default());
    }
}

fn too_many_bytes_of(holder: &ShareHolder, bytes: usize) -> Refusal {
    busy(format!(
        "{holder} has requests of {bytes} bytes waiting, and this one exceeds its share; wait for a reply, or send less \
         at once"
    ))
}

fn busy(message: impl Into<String>) -> Refusal {
    Box::new(RequestError::new(ErrorCode::Busy, message))
}

#[cfg(test)]
mod tests;
