//! Counters, latencies and the times of the steps of jobs, for `status` and `metrics`. It decides nothing, and keeps
//! nothing on the disk: all of it begins anew with the daemon.
//!
//! *Invariants*: a job adds to counters and histograms with atomic operations alone, without a lock and without memory.
//! Only the times of its steps are put into a ring under a lock, for which no input or output is waited.

mod histogram;
mod open_metrics;
mod step;
mod trace;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use editd_proto::error::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::message::{JobStatus, LatencyInfo, Receipt, TraceInfo, kind};

use crate::clock::Clock;
use crate::sync::lock;

use histogram::LatencyHistogram;
pub use step::JobStep;
pub use trace::{JobTrace, TraceStep};
use trace::{TraceRing, TraceSlot};

/// The kinds of jobs.
const KINDS: [&str; 3] = [kind::EDIT, kind::UNDO, kind::REDO];

/// The outcomes of jobs.
const OUTCOMES: [&str; 7] = ["applied", "unchanged", "verified", "refused", "partial", "queued", "repeated"];

/// Every code, in the order of its number.
const CODES: [ErrorCode; 28] = [
    ErrorCode::Stale,
    ErrorCode::Unread,
    ErrorCode::NotFound,
    ErrorCode::Ambiguous,
    ErrorCode::Overlap,
    ErrorCode::OutOfRange,
    ErrorCode::Malformed,
    ErrorCode::InvalidRegex,
    ErrorCode::NoClipboard,
    ErrorCode::StripMismatch,
    ErrorCode::CountMismatch,
    ErrorCode::SymbolNotFound,
    ErrorCode::Exists,
    ErrorCode::Missing,
    ErrorCode::Binary,
    ErrorCode::Encoding,
    ErrorCode::TooLarge,
    ErrorCode::Outside,
    ErrorCode::Denied,
    ErrorCode::Conflict,
    ErrorCode::Rejected,
    ErrorCode::Busy,
    ErrorCode::Stopping,
    ErrorCode::Starting,
    ErrorCode::Limit,
    ErrorCode::Io,
    ErrorCode::Unsupported,
    ErrorCode::Internal,
];

/// A count that only grows.
#[derive(Debug, Default)]
pub struct EventCount(AtomicU64);

impl EventCount {
    /// Counts one event.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counters, latencies and traces of a daemon.
pub struct Metrics {
    clock: Arc<dyn Clock>,
    jobs: [[EventCount; OUTCOMES.len()]; KINDS.len()],
    refused_jobs: [EventCount; CODES.len()],
    refused_requests: [EventCount; CODES.len()],
    rebased: EventCount,
    reads: EventCount,
    job_times: LatencyHistogram,
    read_times: LatencyHistogram,
    traces: Mutex<TraceRing>,
    /// Changes of files by other programs that were recorded.
    pub outside_changes: EventCount,
    /// Connections that were accepted.
    pub connections: EventCount,
    /// Connections that were refused.
    pub refused_connections: EventCount,
}

/// The numbers that other modules count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OtherCounts {
    /// Flushes of the journal that some caller waited for.
    pub log_flushes: u64,
    /// Calls of `fdatasync` for it.
    pub log_syncs: u64,
    /// Bytes that were appended to it.
    pub log_bytes: u64,
    /// Flushes of files of the workspace.
    pub file_flushes: u64,
}

impl Metrics {
    /// Creates metrics of a daemon that has done nothing.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            jobs: Default::default(),
            refused_jobs: Default::default(),
            refused_requests: Default::default(),
            rebased: EventCount::default(),
            reads: EventCount::default(),
            job_times: LatencyHistogram::default(),
            read_times: LatencyHistogram::default(),
            traces: Mutex::default(),
            outside_changes: EventCount::default(),
            connections: EventCount::default(),
            refused_connections: EventCount::default(),
        }
    }

    /// Returns the present moment, for the functions below.
    pub fn now(&self) -> Duration {
        self.clock.monotonic()
    }

    /// Returns a trace of a job whose request arrived at that moment.
    pub fn trace(&self, arrived: Duration) -> JobTrace {
        JobTrace::begin(Arc::clone(&self.clock), arrived)
    }

    /// Counts the answer to a job that arrived at that moment.
    pub fn job_answered(&self, kind: &str, outcome: Result<&Receipt, ErrorCode>, arrived: Duration) {
        let Some(kind) = KINDS.iter().position(|known| *known == kind) else { return };
        let (status, code) = match outcome {
            Ok(receipt) => {
                if receipt.rebased && !receipt.repeated {
                    self.rebased.add();
                }
                let refused = receipt.status == JobStatus::Refused;
                let code = receipt.error.as_ref().filter(|_| refused).map(|error| error.code);
                (if receipt.repeated { "repeated" } else { status_word(receipt.status) }, code)
            }
            Err(code) => ("refused", Some(code)),
        };
        let status = OUTCOMES.iter().position(|known| *known == status);
        if let Some(count) = status.and_then(|at| self.jobs.get(kind)?.get(at)) {
            count.add();
        }
        if let Some(code) = code {
            count_code(&self.refused_jobs, code);
        }
        self.job_times.record(self.now().saturating_sub(arrived));
    }

    /// Counts the refusal of a request.
    pub fn request_refused(&self, is_job: bool, code: ErrorCode) {
        if is_job {
            // Its kind is not known yet; most jobs are edits.
            self.job_answered(kind::EDIT, Err(code), self.now());
        } else {
            count_code(&self.refused_requests, code);
        }
    }

    /// Counts a read that arrived at that moment and succeeded.
    pub fn read_answered(&self, arrived: Duration) {
        self.reads.add();
        self.read_times.record(self.now().saturating_sub(arrived));
    }

    /// Keeps the times of a job that has its receipt. The time until its reply was sent can be added.
    pub fn keep_trace(
        &self,
        job: &'static str,
        queued: Option<JobId>,
        outcome: Result<&Receipt, ErrorCode>,
        trace: &JobTrace,
    ) -> u64 {
        let (id, status, code) = match outcome {
            Ok(receipt) => {
                let code = receipt.error.as_ref().map(|error| error.code);
                (receipt.job, status_word(receipt.status), code)
            }
            Err(code) => (None, "refused", Some(code)),
        };
        let (ended, steps) = (self.clock.wall_ms(), trace.times());
        let slot = TraceSlot { id, queued, kind: job, status, code, ended, steps, total: trace.total() };
        lock(&self.traces).push(slot)
    }

    /// Adds the time until the reply was sent to the times of a job, which [`Metrics::keep_trace`] has numbered.
    pub fn keep_reply_time(&self, number: u64, trace: &JobTrace) {
        lock(&self.traces).update(number, trace.times(), trace.total());
    }

    /// Returns the times of the steps of a job, for 0 of the newest one; `None` if they are not kept.
    pub fn trace_of(&self, job: JobId) -> Option<TraceInfo> {
        lock(&self.traces).find(job).map(TraceSlot::info)
    }

    /// Returns all counts by name. Counts of refusals by code are left out.
    pub fn counts(&self, other: &OtherCounts) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        for (kind, counts) in KINDS.iter().zip(&self.jobs) {
            for (outcome, count) in OUTCOMES.iter().zip(counts).filter(|(_, count)| count.get() > 0) {
                all.insert(format!("{kind}_{outcome}"), count.get());
            }
        }
        let rest = [
            ("rebased", self.rebased.get()),
            ("reads", self.reads.get()),
            ("outside_changes", self.outside_changes.get()),
            ("connections", self.connections.get()),
            ("refused_connections", self.refused_connections.get()),
            ("log_flushes", other.log_flushes),
            ("log_syncs", other.log_syncs),
            ("log_bytes", other.log_bytes),
            ("file_flushes", other.file_flushes),
        ];
        all.extend(rest.map(|(name, value)| (name.to_owned(), value)));
        all
    }

    /// Returns the numbers of refused jobs and other requests, by code. Codes that did not occur are left out.
    pub fn refusals(&self) -> BTreeMap<String, u64> {
        let pairs = CODES.iter().zip(self.refused_jobs.iter().zip(&self.refused_requests));
        let sums = pairs.map(|(code, (jobs, requests))| (code_word(*code), jobs.get() + requests.get()));
        sums.filter(|(_, count)| *count > 0).collect()
    }

    /// Returns the latencies of jobs and of reads.
    pub fn latencies(&self) -> BTreeMap<String, LatencyInfo> {
        let all = [("job", &self.job_times), ("read", &self.read_times)];
        all.map(|(name, times)| (name.to_owned(), times.info())).into()
    }
}

/// Returns the name of a status in messages.
fn status_word(status: JobStatus) -> &'static str {
    match status {
        JobStatus::Applied => "applied",
        JobStatus::Unchanged => "unchanged",
        JobStatus::Verified => "verified",
        JobStatus::Refused => "refused",
        JobStatus::Partial => "partial",
        JobStatus::Queued => "queued",
    }
}

fn count_code(counts: &[EventCount], code: ErrorCode) {
    if let Some(count) = counts.get(code as usize) {
        count.add();
    }
}

/// Returns the name of a code in messages, such as `not_found`.
fn code_word(code: ErrorCode) -> String {
    let mut word = String::new();
    for letter in format!("{code:?}").chars() {
        if letter.is_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.extend(letter.to_lowercase());
    }
    word
}

#[cfg(test)]
mod tests;
