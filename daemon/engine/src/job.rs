//! A parsed job: its entries, with operations and the facts that callers ask for. It reads no file.
//!
//! *Calling sequence*: [`Job::parse`] parses the input. [`needs()`], [`plan()`] and
//! [`rebase()`](crate::rebase()) take the job. A clone shares the texts of the edits.

use editd_types::{FileEntry, FilePath, JobInput};

use crate::op::{NamedLines, Op, Quotation};
use crate::plan::{Parsed, check_shape, needs, plan, read_entry};
use crate::{ContentProof, JobNeeds, Plan, PlanOptions, Refusal, WorkspaceSnapshot};

/// A parsed job.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// True if failing edits are left out and the others are applied.
    pub partial: bool,
    /// True if the job is planned but not written. Its diffs are then shown unless `diff` is false.
    pub verify_only: bool,
    /// Set if the outcomes show all diffs or none; if absent, they show those of results that differ from the
    /// request.
    pub diff: Option<bool>,
    /// The entries, in the order of the request.
    pub entries: Vec<JobEntry>,
}

/// The edits of one file.
#[derive(Clone, Debug)]
pub struct JobEntry {
    /// The path of the file.
    pub path: FilePath,
    /// The version that the caller expects, as the request writes it.
    pub base: Option<String>,
    pub(crate) edits: Parsed,
}

/// The facts of an edit. An edit that could not be parsed has none.
#[derive(Clone, Copy, Debug)]
pub struct EditFacts<'e>(Option<&'e Op>);

impl Job {
    /// Parses a job. Edits that are malformed by themselves are kept with their refusals, which
    /// [`needs()`] and [`plan()`] report.
    ///
    /// ```
    /// use editd_engine::{FileEdit, FileEntry, Job, JobInput};
    ///
    /// let edit = FileEdit { op: "write".into(), text: Some("hello\n".into()), ..FileEdit::default() };
    /// let files = [FileEntry { path: "a.txt".into(), edits: vec![edit], ..FileEntry::default() }];
    /// let job = Job::parse(JobInput { files: &files, partial: true, ..JobInput::default() })?;
    /// assert_eq!(job.entries.len(), 1);
    /// # Ok::<(), editd_engine::Refusal>(())
    /// ```
    ///
    /// # Errors
    /// `malformed` or `limit` for a job that is invalid for any content of the files.
    pub fn parse<'i>(input: impl Into<JobInput<'i>>) -> Result<Self, Refusal> {
        let input = input.into();
        check_shape(&input)?;
        let read = |entry: &FileEntry| JobEntry {
            path: entry.path.clone(),
            base: entry.base.clone(),
            edits: read_entry(entry, input.threshold),
        };
        Ok(Self {
            partial: input.partial,
            verify_only: input.verify_only,
            diff: input.diff,
            entries: input.files.iter().map(read).collect(),
        })
    }

    /// Returns the number of edits of all entries.
    pub(crate) fn edit_count(&self) -> usize {
        self.entries.iter().map(|entry| entry.edits.len()).sum()
    }

    /// Returns `diff`, or true for a job that is only verified, since its caller wants to see the effect.
    pub(crate) fn shown_diffs(&self) -> Option<bool> {
        self.diff.or(self.verify_only.then_some(true))
    }
}

impl JobEntry {
    /// Creates an entry without a base, with some operations.
    pub(crate) fn of_ops(path: &FilePath, ops: impl Iterator<Item = Op>) -> Self {
        Self { path: path.clone(), base: None, edits: ops.map(Ok).collect() }
    }

    /// Returns the operations of the edits that could be parsed.
    pub(crate) fn ops(&self) -> impl Iterator<Item = &Op> {
        self.edits.iter().flatten()
    }

    /// Returns the facts of each edit, in the order of the request.
    pub fn edits(&self) -> impl ExactSizeIterator<Item = EditFacts<'_>> {
        self.edits.iter().map(|edit| EditFacts(edit.as_ref().ok()))
    }

    /// Returns the other paths that the edits name: the targets of `rename` and `copy`.
    pub fn targets(&self) -> impl Iterator<Item = &FilePath> {
        self.ops().filter_map(Op::target)
    }

    /// Replaces the other paths that the edits name.
    ///
    /// # Errors
    /// The first error of `replace`; the targets before it are replaced.
    pub fn replace_targets<E>(
        &mut self,
        mut replace: impl FnMut(&FilePath) -> Result<FilePath, E>,
    ) -> Result<(), E> {
        for op in self.edits.iter_mut().flatten() {
            if let Op::Rename(target) | Op::Copy(target) = op {
                target.to = replace(&target.to)?;
            }
        }
        Ok(())
    }

    /// Returns the knowledge of the replaced content that the entry proves. Malformed edits prove nothing and
    /// change nothing.
    pub fn proof(&self) -> ContentProof {
        let strength = |proof: &ContentProof| match proof {
            ContentProof::NotNeeded => 0,
            ContentProof::Quoted => 1,
            ContentProof::Blind => 2,
        };
        self.ops().map(Op::proof).max_by_key(strength).unwrap_or(ContentProof::NotNeeded)
    }

    /// Returns true if an edit quotes all lines of the file.
    pub fn quotes_all(&self) -> bool {
        self.ops().any(Op::quotes_all)
    }

    /// Returns true if the entry deletes the file and does nothing else.
    pub fn only_deletes(&self) -> bool {
        self.ops().all(|op| matches!(op, Op::Delete))
    }

    /// Returns the lines that the edits select by number. A number near which a quotation is (`near`) is only a hint and
    /// is not listed.
    pub fn named_lines(&self) -> Vec<NamedLines> {
        let edits = self.edits().zip(1..);
        let named = |(facts, edit): (EditFacts<'_>, u64)| {
            let op = facts.0?;
            Some(NamedLines { edit, lines: op.named_lines()?, is_after: op.is_after_line() })
        };
        edits.filter_map(named).collect()
    }
}

impl<'e> EditFacts<'e> {
    /// Returns the other path that the edit names.
    pub fn target(self) -> Option<&'e FilePath> {
        self.0.and_then(Op::target)
    }

    /// Returns true if the edit may replace the file at its target.
    pub fn overwrites(self) -> bool {
        matches!(self.0, Some(Op::Rename(target) | Op::Copy(target)) if target.overwrite)
    }

    /// Returns true if the edit gives the file another path.
    pub fn renames(self) -> bool {
        matches!(self.0, Some(Op::Rename(_)))
    }

    /// Returns true if the edit takes the file away from its path.
    pub fn removes_file(self) -> bool {
        matches!(self.0, Some(Op::Delete | Op::Rename(_)))
    }

    /// Returns true if the edit gives the whole content of the file.
    pub fn writes_file(self) -> bool {
        matches!(self.0, Some(Op::Write(_) | Op::Create(_)))
    }

    /// Returns the text with which the edit replaces the whole file, if the request gives it.
    pub fn written_text(self) -> Option<&'e str> {
        match self.0 {
            Some(Op::Write(write)) => write.text.quoted(),
            _ => None,
        }
    }

    /// Returns true if the edit sets the permission bits.
    pub fn sets_mode(self) -> bool {
        matches!(self.0, Some(Op::Chmod(_)))
    }

    /// Returns true if the edit makes, removes, moves or copies the file as a whole.
    pub fn is_about_file(self) -> bool {
        matches!(self.0, Some(Op::Create(_) | Op::Delete | Op::Rename(_) | Op::Copy(_)))
    }

    /// Returns true if the edit stores a clipboard.
    pub fn stores_clipboard(self) -> bool {
        self.0.is_some_and(|op| op.stores().is_some())
    }

    /// Returns true if the file must be parsed to find the place of the edit.
    pub fn needs_symbols(self) -> bool {
        self.0.is_some_and(Op::needs_symbols)
    }

    /// Returns the size of the new text of the edit, in bytes.
    pub fn text_bytes(self) -> usize {
        self.0.map_or(0, Op::text_bytes)
    }

    /// Returns the text that the edit quotes in the lines that it names by number.
    pub fn quoted_in_lines(self) -> Option<&'e str> {
        self.0.and_then(Op::quoted_in_lines)
    }

    /// Returns the text of which the edit replaces every occurrence in the file.
    pub fn replaces_all(self) -> Option<&'e str> {
        self.0.and_then(Op::replaces_all)
    }

    /// Returns the quotation of the edit. Returns `None` if the edit quotes no text that can be searched as it is
    /// written.
    pub fn quotation(self) -> Option<Quotation<'e>> {
        self.0.and_then(Op::quotation)
    }
}

/// Parses a job and returns its needs, for a caller that needs the job for nothing else.
///
/// # Errors
/// The errors of [`Job::parse`] and [`needs()`].
pub fn needs_of_input<'i>(input: impl Into<JobInput<'i>>) -> Result<JobNeeds, Refusal> {
    needs(&Job::parse(input)?)
}

/// Parses and plans a job, for a caller that plans it once.
///
/// # Errors
/// The errors of [`Job::parse`] and [`plan()`].
pub fn plan_input<'i>(
    input: impl Into<JobInput<'i>>,
    snapshot: &WorkspaceSnapshot,
    options: &PlanOptions,
) -> Result<Plan, Refusal> {
    plan(&Job::parse(input)?, snapshot, options)
}
