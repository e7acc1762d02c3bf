//! Formats counters, latencies and the times of a job for people.

use editd_proto::message::{LatencyInfo, StatusReply, TraceInfo};

use super::OutputStyle;
use super::letters::{TextStyle, one_line};

/// Width of the bar of a step that took the whole time, in characters.
const BAR: u64 = 30;

/// Returns a time in microseconds with three digits or more: `870 us`, `1.25 ms`, `12.5 ms`, `1.50 s`.
fn time(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} us"),
        1_000..10_000 => format!("{}.{:02} ms", us / 1_000, us % 1_000 / 10),
        10_000..1_000_000 => format!("{}.{} ms", us / 1_000, us % 1_000 / 100),
        _ => format!("{}.{:02} s", us / 1_000_000, us % 1_000_000 / 10_000),
    }
}

/// Returns the sum of the counters of all kinds of jobs with this outcome.
fn jobs(reply: &StatusReply, outcome: &str) -> u64 {
    let of = |kind: &str| reply.counters.get(&format!("{kind}_{outcome}")).copied().unwrap_or_default();
    ["edit", "undo", "redo"].map(of).iter().sum()
}

fn latency(times: &LatencyInfo) -> String {
    let [half, most, max] = [times.p50_us, times.p99_us, times.max_us].map(time);
    format!("p50 {half}, p99 {most}, max {max}")
}

/// Returns the rows about the work since the start of the daemon; nothing from a daemon that does not count.
pub fn rows(reply: &StatusReply) -> String {
    if reply.counters.is_empty() {
        return String::new();
    }
    let count = |name: &str| reply.counters.get(name).copied().unwrap_or_default();
    let outcomes = ["applied", "unchanged", "verified", "partial", "refused", "repeated"];
    let mut told: Vec<String> = outcomes
        .iter()
        .map(|outcome| (jobs(reply, outcome), outcome))
        .filter(|(number, _)| *number > 0)
        .map(|(number, outcome)| format!("{number} {outcome}"))
        .collect();
    if told.is_empty() {
        told.push("none".to_owned());
    }
    let times = |name: &str| {
        let times = reply.latency.get(name).filter(|times| times.count > 0);
        times.map(|times| format!("; {}", latency(times))).unwrap_or_default()
    };
    let mut out = format!("jobs       {}{}\n", told.join(", "), times("job"));
    if !reply.refusals.is_empty() {
        let codes: Vec<String> =
            reply.refusals.iter().map(|(code, number)| format!("{number} {}", one_line(code))).collect();
        out.push_str(&format!("refused    {}\n", codes.join(", ")));
    }
    out.push_str(&format!("reads      {}{}\n", count("reads"), times("read")));
    out.push_str(&format!(
        "journal    {} flushes, {} bytes appended; {} changes by other programs\n",
        count("log_flushes"),
        count("log_bytes"),
        count("outside_changes")
    ));
    out
}

/// Returns the state in one line, for `status --watch` in a pipe.
pub fn line(reply: &StatusReply, now_ms: u64, style: &OutputStyle) -> String {
    let count = |name: &str| reply.counters.get(name).copied().unwrap_or_default();
    let job = reply.latency.get("job").copied().unwrap_or_default();
    format!(
        "{}  clients {}  queue {}  entries {}  unsettled {}  applied {}  refused {}  reads {}  outside {}  p50 {}  \
         p99 {}\n",
        style.time(now_ms),
        reply.sessions,
        reply.queue,
        reply.entries,
        reply.unsettled,
        jobs(reply, "applied"),
        jobs(reply, "refused"),
        count("reads"),
        count("outside_changes"),
        time(job.p50_us),
        time(job.p99_us)
    )
}

/// Formats the times of the steps of a job.
pub fn trace(trace: &TraceInfo, style: &OutputStyle) -> String {
    let number = trace.job.map(|job| format!(" {job}")).unwrap_or_default();
    let queued = trace.queued.map(|job| format!(" (queued as {job})")).unwrap_or_default();
    let code = trace.code.as_ref().map(|code| format!(": {}", one_line(code))).unwrap_or_default();
    let title = format!("{}{number}{queued} {}{code}", one_line(&trace.kind), one_line(&trace.status));
    let title = style.paint(TextStyle::Strong, &title);
    let mut out = format!("{title}  {}  {} in all\n", style.time(trace.time), time(trace.total_us));
    let width = trace.steps.iter().map(|one| one.step.chars().count()).max().unwrap_or_default();
    for one in &trace.steps {
        let length = one.us.saturating_mul(BAR).div_ceil(trace.total_us.max(1)).min(BAR);
        let bar: String = (0..length).map(|_| '#').collect();
        out.push_str(&format!("  {:<width$}  {:>9}  {bar}\n", one_line(&one.step), time(one.us)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_and_few_digits() {
        let told = [0, 999, 1_000, 9_999, 10_000, 999_999, 1_000_000, 61_234_567].map(time);
        assert_eq!(
            told,
            ["0 us", "999 us", "1.00 ms", "9.99 ms", "10.0 ms", "999.9 ms", "1.00 s", "61.23 s"]
        );
    }

    #[test]
    fn an_older_daemon_has_no_rows() {
        assert_eq!(rows(&StatusReply::default()), "");
        let mut reply = StatusReply::default();
        reply.counters.insert("edit_applied".to_owned(), 2);
        reply.counters.insert("undo_applied".to_owned(), 1);
        reply.refusals.insert("busy".to_owned(), 4);
        let told = rows(&reply);
        assert!(told.starts_with("jobs       3 applied\nrefused    4 busy\nreads      0\n"), "{told}");
    }
}
