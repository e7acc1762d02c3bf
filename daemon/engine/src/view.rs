//! Shows a file to a reader. It never fails because of the content: a file that is not text is shown as bytes.

use std::ops::Range;

use editd_types::FilePath;

use crate::cut::Cut;
use crate::refusal::{malformed, out_of_range};
use crate::text::Text;
use crate::{PlanOptions, Refusal};

/// A file or a part of it, as a reader sees it.
#[derive(Clone, Debug)]
pub struct FileView {
    /// The decoded text without BOM; `None` if the file is not text that editd edits.
    pub text: Option<String>,
    /// The bytes, if the file is not text.
    pub bytes: Option<Vec<u8>>,
    /// The number of lines of the whole file.
    pub lines: u64,
    /// The 1-based number of the first line of `text`.
    pub first_line: u64,
    /// The encoding: `utf-8`, `utf-16le`, `utf-16be`, a label, or `binary`.
    pub encoding: String,
    /// The line ending: `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub line_ending: String,
    /// True if the file has a BOM.
    pub bom: bool,
}

/// Returns the text of a file or of some of its lines, with the number of its lines, its encoding and its line ending.
/// `lines` are the first and the last line, 1-based and inclusive; a last line beyond the end means the end.
///
/// # Errors
/// `malformed` if the range ends before it starts, `out_of_range` if it starts outside the file.
pub fn view(
    bytes: &[u8],
    lines: Option<(u64, u64)>,
    path: &FilePath,
    options: &PlanOptions,
) -> Result<FileView, Refusal> {
    let Ok(text) = Text::read(bytes, options.label(path)) else {
        return Ok(FileView {
            text: None,
            bytes: Some(bytes.to_vec()),
            lines: 0,
            first_line: 1,
            encoding: "binary".to_owned(),
            line_ending: "none".to_owned(),
            bom: false,
        });
    };
    let total = text.lines() as u64;
    let (first, last) = lines.unwrap_or((1, total));
    if lines.is_some() && last < first {
        return Err(malformed(format!("lines {first} to {last}: the last lies before the first")));
    }
    if first == 0 || first > total.max(1) {
        let has = match total {
            0 => "is empty; there is nothing to show".to_owned(),
            1 => "has one; ask for line 1".to_owned(),
            _ => format!("has {total} lines; ask for 1 to {total}"),
        };
        let message = format!("line {first} does not lie in the file, which {has}");
        return Err(Box::new(out_of_range(message, total).at(path)));
    }
    let range = if lines.is_none() { 0..text.len() } else { text.line_range((first, last.min(total))) };
    Ok(part(&text, range, first))
}

/// Returns a part of a text that begins in line `first`.
pub(crate) fn part(text: &Text<'_>, range: Range<usize>, first: u64) -> FileView {
    FileView {
        text: Some(text.content.cut(range).to_owned()),
        bytes: None,
        lines: text.lines() as u64,
        first_line: first,
        encoding: text.encoding.name(),
        line_ending: text.ending_name().to_owned(),
        bom: text.bom > 0,
    }
}
