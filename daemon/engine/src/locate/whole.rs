//! Places made of whole lines: a quoted list of lines, compared unchanged. It never matches part of a line.

use std::ops::{ControlFlow, Range};

use crate::cut::Cut;
use crate::text::{Breaks, split_final_break};

/// The bytes that end a line in some content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineEnd {
    stop: u8,
    /// True if a `\r` before `stop` belongs to the break.
    paired: bool,
}

impl LineEnd {
    /// Returns the line ends of a file.
    pub(crate) fn of(breaks: Breaks) -> Self {
        Self { stop: breaks.stop(), paired: breaks != Breaks::Cr }
    }

    /// The line ends of folded content.
    pub(crate) const FOLDED: Self = Self { stop: b'\n', paired: false };

    fn splits(self, bytes: &[u8], at: usize) -> bool {
        self.paired && at > 0 && bytes.get(at - 1) == Some(&b'\r') && bytes.get(at) == Some(&b'\n')
    }

    fn begins(self, bytes: &[u8], at: usize) -> bool {
        at == 0 || (bytes.get(at - 1) == Some(&self.stop) && !self.splits(bytes, at))
    }

    /// Returns true if `at..stop` consists of whole lines. `blank_last` means that the last line is blank; such a
    /// line counts only with its break.
    fn bounds(self, bytes: &[u8], at: usize, stop: usize, blank_last: bool) -> bool {
        let closed = self.ends(bytes, stop) || (stop == bytes.len() && !blank_last);
        closed && self.begins(bytes, at)
    }

    fn ends(self, bytes: &[u8], at: usize) -> bool {
        match bytes.cut(at..bytes.len()) {
            [b'\r', b'\n', ..] if self.paired => true,
            [first, ..] => *first == self.stop && !self.splits(bytes, at),
            [] => false,
        }
    }
}

/// Looks at one hit of the lines' text.
pub(crate) type VisitHit<'c> = &'c mut dyn FnMut(usize) -> ControlFlow<()>;

/// Visits the runs of lines that equal the list `old`, whose breaks are those of `breaks`. The ranges exclude the
/// last line's break. `hits` visits the places of the text of the lines, overlapping ones too.
pub(crate) fn each(
    content: &str,
    end: LineEnd,
    (old, breaks): (&str, Breaks),
    overlapping: bool,
    visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
    hits: impl FnOnce(&str, VisitHit<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let bytes = content.as_bytes();
    let (lines, _) = split_final_break(old, breaks);
    let blank_last = blank_last(lines, breaks);
    let mut taken = 0;
    let mut check = |at: usize| {
        let stop = at + lines.len();
        if at < taken || !end.bounds(bytes, at, stop, blank_last) {
            return ControlFlow::Continue(());
        }
        if !overlapping {
            taken = stop + 1;
        }
        visit(at..stop)
    };
    if lines.is_empty() {
        check(0)?;
        return memchr::memchr_iter(end.stop, bytes).try_for_each(|at| check(at + 1));
    }
    // Hits that do not begin a line must not hide overlapping ones that do.
    hits(lines, &mut check)
}

/// Returns the run of lines that equals the list `old` and starts at an offset, as [`each`] visits it.
pub(crate) fn at(
    content: &str,
    end: LineEnd,
    (old, breaks): (&str, Breaks),
    at: usize,
) -> Option<Range<usize>> {
    let (lines, _) = split_final_break(old, breaks);
    let stop = at + lines.len();
    let stands = content.get(at..stop) == Some(lines)
        && end.bounds(content.as_bytes(), at, stop, blank_last(lines, breaks));
    stands.then_some(at..stop)
}

/// Returns true if the last of some lines is blank.
fn blank_last(lines: &str, breaks: Breaks) -> bool {
    lines.is_empty() || !split_final_break(lines, breaks).1.is_empty()
}
