//! Shortens an error. It keeps the message, the lines that count as seen by the session, and every place where the
//! job fails.

use editd_proto::error::{Candidate, NearMiss, RequestError};
use editd_proto::tokens::tokens;

use crate::limits::{OTHER_MESSAGE, REGION_BYTES, TERSE_ISSUES, TERSE_LINE, TERSE_SYMBOLS};

/// The most that an error may have as JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ErrorSize {
    Bytes(usize),
    /// An estimated number of tokens.
    Tokens(usize),
}

impl ErrorSize {
    /// Returns the amount by which an error is too long.
    fn over(self, error: &RequestError) -> usize {
        let text = serde_json::to_string(error).unwrap_or_default();
        match self {
            Self::Bytes(most) => text.len().saturating_sub(most),
            // A token has at least one byte, so a short text need not be counted.
            Self::Tokens(most) if text.len() <= most => 0,
            Self::Tokens(most) => tokens(&text).saturating_sub(most),
        }
    }
}

/// Shortens an error, step by step, until it is short enough.
pub(super) fn shorten(error: &mut RequestError, most: ErrorSize) {
    let steps: [fn(&mut RequestError, ErrorSize); 7] = [
        short_others,
        short_lists,
        short_regions,
        nearest_alone,
        near_the_difference,
        short_texts,
        fewer_others,
    ];
    for step in steps {
        if most.over(error) == 0 {
            return;
        }
        step(error, most);
    }
}

/// Shortens an error that stands beside others: if it is still too long, only its message, its place and its lines remain.
pub(super) fn shorten_beside(error: &mut RequestError, most: ErrorSize) {
    shorten(error, most);
    if most.over(error) > 0 {
        only_place(error);
    }
}

/// Keeps only the message and the lines of the other failures.
fn short_others(error: &mut RequestError, _: ErrorSize) {
    let path = error.path.clone();
    for other in &mut error.others {
        other.path = other.path.take().filter(|own| Some(own) != path.as_ref());
        only_place(other);
    }
}

/// Keeps only the message of an error, its place and the lines that it shows.
fn only_place(error: &mut RequestError) {
    let mut short = RequestError::new(error.code, clipped(&error.message, OTHER_MESSAGE));
    (short.path, short.file, short.edit) = (error.path.take(), error.file, error.edit);
    (short.other_edit, short.line) = (error.other_edit, error.line);
    (short.version, short.found) = (error.version.take(), error.found);
    // The session counts as having seen these.
    short.excerpts = std::mem::take(&mut error.excerpts);
    short.moved = std::mem::take(&mut error.moved);
    short.diff = error.diff.take();
    if short.version.is_some() {
        short.near_misses = std::mem::take(&mut error.near_misses);
    }
    short.line = short.line.or_else(|| error.near_misses.first().map(|near| near.line));
    let place = |one: &Candidate| Candidate { text: String::new(), ..one.clone() };
    short.candidates = error.candidates.iter().take(3).map(place).collect();
    *error = short;
}

fn short_lists(error: &mut RequestError, _: ErrorSize) {
    error.symbols.truncate(TERSE_SYMBOLS);
    let listed = error.issues.len();
    error.issues.truncate(TERSE_ISSUES);
    if listed > error.issues.len() {
        error.found = error.found.or(Some(listed as u64));
    }
    error.fallen.truncate(3);
    error.later.truncate(20);
}

fn short_regions(error: &mut RequestError, _: ErrorSize) {
    error.found = error.found.or(Some(error.regions.len() as u64).filter(|count| *count > 0));
    for region in &mut error.regions {
        for text in [&mut region.base, &mut region.current, &mut region.wanted] {
            *text = clipped(text, REGION_BYTES);
        }
    }
    error.regions.truncate(2);
}

fn nearest_alone(error: &mut RequestError, _: ErrorSize) {
    if error.version.is_none() {
        error.near_misses.truncate(1);
    }
}

/// Keeps only the lines around the first difference of the nearest window, each shortened.
fn near_the_difference(error: &mut RequestError, _: ErrorSize) {
    // With a version, the session counts as having seen them.
    for near in error.near_misses.iter_mut().filter(|_| error.version.is_none()) {
        *near = around(near, 2);
    }
}

fn around(near: &NearMiss, beside: usize) -> NearMiss {
    let number = |line: &str| line.split_once(" |").and_then(|(number, _)| number.trim().parse::<u64>().ok());
    let at = near.text.lines().position(|line| near.differs.is_some() && number(line) == near.differs);
    let at = at.unwrap_or(0);
    let first = at.saturating_sub(beside);
    let kept = near.text.lines().skip(first).take(at + beside + 1 - first);
    let text = kept.map(|line| clipped(line, TERSE_LINE) + "\n").collect();
    NearMiss { text, ..near.clone() }
}

fn short_texts(error: &mut RequestError, _: ErrorSize) {
    for candidate in &mut error.candidates {
        candidate.text = clipped(&candidate.text, TERSE_LINE);
    }
    for issue in &mut error.issues {
        issue.message = clipped(&issue.message, OTHER_MESSAGE);
    }
    for fallen in &mut error.fallen {
        fallen.reason = clipped(&fallen.reason, OTHER_MESSAGE);
    }
    error.cause = error.cause.take().map(|cause| clipped(&cause, OTHER_MESSAGE));
}

/// Replaces the last of the other failures by their number, unless the session counts as having seen lines in them.
fn fewer_others(error: &mut RequestError, most: ErrorSize) {
    let mut over = most.over(error);
    let size = |other: &RequestError| match most {
        ErrorSize::Bytes(_) => ErrorSize::Bytes(0).over(other),
        ErrorSize::Tokens(_) => ErrorSize::Tokens(0).over(other),
    };
    while let Some(other) = error.others.pop_if(|other| over > 0 && !shows_lines(other)) {
        over = over.saturating_sub(size(&other));
        error.more = Some(error.more.unwrap_or(0) + 1);
    }
}

fn shows_lines(error: &RequestError) -> bool {
    let nearest = error.version.is_some() && !error.near_misses.is_empty();
    nearest || error.diff.is_some() || !error.excerpts.is_empty() || !error.moved.is_empty()
}

/// Returns at most `most` bytes of a text, with a mark if it was cut.
fn clipped(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}…", text.get(..text.floor_char_boundary(most)).unwrap_or_default())
}
