//! Runs the built-in check of syntax on the contents of a job. It starts no process.

use editd_engine::{Certainty, SyntaxError};

use super::check::{CheckContext, CheckedContent, ValidatorReport};
use super::issues::ParsedIssue;
use crate::limits::{SYNTAX_BYTES, SYNTAX_DOUBTS};

/// Returns the syntax errors that each content introduces, and false if the content got no turn in time. Contents beyond
/// [`SYNTAX_BYTES`] in all are not checked.
pub(super) fn introduced(
    content: &CheckedContent<'_>,
    parsed_bytes: &mut usize,
    around: &CheckContext<'_>,
) -> (ValidatorReport, bool) {
    let CheckedContent { path, change } = *content;
    let (old, new) = (change.old.map_or(0, <[u8]>::len), change.new.len());
    let bytes = new.saturating_add(old);
    *parsed_bytes = parsed_bytes.saturating_add(bytes);
    if *parsed_bytes > SYNTAX_BYTES {
        return (unchecked(&format!("the job has more than {SYNTAX_BYTES} bytes of text to check")), true);
    }
    let mut found = None;
    let mut parse = || {
        found = Some(editd_engine::introduced(path, change, around.options));
    };
    let in_turn = (around.in_turn)(new.max(old), &mut parse);
    let report = match found {
        None => unchecked(&"other large files are being parsed"),
        Some(Err(why)) => unchecked(&why),
        Some(Ok(errors)) => report_of(errors),
    };
    (report, in_turn)
}

fn unchecked(why: &dyn std::fmt::Display) -> ValidatorReport {
    ValidatorReport { notes: vec![format!("its syntax was not checked: {why}")], issues: Vec::new() }
}

/// Returns a report. Errors that a grammar may report wrongly are notes instead of issues.
fn report_of(errors: Vec<SyntaxError>) -> ValidatorReport {
    let (sure, doubtful): (Vec<_>, Vec<_>) =
        errors.into_iter().partition(|error| error.certainty == Certainty::Sure);
    let issues = sure.into_iter().map(|error| ParsedIssue {
        line: Some(error.line),
        column: Some(error.column),
        message: error.message,
        ..ParsedIssue::default()
    });
    let more = doubtful.len().saturating_sub(SYNTAX_DOUBTS);
    let notes = doubtful.into_iter().take(SYNTAX_DOUBTS).map(|error| {
        let (line, column) = (error.line, error.column);
        format!("its syntax may be wrong at {line}:{column}, or unknown to this check: {}", error.message)
    });
    let mut report = ValidatorReport { issues: issues.collect(), notes: notes.collect() };
    if more > 0 {
        report.notes.push(format!("its syntax may be wrong in {more} more places"));
    }
    report
}
