//! The lines in which a chunk is searched, and the search: a small region is searched alone, a large one together with
//! the other edits of the file. It decides nothing about the results.

use std::ops::{ControlFlow, Range};

use crate::Refusal;
use crate::cut::Cut;
use crate::locate::{self, Adapted, Haystack, Needle, Quote, ReadingConflict, Rung};
use crate::op::EditContext;
use crate::refusal::out_of_range;
use crate::text::{Text, split_final_break};

use super::ChunkCheck;

/// Bytes of a region that are read for one chunk alone, whatever else is known about the file: ten thousand chunks
/// read them in a second.
const SMALL: usize = 64 * 1024;

/// A range of lines.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// First and last line; an empty file has neither.
    pub(crate) lines: (u64, u64),
    /// The bytes of these lines, including the breaks.
    pub(crate) bytes: Range<usize>,
    /// The last offset at which a window inside the region may end: before the last line's break.
    stop: usize,
}

impl Region {
    /// Returns the region of the whole file.
    pub(crate) fn whole(text: &Text<'_>) -> Self {
        Self::new(text, (1, text.lines() as u64), 0..text.len())
    }

    fn new(text: &Text<'_>, lines: (u64, u64), bytes: Range<usize>) -> Self {
        let inside = text.content.cut(bytes.clone());
        let stop = bytes.start + split_final_break(inside, text.breaks).0.len();
        Self { lines, bytes, stop }
    }

    /// Returns the region of the lines that an edit names, or of the whole file if it names none.
    ///
    /// # Errors
    /// `out_of_range` with the number of lines.
    pub(crate) fn of(text: &Text<'_>, lines: Option<(u64, u64)>) -> Result<Self, Refusal> {
        let whole = Self::whole(text);
        let Some((first, last)) = lines else { return Ok(whole) };
        if last > whole.lines.1 {
            let count = whole.lines.1;
            let message =
                format!("lines {first} to {last} do not lie in the file, which has {count}; read it again");
            return Err(ChunkCheck::Boundary.refuses(out_of_range(message, count)));
        }
        let at = |line: u64| text.line_start(usize::try_from(line).unwrap_or(usize::MAX));
        Ok(Self::new(text, (first, last), at(first)..at(last + 1)))
    }

    /// Returns true if a range of lines, without its last break, lies in the region.
    pub(crate) fn holds(&self, range: &Range<usize>) -> bool {
        self.bytes.start <= range.start && range.end <= self.stop
    }

    /// Searches the region; `needle` is the text that is looked up first.
    pub(crate) fn look<T>(
        &self,
        scene: &EditContext<'_>,
        needle: Needle<'_>,
        with: impl FnOnce(&RegionSearch<'_, '_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let whole = self.bytes.len() == scene.text.len();
        let small = self.bytes.len() <= SMALL;
        if whole || !(small || scene.hay.reads_again(needle)) {
            scene.pay_search(needle)?;
            return with(&RegionSearch { region: self, hay: scene.hay, base: 0 });
        }
        scene.pay(self.bytes.len())?;
        let part = scene.text.part(self.bytes.clone());
        let hay = Haystack::new(&part, scene.budget, Vec::new());
        with(&RegionSearch { region: self, hay: &hay, base: self.bytes.start })
    }
}

/// A region and the search in it; all ranges are those of the file.
pub(crate) struct RegionSearch<'f, 'h> {
    region: &'f Region,
    hay: &'f Haystack<'h>,
    /// The offset in the file at which the searched text starts.
    base: usize,
}

impl RegionSearch<'_, '_> {
    /// Visits the candidates of one rung that lie inside the region. Returns false if this version lacks the rung.
    pub(crate) fn each(
        &self,
        quote: &Quote<'_>,
        rung: Rung,
        visit: &mut dyn FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        locate::candidates(self.hay, quote, rung, &mut |range| {
            let range = range.start + self.base..range.end + self.base;
            match range.start > self.region.stop {
                true => ControlFlow::Break(()),
                false if self.region.holds(&range) => visit(range),
                false => ControlFlow::Continue(()),
            }
        })
    }

    /// Returns the new lines as the rung adapts them for a window at a range, or `None` if the rung does not match
    /// there.
    ///
    /// # Errors
    /// A conflict if the new lines could be indented in several ways.
    pub(crate) fn adapt(
        &self,
        quote: &Quote<'_>,
        rung: Rung,
        range: &Range<usize>,
    ) -> Result<Option<Adapted>, ReadingConflict> {
        let (Some(start), Some(end)) = (range.start.checked_sub(self.base), range.end.checked_sub(self.base))
        else {
            return Ok(None);
        };
        let adapted = locate::adapt(self.hay, quote, rung, &(start..end));
        adapted.map_err(|conflict| ReadingConflict { at: conflict.at + self.base, ..conflict })
    }
}
