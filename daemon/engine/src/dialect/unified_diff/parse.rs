//! A text as a list of files with hunks, line by line. It decides nothing about what becomes of a file.

use std::borrow::Cow;

use editd_types::ErrorCode;

use super::body::{self, HunkLines};
use super::header::{self, HunkNumbers, Mode, Name};
use super::names;
use crate::Refusal;
use crate::refusal::{malformed, on_line, refuse};

/// The part of a diff that concerns one file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FilePatch<'p> {
    /// The number of its first line.
    pub(super) line: u64,
    /// The number of commits of a mailbox or a log that begin above it.
    pub(super) commit: u64,
    /// The text after `diff --git`.
    pub(super) git: Option<&'p str>,
    /// True while the lines of git's header continue.
    open: bool,
    /// The text after `Index:` above it.
    pub(super) index: Option<&'p str>,
    /// The name after `---`.
    pub(super) old: Option<Name<'p>>,
    /// The name after `+++`.
    pub(super) new: Option<Name<'p>>,
    /// The line with `---`.
    pub(super) named: Option<u64>,
    /// True, for each of the two, if its time stamp marks a file that does not exist.
    pub(super) epoch: (bool, bool),
    /// Both names from a line above, if that line marks them as names of one file.
    pub(super) announced: Option<(Cow<'p, str>, Cow<'p, str>)>,
    /// The mode of a created file.
    pub(super) comes: Option<Mode>,
    /// The mode of a deleted file.
    pub(super) goes: Option<Mode>,
    /// The new mode of a file that stays.
    pub(super) mode: Option<Mode>,
    /// The paths of a file that is renamed.
    pub(super) renamed: Pair<'p>,
    /// The paths of a file that is copied.
    pub(super) copied: Pair<'p>,
    /// Its hunks.
    pub(super) hunks: Vec<DiffHunk>,
}

impl FilePatch<'_> {
    /// Returns true if it has the line of git, but neither names nor hunks yet.
    fn is_hollow(&self) -> bool {
        self.git.is_some() && self.named.is_none() && self.hunks.is_empty()
    }

    /// Returns true if the entry concerns no file: a line of prose that only begins like git's first header line.
    fn is_prose(&self) -> bool {
        let says = [self.comes, self.goes, self.mode].iter().any(Option::is_some)
            || self.renamed != Pair::default()
            || self.copied != Pair::default();
        self.is_hollow() && !says && self.announced.is_none() && !self.git.is_some_and(names::are_names)
    }
}

/// The source and the target path.
pub(super) type Pair<'p> = (Option<Cow<'p, str>>, Option<Cow<'p, str>>);

/// One hunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DiffHunk {
    /// The number of its header's line.
    pub(super) line: u64,
    /// The line numbers of its header.
    pub(super) numbers: Option<HunkNumbers>,
    /// Its lines.
    pub(super) body: HunkLines,
}

/// Returns the refusal of a line.
pub(super) fn fault(line: u64, code: ErrorCode, what: &str) -> Refusal {
    on_line(line, refuse(code, format!("line {line}: {what}")))
}

/// Returns true if a text has lines that only a unified diff has.
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

/// Returns the lines of a diff. If its headers end in `\r`, the `\r` was added in transit and is removed: it is in no
/// file.
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

/// Returns the files of a payload; `alone` permits hunks without a file header.
///
/// # Errors
/// `malformed` or `unsupported`, with the number of the line.
pub(super) fn files(payload: &str, alone: bool) -> Result<Vec<FilePatch<'_>>, Refusal> {
    let lines = lines(payload);
    let mut files: Vec<FilePatch<'_>> = Vec::new();
    let (mut at, mut commit, mut index) = (0, 0, None);
    while let Some(whole) = lines.get(at) {
        let (line, number) = (whole.trim_end_matches('\r'), at as u64 + 1);
        let below = lines.get(at + 1).and_then(|line| line.strip_prefix("+++ "));
        if let (Some(old), Some(new)) = (line.strip_prefix("--- "), below) {
            let above = at.checked_sub(1).and_then(|above| lines.get(above)).copied();
            let (old, new) = (header::name(old), header::name(new));
            let own = FilePatch { line: number, commit, index: index.take(), ..FilePatch::default() };
            named(&mut files, own, (old, new), number);
            if let (Some(file), Some(above)) = (files.last_mut().filter(|file| file.git.is_none()), above) {
                file.announced = compared(file, above);
            }
            at += 2;
        } else if line.starts_with("@@@") {
            let what = "this is the diff of a merge; send the diff to one parent";
            return Err(fault(number, ErrorCode::Unsupported, what));
        } else if line.starts_with("@@") {
            at += 1;
            let rest = lines.get(at..).unwrap_or_default();
            at += hunk(&mut files, line, number, rest, alone)?;
        } else {
            if let Some(rest) = line.strip_prefix("diff --git ") {
                files.push(FilePatch { commit, index: index.take(), ..git_file(rest, number) });
            } else if let Some(file) = files.last_mut().filter(|file| file.is_hollow() && file.open) {
                file.open = extended(file, line, number)?;
            } else if line.starts_with("Binary files ") && line.ends_with(" differ") {
                return Err(fault(number, ErrorCode::Unsupported, BINARY));
            }
            index = line.strip_prefix("Index: ").map(str::trim_end).or(index);
            commit += u64::from(begins_commit(line));
            at += 1;
        }
    }
    files.retain(|file| !file.is_prose());
    if files.is_empty() {
        return Err(malformed("the text contains no diff; send lines with `---`, `+++` and `@@`"));
    }
    Ok(files)
}

/// Takes the names of the lines `---` and `+++`: they belong to the header of git right above them, or begin `own`.
fn named<'p>(
    files: &mut Vec<FilePatch<'p>>,
    own: FilePatch<'p>,
    (old, new): ((Name<'p>, bool), (Name<'p>, bool)),
    line: u64,
) {
    let joins =
        |file: &FilePatch<'p>| file.is_hollow() && (file.open || names::announces(file, &old.0, &new.0));
    if !files.last().is_some_and(joins) {
        files.push(own);
    }
    if let Some(file) = files.last_mut() {
        file.epoch = (old.1, new.1);
        (file.old, file.new, file.named) = (Some(old.0), Some(new.0), Some(line));
    }
}

/// Returns true if a line begins a commit of a mailbox (`git format-patch`) or of a log (`git log -p`).
fn begins_commit(line: &str) -> bool {
    let rest = line.strip_prefix("From ").or_else(|| line.strip_prefix("commit "));
    rest.and_then(|rest| rest.split(' ').next())
        .is_some_and(|hash| hash.len() >= 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

const BINARY: &str = "a binary file is no text that a diff can change; write the file itself";

fn git_file(rest: &str, line: u64) -> FilePatch<'_> {
    FilePatch { line, git: Some(rest), open: true, announced: header::both(rest), ..FilePatch::default() }
}

/// Returns the names of a file, if the call of `diff` above it has exactly these names: two folders were compared.
fn compared<'p>(file: &FilePatch<'p>, above: &str) -> Option<(Cow<'p, str>, Cow<'p, str>)> {
    let recursive = |word: &str| word == "--recursive" || (!word.starts_with("--") && word.contains('r'));
    let mut words = above.split_whitespace();
    let compares =
        words.next() == Some("diff") && words.take_while(|word| word.starts_with('-')).any(recursive);
    match (&file.old, &file.new) {
        (Some(Name::File(old)), Some(Name::File(new))) if compares => {
            let bare = above.replace(['\'', '"'], "");
            bare.trim_end().ends_with(&format!(" {old} {new}")).then(|| (old.clone(), new.clone()))
        }
        _ => None,
    }
}

/// Reads a line between the first header line of git and the names. Returns true if the header may continue after it.
fn extended<'p>(file: &mut FilePatch<'p>, line: &'p str, number: u64) -> Result<bool, Refusal> {
    let value_of = |start: &str| line.strip_prefix(start);
    if line == "GIT binary patch" || (line.starts_with("Binary files ") && line.ends_with(" differ")) {
        return Err(fault(number, ErrorCode::Unsupported, BINARY));
    } else if let Some(mode) = value_of("new file mode ") {
        file.comes = Some(header::mode(mode));
    } else if let Some(mode) = value_of("deleted file mode ") {
        file.goes = Some(header::mode(mode));
    } else if let Some(mode) = value_of("new mode ") {
        file.mode = Some(header::mode(mode));
    } else if let Some(path) = value_of("rename from ") {
        file.renamed.0 = Some(header::plain(path));
    } else if let Some(path) = value_of("rename to ") {
        file.renamed.1 = Some(header::plain(path));
    } else if let Some(path) = value_of("copy from ") {
        file.copied.0 = Some(header::plain(path));
    } else if let Some(path) = value_of("copy to ") {
        file.copied.1 = Some(header::plain(path));
    } else {
        // `index 8d57..fcea 120000` has the mode of a file whose mode stays.
        let kept = value_of("index ").and_then(|names| names.split_once(' ')).map(|(_, mode)| mode);
        file.mode = file.mode.or(kept.map(header::mode).filter(|mode| *mode == Mode::Other));
        const OTHERS: [&str; 4] = ["old mode ", "index ", "similarity index ", "dissimilarity index "];
        return Ok(line.trim().is_empty() || OTHERS.iter().any(|start| line.starts_with(start)));
    }
    Ok(true)
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
        return Err(fault(line, ErrorCode::Malformed, "the hunk has no lines; send what changes"));
    }
    if files.is_empty() && alone {
        files.push(FilePatch { line, ..FilePatch::default() });
    }
    let Some(file) = files.last_mut() else {
        let what = "the hunk is of no file; put `---` and `+++` above it, or give the path beside the diff";
        return Err(fault(line, ErrorCode::Malformed, what));
    };
    file.hunks.push(DiffHunk { line, numbers, body });
    Ok(taken)
}
