//! The merge itself: two lists of changed lines of one base, walked once. It decides only whether they touch.

use std::borrow::Cow;
use std::ops::Range;

use editd_proto::error::Code;

use super::onto::Onto;
use super::region::Conflicts;
use super::slide::reaches;
use crate::cut::Cut;
use crate::diff::{Change, Delta};
use crate::refusal::{internal, refuse};
use crate::splice::{apply, differing};
use crate::text::{Breaks, Encoding, Text};
use crate::{Refusal, Splice};

/// What merging gives.
pub(super) struct Merged {
    /// What turns the current content into the merged one.
    pub(super) splices: Vec<Splice>,
    /// What others changed.
    pub(super) theirs: Delta,
}

/// The splices that do to `current` what `wanted` does to `base`. `label` is the encoding that the configuration
/// names for the file. A change that others have made already needs none.
///
/// # Errors
/// `conflict` with the regions where others changed the same or neighbouring lines, or the file's encoding;
/// `binary` or `encoding` where a content is no text.
pub fn merge(
    base: &[u8],
    wanted: &[Splice],
    current: &[u8],
    label: Option<&str>,
) -> Result<Vec<Splice>, Refusal> {
    merged(base, wanted, current, label).map(|merged| merged.splices)
}

/// The same, with what others changed.
pub(super) fn merged(
    base: &[u8],
    wanted: &[Splice],
    current: &[u8],
    label: Option<&str>,
) -> Result<Merged, Refusal> {
    let after = apply(base, wanted).ok_or_else(|| {
        internal("planned splices do not fit what they were planned on; please report this job")
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
            Code::Conflict,
            "the file's encoding or byte order mark changed since it was read; read it and make the job anew",
        ));
    }
    let ours = sides.ours(&base_text, wanted);
    let mut out = Onto::new(&now);
    let mut conflicts = Conflicts::default();
    let there = is_there(&ours.changes, &sides);
    for group in sides.groups(&ours.changes, &theirs.changes) {
        if group.theirs == 0 && !there {
            for change in ours.changes.cut(group.ours) {
                let range = shifted(&change.before.range(), (group.current.0, group.current.0));
                let wanted = text.content.cut(change.after.range());
                let (gone, come) = differing(now.content.cut(range.clone()).as_bytes(), wanted.as_bytes());
                out.put(range.start + gone.start..range.start + gone.end, wanted.cut(come))?;
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

/// Whether all that is wanted, which only adds, stands in the current content already, line behind line: others may have
/// made it, and a comparison among equal lines sees it elsewhere. Nothing tells, so it is not made twice.
fn is_there(ours: &[Change], sides: &Sides<'_>) -> bool {
    let mut current = sides.current.split_inclusive(|byte| *byte == b'\n');
    let mut wanted = sides.wanted.split_inclusive(|byte| *byte == b'\n');
    ours.iter().all(|change| change.removed() == 0) && wanted.all(|line| current.any(|other| other == line))
}

/// The three contents as their lines are told apart: a file with lone `\r` as if they were `\n`.
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

    /// What is wanted, by lines: from the splices where their offsets are those of the text.
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

    /// The changes of both, walked in the order in which they reach into the base.
    fn groups(&self, ours: &[Change], theirs: &[Change]) -> Vec<Group> {
        let reached = |changes, after| reaches(changes, &self.base, after);
        let own = reached(ours, &self.wanted);
        let others = reached(theirs, &self.current);
        let mut ours = ours.iter().zip(own).peekable();
        let mut theirs = theirs.iter().zip(others).peekable();
        let mut groups: Vec<Group> = Vec::new();
        // Lines that others have added so far.
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
                groups.push(Group::behind(
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

/// Changes of the two sides that touch each other, or could, directly or through others.
struct Group {
    /// Bytes in the base.
    base: Range<usize>,
    /// Which changes are wanted here.
    ours: Range<usize>,
    /// How many others made.
    theirs: usize,
    /// 1-based line in what is there now.
    line: usize,
    /// How far the other contents are ahead of the base, before the group and behind it.
    wanted: (isize, isize),
    current: (isize, isize),
}

impl Group {
    /// An empty one, behind another.
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

/// How far a content is ahead of the base behind a change.
fn ahead(change: &Change) -> isize {
    change.after.end().cast_signed() - change.before.end().cast_signed()
}
