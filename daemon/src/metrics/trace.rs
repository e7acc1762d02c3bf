//! The times of the steps of jobs. The last [`limits::TRACES`] are kept in memory.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use editd_proto::error::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::{StepTime, TraceInfo};

use super::JobStep;
use super::code_word;
use crate::clock::Clock;
use crate::limits;

/// A part of the time of a job: from the end of the one before it to its own end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceStep {
    /// From the arrival of the last byte of the request until it is decoded and understood.
    Decode,
    /// Until a worker begins the job.
    Wait,
    /// The end of a step of the job. `Validate` includes the formatters, `Intend` the flush of the journal, and
    /// `CheckLimits` of an undo or redo all steps before it.
    Job(JobStep),
    /// Until the receipt is known. Of a job that was refused, the step that refused it.
    End,
    /// Until the reply was handed to the connection.
    Reply,
}

impl TraceStep {
    /// Returns its index in [`NAMES`].
    const fn index(self) -> usize {
        match self {
            Self::Decode => 0,
            Self::Wait => 1,
            Self::Job(step) => 2 + step as usize,
            Self::End => NAMES.len() - 2,
            Self::Reply => NAMES.len() - 1,
        }
    }
}

/// The names of the steps, in their order.
const NAMES: [&str; 4 + JobStep::ALL.len()] = [
    "decode",
    "wait",
    "admit",
    "resolve",
    "snapshot",
    "check_staleness",
    "plan",
    "validate",
    "check_limits",
    "stage",
    "intend",
    "swap",
    "seal",
    "hooks",
    "settle",
    "end",
    "reply",
];

/// Microseconds of each step.
type StepTimes = [u32; NAMES.len()];

/// The times of the steps of a running job. A step that runs again adds to its time.
#[derive(Default)]
pub struct JobTrace {
    /// `None` if the times are not taken.
    clock: Option<Arc<dyn Clock>>,
    begun: Duration,
    last: Cell<Duration>,
    times: Cell<StepTimes>,
}

impl std::fmt::Debug for JobTrace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("JobTrace").field(&self.times.get()).finish()
    }
}

impl JobTrace {
    /// Begins with a job that arrived at that moment.
    pub(super) fn begin(clock: Arc<dyn Clock>, arrived: Duration) -> Self {
        Self { clock: Some(clock), begun: arrived, last: Cell::new(arrived), times: Cell::default() }
    }

    /// Notes that a step has just ended.
    pub fn took(&self, step: TraceStep) {
        let Some(clock) = &self.clock else { return };
        let now = clock.monotonic();
        let passed = now.saturating_sub(self.last.replace(now)).as_micros();
        let mut times = self.times.get();
        if let Some(time) = times.get_mut(step.index()) {
            *time = time.saturating_add(u32::try_from(passed).unwrap_or(u32::MAX));
        }
        self.times.set(times);
    }

    /// Returns the moment at which the request arrived.
    pub fn arrived(&self) -> Duration {
        self.begun
    }

    pub(super) fn times(&self) -> StepTimes {
        self.times.get()
    }

    /// Returns the time from the arrival to the end of the last step, in microseconds.
    pub(super) fn total(&self) -> u64 {
        u64::try_from(self.last.get().saturating_sub(self.begun).as_micros()).unwrap_or(u64::MAX)
    }
}

/// The times of a job that has ended.
#[derive(Clone, Debug)]
pub(super) struct TraceSlot {
    /// The number of the entry, if the job has one.
    pub(super) id: Option<JobId>,
    /// The number of a detached job.
    pub(super) queued: Option<JobId>,
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) code: Option<ErrorCode>,
    /// The time at which it ended, in milliseconds since 1970.
    pub(super) ended: u64,
    pub(super) steps: StepTimes,
    /// Microseconds.
    pub(super) total: u64,
}

impl TraceSlot {
    /// Returns it as a message, without the steps that took no time.
    pub(super) fn info(&self) -> TraceInfo {
        let steps = NAMES.iter().zip(self.steps).filter(|(_, us)| *us > 0);
        TraceInfo {
            job: self.id,
            queued: self.queued,
            kind: self.kind.to_owned(),
            status: self.status.to_owned(),
            code: self.code.map(code_word),
            time: self.ended,
            total_us: self.total,
            steps: steps.map(|(name, us)| StepTime { step: (*name).to_owned(), us: u64::from(us) }).collect(),
        }
    }
}

/// The times of the last jobs.
#[derive(Debug, Default)]
pub(super) struct TraceRing {
    slots: VecDeque<TraceSlot>,
    /// The number of the first slot.
    first: u64,
}

impl TraceRing {
    /// Adds the times of a job, and drops the oldest if there are too many. Returns its number.
    pub(super) fn push(&mut self, slot: TraceSlot) -> u64 {
        if self.slots.len() >= limits::TRACES {
            self.slots.pop_front();
            self.first += 1;
        }
        self.slots.push_back(slot);
        self.first + self.slots.len() as u64 - 1
    }

    /// Replaces the times of a job, if it is still kept.
    pub(super) fn update(&mut self, number: u64, steps: StepTimes, total: u64) {
        let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        if let Some(slot) = at.and_then(|at| self.slots.get_mut(at)) {
            (slot.steps, slot.total) = (steps, total);
        }
    }

    /// Returns the times of a job by one of its numbers; those of the newest job for 0.
    pub(super) fn find(&self, job: JobId) -> Option<&TraceSlot> {
        let mut newest = self.slots.iter().rev();
        match job {
            JobId(0) => newest.next(),
            _ => newest.find(|slot| slot.id == Some(job) || slot.queued == Some(job)),
        }
    }
}
