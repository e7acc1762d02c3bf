//! From files and ranges to native entries, one for each file. It never looks at a file.

use std::collections::HashMap;

use editd_types::{EditPosition, FileEdit, FileEntry, FilePath};

use super::header::RangePlace;
use super::parse::{FileChange, FileSection, RangeEdit, marker, parse};
use super::words::{FileWords, RangeWords};
use crate::Refusal;
use crate::dialect::entries::edit;
use crate::dialect::{Asked, Dialect, Sample, Setting, Translation, Wanted};
use crate::refusal::malformed;

/// The dialect.
pub(in crate::dialect) struct Ranges;

impl Dialect for Ranges {
    fn name(&self) -> &'static str {
        "ranges"
    }

    fn sentence(&self) -> &'static str {
        "New lines below `@@ PATH VERSION` and `@@ 10-12`, for callers that see line numbers; the fewest tokens."
    }

    fn recognises(&self, payload: &Sample<'_>) -> bool {
        matches!(payload, Sample::Text(text) if marker(text).is_some())
    }

    fn translate(&self, payload: &str, setting: &Setting<'_>) -> Result<Translation, Refusal> {
        let mut files = Gathered::default();
        for section in parse(payload)? {
            let line = section.line;
            files.add(section, setting).map_err(|mut refusal| {
                refusal.line = Some(line);
                refusal
            })?;
        }
        let asked = Asked::Job(Wanted { files: files.entries, ..Wanted::default() });
        Ok(Translation { dialect: self.name(), asked, words: Box::new(RangeWords { files: files.words }) })
    }
}

/// The entries so far.
#[derive(Default)]
struct Gathered {
    entries: Vec<FileEntry>,
    words: Vec<FileWords>,
    known: HashMap<FilePath, usize>,
}

impl Gathered {
    fn add(&mut self, section: FileSection<'_>, setting: &Setting<'_>) -> Result<(), Refusal> {
        let path = setting.path_or(Some(section.path))?;
        let again =
            self.known.get(&path).and_then(|at| self.entries.get_mut(*at).zip(self.words.get_mut(*at)));
        match (section.change, again) {
            (FileChange::Edit(base, ranges), Some((entry, words))) if entry.base.as_ref() == Some(&base) => {
                words.lines.extend(ranges.iter().map(|range| range.line));
                entry.edits.extend(ranges.into_iter().map(native));
                Ok(())
            }
            (_, Some(_)) => Err(malformed(format!(
                "line {}: {path} is named twice, with different versions or purposes; name it once",
                section.line
            ))),
            (change, None) => {
                self.open(path, section.line, change);
                Ok(())
            }
        }
    }

    fn open(&mut self, path: FilePath, line: u64, change: FileChange) {
        let (base, edits, lines) = match change {
            FileChange::Edit(base, ranges) => {
                let lines = ranges.iter().map(|range| range.line).collect();
                (Some(base), ranges.into_iter().map(native).collect(), lines)
            }
            FileChange::New(text) => {
                (None, vec![FileEdit { text: Some(closed(text)), ..edit("create") }], vec![line])
            }
            FileChange::Delete(base) => (Some(base), vec![edit("delete")], vec![line]),
        };
        self.known.insert(path.clone(), self.entries.len());
        self.words.push(FileWords { path: path.clone(), lines });
        self.entries.push(FileEntry { path, base, edits, ..FileEntry::default() });
    }
}

fn native(range: RangeEdit) -> FileEdit {
    let lines =
        |start, end, text| FileEdit { start: Some(start), end: Some(end), text: Some(text), ..edit("lines") };
    match range.place {
        RangePlace::Replace(first, last) => lines(first, last, range.text),
        RangePlace::Delete(first, last) => lines(first, last, String::new()),
        RangePlace::Before(line) => lines(line, line.saturating_sub(1), range.text),
        RangePlace::End => FileEdit {
            at: Some(EditPosition::End),
            whole_lines: Some(true),
            text: Some(range.text),
            ..edit("insert")
        },
    }
}

/// Lines of a file: the last one ends as the others do.
fn closed(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
