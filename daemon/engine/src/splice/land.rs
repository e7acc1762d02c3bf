//! Computes the lines of arranged places in the new content. It changes nothing.

use super::place::Place;
use crate::text::{Text, split_final_break};

/// Calls `report` for every place, in order of its offset, with the edit and the first and last line of its text in
/// the new content. The last is one less than the first if nothing is left.
pub(crate) fn land(text: &Text<'_>, places: &[Place], mut report: impl FnMut(u32, (u64, u64))) {
    let stop = text.breaks.stop();
    let mut shift = 0_i64;
    for place in places {
        let (matched, removed, new) = (place.matched.range(), place.removed.range(), place.piece.as_str());
        let old_range = text.line_of(removed.end) - text.line_of(removed.start);
        let new_range = memchr::memchr_iter(stop, new.as_bytes()).count();
        let (first, mut last) = text.lines_of(matched.clone());
        // An insertion of whole lines before a line does not touch that line.
        let whole_lines = !split_final_break(new, text.breaks).1.is_empty();
        let between = place.lead > 0 || text.starts_line(matched.start);
        if matched.is_empty() && whole_lines && between {
            last = last.saturating_sub(1);
        }
        let completes = u64::from(place.lead > 0);
        let start = first.saturating_add_signed(shift) + completes;
        shift += new_range as i64 - old_range as i64;
        report(place.edit, (start, last.saturating_add_signed(shift)));
    }
}
