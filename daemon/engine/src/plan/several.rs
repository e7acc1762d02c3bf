//! Checks file entries that name several files by `paths`, and counts their patterns in a file. It reads no file and
//! expands no glob: the caller does, and makes one entry for each file.

use editd_types::{FileEdit, FileEntry, FilePath};

use super::Budget;
use crate::locate::Haystack;
use crate::op::{EditContext, HeaderIndex, Neighbours, Op, Symbols, parse};
use crate::refusal::malformed;
use crate::text::Text;
use crate::{PlanOptions, Refusal};

/// Refuses an entry with `paths` that also has `path` or the `base` of one file, or that has other edits than
/// substitutions in whole files.
///
/// # Errors
/// `malformed`, with a correction.
pub(crate) fn check(entry: &FileEntry, number: u64) -> Result<(), Refusal> {
    let refused = |what: String| Err(malformed(format!("files[{number}] {what}")));
    if !entry.path.as_bytes().is_empty() {
        return refused("has `path` and `paths`; leave one of them out".into());
    }
    if entry.paths.iter().any(String::is_empty) {
        return refused("has an empty text in `paths`; write a path or a glob such as `src/**/*.rs`".into());
    }
    if entry.base.as_ref().is_some_and(|base| base != "any") {
        return refused("has `paths` and the `base` of one file; leave `base` out, and give `expect`".into());
    }
    if entry.edits.is_empty() {
        return refused("has no `edits`; say what to substitute, or leave it out".into());
    }
    for (edit, at) in entry.edits.iter().zip(1..) {
        if let Err(mut refusal) = check_edit(edit, number) {
            refusal.edit = Some(at);
            return Err(refusal);
        }
    }
    Ok(())
}

fn check_edit(edit: &FileEdit, number: u64) -> Result<(), Refusal> {
    if edit.op != "substitute" {
        let message = format!(
            "files[{number}] has `paths`, where only `substitute` is possible, not {:?}; give each file an entry with `path`",
            edit.op
        );
        return Err(malformed(message));
    }
    let flags = edit.flags.as_deref().unwrap_or("");
    let of_one = match edit {
        _ if flags.contains('o') => "the flag o; files without the pattern are left out anyway",
        _ if flags.contains('1') => "the flag 1; give `\"expect\": 1` for one place in all files",
        FileEdit { within: Some(_), .. } => "`within`; give that file an entry with `path`",
        FileEdit { count: Some(_), .. } => "`count`; give that file an entry with `path`",
        FileEdit { expect: Some(0), .. } => "`expect` 0, which changes nothing; leave the edit out",
        _ => return parse(edit, None).map(drop),
    };
    Err(malformed(format!("files[{number}] has `paths` and {of_one}")))
}

/// The remaining work of counting patterns in one job.
#[derive(Debug)]
pub struct CountBudget(Budget);

impl Default for CountBudget {
    fn default() -> Self {
        Self(Budget::new())
    }
}

/// The patterns of an entry with `paths`, which are counted in one file after another.
#[derive(Debug)]
pub struct PatternCounts {
    ops: Vec<Op>,
}

impl PatternCounts {
    /// Parses the edits of an entry.
    ///
    /// # Errors
    /// The refusal of an edit that is invalid by itself.
    pub fn new(edits: &[FileEdit]) -> Result<Self, Refusal> {
        Ok(Self { ops: edits.iter().map(|edit| parse(edit, None)).collect::<Result<_, _>>()? })
    }

    /// Returns the number of files in which one job may make these edits.
    pub fn most_files(&self) -> usize {
        let regexes = self.ops.iter().filter(|op| matches!(op, Op::Substitute(op) if op.is_regex())).count();
        crate::limits::REGEXES.checked_div(regexes).unwrap_or(usize::MAX)
    }

    /// Counts the occurrences of the pattern of each edit in a file. Returns `None` if the file is not text that
    /// editd can read.
    ///
    /// # Errors
    /// `limit` if the job has read too much or the file has too many places.
    pub fn of_file(
        &self,
        bytes: &[u8],
        path: &FilePath,
        options: &PlanOptions,
        budget: &CountBudget,
    ) -> Result<Option<Vec<u64>>, Refusal> {
        let Ok(text) = Text::read(bytes, options.label(path)) else { return Ok(None) };
        let budget = &budget.0;
        let hay = Haystack::new(&text, budget, Vec::new());
        let outline = HeaderIndex::new(std::iter::empty());
        let neighbours = Neighbours::new(std::iter::empty());
        let symbols = Symbols::new(std::iter::empty(), &options.trees);
        let scene = EditContext {
            text: &text,
            hay: &hay,
            outline: &outline,
            neighbours: &neighbours,
            symbols: &symbols,
            edit: 0,
            origin: path,
            written: None,
            budget,
            earlier: None,
            elsewhere: &|_| None,
            beside: &|_, _| false,
        };
        let count = |op: &Op| match op {
            Op::Substitute(op) => op.occurrences(&scene),
            _ => Ok(0),
        };
        self.ops.iter().map(count).collect::<Result<_, _>>().map(Some)
    }
}
