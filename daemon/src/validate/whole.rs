//! Runs a check of the whole workspace and parses the problems in its output. It compares nothing.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use editd_proto::path::FilePath;

use super::command::NOT_RUN;
use super::issues::{self, FileNames, ParsedIssue};
use super::process::{CommandEnd, CommandRun, CommandRunner};
use crate::config::CommandSpec;

/// A problem as a check reported it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReportedIssue {
    /// The file, if it is one of the workspace.
    pub path: Option<FilePath>,
    /// From 1.
    pub line: Option<u64>,
    /// From 1, as the check counts.
    pub column: Option<u64>,
    /// The description, without control characters.
    pub message: String,
}

/// The end of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// The command succeeded.
    Passed,
    /// The command failed: the workspace has problems.
    Failed,
    /// It was ended because it took too long.
    Timeout,
    /// It could not run, or did not end by itself: the reason.
    CouldNotRun(String),
}

/// The report of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WholeReport {
    /// The end of the run.
    pub end: RunEnd,
    /// The problems in its output, whatever its status: tools may warn and succeed. If it failed and none could be parsed,
    /// the beginning of its output.
    pub issues: Vec<ReportedIssue>,
}

/// Runs a check, with `words` as its program and arguments. Blocks until it has ended.
pub fn check_whole(
    runner: &CommandRunner,
    root: &Path,
    spec: &CommandSpec,
    words: &[OsString],
    stop: &AtomicBool,
) -> WholeReport {
    let ran = runner.run_aside(CommandRun {
        session: "",
        command: words,
        env: &spec.env,
        write: &spec.write,
        folder: root,
        input: b"",
        time: spec.timeout,
        within: spec.timeout,
        memory: spec.memory,
        output: usize::try_from(spec.output).unwrap_or(usize::MAX),
        stop: Some(stop),
    });
    let path = FilePath::default();
    let names = FileNames { root, path: &path, file: None, by_last: false };
    let mut found = issues::read(&ran.stdout, spec.pattern.as_ref(), names);
    found.extend(issues::read(&ran.stderr, spec.pattern.as_ref(), names));
    let end = match &ran.ended {
        CommandEnd::Exited(0) => RunEnd::Passed,
        CommandEnd::Exited(status) if !NOT_RUN.contains(status) => {
            if found.is_empty() {
                found.push(issues::bare(*status, &ran.stdout, &ran.stderr, names));
            }
            RunEnd::Failed
        }
        CommandEnd::TimedOut => RunEnd::Timeout,
        _ => RunEnd::CouldNotRun(plain(&ran.failure().unwrap_or_default())),
    };
    WholeReport { end, issues: found.into_iter().map(reported).collect() }
}

fn reported(found: ParsedIssue) -> ReportedIssue {
    let path = found.elsewhere;
    let (line, column) = if path.is_some() { (found.line, found.column) } else { (None, None) };
    ReportedIssue { path, line, column, message: plain(&found.message) }
}

/// Returns a text without the sequences that colour a terminal, and with spaces in place of other control characters
/// except line breaks.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' && letters.next_if_eq(&'[').is_some() {
            // Parameters, up to the letter that ends the sequence.
            while letters.next_if(|next| matches!(next, '0'..='?')).is_some() {}
            letters.next();
        } else if letter != '\n' && letter.is_control() {
            out.push(' ');
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn colours_and_control_characters_do_not_reach_a_reader() {
        for (text, expected) in [
            ("\u{1b}[1;31merror\u{1b}[0m: bad", "error: bad"),
            ("a\tb\u{7}\nc\u{9b}", "a b \nc "),
            ("\u{1b}", " "),
            ("\u{1b}[", ""),
            ("\u{1b}]0;title\u{7}x", " ]0;title x"),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }
}
