//! Tests of the counters, the ring of traces, and the text of the exposition.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::atomic::AtomicU64;

use editd_proto::error::RequestError;
use editd_proto::message::{StatusReply, TraceInfo};

use super::*;
use crate::limits;

/// A clock that moves only when it is told to.
#[derive(Default)]
struct StoppedClock(AtomicU64);

impl StoppedClock {
    fn pass(&self, us: u64) {
        self.0.fetch_add(us, Ordering::Relaxed);
    }
}

impl Clock for StoppedClock {
    fn wall_ms(&self) -> u64 {
        1_800_000_000_000
    }
    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}

fn metrics() -> (Arc<StoppedClock>, Metrics) {
    let clock = Arc::new(StoppedClock::default());
    (Arc::clone(&clock), Metrics::new(clock))
}

fn refused(code: ErrorCode) -> Receipt {
    Receipt::refused(RequestError::new(code, "so"))
}

#[test]
fn every_code_has_its_own_place_and_name() {
    for (at, code) in CODES.into_iter().enumerate() {
        assert_eq!(code as usize, at);
        assert_eq!(serde_name(code), code_word(code));
    }
    assert_eq!(ErrorCode::Unknown as usize, CODES.len());
}

fn serde_name(code: ErrorCode) -> String {
    let bytes = rmp_serde::to_vec(&code).unwrap();
    rmp_serde::from_slice(&bytes).unwrap()
}

#[test]
fn jobs_are_counted_by_kind_outcome_and_code() {
    let (clock, metrics) = metrics();
    let applied = Receipt { rebased: true, ..Receipt::new(Some(JobId(1)), JobStatus::Applied) };
    clock.pass(700);
    metrics.job_answered(kind::EDIT, Ok(&applied), Duration::ZERO);
    let repeated = Receipt { repeated: true, ..applied.clone() };
    metrics.job_answered(kind::EDIT, Ok(&repeated), Duration::ZERO);
    metrics.job_answered(kind::UNDO, Ok(&refused(ErrorCode::Stale)), Duration::ZERO);
    metrics.job_answered(kind::EDIT, Err(ErrorCode::Stopping), Duration::ZERO);
    metrics.job_answered(kind::WAIT, Ok(&applied), Duration::ZERO);
    metrics.request_refused(true, ErrorCode::Busy);
    metrics.request_refused(false, ErrorCode::Busy);
    metrics.request_refused(false, ErrorCode::Unknown);
    metrics.read_answered(Duration::from_micros(600));
    let counts = metrics.counts(&OtherCounts { log_bytes: 5, ..OtherCounts::default() });
    let count = |name: &str| counts.get(name).copied();
    assert_eq!((count("edit_applied"), count("edit_repeated")), (Some(1), Some(1)));
    assert_eq!(
        (count("undo_refused"), count("edit_refused"), count("redo_applied")),
        (Some(1), Some(2), None)
    );
    assert_eq!((count("rebased"), count("reads"), count("log_bytes")), (Some(1), Some(1), Some(5)));
    let refusals = metrics.refusals();
    assert_eq!(refusals.get("busy"), Some(&2));
    assert_eq!((refusals.get("stale"), refusals.get("stopping"), refusals.len()), (Some(&1), Some(&1), 3));
    let latency = metrics.latencies();
    assert_eq!((latency["job"].count, latency["job"].max_us), (5, 700));
    assert_eq!((latency["read"].count, latency["read"].max_us), (1, 100));
}

#[test]
fn a_trace_has_the_time_of_each_step_and_of_steps_that_ran_again() {
    let (clock, metrics) = metrics();
    clock.pass(1000);
    let trace = metrics.trace(Duration::from_micros(900));
    trace.took(TraceStep::Decode);
    for step in [JobStep::Plan, JobStep::Intend, JobStep::Plan] {
        clock.pass(50);
        trace.took(TraceStep::Job(step));
    }
    let receipt = Receipt::new(Some(JobId(7)), JobStatus::Applied);
    let number = metrics.keep_trace(kind::EDIT, Some(JobId(6)), Ok(&receipt), &trace);
    clock.pass(3);
    trace.took(TraceStep::Reply);
    metrics.keep_reply_time(number, &trace);
    let told: TraceInfo = metrics.trace_of(JobId(7)).unwrap();
    let steps: Vec<(&str, u64)> = told.steps.iter().map(|one| (one.step.as_str(), one.us)).collect();
    assert_eq!(steps, [("decode", 100), ("plan", 100), ("intend", 50), ("reply", 3)]);
    assert_eq!((told.total_us, told.status.as_str(), told.time), (253, "applied", 1_800_000_000_000));
    assert_eq!(metrics.trace_of(JobId(6)), Some(told.clone()));
    assert_eq!(metrics.trace_of(JobId(0)), Some(told));
    assert_eq!(metrics.trace_of(JobId(8)), None);
    // A trace that nobody asked for takes no times.
    let idle = JobTrace::default();
    idle.took(TraceStep::Job(JobStep::Plan));
    assert_eq!((idle.total(), idle.times()), (0, [0; 17]));
}

#[test]
fn the_last_traces_are_kept_and_older_ones_dropped() {
    let (_, metrics) = metrics();
    let most = limits::TRACES as u64;
    let mut first = None;
    for id in 1..=most + 1 {
        let trace = metrics.trace(Duration::ZERO);
        let receipt = Receipt::new(Some(JobId(id)), JobStatus::Applied);
        let number = metrics.keep_trace(kind::EDIT, None, Ok(&receipt), &trace);
        first.get_or_insert((number, trace));
        assert_eq!(metrics.trace_of(JobId(1)).is_some(), id <= most, "{id}");
    }
    // The time of a reply that comes late changes no other job.
    let (number, trace) = first.unwrap();
    metrics.keep_reply_time(number, &trace);
    assert!(metrics.trace_of(JobId(2)).is_some() && metrics.trace_of(JobId(most + 1)).is_some());
}

#[test]
fn a_refused_job_is_kept_with_its_code() {
    let (_, metrics) = metrics();
    metrics.keep_trace(kind::EDIT, None, Ok(&refused(ErrorCode::NotFound)), &JobTrace::default());
    let told = metrics.trace_of(JobId(0)).unwrap();
    assert_eq!((told.job, told.status.as_str(), told.code.as_deref()), (None, "refused", Some("not_found")));
}

#[test]
fn each_family_of_the_exposition_is_described_once_before_its_samples() {
    let (_, metrics) = metrics();
    let status = StatusReply { sessions: 3, ..StatusReply::default() };
    let text = metrics.open_metrics(&status, &OtherCounts { log_bytes: 77, ..OtherCounts::default() });
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert!(text.contains("\neditd_journal_appended_bytes_total 77\n"), "{text}");
    assert!(text.contains("\n# UNIT editd_journal_appended_bytes bytes\n"), "{text}");
    assert!(text.contains("\neditd_job_duration_seconds{quantile=\"0.99\"} 0.000000\n"), "{text}");
    assert!(text.contains("\neditd_connections 3\n"), "{text}");
    let mut family = String::new();
    let mut known = std::collections::BTreeSet::new();
    for line in text.lines().filter(|line| *line != "# EOF") {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            family = rest.split(' ').next().unwrap().to_owned();
            assert!(known.insert(family.clone()), "{family} twice");
        } else {
            let name = line.trim_start_matches("# UNIT ").trim_start_matches("# HELP ");
            assert!(name.starts_with(&family), "{line} in {family}");
        }
    }
}
