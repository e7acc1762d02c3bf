//! The line numbers by which edits name what they replace without quoting it. It looks at no file.

use editd_proto::message::{Edit, FileEntry, Position, Within};

/// Lines that an edit names by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedLines {
    /// The 1-based number of the edit within its entry.
    pub edit: u64,
    /// First and last number; `last` = `first` - 1 is the place before line `first`.
    pub lines: (u64, u64),
}

/// The lines that the edits of an entry name by number. A number beside a quotation (`near`, the `within` of a chunk)
/// names nothing: the quotation does.
pub fn named_lines(entry: &FileEntry) -> Vec<NamedLines> {
    let named = |(at, edit): (usize, &Edit)| Some(NamedLines { edit: at as u64 + 1, lines: lines(edit)? });
    entry.edits.iter().enumerate().filter_map(named).collect()
}

fn lines(edit: &Edit) -> Option<(u64, u64)> {
    match (edit.op.as_str(), &edit.at, &edit.within) {
        ("lines", ..) => Some((edit.start?, edit.end?)),
        ("insert", Some(Position::Line(line)), _) => Some((*line, line.saturating_sub(1))),
        ("substitute", _, Some(Within::Lines(lines))) => Some(*lines),
        ("symbol", _, Some(Within::Position(start))) => {
            let line = start.line.saturating_add(1);
            Some((line, line))
        }
        _ => None,
    }
}
