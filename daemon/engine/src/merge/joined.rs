//! Compares the lines that a replacement joins to its new text. A quotation that begins or ends with a line break says which
//! line the break ends or begins only by its place.

use editd_types::EditOutcome;

use super::again::BothContents;
use crate::op::Op;
use crate::text::{Breaks, Text};

/// Returns true if the new text of an edit is joined to no line, or to one that others did not change. `then` and `now` are the
/// outcomes of the edit on the two contents, which are not known for a later stage. `label` is the encoding of files whose
/// content does not tell theirs.
pub(super) fn joins_known_lines(
    op: &Op,
    (then, now): (&EditOutcome, &EditOutcome),
    contents: Option<BothContents<'_>>,
    label: Option<&str>,
) -> bool {
    let Op::Replace(replace) = op else { return true };
    let old = replace.old.as_str();
    let (opens, closes) = (old.starts_with(BREAKS), old.ends_with(BREAKS));
    if replace.matching.whole_lines || !(opens || closes) {
        return true;
    }
    // A clipboard may have any text.
    let new = replace.new.quoted();
    let keeps = |has_break: fn(&str) -> bool| new.is_some_and(has_break);
    let (keeps_first, keeps_last) =
        (keeps(|new| new.starts_with(BREAKS)), keeps(|new| new.ends_with(BREAKS)));
    if (!opens || keeps_first) && (!closes || keeps_last) {
        return true;
    }
    let is_empty = keeps(str::is_empty);
    let (Some(contents), Some(then), Some(now)) = (contents, then.lines, now.lines) else { return false };
    let (Ok(base), Ok(current)) = (Text::read(contents.base, label), Text::read(contents.current, label))
    else {
        return false;
    };
    let same = |then: u64, now: u64| line(&base, then) == line(&current, now);
    let whole = |number: u64, quoted: Option<&str>| line(&current, number) == quoted;
    let mut quoted = old.split('\n').map(|line| line.trim_end_matches('\r'));
    // Nothing is joined to the line above if nothing is left of the last line, and nothing to the line below if nothing is left
    // of the first one.
    let starts_line = !opens && whole(now.0, quoted.next());
    let ends_line = !closes && whole(now.1, quoted.next_back());
    let above = !opens || keeps_first || (is_empty && ends_line) || same(then.0, now.0);
    let below = !closes || keeps_last || (is_empty && starts_line) || same(then.1 + 1, now.1 + 1);
    above && below
}

/// The characters of line breaks.
const BREAKS: [char; 2] = ['\n', '\r'];

/// Returns a line without its break.
fn line<'t>(text: &'t Text<'_>, number: u64) -> Option<&'t str> {
    let stop = if text.breaks == Breaks::Cr { '\r' } else { '\n' };
    let at = usize::try_from(number.checked_sub(1)?).ok()?;
    Some(text.content.split(stop).nth(at)?.trim_end_matches('\r'))
}
