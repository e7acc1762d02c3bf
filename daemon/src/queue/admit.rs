//! Limits the requests that wait or run at once. A request beyond the limits is refused with `busy` at once instead
//! of late.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};

use super::reply;
use crate::limits;

/// Counts requests and their bytes, over all connections.
#[derive(Debug, Default)]
pub struct AdmissionGate {
    jobs: AtomicUsize,
    bytes: AtomicUsize,
    closed: AtomicBool,
}

/// An admitted request; dropping it ends the admission.
#[derive(Debug)]
#[must_use]
pub struct AdmissionPass {
    gate: Arc<AdmissionGate>,
    jobs: usize,
    bytes: usize,
}

impl AdmissionGate {
    /// Creates a gate that admits requests.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Admits a request of `bytes` bytes.
    ///
    /// # Errors
    /// `busy` above [`limits::QUEUE_BYTES`]; a single request always fits.
    pub fn request(self: &Arc<Self>, bytes: usize) -> Result<AdmissionPass, Refusal> {
        let with_it = |before: usize| {
            let sum = before.saturating_add(bytes);
            (before == 0 || sum <= limits::QUEUE_BYTES).then_some(sum)
        };
        // A refused request is never counted, not even for a moment: another one could be refused because of it.
        counted(&self.bytes, with_it).map_err(|_| too_many_bytes())?;
        Ok(AdmissionPass { gate: Arc::clone(self), jobs: 0, bytes })
    }

    /// Admits a request as a job.
    ///
    /// # Errors
    /// `busy` above [`limits::QUEUE`] jobs, `stopping` once the gate is closed.
    pub fn job(&self, mut pass: AdmissionPass) -> Result<AdmissionPass, Refusal> {
        if self.closed.load(Ordering::Acquire) {
            return Err(reply::stopping());
        }
        counted(&self.jobs, |jobs| (jobs < limits::QUEUE).then_some(jobs + 1))
            .map_err(|_| busy("too many jobs are waiting; try again in a moment"))?;
        pass.jobs = 1;
        Ok(pass)
    }

    /// Admits a job that an earlier daemon acknowledged: it is counted, and never refused, since the limits of that
    /// daemon applied to it.
    pub fn requeue(self: &Arc<Self>, bytes: usize) -> AdmissionPass {
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
        self.jobs.fetch_add(1, Ordering::AcqRel);
        AdmissionPass { gate: Arc::clone(self), jobs: 1, bytes }
    }

    /// Closes the gate: no more jobs are admitted.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Returns the number of jobs that wait or run.
    pub fn jobs(&self) -> usize {
        self.jobs.load(Ordering::Acquire)
    }
}

impl AdmissionPass {
    /// Counts the memory of the decoded request in place of its encoded bytes. For a job of many small edits, it is a
    /// hundred times as large.
    ///
    /// # Errors
    /// As for [`AdmissionGate::request`].
    pub fn weighing(mut self, cost: usize) -> Result<Self, Refusal> {
        let more = cost.saturating_sub(self.bytes);
        let with_it = |all: usize| {
            let (alone, sum) = (all <= self.bytes, all.saturating_add(more));
            (alone || sum <= limits::QUEUE_BYTES).then_some(sum)
        };
        counted(&self.gate.bytes, with_it).map_err(|_| too_many_bytes())?;
        self.bytes = self.bytes.saturating_add(more);
        Ok(self)
    }
}

impl Drop for AdmissionPass {
    fn drop(&mut self) {
        self.gate.jobs.fetch_sub(self.jobs, Ordering::AcqRel);
        self.gate.bytes.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

/// Replaces a count by the result of `with_it`; keeps it if that is `None`.
fn counted(count: &AtomicUsize, with_it: impl FnMut(usize) -> Option<usize>) -> Result<usize, usize> {
    count.fetch_update(Ordering::AcqRel, Ordering::Acquire, with_it)
}

fn too_many_bytes() -> Refusal {
    busy("too many bytes of requests are waiting; try again in a moment")
}

fn busy(message: &str) -> Refusal {
    Box::new(RequestError::new(ErrorCode::Busy, message))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn one_job_too_many_is_busy_until_another_is_out() {
        let gate = AdmissionGate::new();
        let enter = || gate.job(gate.request(1)?);
        let mut inside: Vec<AdmissionPass> = (0..limits::QUEUE).map(|_| enter().unwrap()).collect();
        assert_eq!(enter().unwrap_err().code, ErrorCode::Busy);
        assert_eq!(gate.jobs(), limits::QUEUE, "a refused job is not counted");
        inside.pop();
        inside.push(enter().unwrap());
        inside.clear();
        assert_eq!(gate.jobs(), 0);
        assert_eq!(gate.bytes.load(Ordering::Acquire), 0);
    }

    #[test]
    fn bytes_are_bounded_and_one_request_always_fits() {
        let gate = AdmissionGate::new();
        let huge = gate.request(limits::QUEUE_BYTES * 2).unwrap();
        assert_eq!(gate.request(1).unwrap_err().code, ErrorCode::Busy);
        drop(huge);
        let half = gate.request(limits::QUEUE_BYTES / 2).unwrap();
        let other = gate.request(limits::QUEUE_BYTES / 2).unwrap();
        assert!(gate.request(1).is_err());
        drop((half, other));
        assert!(gate.request(1).is_ok());
    }

    #[test]
    fn an_acknowledged_job_goes_past_a_full_gate_and_counts() {
        let gate = AdmissionGate::new();
        let _huge = gate.request(limits::QUEUE_BYTES * 2).unwrap();
        let inside: Vec<AdmissionPass> =
            (0..limits::QUEUE + 1).map(|_| gate.requeue(limits::QUEUE_BYTES)).collect();
        assert_eq!(gate.jobs(), limits::QUEUE + 1);
        assert_eq!(gate.request(1).unwrap_err().code, ErrorCode::Busy);
        drop(inside);
        assert_eq!((gate.jobs(), gate.bytes.load(Ordering::Acquire)), (0, limits::QUEUE_BYTES * 2));
    }

    #[test]
    fn a_request_counts_as_what_it_becomes() {
        let gate = AdmissionGate::new();
        let huge = gate.request(10).unwrap().weighing(limits::QUEUE_BYTES * 2).unwrap();
        assert_eq!(gate.request(1).unwrap_err().code, ErrorCode::Busy);
        drop(huge);
        let first = gate.request(10).unwrap().weighing(limits::QUEUE_BYTES - 20).unwrap();
        let second = gate.request(10).unwrap().weighing(5).unwrap();
        assert!(gate.request(11).is_err());
        drop(second);
        assert_eq!(gate.request(10).unwrap().weighing(30).unwrap_err().code, ErrorCode::Busy);
        drop(first);
        assert_eq!(gate.bytes.load(Ordering::Acquire), 0);
    }

    #[test]
    fn a_request_that_is_refused_keeps_no_other_out() {
        let gate = AdmissionGate::new();
        let _some = gate.request(10).unwrap();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let refused = scope.spawn(|| {
                while !over.load(Ordering::Acquire) {
                    assert_eq!(gate.request(limits::QUEUE_BYTES).unwrap_err().code, ErrorCode::Busy);
                    let little = gate.request(10).unwrap();
                    assert_eq!(little.weighing(limits::QUEUE_BYTES).unwrap_err().code, ErrorCode::Busy);
                }
            });
            let let_in = (0..100_000).filter(|_| {
                let pass = gate.request(10).and_then(|pass| pass.weighing(1000));
                pass.and_then(|pass| gate.job(pass)).is_ok()
            });
            let let_in = let_in.count();
            over.store(true, Ordering::Release);
            refused.join().unwrap();
            assert_eq!(let_in, 100_000);
        });
    }

    #[test]
    fn a_closed_gate_lets_no_job_in() {
        let gate = AdmissionGate::new();
        let inside = gate.job(gate.request(1).unwrap()).unwrap();
        gate.close();
        assert_eq!(gate.job(gate.request(1).unwrap()).unwrap_err().code, ErrorCode::Stopping);
        assert_eq!(gate.jobs(), 1);
        drop(inside);
        assert_eq!(gate.jobs(), 0);
    }
}
