//! Formats an error: the code, the message, the details that apply, and the next step.

use std::borrow::Cow;
use std::fmt::Write;

use editd_proto::error::{ChangeAuthor, ConflictRegion, NearMiss, WouldApply};
use editd_proto::ids::JobId;
use editd_proto::message::{EntryKind, OUTSIDE};
use editd_proto::{ErrorCode, RequestError};
use serde::Serialize;

use super::letters::{TextStyle, lines, one_line, word};
use super::{CallWords, OutputStyle, StepForm, diff, excerpt};

/// The JSON object `{"error": …}`.
#[derive(Serialize)]
pub struct ErrorInJson<'a> {
    /// The error.
    pub error: &'a RequestError,
}

/// Returns the whole text with a line break at the end.
pub fn text(error: &RequestError, style: &OutputStyle) -> String {
    let mut out = String::new();
    let what = if matches!(style.steps, StepForm::Tools(_)) { "" } else { "editctl" };
    add(&mut out, what, error, style);
    out
}

/// Appends an error. `what` names its subject, and may be empty.
pub fn add(out: &mut String, what: &str, error: &RequestError, style: &OutputStyle) {
    let code = style.paint(TextStyle::Bad, &word(error.code));
    let colon = if what.is_empty() { "" } else { ": " };
    line(out, &format!("{what}{colon}{code}: {}", lines(&in_form(&error.message, style.steps))));
    if let Some(place) = place(error) {
        line(out, &format!("  at {place}"));
    }
    counts(out, error);
    for candidate in &error.candidates {
        let text = one_line(&candidate.text);
        let within = candidate.symbol.as_ref().map(|name| format!(" in {}", one_line(name)));
        let (number, column) = (candidate.line, candidate.column);
        line(out, &format!("  line {number}, column {column}{}: {text}", within.unwrap_or_default()));
    }
    for reading in &error.readings {
        line(out, &format!("  {}:", one_line(&reading.how)));
        reading.text.lines().for_each(|text| line(out, &format!("    {}", one_line(text))));
    }
    for symbol in &error.symbols {
        line(out, &format!("  {}", one_line(symbol)));
    }
    error.near_misses.iter().for_each(|one| nearest(out, one));
    error.regions.iter().for_each(|one| region(out, one));
    if let Some(cause) = error.cause.as_ref().filter(|cause| !error.message.contains(cause.as_str())) {
        line(out, &format!("  cause: {}", lines(cause)));
    }
    // The message contains the first issue.
    for issue in error.issues.iter().filter(|issue| !error.message.contains(&issue.message)) {
        line(out, &format!("  {}", lines(&issue.to_string())));
    }
    staleness(out, error, style);
    for one in &error.others {
        other(out, one);
        excerpt::add(out, one);
    }
    if let Some(more) = error.more {
        line(out, &format!("  and {more} more"));
    }
    if let Some(hint) = hint(error, style.steps) {
        line(out, &format!("  {}", style.paint(TextStyle::Notice, &hint)));
    }
}

/// Appends another error of the job on one or two lines.
fn other(out: &mut String, error: &RequestError) {
    let place = place(error).map(|place| format!("{place}: ")).unwrap_or_default();
    line(out, &format!("  also {place}{}: {}", word(error.code), lines(&error.message)));
    let candidates = error.candidates.iter();
    let places: Vec<String> = candidates
        .map(|one| match &one.symbol {
            Some(name) => format!("{} in {}", one.line, one_line(name)),
            None => one.line.to_string(),
        })
        .collect();
    if !places.is_empty() {
        line(out, &format!("    at line {}", places.join(", ")));
    }
}

/// Appends the lines that are most similar to the quoted text, and the quoted line below the first one that differs.
fn nearest(out: &mut String, miss: &NearMiss) {
    line(out, &format!("  nearest, from line {}, {:.2} alike:", miss.line, miss.score));
    let number = |text: &str| text.split_once(" |").and_then(|(number, _)| number.trim().parse::<u64>().ok());
    for text in miss.text.lines() {
        line(out, &format!("    {}", one_line(text)));
        if let (true, Some(quoted)) = (miss.differs.is_some() && number(text) == miss.differs, &miss.quoted) {
            line(out, &format!("    quoted: {}", one_line(quoted)));
        }
    }
}

/// Appends only the details that `told`, the reply in the format of a dialect, does not contain.
pub fn add_untold(out: &mut String, told: &str, error: &RequestError, style: &OutputStyle) {
    if !told.contains(&error.message) {
        let code = style.paint(TextStyle::Bad, &word(error.code));
        line(out, &format!("editctl: {code}: {}", lines(&error.message)));
    }
    let mut rest = error.clone();
    // The reply of a dialect may end with the diff without its last line break.
    rest.diff = rest.diff.filter(|diff| !told.contains(diff.trim_end()));
    staleness(out, &rest, style);
    if let Some(hint) = hint(error, style.steps) {
        line(out, &format!("  {}", style.paint(TextStyle::Notice, &hint)));
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Returns true if a message contains a path. A short path may be a word of the message.
fn names(message: &str, path: &str) -> bool {
    let inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '/' | '_' | '-');
    path.len() > 3
        && message.match_indices(path).any(|(at, _)| {
            let (before, behind) = (message.get(..at), message.get(at + path.len()..));
            !before.unwrap_or_default().ends_with(inside) && !behind.unwrap_or_default().starts_with(inside)
        })
}

/// Returns the known parts of the place: `src/a.rs, line 3, edit 2`.
fn place(error: &RequestError) -> Option<String> {
    // Parts that the message contains are left out.
    let path = error.path.as_ref().map(ToString::to_string).filter(|path| !names(&error.message, path));
    let mut out = path.unwrap_or_default();
    let told = |line: &u64| {
        ["line ", "lines ", ":"].iter().any(|before| {
            let number = format!("{before}{line}");
            let mut found = error.message.match_indices(&number);
            found.any(|(at, _)| {
                let behind = error.message.get(at + number.len()..).unwrap_or_default();
                !behind.starts_with(|letter: char| letter.is_ascii_digit())
            })
        })
    };
    for (name, number) in [
        ("line", error.line.filter(|line| !told(line))),
        ("edit", error.edit),
        ("and edit", error.other_edit),
    ] {
        if let Some(number) = number {
            let comma = if out.is_empty() { "" } else { ", " };
            // Writing to a String cannot fail.
            let _ = write!(out, "{comma}{name} {number}");
        }
    }
    (!out.is_empty()).then_some(out)
}

fn counts(out: &mut String, error: &RequestError) {
    match (error.expected, error.found) {
        (Some(expected), Some(found)) => line(out, &format!("  expected {expected}, found {found}")),
        // The regions of a conflict are listed unless there are too many.
        (None, Some(found)) if error.message.contains(&format!(" {found} ")) => {}
        (None, Some(found)) if found > error.regions.len() as u64 => line(out, &format!("  found {found}")),
        (Some(expected), None) => line(out, &format!("  expected {expected}")),
        (None, _) => {}
    }
    if let Some(count) = error.lines {
        line(out, &format!("  the file has {count} lines"));
    }
    if let Some(limit) = error.limit {
        line(out, &format!("  the limit is {limit}"));
    }
}

/// Returns true if a cause is about an entry: it has the form `entry 12, an edit of session a, removed it …`.
fn tells(cause: &str, job: JobId) -> bool {
    cause.contains(&format!("entry {job}, "))
}

/// Later entries that have a line of their own in a refusal; of more of them, only the numbers are shown.
const LATER: usize = 3;

fn staleness(out: &mut String, error: &RequestError, style: &OutputStyle) {
    excerpt::add(out, error);
    match &error.by {
        // The cause contains the entry and more, or the message does.
        Some(ChangeAuthor::Entry(job)) if error.cause.as_deref().is_some_and(|cause| tells(cause, *job)) => {}
        Some(ChangeAuthor::Entry(job)) if tells(&error.message, *job) => {}
        Some(ChangeAuthor::Entry(job)) if error.message.contains(&format!("`editctl show {job}`")) => {}
        Some(ChangeAuthor::Entry(job)) => {
            let see = match style.steps {
                StepForm::Commands => format!("`editctl show {job}`"),
                StepForm::Tools(_) => format!("history {{\"job\": {job}}}"),
            };
            line(out, &format!("  last changed by entry {job}; see {see}"))
        }
        Some(ChangeAuthor::Outside(_)) => line(out, "  changed outside of editd"),
        None => {}
    }
    for later in error.later.iter().take(LATER) {
        let whose = match (later.own, later.kind) {
            (true, _) => "this session".to_owned(),
            (false, EntryKind::External) if later.session == OUTSIDE => "outside of editd".to_owned(),
            (false, _) => format!("session {} ({})", one_line(&later.session), one_line(&later.client)),
        };
        let label = later.label.as_ref().map(|label| format!("  \u{201c}{}\u{201d}", one_line(label)));
        line(out, &format!("  later: {}  {whose}{}", later.job, label.unwrap_or_default()));
    }
    if error.later.len() > LATER {
        let jobs: Vec<String> = error.later.iter().skip(LATER).map(|later| later.job.to_string()).collect();
        line(out, &format!("  later: {}", jobs.join(", ")));
    }
    if let Some(text) = &error.diff {
        diff::add(out, text, style);
    }
    if let Some(hunks) = error.omitted_hunks.filter(|hunks| *hunks > 0) {
        line(out, &format!("  {}", super::more_hunks(hunks)));
    }
    // If the job would apply, the message says so.
    if error.would_apply == Some(WouldApply::Conflict) && error.later.is_empty() {
        line(out, "  the job conflicts with the current content");
    }
}

/// Appends the three texts of a conflict.
fn region(out: &mut String, region: &ConflictRegion) {
    line(out, &format!("  from line {}, as read:", region.line));
    quoted(out, &region.base);
    line(out, "  now:");
    quoted(out, &region.current);
    line(out, "  wanted:");
    quoted(out, &region.wanted);
}

fn quoted(out: &mut String, text: &str) {
    if text.is_empty() {
        line(out, "    (nothing)");
    }
    text.lines().for_each(|text| line(out, &format!("    {}", one_line(text))));
}

/// Returns a message in which commands are replaced by calls of tools, if the reply is for a tool.
pub fn in_form(message: &str, form: StepForm) -> Cow<'_, str> {
    const COMMAND: &str = "`editctl ";
    if form == StepForm::Commands || !message.contains(COMMAND) {
        return Cow::Borrowed(message);
    }
    let mut parts = message.split(COMMAND);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (command, rest) = part.split_once('`').unwrap_or((part, ""));
        match as_call(command) {
            Some(call) => out.push_str(&format!("{call}{rest}")),
            None => out.push_str(&format!("{COMMAND}{part}")),
        }
    }
    Cow::Owned(out)
}

/// Returns the call that does the same as a command; `None` if no tool does.
fn as_call(command: &str) -> Option<String> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    match command.split_once(' ') {
        None if command == "log" => Some("history".to_owned()),
        Some(("show", job)) if is_number(job) => Some(format!("history {{\"job\": {job}}}")),
        Some(("undo", job)) if is_number(job) => Some(format!("undo {{\"job\": {job}}}")),
        // An undo is an entry, which can be undone.
        Some(("redo", job)) if is_number(job) => Some("undo of the job that undid it".to_owned()),
        _ => None,
    }
}

/// Returns the next step.
fn hint(error: &RequestError, form: StepForm) -> Option<String> {
    match form {
        StepForm::Commands => next_command(error),
        StepForm::Tools(words) => next_call(error, &words),
    }
}

/// The next step after a conflict.
const ADAPT: &str = "the current lines count as read: adapt the edit and send it again";

/// Returns the next step, in terms of the command line.
fn next_command(error: &RequestError) -> Option<String> {
    match error.code {
        // The line numbers of the job still refer to the version that was read.
        ErrorCode::Stale if !error.moved.is_empty() => error
            .version
            .as_ref()
            .map(|version| format!("send it with the current numbers and --base {}", one_line(&version.0))),
        ErrorCode::Stale if !error.later.is_empty() => {
            let clean = error.would_apply == Some(WouldApply::Clean);
            clean.then(|| "--on-stale rebase undoes it and keeps the later changes".into())
        }
        ErrorCode::Stale => {
            error.version.as_ref().map(|version| format!("version now: {}", one_line(&version.0)))
        }
        // The error of a refused undo has no version, since there is nothing to send again.
        ErrorCode::Conflict => error.version.as_ref().map(|_| ADAPT.into()),
        // The message explains how to continue with the lines that it shows.
        ErrorCode::Unread if !error.excerpts.is_empty() => None,
        ErrorCode::Unread => {
            Some("read it first (`editctl read`), or use --base any to edit without reading".into())
        }
        ErrorCode::Ambiguous if !error.symbols.is_empty() => Some("use one of these names".into()),
        // There is one place, and the message says how to indent the new lines.
        ErrorCode::Ambiguous if !error.readings.is_empty() => None,
        ErrorCode::Ambiguous => {
            Some("quote more of the text, or use --near LINE or --all (in JSON `near`, `all`)".into())
        }
        _ => None,
    }
}

/// Returns true if a refusal shows all lines that matter to the edits.
fn shows_all(error: &RequestError) -> bool {
    (error.diff.is_some() || !error.excerpts.is_empty()) && error.omitted_hunks.is_none()
}

/// Returns the call that reads the file of an error.
pub fn read_call(error: &RequestError, words: &CallWords) -> Option<String> {
    let path = serde_json::Value::from(error.path.as_ref()?.to_string());
    Some(format!("next: {}{path}}}", words.read))
}

/// Returns the next step, in terms of the tools of `editctl mcp`.
pub fn next_call(error: &RequestError, words: &CallWords) -> Option<String> {
    match error.code {
        // The message says to send the job again.
        ErrorCode::Stale if error.would_apply == Some(WouldApply::Clean) => None,
        // An undo of an entry on which later ones depend: those are undone first, the newest before the others.
        ErrorCode::Stale if !error.later.is_empty() => {
            let newest = error.later.iter().max_by_key(|later| later.job).filter(|later| later.own)?;
            Some(format!("next: undo {{\"job\": {}}}", newest.job))
        }
        // The message says what to do with the lines that the refusal shows.
        ErrorCode::Stale if shows_all(error) => None,
        // The file is gone.
        ErrorCode::Stale if error.version.is_none() => None,
        ErrorCode::Stale => read_call(error, words),
        ErrorCode::Conflict => error.version.as_ref().map(|_| ADAPT.into()),
        // The message explains how to continue with the lines that it shows.
        ErrorCode::Unread if !error.excerpts.is_empty() => None,
        ErrorCode::Unread => read_call(error, words),
        ErrorCode::Ambiguous if !error.symbols.is_empty() => Some("use one of these names".into()),
        ErrorCode::Ambiguous if !error.readings.is_empty() => None,
        ErrorCode::Ambiguous => words.narrow.map(Into::into),
        _ => None,
    }
}
