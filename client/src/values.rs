//! Parses the values of flags. Reads neither clock nor disk.

use editd_proto::message::{Durability, HunkChoice, JobMode, OnStale};
use jiff::civil;
use jiff::tz::TimeZone;
use jiff::{SpanRelativeTo, Timestamp};

/// Parses the handling of issues.
///
/// # Errors
/// The accepted values.
pub fn mode(text: &str) -> Result<JobMode, String> {
    match text {
        "strict" => Ok(JobMode::Strict),
        "interactive" => Ok(JobMode::Interactive),
        "verify_only" | "verify-only" => Ok(JobMode::VerifyOnly),
        _ => Err("use strict, interactive or verify_only".into()),
    }
}

/// Parses the number of a job: `17`, or `@17` as in a version.
///
/// # Errors
/// The accepted values.
pub fn job(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix('@').unwrap_or(text).parse();
    number.map_err(|_| "use the number of a job, such as 17 or @17".into())
}

/// Parses the handling of stale content.
///
/// # Errors
/// The accepted values.
pub fn on_stale(text: &str) -> Result<OnStale, String> {
    match text {
        "reject" => Ok(OnStale::Reject),
        "rebase" => Ok(OnStale::Rebase),
        _ => Err("use reject or rebase".into()),
    }
}

/// Parses the time of the reply.
///
/// # Errors
/// The accepted values.
pub fn durability(text: &str) -> Result<Durability, String> {
    match text {
        "durable" => Ok(Durability::Durable),
        "full" => Ok(Durability::Full),
        "relaxed" => Ok(Durability::Relaxed),
        _ => Err("use durable, full or relaxed".into()),
    }
}

/// Parses a similarity.
///
/// # Errors
/// The accepted values.
pub fn threshold(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value| (0.5..=1.0).contains(value))
        .ok_or_else(|| "use a number from 0.5 to 1".into())
}

/// Parses `A:B`, `A-B`, `A:`, `:B` or a single line `A`, from 1, inclusive.
///
/// # Errors
/// The accepted values.
pub fn lines(text: &str) -> Result<(u64, u64), String> {
    let hint = || String::from("use A:B, A-B, A:, :B or one line, counting from 1");
    let number = |text: &str| text.parse().map_err(|_| hint());
    let (first, last) = match (text.split_once(':'), text.split_once('-')) {
        (Some(("", "")), _) => return Err(hint()),
        (Some((first, "")), _) => (number(first)?, u64::MAX),
        (Some(("", last)), _) => (1, number(last)?),
        (Some((first, last)), _) | (None, Some((first, last))) => (number(first)?, number(last)?),
        (None, None) => (number(text)?, number(text)?),
    };
    if first == 0 { Err(hint()) } else { Ok((first, last)) }
}

/// The hunks that one argument names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HunkList(pub Vec<HunkChoice>);

/// Parses `2`, `2-4`, or several of these with commas between them.
///
/// # Errors
/// The accepted values.
pub fn hunks(text: &str) -> Result<HunkList, String> {
    let number = |text: &str| text.trim().parse().ok().filter(|number: &u64| *number > 0);
    let one = |text: &str| match text.split_once('-') {
        None => number(text).map(HunkChoice::One),
        Some((first, last)) => {
            let run = number(first).zip(number(last)).filter(|(first, last)| first <= last);
            run.map(HunkChoice::Run)
        }
    };
    let all: Option<Vec<HunkChoice>> = text.split(',').map(one).collect();
    all.map(HunkList).ok_or_else(|| "use the numbers that `show` prints: 2, 1,3 or 2-4".into())
}

/// Parses a time to wait. Returns milliseconds.
///
/// # Errors
/// The accepted values.
pub fn patience(text: &str) -> Result<u64, String> {
    length_ms(text).ok_or_else(|| "use a time such as 30s or 10m".into())
}

/// Parses a point in time: a time before `now_ms` (`10m`), RFC 3339, a local date and time, or milliseconds. Returns
/// milliseconds since 1970 UTC.
///
/// # Errors
/// The accepted values.
pub fn since(text: &str, now_ms: u64) -> Result<u64, String> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map_err(|_| String::from("too many milliseconds"));
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(after_1970(moment));
    }
    if let Some(length) = length_ms(text.strip_suffix("ago").unwrap_or(text).trim()) {
        return Ok(now_ms.saturating_sub(length));
    }
    text.parse::<civil::DateTime>()
        .and_then(|local| local.to_zoned(TimeZone::system()))
        .map(|zoned| after_1970(zoned.timestamp()))
        .map_err(|_| {
            format!("--since {text}: use a time such as 10m or 2h ago, 2026-11-20T10:00Z, or milliseconds since 1970")
        })
}

/// Returns the milliseconds since 1970 UTC.
pub fn after_1970(moment: Timestamp) -> u64 {
    u64::try_from(moment.as_millisecond()).unwrap_or(0)
}

fn length_ms(text: &str) -> Option<u64> {
    let span: jiff::Span = text.parse().ok()?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    u64::try_from(length.as_millis()).ok()
}
