//! Ranges of lines, 1-based and inclusive: those that were seen, and their place after a change. Pure.

use super::lines::{SplicedContent, last_line};

/// The first and the last line of a range.
pub type LineRange = (u64, u64);

/// The most ranges that a receipt keeps; beyond that the shortest are dropped.
pub const RANGES: usize = 256;

/// Sorts ranges and joins those that overlap or touch.
pub fn union(ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    union_with(ranges, &[])
}

/// The same with ranges that were shown just now: none of those is dropped, or a refusal would ask for them forever.
pub fn union_with(mut ranges: Vec<(u64, u64)>, fresh: &[(u64, u64)]) -> Vec<(u64, u64)> {
    ranges.extend_from_slice(fresh);
    let mut joined = joined(ranges);
    let surplus = joined.len().saturating_sub(RANGES);
    if surplus == 0 {
        return joined;
    }
    let fresh = self::joined(fresh.to_vec());
    let is_old = |range: &(u64, u64)| {
        let near = fresh.get(fresh.partition_point(|(_, last)| *last < range.0));
        near.is_none_or(|(first, _)| range.1 < *first)
    };
    let old = joined.iter().enumerate().filter(|(_, range)| is_old(range));
    let mut dropped: Vec<(u64, usize)> = old.map(|(at, (first, last))| (last - first, at)).collect();
    dropped.sort_unstable();
    dropped.truncate(surplus);
    let mut dropped: Vec<usize> = dropped.into_iter().map(|(_, at)| at).collect();
    dropped.sort_unstable();
    let (mut at, mut dropped) = (0.., dropped.into_iter().peekable());
    joined.retain(|_| {
        let here = at.next();
        dropped.next_if(|next| Some(*next) == here).is_none()
    });
    joined
}

/// Sorts ranges and joins those that overlap or touch; keeps all of them.
fn joined(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.retain(|(first, last)| first <= last && *first > 0);
    ranges.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match joined.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = (*end).max(last),
            _ => joined.push((first, last)),
        }
    }
    joined
}

/// Returns ranges (sorted, joined) without some lines (sorted).
fn without(ranges: Vec<(u64, u64)>, lines: &[u64]) -> Vec<(u64, u64)> {
    let mut out = Vec::with_capacity(ranges.len());
    let mut lines = lines.iter().copied().peekable();
    for (mut first, last) in ranges {
        while let Some(line) = lines.next_if(|line| *line <= last) {
            if first < line {
                out.push((first, line - 1));
            }
            first = first.max(line + 1);
        }
        if first <= last {
            out.push((first, last));
        }
    }
    out
}

/// Returns true if every line of `wanted` is in `seen` (sorted, joined).
pub fn covers(seen: &[(u64, u64)], wanted: (u64, u64)) -> bool {
    let range = seen.get(seen.partition_point(|(_, last)| *last < wanted.1));
    range.is_some_and(|(first, _)| *first <= wanted.0)
}

/// Returns the lines, 1-based and inclusive, of a content that splices touch and `seen` (sorted, joined) does not
/// cover.
pub fn unseen(seen: &[(u64, u64)], content: &SplicedContent<'_>) -> Vec<(u64, u64)> {
    let mut lines = content.lines();
    let touched = content.splices.iter().map(|splice| {
        let starts_line = splice.old.is_empty() && lines.starts_line(splice.at);
        let first = lines.line_at(splice.at);
        let end = splice.at.saturating_add(splice.old.len() as u64);
        let last = if splice.old.is_empty() { first } else { lines.line_at(end.saturating_sub(1)) };
        (first, last - u64::from(starts_line))
    });
    uncovered_of(seen, &touched.collect::<Vec<_>>())
}

/// Returns the lines of some ranges that `seen` (sorted, joined) does not cover. A range that ends before it begins is the
/// place before a line, which is known from either of its neighbours.
pub fn uncovered_of(seen: &[(u64, u64)], ranges: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let is_known = |line: u64| covers(seen, (line, line));
    let missing = |&(first, last): &(u64, u64)| match first <= last {
        true => uncovered(seen, (first, last)),
        false if is_known(first) || last > 0 && is_known(last) => Vec::new(),
        false => vec![(first, first)],
    };
    union(ranges.iter().flat_map(missing).collect())
}

/// Returns the parts of a range that `seen` (sorted, joined) does not cover.
fn uncovered(seen: &[(u64, u64)], (first, last): (u64, u64)) -> Vec<(u64, u64)> {
    let (mut next, mut parts) = (first, Vec::new());
    for (from, to) in seen.iter().filter(|(from, to)| *to >= first && *from <= last) {
        if next < *from {
            parts.push((next, from - 1));
        }
        next = next.max(to + 1);
    }
    if next <= last {
        parts.push((next, last));
    }
    parts
}

/// Returns the lines of the new content that have text of splices, or from which splices removed text.
pub fn touched(content: &SplicedContent<'_>) -> Vec<(u64, u64)> {
    let mut lines = content.lines();
    let mut shift: i64 = 0;
    let ranges = content.splices.iter().map(|splice| {
        let first = lines.line_at(splice.at).saturating_add_signed(shift);
        let gained = lines.breaks(&splice.new);
        shift = shift.saturating_add_unsigned(gained).saturating_sub_unsigned(lines.breaks(&splice.old));
        (first, first.saturating_add(gained))
    });
    union(ranges.collect())
}

/// Returns the place of the seen lines (sorted, joined) after the splices. A line that splices touch is seen if it has no
/// text of a line that was not: neither beside a splice, nor as a copy of a line of `copied` in the new text of one.
pub fn moved(seen: &[(u64, u64)], copied: &[(u64, u64)], content: &SplicedContent<'_>) -> Vec<(u64, u64)> {
    let (mut lines, splices) = (content.lines(), content.splices);
    let mut out = Vec::with_capacity(seen.len() + splices.len());
    // The lines that have text of a line that was not seen.
    let mut unseen = Vec::new();
    let (mut shift, mut done) = (0_i64, 0);
    let mut rest: Vec<(u64, u64)> = seen.to_vec();
    rest.reverse();
    let place = |line: u64, shift: i64| line.saturating_add_signed(shift);
    let was_seen = |line: u64| covers(seen, (line, line));
    let is_copied = |first: u64, last: u64| {
        let range = copied.get(copied.partition_point(|(from, to)| *to.max(from) < first));
        range.is_some_and(|(from, _)| *from <= last)
    };
    for (index, splice) in splices.iter().enumerate() {
        let first = lines.line_at(splice.at);
        let end = splice.at.saturating_add(splice.old.len() as u64);
        let last_touched = lines.line_at(end.saturating_sub(1).max(splice.at));
        let last = lines.line_at(end);
        while let Some((from, to)) = rest.pop() {
            if to < first {
                out.push((place(from, shift), place(to, shift)));
            } else if from < first {
                out.push((place(from, shift), place(first - 1, shift)));
                rest.push((first, to));
            } else if from <= last {
                if to > last {
                    rest.push((last + 1, to));
                }
                // The lines that the splice touches are seen in their new form.
                continue;
            } else {
                rest.push((from, to));
                break;
            }
        }
        let gained = lines.breaks(&splice.new);
        let start = place(first, shift);
        out.push((start, start.saturating_add(gained)));
        if is_copied(first, last_touched) && !covers(seen, (first, last_touched)) {
            unseen.extend(start..=start.saturating_add(gained));
        } else if !was_seen(first) && lines.has_text_before((done, splice.at)) {
            unseen.push(start);
        }
        let next = splices.get(index + 1).map_or(u64::MAX, |next| next.at);
        if !was_seen(last) && lines.has_text_behind((end, next)) {
            unseen.push(start.saturating_add(gained));
        }
        done = end;
        shift = shift.saturating_add_unsigned(gained).saturating_sub_unsigned(lines.breaks(&splice.old));
    }
    out.extend(rest.into_iter().rev().map(|(from, to)| (place(from, shift), place(to, shift))));
    union(without(joined(out), &unseen))
}

/// Returns the place of the seen lines (all if there are no ranges) after a change by another writer; lines that it
/// touches are no longer seen.
pub fn kept(seen: &[(u64, u64)], content: &SplicedContent<'_>) -> Vec<(u64, u64)> {
    let whole = [(1, last_line(content.bytes))];
    let mut rest: Vec<(u64, u64)> = if seen.is_empty() { whole.to_vec() } else { seen.to_vec() };
    rest.reverse();
    let mut lines = content.lines();
    let mut out = Vec::with_capacity(rest.len() + content.splices.len());
    let mut shift: i64 = 0;
    let mut put = |from: u64, to: u64, shift: i64| {
        if from <= to {
            out.push((from.saturating_add_signed(shift), to.saturating_add_signed(shift)));
        }
    };
    for splice in content.splices {
        let first = lines.line_at(splice.at);
        let last = lines.line_at(splice.at.saturating_add(splice.old.len() as u64));
        while let Some((from, to)) = rest.pop() {
            put(from, to.min(first.saturating_sub(1)), shift);
            if to > last {
                rest.push((from.max(last.saturating_add(1)), to));
                break;
            }
        }
        shift = shift
            .saturating_add_unsigned(lines.breaks(&splice.new))
            .saturating_sub_unsigned(lines.breaks(&splice.old));
    }
    rest.into_iter().rev().for_each(|(from, to)| put(from, to, shift));
    union(out)
}

#[cfg(test)]
mod tests {
    use editd_engine::Splice;

    use super::*;

    fn unseen(seen: &[(u64, u64)], before: &[u8], splices: &[Splice]) -> Vec<(u64, u64)> {
        super::unseen(seen, &SplicedContent::new(before, splices))
    }

    fn touched(before: &[u8], splices: &[Splice]) -> Vec<(u64, u64)> {
        super::touched(&SplicedContent::new(before, splices))
    }

    fn moved(seen: &[(u64, u64)], before: &[u8], splices: &[Splice]) -> Vec<(u64, u64)> {
        super::moved(seen, &[], &SplicedContent::new(before, splices))
    }

    fn kept(seen: &[(u64, u64)], before: &[u8], splices: &[Splice]) -> Vec<(u64, u64)> {
        super::kept(seen, &SplicedContent::new(before, splices))
    }

    fn splice(at: u64, old: &str, new: &str) -> Splice {
        Splice { at, old: old.into(), new: new.into() }
    }

    #[test]
    fn neighbours_are_joined_and_nonsense_is_dropped() {
        assert_eq!(union(vec![(5, 6), (1, 2), (3, 4), (9, 8), (0, 3)]), [(1, 6)]);
    }

    #[test]
    fn too_many_ranges_lose_the_shortest_and_none_of_the_fresh_ones() {
        let apart = |count: u64, length: u64| (0..count).map(move |n| (10 * n + 1, 10 * n + length));
        let many: Vec<(u64, u64)> = apart(2000, 1).chain([(50_001, 50_002)]).collect();
        let kept = union(many.clone());
        assert_eq!(
            (kept.len(), kept.first(), kept.last()),
            (RANGES, Some(&(17_451, 17_451)), Some(&(50_001, 50_002)))
        );
        let kept = union_with(many.clone(), &[(1, 1), (3, 3), (61, 62)]);
        assert_eq!((kept.len(), kept.get(..3)), (RANGES, Some(&[(1, 1), (3, 3), (61, 62)][..])));
        assert_eq!(union_with(Vec::new(), &many), many);
    }

    #[test]
    fn lines_after_an_insertion_move_down() {
        let before = b"a\nb\nc\nd\n";
        assert_eq!(moved(&[(1, 1), (4, 4)], before, &[splice(2, "", "x\ny\n")]), [(1, 3), (6, 6)]);
        assert_eq!(moved(&[(2, 2)], before, &[splice(2, "", "x\ny\n")]), [(2, 4)]);
    }

    #[test]
    fn lines_after_a_deletion_move_up() {
        let before = b"a\nb\nc\nd\ne\nf\n";
        assert_eq!(moved(&[(5, 6)], before, &[splice(0, "a\nb\n", "")]), [(3, 4)]);
        assert_eq!(moved(&[(3, 3)], before, &[splice(0, "a\nb\n", "")]), [(1, 1)]);
    }

    #[test]
    fn a_copy_of_an_unseen_line_is_not_seen() {
        let (before, swapped) = (b"a b\nc\nd\n", [splice(0, "a b", "b a"), splice(4, "c", "x\ny")]);
        let moved = |seen: &[(u64, u64)], copied: &[(u64, u64)]| {
            super::moved(seen, copied, &SplicedContent::new(before, &swapped))
        };
        assert_eq!(moved(&[], &[]), [(1, 3)]);
        assert_eq!(moved(&[], &[(1, 1)]), [(2, 3)]);
        assert_eq!(moved(&[(1, 1)], &[(1, 1)]), [(1, 3)]);
        assert_eq!(moved(&[(1, 1), (3, 3)], &[(1, 2)]), [(1, 1), (4, 4)]);
        assert_eq!(moved(&[], &[(1, 0)]), [(2, 3)], "text copied to the place before a line");
    }

    #[test]
    fn a_line_that_keeps_unseen_text_is_not_seen() {
        let before = b"a = b = c\n  d\t\ne\n";
        let equals = [splice(2, "=", ":"), splice(6, "=", ":")];
        assert_eq!(moved(&[], before, &equals), []);
        assert_eq!(moved(&[(1, 1)], before, &equals), [(1, 1)]);
        assert_eq!(moved(&[], before, &[splice(0, "a = b =", "x\ny")]), [(1, 1)]);
        assert_eq!(moved(&[], before, &[splice(4, "b = c", "x\ny")]), [(2, 2)]);
        assert_eq!(moved(&[], before, &[splice(0, "a =", "x"), splice(4, "b = c", "y")]), [(1, 1)]);
        assert_eq!(moved(&[], before, &[splice(0, "a", "x"), splice(4, "b", "y"), splice(6, "= c", "")]), []);
        // White space is not text.
        assert_eq!(moved(&[], before, &[splice(12, "d", "D\nD")]), [(2, 3)]);
        assert_eq!(touched(before, &[splice(2, "=", "1\n2"), splice(6, "=", "3")]), [(1, 2)]);
    }

    #[test]
    fn text_of_unseen_lines_is_found_in_every_encoding() {
        assert_eq!(moved(&[], b"\xef\xbb\xbfab\rc\r", &[splice(3, "ab", "x")]), [(1, 1)]);
        assert_eq!(moved(&[], b"ab\rc\r", &[splice(1, "b", "x")]), []);
        assert_eq!(moved(&[], b"ab\r\ncd\r\n", &[splice(0, "ab", "x")]), [(1, 1)]);
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let cut = |at: u64, old: &str| Splice { at, old: wide(old), new: wide("x") };
        let before = wide("\u{feff}ab\n\u{2020}c\n");
        assert_eq!(moved(&[], &before, &[cut(2, "ab")]), [(1, 1)]);
        assert_eq!(moved(&[], &before, &[cut(2, "a")]), []);
        assert_eq!(moved(&[], &before, &[cut(10, "c")]), []);
    }

    #[test]
    fn lines_that_others_touched_are_not_known_any_more() {
        let before = b"a\nb\nc\nd\ne";
        assert_eq!(kept(&[], before, &[splice(4, "c", "C\nx")]), [(1, 2), (5, 6)]);
        assert_eq!(kept(&[(2, 4)], before, &[splice(2, "b\n", "")]), [(3, 3)]);
        assert_eq!(kept(&[(1, 2)], before, &[splice(8, "e", "")]), [(1, 2)]);
        assert_eq!(kept(&[(3, 3)], before, &[splice(0, "a", "A"), splice(4, "c", "")]), []);
    }

    #[test]
    fn a_place_between_lines_is_known_from_either() {
        assert_eq!(uncovered_of(&[(3, 4)], &[(1, 3), (5, 4), (7, 6), (8, 9)]), [(1, 2), (7, 9)]);
        assert_eq!(uncovered_of(&[], &[(1, 0)]), [(1, 1)]);
        assert_eq!(uncovered_of(&[(2, 2)], &[(2, 1), (3, 2)]), []);
    }

    #[test]
    fn a_touch_outside_what_was_seen_is_told() {
        let before = b"a\nb\nc\nd\n";
        assert_eq!(unseen(&[(1, 2)], before, &[splice(4, "c", "C")]), [(3, 3)]);
        assert_eq!(unseen(&[(1, 2)], before, &[splice(2, "b", "B")]), []);
        assert_eq!(unseen(&[(1, 2)], before, &[splice(4, "", "x\n")]), []);
        assert_eq!(unseen(&[(1, 2)], before, &[splice(6, "", "x\n")]), [(4, 4)]);
        assert_eq!(unseen(&[(1, 2)], before, &[splice(5, "", "x")]), [(3, 3)], "inside of a line");
        assert_eq!(unseen(&[(2, 2)], before, &[splice(0, "a\nb\nc", "x")]), [(1, 1), (3, 3)]);
    }
}
