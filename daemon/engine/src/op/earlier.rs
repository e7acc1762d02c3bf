//! The changes of earlier entries of a job to a file that a later entry edits. It finds no place.
//!
//! The edits of such an entry see the result of the earlier ones, but many callers still quote the file as they read it.
//! So a quotation is not certain if it matches text that the job itself added, and at a looser rung also text from
//! before the job.

use std::ops::Range;

use editd_types::{ErrorCode, limits};

use super::effect::EditContext;
use crate::locate::{
    CandidateFit, Hit, Quote, Rung, SearchResult, UnfitPlace, ambiguous, candidate, one, one_where,
};
use crate::text::Text;
use crate::{Refusal, Splice};

/// The changes that the earlier entries of a job made to a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlierChanges<'e> {
    /// The content before the job.
    pub(crate) before: &'e [u8],
    /// The splices that made the content that the entry sees.
    pub(crate) splices: &'e [Splice],
}

impl EarlierChanges<'_> {
    /// Returns true if the text at a place of `text` stood there before the job, whichever of several equal lines an
    /// earlier entry is said to have added.
    fn had(&self, text: &Text<'_>, place: &Range<usize>) -> bool {
        let offset = |at: usize| text.bom + text.encoding.width(text.content.get(0..at).unwrap_or_default());
        let (start, end) = (offset(place.start), offset(place.end));
        // The offset of the new content relative to the old one: before the place, and behind it.
        let (mut above, mut below, mut touched) = (0_i64, 0_i64, false);
        for splice in self.splices {
            let at = usize::try_from(splice.at).unwrap_or(usize::MAX).saturating_add_signed(signed(below));
            let behind = at.saturating_add(splice.new.len());
            if behind <= start {
                (above, below) = (below + gain(splice), below + gain(splice));
            } else if at < end {
                touched = true;
                below += gain(splice);
            } else {
                break;
            }
        }
        if !touched {
            return true;
        }
        let Ok(there) = text.encoding.encode(text.content.get(place.clone()).unwrap_or_default()) else {
            return false;
        };
        let from = |at: usize, ahead: i64| at.checked_add_signed(signed(-ahead));
        let is_at = |at: Option<usize>| {
            at.and_then(|at| self.before.get(at..at.checked_add(there.len())?)) == Some(there.as_slice())
        };
        is_at(from(start, above)) || is_at(from(end, below).and_then(|end| end.checked_sub(there.len())))
    }
}

fn gain(splice: &Splice) -> i64 {
    let bytes = |part: &[u8]| i64::try_from(part.len()).unwrap_or(i64::MAX);
    bytes(&splice.new) - bytes(&splice.old)
}

fn signed(ahead: i64) -> isize {
    isize::try_from(ahead).unwrap_or(0)
}

impl EditContext<'_> {
    /// Returns the only place of a quotation in the whole file.
    ///
    /// # Errors
    /// As [`one`]; and `ambiguous` if that place holds text that an earlier entry of the job added, while the
    /// quotation also matches, at any rung, text from before the job.
    pub(crate) fn one(&self, quote: &Quote<'_>) -> Result<SearchResult, Refusal> {
        let found = one(self.hay, quote)?;
        match (&found, self.earlier) {
            (Ok(hit), Some(earlier)) if !earlier.had(self.text, &hit.range) => {
                match self.in_old_text(quote, earlier)? {
                    Some(other) => Err(self.in_new_and_old_text(hit, &other)),
                    None => Ok(found),
                }
            }
            _ => Ok(found),
        }
    }

    /// Returns a place of a quotation in text from before the job. A text that is only similar does not count.
    fn in_old_text(
        &self,
        quote: &Quote<'_>,
        earlier: EarlierChanges<'_>,
    ) -> Result<Option<OldPlace>, Refusal> {
        let quote = Quote { loosest: quote.loosest.min(Rung::Typographic), ..quote.clone() };
        let fit = |place: &Range<usize>| {
            if earlier.had(self.text, place) { CandidateFit::May } else { CandidateFit::Out }
        };
        self.pay(self.text.len())?;
        match one_where(self.hay, &quote, &fit) {
            Ok(Ok(Hit { range, .. })) => Ok(Some(OldPlace::At(range.start))),
            Ok(Err(Some(UnfitPlace { at, .. }))) => Ok(Some(OldPlace::At(at))),
            Ok(Err(None)) => Ok(None),
            Err(refusal) if refusal.code == ErrorCode::Ambiguous => Ok(Some(OldPlace::Several(refusal))),
            Err(refusal) => Err(refusal),
        }
    }

    /// Returns the refusal of a quotation that matches both text that the job has written and text from before the
    /// job.
    fn in_new_and_old_text(&self, hit: &Hit, other: &OldPlace) -> Refusal {
        let here = candidate(self.text, hit.range.start);
        let mut there = match other {
            OldPlace::At(at) => vec![candidate(self.text, *at)],
            OldPlace::Several(refusal) => refusal.candidates.clone(),
        };
        let line = there.first().map_or(here.line, |one| one.line);
        let found = match other {
            OldPlace::At(_) => 2,
            OldPlace::Several(refusal) => refusal.found.unwrap_or(1).saturating_add(1),
        };
        let mut error = ambiguous(
            format!(
                "the text is at line {}, where an earlier edit of this job put it, and with other white space or \
                 punctuation at line {line} of what was there before; quote more lines around the one you mean, or \
                 send the edits as two jobs",
                here.line
            ),
            found,
        );
        there.insert(0, here);
        there.truncate(limits::CANDIDATES);
        error.candidates = there;
        error
    }
}

/// The place of a quotation in text that was there before the job.
enum OldPlace {
    /// At this offset.
    At(usize),
    /// At several places, as this refusal lists them.
    Several(Refusal),
}
