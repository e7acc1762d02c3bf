//! Formats an error with its details, as lines for a person or a model. It decides nothing and adds no advice.

use std::fmt::Write;

use editd_types::{EditOutcome, ErrorCode, FileOutcome, RequestError};

/// Returns the message of an error, followed by the places, the nearest text, the regions and the change that it is
/// about.
pub(super) fn explain(error: &RequestError) -> String {
    with_details(error, plain(error))
}

/// Formats an error as [`explain`] does, but with a sentence of the dialect in place of its message, if that would
/// name fields that the dialect does not have.
pub(super) fn with_details(error: &RequestError, sentence: String) -> String {
    let mut out = sentence;
    if let (ErrorCode::Missing, Some(cause)) = (error.code, &error.cause) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n{cause}");
    }
    for place in &error.candidates {
        // Writing to a string cannot fail.
        let symbol = place.symbol.as_ref().map(|name| format!(" (in {name})")).unwrap_or_default();
        let _ = write!(out, "\n  line {}, column {}{symbol}: {}", place.line, place.column, place.text);
    }
    let more = error.found.unwrap_or(0).saturating_sub(error.candidates.len() as u64);
    if !error.candidates.is_empty() && more > 0 {
        let _ = write!(out, "\n  and {more} more");
    }
    out.push_str(&readings(error));
    // Lines that a stale refusal shows count as seen, so all are shown; elsewhere, the nearest text is enough.
    let all = matches!(error.code, ErrorCode::Stale | ErrorCode::Conflict);
    for near in error.near_misses.iter().filter(|_| all) {
        let _ = write!(out, "\n{}", near.text.trim_end_matches('\n'));
    }
    if let Some((nearest, others)) = error.near_misses.split_first().filter(|_| !all) {
        let _ = write!(out, "\n{}", nearest.text.trim_end_matches('\n'));
        let lines: Vec<String> = others.iter().map(|near| near.line.to_string()).collect();
        if !lines.is_empty() {
            let _ = write!(out, "\nSimilar lines begin at {} too.", lines.join(" and "));
        }
    }
    for region in &error.regions {
        let _ = write!(out, "\n  line {}:", region.line);
        let sides =
            [("as read", &region.base), ("as it is now", &region.current), ("as wanted", &region.wanted)];
        for (side, text) in sides {
            let _ = write!(out, "\n    {side}:{}", if text.is_empty() { " nothing" } else { "" });
            for line in text.lines() {
                let _ = write!(out, "\n      {line}");
            }
        }
    }
    if let Some(diff) = &error.diff {
        let _ = write!(out, "\n{}", diff.trim_end_matches('\n'));
    }
    out.push_str(&present_lines(error));
    if let Some(hunks) = error.omitted_hunks {
        let _ = write!(out, "\n{hunks} more hunks are not shown.");
    }
    out
}

/// Returns the possible readings of the new lines, each after a line break.
pub(super) fn readings(error: &RequestError) -> String {
    let mut out = String::new();
    for reading in &error.readings {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n  {}:", reading.how);
        reading.text.lines().for_each(|line| _ = write!(out, "\n    {line}"));
    }
    out
}

/// Fields and operations of native jobs, as messages name them.
pub(super) const NATIVE: [&str; 11] = [
    "`near`",
    "`all`",
    "`base`",
    "`version`",
    "`regions`",
    "`write`",
    "`create`",
    "`overwrite`",
    "`expect`",
    "`match`",
    "`on_stale`",
];

/// Returns a message without the parts that name fields of native jobs.
fn without_native(message: &str) -> String {
    let parts = message.split("; ").filter(|part| !NATIVE.iter().any(|name| part.contains(name)));
    let kept: Vec<&str> = parts.collect();
    if kept.is_empty() { message.to_owned() } else { kept.join("; ") }
}

/// Returns what a `not_found` error tells in addition: its cause, or its message if that is not the usual one.
pub(super) fn found_otherwise(error: &RequestError) -> Option<String> {
    match &error.cause {
        Some(cause) => Some(cause.clone()),
        None if error.message.starts_with("the quoted text is not in") => None,
        None => Some(without_native(&error.message)),
    }
}

/// Returns the message of an error in terms that the users of edit tools know: `not found`, `not unique`,
/// `overlapping`. It names no field that only native jobs have.
pub(super) fn plain(error: &RequestError) -> String {
    let path = error.path.as_ref().map_or_else(|| "the file".to_owned(), ToString::to_string);
    let found = error.found.unwrap_or(0);
    let clause = error.message.split(';').next().unwrap_or_default();
    match error.code {
        ErrorCode::NotFound if !error.tried.is_empty() && error.check.is_none() => match &error.cause {
            // The text was found, but something else is wrong.
            Some(_) if error.line.is_some() => without_native(&error.message),
            Some(cause) => format!("the text was not found in {path}; {cause}"),
            None => found_otherwise(error).unwrap_or_else(|| format!("the text was not found in {path}")),
        },
        ErrorCode::Ambiguous
            if error.found.is_some()
                && error.line.is_none()
                && error.readings.is_empty()
                && error.check.is_none() =>
        {
            format!(
                "the text is not unique in {path}, it occurs at {found} places; quote more lines around the one you mean"
            )
        }
        ErrorCode::CountMismatch => {
            format!("the text occurs at {found} places in {path}, not {}", error.expected.unwrap_or(0))
        }
        ErrorCode::Overlap => format!("the edits of {path} are overlapping; make them one"),
        ErrorCode::Missing => format!("{path} does not exist; check the path"),
        ErrorCode::Unread if error.excerpts.is_empty() => format!("{clause}; read it first"),
        ErrorCode::Unread if error.message.contains("shows all of that") => {
            format!("{clause}; it is shown below: send the edit again")
        }
        ErrorCode::Unread => format!("{clause}; a part is shown below: read the rest first"),
        ErrorCode::Stale => match without_native(&error.message) {
            told if NATIVE.iter().any(|name| told.contains(name)) => {
                format!("{path} changed since it was read; check the change and send the edit again")
            }
            told => told.replace("the job", "the edit"),
        },
        ErrorCode::Conflict => format!(
            "others changed the same lines of {path}, or lines next to them; compare them below and edit the present text"
        ),
        // Such a message names the fields of the payload.
        ErrorCode::Malformed => error.message.clone(),
        _ => without_native(&error.message),
    }
}

/// Returns an error and the other errors of its job, these without long details: each takes a line or two.
pub(super) fn each(error: &RequestError) -> impl Iterator<Item = RequestError> {
    let brief = |error: &RequestError| match error.code {
        // Lines that these errors show count as seen.
        ErrorCode::Stale | ErrorCode::Conflict | ErrorCode::Unread => error.clone(),
        _ => RequestError { near_misses: Vec::new(), regions: Vec::new(), ..error.clone() },
    };
    std::iter::once(error.clone()).chain(error.others.iter().map(brief))
}

/// Returns every failure of a job in the terms of a dialect.
pub(super) fn failures(error: &RequestError, failure: impl Fn(&RequestError) -> String) -> String {
    let mut lines: Vec<String> = each(error).map(|error| failure(&error)).collect();
    lines.extend(error.more.map(|more| format!("{more} more edits fail.")));
    lines.join("\n")
}

/// Formats the lines that an error shows because the session has not seen them, and those that have moved since.
/// Lines that a refusal shows count as seen, so every dialect must print them.
pub(super) fn present_lines(error: &RequestError) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    for excerpt in &error.excerpts {
        for (line, number) in excerpt.text.lines().zip(excerpt.line..) {
            let _ = write!(out, "\n{number} | {line}");
        }
    }
    for moved in &error.moved {
        let ends = |text: &Option<String>| text.as_deref().unwrap_or("").trim_end_matches('\n').to_owned();
        let _ = write!(out, "\n  line {} as read: {}", moved.lines.0, ends(&moved.then));
        if let Some((line, _)) = moved.now {
            let _ = write!(out, "\n    is line {line} now");
        }
        let _ = write!(out, "\n  line {} now: {}", moved.lines.0, ends(&moved.there));
    }
    out
}

/// Returns the edits of a file that were left out: their 1-based numbers and the reasons.
pub(super) fn left_out(file: &FileOutcome) -> impl Iterator<Item = (u64, &RequestError)> {
    (1..).zip(&file.edits).filter_map(|(number, edit)| Some((number, edit.error.as_deref()?)))
}

/// Returns the issues and the warnings of a file.
pub(super) fn notes(file: &FileOutcome) -> impl Iterator<Item = String> {
    file.issues.iter().map(ToString::to_string).chain(file.warnings.iter().cloned())
}

/// Returns the rung of an edit whose text differs from the quoted one in more than line breaks.
pub(super) fn loose_rung(edit: &EditOutcome) -> Option<&str> {
    edit.rung.as_deref().filter(|rung| !matches!(*rung, "exact" | "eol"))
}

/// Returns the first and the last line as text.
pub(super) fn span(first: u64, last: u64) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}

#[cfg(test)]
mod tests {
    use editd_types::error::ConflictRegion;

    use super::*;

    #[test]
    fn a_conflict_shows_its_regions() {
        let mut error = RequestError::new(ErrorCode::Conflict, "look at `regions`");
        let (base, current, wanted) = ("a\nb\n".into(), String::new(), "c\n".into());
        error.regions.push(ConflictRegion { line: 3, base, current, wanted });
        let shown = "others changed the same lines of the file, or lines next to them; compare them below and edit the \
                     present text\n  line 3:\n    as read:\n      a\n      b\n    as it is now: nothing\n    \
                     as wanted:\n      c";
        assert_eq!(explain(&error), shown);
    }
}
