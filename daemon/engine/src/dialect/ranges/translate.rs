//! Translates files and ranges into native entries, one for each file. It reads no file.

use std::collections::HashMap;

use editd_types::{EditPosition, FileEdit, FileEntry, FilePath};

use super::header::RangePlace;
use super::parse::{FileSection, RangeEdit, RangeFileChange, marker, parse};
use super::reply::{FileRanges, RangesReply};
use crate::Refusal;
use crate::dialect::entries::edit;
use crate::dialect::{Dialect, PayloadContext, PayloadJob, PayloadRequest, PayloadSample, Translation};
use crate::refusal::{malformed, on_line};

/// The dialect.
pub(in crate::dialect) struct Ranges;

impl Dialect for Ranges {
    fn name(&self) -> &'static str {
        "ranges"
    }

    fn sentence(&self) -> &'static str {
        "New lines below `@@ PATH VERSION` and `@@ 10-12`, for callers that see line numbers; the fewest tokens."
    }

    fn recognises(&self, payload: &PayloadSample<'_>) -> bool {
        matches!(payload, PayloadSample::Text(text) if marker(text).is_some())
    }

    fn translate(&self, payload: &str, setting: &PayloadContext<'_>) -> Result<Translation, Refusal> {
        let mut files = RangeEntries::default();
        for section in parse(payload)? {
            let line = section.line;
            files.add(section, setting).map_err(|refusal| on_line(line, refusal))?;
        }
        let request = PayloadRequest::Job(PayloadJob { files: files.entries, ..PayloadJob::default() });
        Ok(Translation {
            dialect: self.name(),
            request,
            reply: Box::new(RangesReply { files: files.ranges }),
        })
    }
}

/// The entries so far.
#[derive(Default)]
struct RangeEntries {
    entries: Vec<FileEntry>,
    ranges: Vec<FileRanges>,
    known: HashMap<FilePath, usize>,
}

impl RangeEntries {
    fn add(&mut self, section: FileSection<'_>, setting: &PayloadContext<'_>) -> Result<(), Refusal> {
        let path = setting.path_or(Some(section.path))?;
        let again =
            self.known.get(&path).and_then(|at| self.entries.get_mut(*at).zip(self.ranges.get_mut(*at)));
        match (section.change, again) {
            (RangeFileChange::Edit(base, ranges), Some((entry, known)))
                if entry.base.as_ref() == Some(&base) =>
            {
                known.lines.extend(ranges.iter().map(|range| range.line));
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

    fn open(&mut self, path: FilePath, line: u64, change: RangeFileChange) {
        let (base, edits, lines) = match change {
            RangeFileChange::Edit(base, ranges) => {
                let lines = ranges.iter().map(|range| range.line).collect();
                (Some(base), ranges.into_iter().map(native).collect(), lines)
            }
            RangeFileChange::New(text) => {
                (None, vec![FileEdit { text: Some(closed(text)), ..edit("create") }], vec![line])
            }
            RangeFileChange::Delete(base) => (Some(base), vec![edit("delete")], vec![line]),
        };
        self.known.insert(path.clone(), self.entries.len());
        self.ranges.push(FileRanges { path: path.clone(), lines });
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

/// Returns lines of a file, of which the last ends as the others do.
fn closed(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
