//! The counters, latencies and states as OpenMetrics text (<https://prometheus.io/docs/specs/om/open_metrics_spec/>).

use std::fmt::Write;

use editd_proto::message::{LatencyInfo, StatusReply};

use super::{CODES, KINDS, Metrics, OUTCOMES, OtherCounts, code_word};

/// The text of one exposition.
#[derive(Default)]
struct Exposition(String);

impl Exposition {
    /// Adds the description of a family.
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# TYPE {name} {kind}"));
        if let Some(unit) = ["seconds", "bytes"].into_iter().find(|unit| name.ends_with(&format!("_{unit}")))
        {
            self.line(format_args!("# UNIT {name} {unit}"));
        }
        self.line(format_args!("# HELP {name} {help}"));
    }

    fn line(&mut self, words: std::fmt::Arguments<'_>) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.0, "{words}");
    }

    /// Adds a counter without labels. `name` is that of the family, without `_total`.
    fn counter(&mut self, name: &str, value: u64, help: &str) {
        self.family(name, "counter", help);
        self.line(format_args!("{name}_total {value}"));
    }

    fn gauge(&mut self, name: &str, value: u64, help: &str) {
        self.family(name, "gauge", help);
        self.line(format_args!("{name} {value}"));
    }

    /// Adds latencies: a summary with quantiles, and the greatest one.
    fn latency(&mut self, name: &str, times: &LatencyInfo, help: &str) {
        let family = format!("{name}_seconds");
        self.family(&family, "summary", help);
        for (share, us) in [("0.5", times.p50_us), ("0.9", times.p90_us), ("0.99", times.p99_us)] {
            self.line(format_args!("{family}{{quantile=\"{share}\"}} {}", seconds(us)));
        }
        self.line(format_args!("{family}_sum {}", seconds(times.sum_us)));
        self.line(format_args!("{family}_count {}", times.count));
        let family = format!("{name}_max_seconds");
        self.family(&family, "gauge", "The greatest of these times since the start of the daemon.");
        self.line(format_args!("{family} {}", seconds(times.max_us)));
    }
}

/// Returns microseconds as seconds, without rounding.
fn seconds(us: u64) -> String {
    format!("{}.{:06}", us / 1_000_000, us % 1_000_000)
}

impl Metrics {
    /// Returns everything as OpenMetrics text. `status` has the numbers of the present state.
    pub fn open_metrics(&self, status: &StatusReply, other: &OtherCounts) -> String {
        let mut out = Exposition::default();
        out.family("editd_jobs", "counter", "Answered jobs by kind and outcome.");
        for (kind, counts) in KINDS.iter().zip(&self.jobs) {
            for (outcome, count) in OUTCOMES.iter().zip(counts) {
                let count = count.get();
                out.line(format_args!("editd_jobs_total{{kind=\"{kind}\",outcome=\"{outcome}\"}} {count}"));
            }
        }
        out.family("editd_refusals", "counter", "Refused jobs and other requests by error code.");
        for (request, counts) in [("job", &self.refused_jobs), ("other", &self.refused_requests)] {
            for (code, count) in CODES.iter().zip(counts) {
                let (code, count) = (code_word(*code), count.get());
                out.line(format_args!(
                    "editd_refusals_total{{request=\"{request}\",code=\"{code}\"}} {count}"
                ));
            }
        }
        let counters = [
            ("editd_jobs_rebased", self.rebased.get(), "Jobs that were merged into newer content."),
            ("editd_reads", self.reads.get(), "Answered reads."),
            ("editd_outside_changes", self.outside_changes.get(), "Recorded changes by other programs."),
            ("editd_connections_accepted", self.connections.get(), "Accepted connections."),
            ("editd_connections_refused", self.refused_connections.get(), "Refused connections."),
            ("editd_journal_flushes", other.log_flushes, "Flushes of the journal; jobs share them."),
            ("editd_journal_fdatasyncs", other.log_syncs, "Calls of fdatasync for the journal."),
            ("editd_journal_appended_bytes", other.log_bytes, "Bytes appended to the journal."),
            ("editd_file_flushes", other.file_flushes, "Flushes of files of the workspace."),
        ];
        counters.into_iter().for_each(|(name, value, help)| out.counter(name, value, help));
        let edit = "Time from the arrival of a job to its receipt, with its time in the queue.";
        out.latency("editd_job_duration", &self.job_times.info(), edit);
        out.latency(
            "editd_read_duration",
            &self.read_times.info(),
            "Time from the arrival of a read to its reply.",
        );
        let gauges = [
            ("editd_uptime_seconds", status.uptime, "Time since the start of the daemon."),
            ("editd_connections", status.sessions, "Open connections."),
            ("editd_queue_jobs", status.queue, "Jobs that wait or run."),
            ("editd_journal_entries", status.entries, "Entries of the journal."),
            ("editd_unsettled_entries", status.unsettled, "Entries whose files are not flushed yet."),
            ("editd_watched_folders", status.watch, "Watched folders."),
            ("editd_failed", u64::from(status.failed.is_some()), "1 if no edits are accepted any more."),
        ];
        gauges.into_iter().for_each(|(name, value, help)| out.gauge(name, value, help));
        out.0.push_str("# EOF\n");
        out.0
    }
}
