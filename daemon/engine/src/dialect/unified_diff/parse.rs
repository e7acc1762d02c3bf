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
    /// Both names as a line above says them, where it says that they are of one file.
    pub(super) announced: Option<(Cow<'p, str>, Cow<'p, str>)>,
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
        let same = |own: &Option<Name<'_>>, name: &Option<Name<'_>>, prefix: &str| match (own, name) {
            (Some(Name::File(own)), Some(Name::File(name))) => {
                own == name || name.strip_prefix(prefix) == Some(own)
            }
            _ => true,
        };
        let hollow = !self.named && self.hunks.is_empty();
        hollow && same(&self.old, &names.0, "a/") && same(&self.new, &names.1, "b/")
    }

    /// Whether nothing is said of any file: a line of prose that only begins like git's first one.
    fn is_prose(&self) -> bool {
        *self == Self { line: self.line, ..Self::default() }
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
                if at
                    .checked_sub(1)
                    .and_then(|above| lines.get(above))
                    .is_some_and(|line| compares_folders(line))
                {
                    file.announced = same_file(file);
                }
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
    files.retain(|file| !file.is_prose());
    if files.is_empty() {
        return Err(malformed("the text holds no diff; send lines with `---`, `+++` and `@@`"));
    }
    Ok(files)
}

const BINARY: &str = "a binary file is no text that a diff can change; write the file itself";

fn git_file(rest: &str, line: u64) -> FilePatch<'_> {
    let announced = header::both(rest);
    let (old, new) = announced.clone().unzip();
    FilePatch { line, old: old.map(Name::File), new: new.map(Name::File), announced, ..FilePatch::default() }
}

/// Whether a line is the call of `diff` that stands above each file where folders were compared.
fn compares_folders(line: &str) -> bool {
    let recursive = |word: &str| word == "--recursive" || (!word.starts_with("--") && word.contains('r'));
    let mut words = line.split_whitespace();
    words.next() == Some("diff") && words.take_while(|word| word.starts_with('-')).any(recursive)
}

/// The names of a file, each in the folder that was compared.
fn same_file<'p>(file: &FilePatch<'p>) -> Option<(Cow<'p, str>, Cow<'p, str>)> {
    match (&file.old, &file.new) {
        (Some(Name::File(old)), Some(Name::File(new))) => Some((old.clone(), new.clone())),
        _ => None,
    }
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
