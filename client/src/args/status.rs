//! The arguments of `status`.

use clap::Args;
use editctl::values;

/// The time between two states of `--watch`, if none is given, in milliseconds.
const INTERVAL: &str = "2s";

/// The shortest time between two states, in milliseconds: each is a request.
const SHORTEST: u64 = 100;

#[derive(Args, Debug)]
pub(crate) struct StatusArgs {
    /// Show the state again and again: on a terminal in place, in a pipe line by line [default interval: 2s]
    #[arg(long, value_name = "INTERVAL", num_args = 0..=1, default_missing_value = INTERVAL, require_equals = true)]
    #[arg(value_parser = interval, conflicts_with = "trace")]
    pub(crate) watch: Option<u64>,
    /// Show the time of each step of one of the last 256 jobs, or of the newest one: JOB or `last`
    #[arg(long, value_name = "JOB", value_parser = traced)]
    pub(crate) trace: Option<u64>,
}

/// Parses an interval; returns milliseconds.
fn interval(text: &str) -> Result<u64, String> {
    let interval = values::patience(text)?;
    if interval < SHORTEST {
        return Err(format!("the shortest interval is {SHORTEST}ms: each state is a request"));
    }
    Ok(interval)
}

/// Parses the number of a job; `last` is 0.
fn traced(text: &str) -> Result<u64, String> {
    if text == "last" { Ok(0) } else { values::job(text).map_err(|words| format!("{words}, or `last`")) }
}
