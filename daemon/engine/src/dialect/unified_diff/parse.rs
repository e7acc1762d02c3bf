//! A text as a list of files with hunks, line by line. It decides nothing about what becomes of a file.

use std::borrow::Cow;

use editd_proto::error::Code;

use super::body::{self, Body};
use super::header::{self, Mode, Name, Numbers};
use crate::Refusal;
use crate::refusal::{malformed, refuse};

/// What a diff says of one file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FilePatch<'p> {
    /// The number of its first line.
    pub(super) line: u64,
    /// What stands behind `---`, or in git's first line.
    pub(super) old: Option<Name<'p>>,
    /// What stands behind `+++`, likewise.
    pub(super) new: Option<Name<'p>>,
    /// Whether the names are those of the lines with `---` and `+++`.
    named: bool,
    /// The mode of a file that comes.
    pub(super) comes: Option<Mode>,
    /// The mode of a file that goes.
    pub(super) goes: Option<Mode>,
    /// The new mode of a file that stays.
    pub(super) mode: Option<Mode>,
    /// The paths of a file that is renamed.
    pub(super) renamed: Pair<'p>,
    /// The paths of a file that is copied.
    pub(super) copied: Pair<'p>,
    /// Its hunks.
    pub(super) hunks: Vec<Hunk>,
}

impl FilePatch<'_> {
    /// Whether these are the names that git's first line announced.
    fn awaits(&self, names: &(Option<Name<'_>>, Option<Name<'_>>)) -> bool {
        let same = |own: &Option<Name<'_>>, name: &Option<Name<'_>>| {
            own.is_none() || own == name || *name == Some(Name::Nothing)
        };
        !self.named && self.hunks.is_empty() && same(&self.old, &names.0) && same(&self.new, &names.1)
    }
}

/// From where and to where.
pub(super) type Pair<'p> = (Option<Cow<'p, str>>, Option<Cow<'p, str>>);

/// One hunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Hunk {
    /// The number of its header's line.
    pub(super) line: u64,
    /// What its header says.
    pub(super) numbers: Option<Numbers>,
    /// Its lines.
    pub(super) body: Body,
}

/// The refusal of a line.
pub(super) fn fault(line: u64, code: Code, what: &str) -> Refusal {
    let mut error = refuse(code, format!("line {line}: {what}"));
    error.line = Some(line);
    error
}

/// Whether a text has lines that only a unified diff has.
pub(super) fn fits(payload: &str) -> bool {
    let lines: Vec<&str> = payload.lines().collect();
    let starts = |at: usize, with: &str| lines.get(at).is_some_and(|line| line.starts_with(with));
    (0..lines.len()).any(|at| {
        starts(at, "diff --git ")
            || (starts(at, "--- ")
                && starts(at + 1, "+++ ")
                && (starts(at + 2, "@@") || at + 2 == lines.len()))
    })
}

/// The lines of a diff. Where its headers end in `\r`, that came on the way and stands in no file.
fn lines(payload: &str) -> Vec<&str> {
    let heads = ["--- ", "+++ ", "@@ ", "diff "];
    let mut headers =
        payload.split('\n').filter(|line| heads.iter().any(|head| line.starts_with(head))).peekable();
    let carried = headers.peek().is_some() && headers.all(|line| line.ends_with('\r'));
    let mut lines: Vec<&str> = payload.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    if carried {
        for line in &mut lines {
            *line = line.strip_suffix('\r').unwrap_or(line);
        }
    }
    lines
}

/// The files of a payload; `alone` says that hunks may stand without a file's header.
///
/// # Errors
/// `malformed` or `unsupported`, with the number of the line.
pub(super) fn files(payload: &str, alone: bool) -> Result<Vec<FilePatch<'_>>, Refusal> {
    let lines = lines(payload);
    let mut files: Vec<FilePatch<'_>> = Vec::new();
    let mut at = 0;
    while let Some(whole) = lines.get(at) {
        let (line, number) = (whole.trim_end_matches('\r'), at as u64 + 1);
        let below = lines.get(at + 1).and_then(|line| line.strip_prefix("+++ "));
        if let (Some(old), Some(new)) = (line.strip_prefix("--- "), below) {
            let names = (Some(header::name(old)), Some(header::name(new)));
            match files.last_mut() {
                Some(file) if file.awaits(&names) => (file.old, file.new) = names,
                _ => {
                    files.push(FilePatch { line: number, old: names.0, new: names.1, ..FilePatch::default() })
                }
            }
            if let Some(file) = files.last_mut() {
                file.named = true;
            }
            at += 2;
        } else if line.starts_with("@@@") {
            let what = "this is the diff of a merge; send the diff to one parent";
            return Err(fault(number, Code::Unsupported, what));
        } else if line.starts_with("@@") {
            at += 1;
            let rest = lines.get(at..).unwrap_or_default();
            at += hunk(&mut files, line, number, rest, alone)?;
        } else {
            if let Some(rest) = line.strip_prefix("diff --git ") {
                files.push(git_file(rest, number));
            } else if let Some(file) = files.last_mut().filter(|file| !file.named && file.hunks.is_empty()) {
                extended(file, line, number)?;
            } else if line.starts_with("Binary files ") && line.ends_with(" differ") {
                return Err(fault(number, Code::Unsupported, BINARY));
            }
            at += 1;
        }
    }
    if files.is_empty() {
        return Err(malformed("the text holds no diff; send lines with `---`, `+++` and `@@`"));
    }
    Ok(files)
}

const BINARY: &str = "a binary file is no text that a diff can change; write the file itself";

fn git_file(rest: &str, line: u64) -> FilePatch<'_> {
    let (old, new) = header::both(rest).unzip();
    FilePatch { line, old: old.map(Name::File), new: new.map(Name::File), ..FilePatch::default() }
}

/// A line between git's first one and the names.
fn extended<'p>(file: &mut FilePatch<'p>, line: &'p str, number: u64) -> Result<(), Refusal> {
    let said = |start: &str| line.strip_prefix(start);
    if line == "GIT binary patch" || (line.starts_with("Binary files ") && line.ends_with(" differ")) {
        return Err(fault(number, Code::Unsupported, BINARY));
    } else if let Some(mode) = said("new file mode ") {
        file.comes = Some(header::mode(mode));
    } else if let Some(mode) = said("deleted file mode ") {
        file.goes = Some(header::mode(mode));
    } else if let Some(mode) = said("new mode ") {
        file.mode = Some(header::mode(mode));
    } else if let Some(path) = said("rename from ") {
        file.renamed.0 = Some(header::plain(path));
    } else if let Some(path) = said("rename to ") {
        file.renamed.1 = Some(header::plain(path));
    } else if let Some(path) = said("copy from ") {
        file.copied.0 = Some(header::plain(path));
    } else if let Some(path) = said("copy to ") {
        file.copied.1 = Some(header::plain(path));
    }
    Ok(())
}

/// Takes a hunk; how many lines below its header it has.
fn hunk(
    files: &mut Vec<FilePatch<'_>>,
    header: &str,
    line: u64,
    below: &[&str],
    alone: bool,
) -> Result<usize, Refusal> {
    let numbers = header::numbers(header);
    let (body, taken) = body::read(below, line.saturating_add(1), numbers)?;
    if body.text.is_empty() {
        return Err(fault(line, Code::Malformed, "the hunk has no lines; send what changes"));
    }
    if files.is_empty() && alone {
        files.push(FilePatch { line, ..FilePatch::default() });
    }
    let Some(file) = files.last_mut() else {
        let what = "the hunk is of no file; put `---` and `+++` above it, or give the path beside the diff";
        return Err(fault(line, Code::Malformed, what));
    };
    file.hunks.push(Hunk { line, numbers, body });
    Ok(taken)
}
