//! Parses a `ranges` text into files with their ranges. It reads no file.

use std::ops::Range;

use super::header::{FORMS, Header, HeaderFault, RangePlace, read};
use crate::Refusal;
use crate::limits;
use crate::refusal::line_error;

/// A file that a header opens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FileSection<'p> {
    /// The line of its header.
    pub(super) line: u64,
    /// Its path.
    pub(super) path: &'p str,
    /// The change of the file.
    pub(super) change: RangeFileChange,
}

/// The change of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RangeFileChange {
    /// Ranges of the version change.
    Edit(String, Vec<RangeEdit>),
    /// Creates the file with this content.
    New(String),
    /// Deletes the file, if it has this version.
    Delete(String),
}

/// A range of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RangeEdit {
    /// The line of its header.
    pub(super) line: u64,
    /// The lines of the file.
    pub(super) place: RangePlace,
    /// The new lines.
    pub(super) text: String,
}

/// Returns the marker of a text: the run of `@` of its first line, if that line is the header of a file.
pub(super) fn marker(text: &str) -> Option<&str> {
    let first = text.lines().find(|line| !line.trim().is_empty() && !is_fence(line))?;
    let run = first.len() - first.trim_start_matches('@').len();
    let (marker, rest) = first.split_at_checked(run)?;
    let opens = |header| !matches!(header, Header::Range(_));
    (run >= 2 && rest.starts_with(' ') && read(rest).is_ok_and(opens)).then_some(marker)
}

/// Reads a text.
///
/// # Errors
/// `malformed` with the line and the form that is needed there.
pub(super) fn parse(text: &str) -> Result<Vec<FileSection<'_>>, Refusal> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let inner = unfenced(&lines)?;
    let first = (inner.start as u64).saturating_add(1);
    let mut reader = RangeParser { marker: "", files: Vec::new() };
    for (number, line) in (first..).zip(lines.get(inner).unwrap_or_default()) {
        reader.line(number, line)?;
    }
    if let Some(file) = reader.files.last() {
        file.check_last()?;
    } else {
        return Err(line_error(
            1,
            format!("there is no header; begin with `@@ PATH VERSION` (headers: {FORMS})"),
        ));
    }
    Ok(reader.files)
}

/// Returns the lines inside the fence around the text, if there is one.
fn unfenced(lines: &[&str]) -> Result<Range<usize>, Refusal> {
    let is_text = |line: &&&str| !line.trim().is_empty();
    let Some(first) = lines.iter().position(|line| is_text(&line)) else { return Ok(0..0) };
    let last = lines.iter().rposition(|line| is_text(&line)).unwrap_or(first);
    match lines.get(first) {
        Some(line) if is_fence(line) => match lines.get(last) {
            Some(closing) if last > first && is_fence(closing) => Ok(first + 1..last),
            _ => Err(line_error(first as u64 + 1, "the fence is not closed; close it, or leave it out")),
        },
        _ => Ok(first..lines.len()),
    }
}

fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

struct RangeParser<'p> {
    /// The marker; empty before the first header.
    marker: &'p str,
    files: Vec<FileSection<'p>>,
}

impl<'p> RangeParser<'p> {
    fn line(&mut self, number: u64, line: &'p str) -> Result<(), Refusal> {
        if self.marker.is_empty() {
            let run = line.len() - line.trim_start_matches('@').len();
            match line.split_at_checked(run) {
                Some((marker, _)) if run >= 2 => self.marker = marker,
                _ if line.trim().is_empty() => return Ok(()),
                _ => {
                    return Err(line_error(
                        number,
                        format!("{} is no header; begin with `@@ PATH VERSION`", excerpt(line)),
                    ));
                }
            }
        }
        match line.strip_prefix(self.marker) {
            Some(rest) => self.header(number, line, rest),
            None => self.content(number, line),
        }
    }

    fn header(&mut self, number: u64, line: &str, rest: &'p str) -> Result<(), Refusal> {
        let header = match rest.strip_prefix([' ', '\t']) {
            Some(rest) => read(rest),
            None => Err(HeaderFault::Form),
        };
        let header = header.map_err(|fault| line_error(number, self.fault(fault, line)))?;
        if !matches!(header, Header::Range(_))
            && let Some(file) = self.files.last()
        {
            file.check_last()?;
        }
        let change = match header {
            Header::Range(place) => return self.range(number, place),
            Header::File(path, base) => (path, RangeFileChange::Edit(base, Vec::new())),
            Header::NewFile(path) => (path, RangeFileChange::New(String::new())),
            Header::DeletedFile(path, base) => (path, RangeFileChange::Delete(base)),
        };
        self.files.push(FileSection { line: number, path: change.0, change: change.1 });
        Ok(())
    }

    fn range(&mut self, number: u64, place: RangePlace) -> Result<(), Refusal> {
        let Some(file) = self.files.last_mut() else {
            return Err(line_error(
                number,
                "a range comes before the first file; begin with `@@ PATH VERSION`",
            ));
        };
        let path = file.path;
        if matches!(&file.change, RangeFileChange::Edit(_, ranges) if !ranges.is_empty()) {
            file.check_last()?;
        }
        match &mut file.change {
            RangeFileChange::Edit(_, ranges) => {
                ranges.push(RangeEdit { line: number, place, text: String::new() });
                Ok(())
            }
            RangeFileChange::New(_) => Err(line_error(
                number,
                format!("{path} is new and has no ranges; put its lines below `{path} new`"),
            )),
            RangeFileChange::Delete(_) => {
                Err(line_error(number, format!("{path} is deleted and has no ranges")))
            }
        }
    }

    fn content(&mut self, number: u64, line: &str) -> Result<(), Refusal> {
        let blank = line.trim().is_empty();
        let Some(file) = self.files.last_mut() else { return Ok(()) };
        match &mut file.change {
            RangeFileChange::New(text) => text.push_str(line),
            RangeFileChange::Edit(_, ranges) => match ranges.last_mut() {
                Some(range) if !matches!(range.place, RangePlace::Delete(..)) => range.text.push_str(line),
                Some(_) | None if blank => {}
                Some(range) => {
                    let header = range.line;
                    return Err(line_error(
                        number,
                        format!(
                            "the range on line {header} says `delete`, and a line follows; leave one out"
                        ),
                    ));
                }
                None => {
                    return Err(line_error(
                        number,
                        format!(
                            "a line comes before the first range of {}; name the range: {} 10-12",
                            file.path, self.marker
                        ),
                    ));
                }
            },
            RangeFileChange::Delete(_) if blank => {}
            RangeFileChange::Delete(_) => {
                return Err(line_error(
                    number,
                    format!("{} is deleted, and a line follows; leave one out", file.path),
                ));
            }
        }
        Ok(())
    }

    /// Returns the message for a line that begins with the marker and is no header.
    fn fault(&self, fault: HeaderFault, line: &str) -> String {
        let (line, marker) = (excerpt(line), self.marker);
        match fault {
            HeaderFault::Form => format!(
                "{line} begins with `{marker}` and is no header ({FORMS}); if it is content, write all headers with \
                 `{marker}@`"
            ),
            HeaderFault::Version => {
                format!(
                    "{line} has no version; write `{marker} PATH VERSION`, or `{marker} PATH new` for a new file (if it is content, write all headers with `{marker}@`)"
                )
            }
            HeaderFault::Backwards => format!("{line} ends before it begins; write `{marker} FIRST-LAST`"),
            HeaderFault::Zero => format!("{line} names line 0; lines count from 1"),
        }
    }
}

impl FileSection<'_> {
    /// Refuses a last range, or a file, without content: the text may have been cut off there.
    fn check_last(&self) -> Result<(), Refusal> {
        let RangeFileChange::Edit(_, ranges) = &self.change else { return Ok(()) };
        match ranges.last() {
            None => Err(line_error(
                self.line,
                format!("no range of {} follows; write `@@ 10-12` below it", self.path),
            )),
            Some(range) if range.text.is_empty() && !matches!(range.place, RangePlace::Delete(..)) => {
                let form = match range.place {
                    RangePlace::Replace(..) => "; to remove the lines, write `delete` behind the numbers",
                    _ => "; write them below it",
                };
                Err(line_error(range.line, format!("no lines follow the range{form}")))
            }
            Some(_) => Ok(()),
        }
    }
}

fn excerpt(line: &str) -> String {
    let line: String = line.trim_end().chars().take(limits::EXCERPT).collect();
    format!("`{line}`")
}
