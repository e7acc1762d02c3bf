//! The errors that a recorded disk reports: writes, flushes or reads that fail, some of them or all, from a time on. It
//! decides which, and does nothing.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The calls of a disk that fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailingCalls {
    /// Writes. Half of the failed ones reach the disk all the same.
    Writes,
    /// Flushes.
    Flushes,
    /// Reads that no cache of the system answers.
    Reads,
    /// All three.
    All,
}

impl FailingCalls {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Writes, Self::Flushes, Self::Reads, Self::All];
}

/// A fault of a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiskFault {
    /// The calls that fail.
    pub calls: FailingCalls,
    /// One of so many of these calls fails, at random.
    pub one_in: u64,
    /// The number of failures after which the disk works again.
    pub times: u64,
}

/// The result of a call of a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CallResult {
    /// It does it.
    Done,
    /// It reports an error and does nothing.
    Failed,
    /// It reports an error although it has done it.
    DoneAndFailed,
}

#[derive(Debug, Default)]
struct FaultState {
    fault: Option<DiskFault>,
    failed: u64,
    dice: Option<fastrand::Rng>,
}

/// The faults of one disk. A clone is the same.
#[derive(Clone, Debug, Default)]
pub struct DiskFaults(Arc<Mutex<FaultState>>);

impl DiskFaults {
    fn lock(&self) -> MutexGuard<'_, FaultState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets calls fail from now on.
    pub fn begin(&self, fault: DiskFault, seed: u64) {
        let mut state = self.lock();
        state.fault = Some(fault);
        state.dice = Some(fastrand::Rng::with_seed(seed));
    }

    /// Lets the disk work again.
    pub fn end(&self) {
        self.lock().fault = None;
    }

    /// Returns the number of calls that failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.lock().failed
    }

    /// Decides what becomes of a call.
    pub(super) fn decide(&self, call: FailingCalls) -> CallResult {
        let mut state = self.lock();
        let Some(fault) = state.fault else { return CallResult::Done };
        if fault.times == 0 || (fault.calls != call && fault.calls != FailingCalls::All) {
            return CallResult::Done;
        }
        let Some(dice) = state.dice.as_mut() else { return CallResult::Done };
        if dice.u64(..fault.one_in.max(1)) != 0 {
            return CallResult::Done;
        }
        let reaches = call == FailingCalls::Writes && dice.bool();
        state.failed += 1;
        state.fault = Some(DiskFault { times: fault.times.saturating_sub(1), ..fault });
        if reaches { CallResult::DoneAndFailed } else { CallResult::Failed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_lasts_for_its_number_of_calls_of_its_kind() {
        let faults = DiskFaults::default();
        assert_eq!(faults.decide(FailingCalls::Flushes), CallResult::Done);
        faults.begin(DiskFault { calls: FailingCalls::Flushes, one_in: 1, times: 2 }, 1);
        assert_eq!(faults.decide(FailingCalls::Writes), CallResult::Done);
        assert_eq!(
            [0; 3].map(|_| faults.decide(FailingCalls::Flushes)),
            [CallResult::Failed, CallResult::Failed, CallResult::Done]
        );
        faults.begin(DiskFault { calls: FailingCalls::All, one_in: 1, times: u64::MAX }, 1);
        let writes: Vec<CallResult> = (0..50).map(|_| faults.decide(FailingCalls::Writes)).collect();
        assert!(writes.contains(&CallResult::Failed) && writes.contains(&CallResult::DoneAndFailed));
        assert!(!writes.contains(&CallResult::Done));
        assert_eq!(faults.failed(), 52);
        faults.end();
        assert_eq!(faults.decide(FailingCalls::Reads), CallResult::Done);
    }
}
