//! The merge itself: two lists of changed lines of one base, walked once. It decides only whether they touch.

use std::borrow::Cow;
use std::ops::Range;

use editd_proto::error::Code;

use super::onto::Onto;
use super::region::Conflicts;
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
    let same = |other: &Text<'_>| other.encoding == base_text.encoding && other.bom == base_text.bom;
    if !same(&text) || !same(&now) {
        return Err(refuse(
            Code::Conflict,
            "the file's encoding or byte order mark changed since it was read; read it and make the job anew",
        ));
    }
    let sides = Sides::new(&base_text, &text, &now);
    let ours = sides.ours(&base_text, wanted);
    let theirs = Delta::between(&sides.base, &sides.current);
    let mut out = Onto::new(&now);
    let mut conflicts = Conflicts::default();
    for group in groups(&ours.changes, &theirs.changes) {
        let wanted = text.content.cut(group.in_wanted());
        let current = now.content.cut(group.in_current());
        if group.theirs == 0 {
            let (gone, come) = differing(current.as_bytes(), wanted.as_bytes());
            let start = group.in_current().start;
            out.put(start + gone.start..start + gone.end, wanted.cut(come))?;
        } else if group.ours > 0 && wanted != current {
            conflicts.add(group.line, base_text.content.cut(group.base.clone()), current, wanted);
        }
    }
    conflicts.refused()?;
    Ok(Merged { splices: out.splices, theirs })
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
}

/// Changes of the two sides that touch each other, directly or through others.
struct Group {
    /// Bytes in the base.
    base: Range<usize>,
    /// How many changes are wanted here.
    ours: usize,
    /// How many others made.
    theirs: usize,
    /// 1-based line in what is there now.
    line: usize,
    /// How far the other contents are ahead of the base, before the group and behind it.
    wanted: (isize, isize),
    current: (isize, isize),
}

impl Group {
    fn in_wanted(&self) -> Range<usize> {
        shifted(&self.base, self.wanted)
    }

    fn in_current(&self) -> Range<usize> {
        shifted(&self.base, self.current)
    }
}

fn shifted(base: &Range<usize>, by: (isize, isize)) -> Range<usize> {
    base.start.saturating_add_signed(by.0)..base.end.saturating_add_signed(by.1)
}

/// How far a content is ahead of the base behind a change.
fn ahead(change: &Change) -> isize {
    change.after.end().cast_signed() - change.before.end().cast_signed()
}

fn groups(ours: &[Change], theirs: &[Change]) -> Vec<Group> {
    let (mut ours, mut theirs) = (ours.iter().peekable(), theirs.iter().peekable());
    let mut groups: Vec<Group> = Vec::new();
    // Lines that others have added so far.
    let mut gained = 0isize;
    loop {
        let own = match (ours.peek(), theirs.peek()) {
            (Some(a), Some(b)) => a.before.start() <= b.before.start(),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return groups,
        };
        let Some(change) = (if own { ours.next() } else { theirs.next() }) else { return groups };
        let range = change.before.range();
        if groups.last().is_none_or(|group| group.base.end < range.start) {
            let (wanted, current) = groups.last().map_or((0, 0), |group| (group.wanted.1, group.current.1));
            groups.push(Group {
                base: range.clone(),
                ours: 0,
                theirs: 0,
                line: change.line().saturating_add_signed(gained) + 1,
                wanted: (wanted, wanted),
                current: (current, current),
            });
        }
        if let Some(group) = groups.last_mut() {
            group.base.end = group.base.end.max(range.end);
            let (count, reached) = if own {
                (&mut group.ours, &mut group.wanted.1)
            } else {
                gained += change.added().cast_signed() - change.removed().cast_signed();
                (&mut group.theirs, &mut group.current.1)
            };
            *count += 1;
            *reached = ahead(change);
        }
    }
}
