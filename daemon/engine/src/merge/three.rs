//! Merges two lists of changed lines of one base in one pass. It only decides which changes touch each other.

use std::borrow::Cow;
use std::ops::Range;

use editd_types::ErrorCode;

use super::region::Conflicts;
use super::slide::reaches;
use crate::cut::Cut;
use crate::diff::{ChangedRun, Delta};
use crate::refusal::{internal, refuse};
use crate::splice::{SpliceWriter, apply, differing};
use crate::text::{Breaks, Encoding, LineBreak, Text};
use crate::{Refusal, Splice};

/// The result of a merge.
pub(super) struct Merged {
    /// The splices that turn the current content into the merged one.
    pub(super) splices: Vec<Splice>,
    /// The changes that others made.
    pub(super) theirs: Delta,
}

/// Returns the splices that make the changes of `wanted`, which is based on `base`, in `current`. `label` is the
/// encoding that the configuration names for the file. A change that `current` already contains gives no splice.
///
/// ```
/// use editd_engine::{apply, merge, splices_between};
///
/// let (base, current) = (b"a\nb\nc\nd\ne\n", b"a\nb\nc\nd\nE\n");
/// let wanted = splices_between(base, b"A\nb\nc\nd\ne\n");
/// let splices = merge(base, &wanted, current, None)?;
/// assert_eq!(apply(current, &splices).unwrap(), b"A\nb\nc\nd\nE\n");
/// # Ok::<(), editd_engine::Refusal>(())
/// ```
///
/// # Errors
/// `conflict` with the regions in which others changed the same or neighbouring lines, or if the file's encoding
/// changed; `binary` or `encoding` if a content is not text.
pub fn merge(
    base: &[u8],
    wanted: &[Splice],
    current: &[u8],
    label: Option<&str>,
) -> Result<Vec<Splice>, Refusal> {
    merged(base, wanted, current, label).map(|merged| merged.splices)
}

/// Merges as [`merge`] does, and also returns the changes that others made.
pub(super) fn merged(
    base: &[u8],
    wanted: &[Splice],
    current: &[u8],
    label: Option<&str>,
) -> Result<Merged, Refusal> {
    let after = apply(base, wanted).ok_or_else(|| {
        internal("planned splices do not fit the content for which they were planned; please report this job")
    })?;
    let base_text = Text::read(base, label)?;
    let (text, now) = (Text::read(&after, label)?, Text::read(current, label)?);
    let sides = Sides::new(&base_text, &text, &now);
    let theirs = Delta::between(&sides.base, &sides.current);
    if after == current {
        return Ok(Merged { splices: Vec::new(), theirs });
    }
    let same = |other: &Text<'_>| other.encoding == base_text.encoding && other.bom == base_text.bom;
    if !same(&text) || !same(&now) {
        return Err(refuse(
            ErrorCode::Conflict,
            "the file's encoding or byte order mark changed since it was read; read it and create the job again",
        ));
    }
    let ours = sides.ours(&base_text, wanted);
    let breaks = LineBreak::Byte(now.breaks.stop());
    let mut out = SpliceWriter::new(&now);
    let mut conflicts = Conflicts::default();
    let there = is_there(&ours.changes, &sides);
    for group in sides.groups(&ours.changes, &theirs.changes) {
        if group.theirs == 0 && !there {
            for change in ours.changes.cut(group.ours) {
                let range = shifted(&change.before.range(), (group.current.0, group.current.0));
                let wanted = text.content.cut(change.after.range());
                let (removed_lines, added_lines) =
                    differing(breaks, now.content.cut(range.clone()).as_bytes(), wanted.as_bytes());
                let removed = range.start + removed_lines.start..range.start + removed_lines.end;
                out.put(removed, wanted.cut(added_lines).into())?;
            }
            continue;
        }
        let wanted = text.content.cut(shifted(&group.base, group.wanted));
        let current = now.content.cut(shifted(&group.base, group.current));
        if !group.ours.is_empty() && wanted != current {
            conflicts.add(group.line, base_text.content.cut(group.base), current, wanted);
        }
    }
    conflicts.refused()?;
    Ok(Merged { splices: out.splices, theirs })
}

/// Returns true if the session only adds lines, and the current content already has all of these lines, in order.
/// Others may have made the same change, which a comparison of equal lines can place elsewhere. The two cases cannot
/// be distinguished, so the lines are not added twice.
fn is_there(ours: &[ChangedRun], sides: &Sides<'_>) -> bool {
    let mut current = sides.current.split_inclusive(|byte| *byte == b'\n');
    let mut wanted = sides.wanted.split_inclusive(|byte| *byte == b'\n');
    ours.iter().all(|change| change.removed() == 0) && wanted.all(|line| current.any(|other| other == line))
}

/// The three contents, as they are compared by lines: a lone `\r` counts as `\n`.
struct Sides<'t> {
    base: Cow<'t, [u8]>,
    wanted: Cow<'t, [u8]>,
    current: Cow<'t, [u8]>,
}

impl<'t> Sides<'t> {
    fn new(base: &'t Text<'_>, wanted: &'t Text<'_>, current: &'t Text<'_>) -> Self {
        let bare = [base, wanted, current].iter().all(|text| text.breaks != Breaks::Lf);
        let lines = |text: &'t Text<'_>| {
            let mut bytes = Cow::Borrowed(text.content.as_bytes());
            if bare && text.breaks == Breaks::Cr {
                bytes.to_mut().iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
            }
            bytes
        };
        Self { base: lines(base), wanted: lines(wanted), current: lines(current) }
    }

    /// Returns the wanted changes, by lines. They are computed from the splices if these have offsets of the text.
    fn ours(&self, text: &Text<'_>, wanted: &[Splice]) -> Delta {
        let bom = text.bom as u64;
        if text.encoding != Encoding::Utf8 || wanted.iter().any(|splice| splice.at < bom) {
            return Delta::between(&self.base, &self.wanted);
        }
        if bom == 0 {
            return Delta::of_splices(&self.base, &self.wanted, wanted, None);
        }
        let mut moved = wanted.to_vec();
        moved.iter_mut().for_each(|splice| splice.at -= bom);
        Delta::of_splices(&self.base, &self.wanted, &moved, None)
    }

    /// Returns the changes of both sides in groups, in the order in which they occur in the base.
    fn groups(&self, ours: &[ChangedRun], theirs: &[ChangedRun]) -> Vec<ChangeGroup> {
        let reached = |changes, after| reaches(changes, &self.base, after);
        let own = reached(ours, &self.wanted);
        let others = reached(theirs, &self.current);
        let mut ours = ours.iter().zip(own).peekable();
        let mut theirs = theirs.iter().zip(others).peekable();
        let mut groups: Vec<ChangeGroup> = Vec::new();
        // The number of lines that others added above.
        let mut gained = 0isize;
        loop {
            let own = match (ours.peek(), theirs.peek()) {
                (Some((_, a)), Some((_, b))) => a.start <= b.start,
                (mine, _) => mine.is_some(),
            };
            let Some((change, reach)) = (if own { ours.next() } else { theirs.next() }) else {
                return groups;
            };
            if groups.last().is_none_or(|group| group.base.end < reach.start) {
                let slid = self.base.cut(reach.start..change.before.start());
                let above = change.line() - memchr::memchr_iter(b'\n', slid).count();
                groups.push(ChangeGroup::behind(
                    groups.last(),
                    reach.start,
                    above.saturating_add_signed(gained) + 1,
                ));
            }
            let Some(group) = groups.last_mut() else { return groups };
            group.base.end = group.base.end.max(reach.end);
            if own {
                group.ours.end += 1;
                group.wanted.1 = ahead(change);
            } else {
                gained += change.added().cast_signed() - change.removed().cast_signed();
                group.theirs += 1;
                group.current.1 = ahead(change);
            }
        }
    }
}

/// Changes of the two sides that touch each other directly or through others, or that would if they were shifted.
struct ChangeGroup {
    /// The range of bytes in the base.
    base: Range<usize>,
    /// The indexes of the session's own changes in this group.
    ours: Range<usize>,
    /// The number of changes by others.
    theirs: usize,
    /// The 1-based line in the current content.
    line: usize,
    /// The offsets of the wanted and of the current content relative to the base, before the group and behind it.
    wanted: (isize, isize),
    current: (isize, isize),
}

impl ChangeGroup {
    /// Creates an empty group behind another.
    fn behind(last: Option<&Self>, start: usize, line: usize) -> Self {
        let (ours, wanted, current) =
            last.map_or((0, 0, 0), |last| (last.ours.end, last.wanted.1, last.current.1));
        Self {
            base: start..start,
            ours: ours..ours,
            theirs: 0,
            line,
            wanted: (wanted, wanted),
            current: (current, current),
        }
    }
}

fn shifted(base: &Range<usize>, by: (isize, isize)) -> Range<usize> {
    base.start.saturating_add_signed(by.0)..base.end.saturating_add_signed(by.1)
}

/// Returns the offset of a content relative to the base, behind a change.
fn ahead(change: &ChangedRun) -> isize {
    change.after.end().cast_signed() - change.before.end().cast_signed()
}
