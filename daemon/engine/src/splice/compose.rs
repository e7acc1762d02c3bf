//! Composes two lists of splices: from the content before the first list to the content after the second. It needs no
//! content, since each byte that it reads is part of a splice.

use crate::Splice;
use crate::cut::Cut;

/// A range of the middle content that a splice of the first list made or one of the second removes.
struct SpliceGroup {
    /// The range in the middle content.
    start: usize,
    end: usize,
    first: Vec<usize>,
    second: Vec<usize>,
}

/// Returns the net splices of `first` (before → middle) and `second` (middle → after), or `None` if the lists do not
/// fit together.
pub(crate) fn compose(first: &[Splice], second: &[Splice]) -> Option<Vec<Splice>> {
    let mut net = Vec::new();
    // The offset of the middle content relative to the content before, up to the current group.
    let mut shift = 0i64;
    for group in groups(first, second) {
        let start = group.start as i64;
        let middle = middle(&group, first, second, shift)?;
        let old = rebuild(&group, &middle, first, shift, true)?;
        let new = rebuild(&group, &middle, second, shift, false)?;
        if old != new {
            net.push(Splice { at: u64::try_from(start - shift).ok()?, old, new });
        }
        for splice in group.first.iter().filter_map(|i| first.get(*i)) {
            shift += splice.new.len() as i64 - splice.old.len() as i64;
        }
    }
    Some(net)
}

/// Returns the ranges of the middle content: those that `first` made and those that `second` removes.
fn ranges(first: &[Splice], second: &[Splice]) -> Vec<(usize, usize, bool, usize)> {
    let mut shift = 0i64;
    let mut list = Vec::with_capacity(first.len() + second.len());
    for (i, splice) in first.iter().enumerate() {
        let start = usize::try_from(splice.at as i64 + shift).unwrap_or(0);
        list.push((start, start + splice.new.len(), true, i));
        shift += splice.new.len() as i64 - splice.old.len() as i64;
    }
    list.extend(
        second.iter().enumerate().map(|(i, s)| (s.at as usize, s.at as usize + s.old.len(), false, i)),
    );
    list.sort_by_key(|(start, end, made, i)| (*start, *end, !*made, *i));
    list
}

fn groups(first: &[Splice], second: &[Splice]) -> Vec<SpliceGroup> {
    let mut groups: Vec<SpliceGroup> = Vec::new();
    for (start, end, made, i) in ranges(first, second) {
        if groups.last().is_none_or(|group| group.end < start) {
            groups.push(SpliceGroup { start, end, first: Vec::new(), second: Vec::new() });
        }
        if let Some(group) = groups.last_mut() {
            group.end = group.end.max(end);
            if made { group.first.push(i) } else { group.second.push(i) }
        }
    }
    groups
}

/// Returns the middle content of a group.
fn middle(group: &SpliceGroup, first: &[Splice], second: &[Splice], shift: i64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; group.end - group.start];
    for splice in group.second.iter().map(|i| second.get(*i)) {
        let splice = splice?;
        let at = (splice.at as usize).checked_sub(group.start)?;
        bytes.get_mut(at..at + splice.old.len())?.copy_from_slice(&splice.old);
    }
    let mut shift = shift;
    for splice in group.first.iter().map(|i| first.get(*i)) {
        let splice = splice?;
        let at = usize::try_from(splice.at as i64 + shift).ok()?.checked_sub(group.start)?;
        let made = bytes.get_mut(at..at + splice.new.len())?;
        made.copy_from_slice(&splice.new);
        shift += splice.new.len() as i64 - splice.old.len() as i64;
    }
    Some(bytes)
}

/// Returns the content of a group after the splices of the second list, or before those of the first list with `undo`.
fn rebuild(
    group: &SpliceGroup,
    middle: &[u8],
    splices: &[Splice],
    mut shift: i64,
    undo: bool,
) -> Option<Vec<u8>> {
    let list = if undo { &group.first } else { &group.second };
    let mut out = Vec::new();
    let mut from = 0;
    for splice in list.iter().map(|i| splices.get(*i)) {
        let splice = splice?;
        let (start, width, text) = if undo {
            (usize::try_from(splice.at as i64 + shift).ok()?, splice.new.len(), &splice.old)
        } else {
            (splice.at as usize, splice.old.len(), &splice.new)
        };
        let at = start.checked_sub(group.start)?;
        out.extend_from_slice(middle.cut(from..at));
        out.extend_from_slice(text);
        from = at + width;
        shift += splice.new.len() as i64 - splice.old.len() as i64;
    }
    out.extend_from_slice(middle.cut(from..middle.len()));
    Some(out)
}
