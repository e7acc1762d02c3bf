//! Files of a diff as file entries: one for each section, its hunks each near the line that its header names. It never
//! looks at a file.

use editd_types::{EditPosition, ErrorCode, FileEdit, FileMode, FilePath, RequestError};

use super::header::Mode;
use super::mark::{Marked, unmarked};
use super::operation::{FileOperation, file_operation};
use super::order::{PatchStep, steps};
use super::parse::{DiffHunk, FilePatch, fault, files, fits};
use super::reply::{FileReply, UnifiedDiffReply, refused};
use crate::Refusal;
use crate::dialect::entries::{Entries, edit};
use crate::dialect::{Dialect, PayloadContext, PayloadJob, PayloadRequest, PayloadSample, Translation};
use crate::limits;

/// The dialect.
pub(in crate::dialect) struct UnifiedDiff;

impl Dialect for UnifiedDiff {
    fn name(&self) -> &'static str {
        "unified-diff"
    }

    fn sentence(&self) -> &'static str {
        "A unified diff; its context is located, so that wrong line numbers and counts do no harm."
    }

    fn recognises(&self, payload: &PayloadSample<'_>) -> bool {
        matches!(payload, PayloadSample::Text(text) if fits(text))
    }

    fn translate(&self, payload: &str, setting: &PayloadContext<'_>) -> Result<Translation, Refusal> {
        let mut gathered = DiffEntries::default();
        let mut sections = Vec::new();
        for file in files(payload, setting.path.is_some())? {
            let line = file.line;
            let operation = file_operation(&file, setting).map_err(|refusal| at_line(refusal, line))?;
            sections.push((file, operation));
        }
        for step in steps(sections) {
            gathered.step(step)?;
        }
        let job = PayloadJob {
            files: gathered.entries.into_files(),
            warnings: gathered.warnings,
            ..PayloadJob::default()
        };
        let reply = Box::new(UnifiedDiffReply { entries: gathered.replies });
        Ok(Translation { dialect: self.name(), request: PayloadRequest::Job(job), reply })
    }

    fn format_refusal(&self, error: &RequestError) -> String {
        refused(error)
    }
}

fn at_line(mut refusal: Refusal, line: u64) -> Refusal {
    refusal.line = refusal.line.or(Some(line));
    refusal
}

/// The entries so far, and the data for the reply.
#[derive(Default)]
struct DiffEntries {
    entries: Entries,
    replies: Vec<FileReply>,
    warnings: Vec<String>,
}

impl DiffEntries {
    /// Adds a section as a separate entry: a second section for a path applies to the result of the first.
    fn alone(&mut self, path: &FilePath, reply: FileReply, edits: Vec<FileEdit>) {
        self.replies.push(reply);
        self.entries.alone(path.clone(), edits);
    }

    fn step(&mut self, step: PatchStep<'_>) -> Result<(), Refusal> {
        match step {
            PatchStep::Copy { from, to, waits } => {
                let reply = if waits { FileReply::aside(&from) } else { FileReply::copied(&from, &to) };
                self.alone(&from, reply, vec![FileEdit { to: Some(to), ..edit("copy") }]);
            }
            PatchStep::Aside { from, to } => {
                let reply = FileReply::aside(&from);
                self.alone(&from, reply, vec![FileEdit { to: Some(to), ..edit("rename") }]);
            }
            PatchStep::Section(file, operation, waits) => {
                let line = file.line;
                self.take(*file, operation, waits).map_err(|refusal| at_line(refusal, line))?;
            }
        }
        Ok(())
    }

    /// Adds a section; `waits` is the name under which its file is kept meanwhile.
    fn take(
        &mut self,
        file: FilePatch<'_>,
        operation: FileOperation,
        waits: Option<FilePath>,
    ) -> Result<(), Refusal> {
        if [file.comes, file.goes, file.mode].contains(&Some(Mode::Other)) {
            let what = "links and submodules cannot be edited; change this one with another tool";
            return Err(fault(file.line, ErrorCode::Unsupported, what));
        }
        let mode = match file.mode.or(file.comes) {
            Some(Mode::File(bits)) => {
                Some(FileEdit { mode: Some(FileMode::Octal(format!("{bits:o}"))), ..edit("chmod") })
            }
            _ => None,
        };
        match operation {
            FileOperation::Create(path) => {
                let mut edits = vec![FileEdit { text: Some(content(&file)?), ..edit("create") }];
                edits.extend(mode.filter(|_| file.comes != Some(Mode::File(0o644))));
                self.alone(&path, FileReply::created(&path), edits);
            }
            FileOperation::Fill(path) => {
                let reply = FileReply::changed(&path, &file.hunks);
                let edits = file.hunks.into_iter().map(|hunk| whole(hunk.body.text)).chain(mode).collect();
                self.alone(&path, reply, edits);
            }
            FileOperation::Delete(path) => self.delete(&path, &file)?,
            FileOperation::Copy { from, to } => match waits {
                Some(waits) => self.change(&waits, (&from, Some(to)), file.hunks, mode)?,
                None if file.hunks.is_empty() && mode.is_none() => {}
                None => self.change(&to, (&to, None), file.hunks, mode)?,
            },
            FileOperation::Change(path) => {
                if file.hunks.is_empty() && mode.is_none() {
                    let what = "the diff has no change of this file; leave it out, or send its hunks";
                    return Err(fault(file.line, ErrorCode::Malformed, what));
                }
                self.change(&path, (&path, None), file.hunks, mode)?;
            }
            FileOperation::Rename { from, to } => {
                let at = waits.unwrap_or_else(|| from.clone());
                self.change(&at, (&from, Some(to)), file.hunks, mode)?;
            }
        }
        Ok(())
    }

    /// Adds a deletion: the diff must quote the whole file, so that a section without hunks means an empty file.
    fn delete(&mut self, path: &FilePath, file: &FilePatch<'_>) -> Result<(), Refusal> {
        let (reply, edit_of_all) = match file.hunks.as_slice() {
            [] => (FileReply::quiet(path), whole(String::new())),
            [hunk] => {
                self.warn(hunk);
                (FileReply::changed(path, &file.hunks), whole_of(hunk)?)
            }
            _ => {
                let what = "the deletion of a file is one hunk; send all of its lines";
                return Err(fault(file.line, ErrorCode::Malformed, what));
            }
        };
        self.alone(path, reply, vec![edit_of_all]);
        self.alone(path, FileReply::deleted(path), vec![edit("delete")]);
        Ok(())
    }

    /// Adds the changes of the file at `path`; in the diff it has the first name, and afterwards the second.
    fn change(
        &mut self,
        path: &FilePath,
        (from, to): (&FilePath, Option<FilePath>),
        hunks: Vec<DiffHunk>,
        mode: Option<FileEdit>,
    ) -> Result<(), Refusal> {
        let reply = FileReply::changed(path, &hunks).known_as(from, to.clone());
        hunks.iter().for_each(|hunk| self.warn(hunk));
        let mut edits = hunks.into_iter().map(native).collect::<Result<Vec<_>, _>>()?;
        // A diff lists its hunks from the top of the file, unless their line numbers say otherwise.
        for at in 1..edits.len() {
            let near = |at: usize| edits.get(at).and_then(|edit| edit.near).unwrap_or(0);
            let falls = near(at) > 0 && near(at) < near(at - 1);
            if let Some(edit) = edits.get_mut(at).filter(|_| !falls) {
                edit.in_order = Some(true);
            }
        }
        edits.extend(mode);
        edits.extend(to.map(|to| FileEdit { to: Some(to), ..edit("rename") }));
        self.alone(path, reply, edits);
        Ok(())
    }

    /// Warns of a header whose counts differ from the lines.
    fn warn(&mut self, hunk: &DiffHunk) {
        let Some(numbers) = hunk.numbers else { return };
        let (stated, counted) = ((numbers.old.1, numbers.new.1), hunk.body.counts);
        if stated != counted && self.warnings.len() < limits::BLOCKS_DETAILED {
            self.warnings.push(format!(
                "line {}: the header counts {} and {} lines, and the hunk has {} and {}; the lines of the hunk were used",
                hunk.line, stated.0, stated.1, counted.0, counted.1
            ));
        }
    }
}

/// Returns the content of a created file.
fn content(file: &FilePatch<'_>) -> Result<String, Refusal> {
    let mut text = String::new();
    for hunk in &file.hunks {
        let mut last = true;
        for line in hunk.body.text.split_inclusive('\n') {
            match line.strip_prefix('+') {
                Some(line) => {
                    text.push_str(line);
                    last = false;
                }
                None if line.starts_with('\\') && !last => {
                    text.pop();
                    last = true;
                }
                None => {
                    let what = "a created file has only lines with `+`; to change an existing file, name it on both sides";
                    return Err(fault(hunk.line, ErrorCode::Malformed, what));
                }
            }
        }
    }
    Ok(text)
}

/// Returns the hunk of a deletion: it must be the whole file.
fn whole_of(hunk: &DiffHunk) -> Result<FileEdit, Refusal> {
    if hunk.body.counts.0 == 0 || hunk.body.counts.1 > 0 {
        let what = "a deleted file has only lines with `-`; send all of its lines";
        return Err(fault(hunk.line, ErrorCode::Malformed, what));
    }
    // The byte order mark is removed with the file.
    Ok(whole(hunk.body.text.replacen("-\u{feff}", "-", usize::from(hunk.body.text.starts_with("-\u{feff}")))))
}

/// Returns a hunk whose old lines are the whole file.
fn whole(text: String) -> FileEdit {
    FileEdit { text: Some(text), all: Some(true), ..edit("hunk") }
}

fn native(hunk: DiffHunk) -> Result<FileEdit, Refusal> {
    let near = hunk.numbers.map(|numbers| numbers.old.0);
    let text = if near.is_some_and(|line| line <= 1) {
        match unmarked(&hunk.body.text) {
            Marked::Kept(text) => text.into_owned(),
            Marked::Changed => {
                let what =
                    "a diff cannot add or remove a byte order mark; write it on both sides, or on neither";
                return Err(fault(hunk.line, ErrorCode::Unsupported, what));
            }
        }
    } else {
        hunk.body.text
    };
    let base = FileEdit { text: Some(text), eol: Some("literal".to_owned()), ..edit("hunk") };
    if hunk.body.counts.0 > 0 {
        return Ok(FileEdit { near: near.filter(|line| *line > 0), ..base });
    }
    match hunk.numbers {
        Some(numbers) if numbers.old.1 == 0 => {
            Ok(FileEdit { at: Some(EditPosition::Line(numbers.old.0.saturating_add(1))), ..base })
        }
        _ => Err(fault(
            hunk.line,
            ErrorCode::Malformed,
            "the hunk quotes no line of the file; add a line of context",
        )),
    }
}
