//! Parses the values of flags. Reads neither clock nor disk.

use editd_proto::ids::JobId;
use editd_proto::message::{Durability, HunkChoice, JobMode, OnStale};
use jiff::civil;
use jiff::tz::TimeZone;
use jiff::{SpanRelativeTo, Timestamp};

use crate::journal::entries::FirstEntry;

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

/// The least number that means milliseconds since 1970, in March 1973; a lower one is the number of an entry.
const LEAST_TIME: u64 = 100_000_000_000;

/// Parses the first of several entries: its number (`17`), or a time from which on it is sought. A time is a length
/// before `now_ms` (`10m`), RFC 3339, a local date and time, the last such time of the day (`14:30`), or milliseconds
/// since 1970 UTC.
///
/// # Errors
/// The accepted values.
pub fn since(text: &str, now_ms: u64) -> Result<FirstEntry, String> {
    let text = text.trim();
    match job(text) {
        Ok(number) if number < LEAST_TIME => return Ok(FirstEntry::Numbered(JobId(number))),
        Ok(time) => return Ok(FirstEntry::At(time)),
        Err(_) => {}
    }
    time(text, now_ms).map(FirstEntry::At).ok_or_else(|| {
        format!("--since {text}: use the number of an entry (17), an age (2h), or a time (14:30, 2026-11-20T10:00)")
    })
}

/// Parses a time. Returns milliseconds since 1970 UTC.
fn time(text: &str, now_ms: u64) -> Option<u64> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(after_1970(moment));
    }
    if let Some(length) = length_ms(text.strip_suffix("ago").unwrap_or(text).trim()) {
        return Some(now_ms.saturating_sub(length));
    }
    let local = text.parse::<civil::DateTime>().and_then(|local| local.to_zoned(TimeZone::system()));
    let moment = local.map(|zoned| after_1970(zoned.timestamp())).ok();
    moment.or_else(|| last(text.parse().ok()?, now_ms))
}

/// Returns the last moment at which it was this time of the day here, in milliseconds since 1970 UTC.
fn last(time: civil::Time, now_ms: u64) -> Option<u64> {
    let now = Timestamp::from_millisecond(i64::try_from(now_ms).ok()?).ok()?;
    let today = now.to_zoned(TimeZone::system()).date();
    let on = |day: civil::Date| day.to_datetime(time).to_zoned(TimeZone::system()).ok();
    let moment =
        on(today).filter(|moment| moment.timestamp() <= now).or_else(|| on(today.yesterday().ok()?))?;
    Some(after_1970(moment.timestamp()))
}

/// Returns the milliseconds since 1970 UTC.
fn after_1970(moment: Timestamp) -> u64 {
    u64::try_from(moment.as_millisecond()).unwrap_or(0)
}

fn length_ms(text: &str) -> Option<u64> {
    let span: jiff::Span = text.parse().ok()?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    u64::try_from(length.as_millis()).ok()
}
