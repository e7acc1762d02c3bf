//! Compares the place of a hunk of a diff with the places that its header and its missing context name. It chooses none: of two
//! places, neither is certain.

use std::ops::Range;

use editd_types::ErrorCode;

use super::edit::HunkEdit;
use super::neighbours::AROUND;
use crate::Refusal;
use crate::locate::{self, CandidateFit, Hit, Quote};
use crate::op::EditContext;

/// The condition of another place.
type Fit<'f> = &'f dyn Fn(&Range<usize>) -> CandidateFit;

impl HunkEdit {
    /// Checks that a place is the only one that is meant. git applies a hunk without context below its changes at the end of
    /// the file only. Lines at the line in the header can be meant although they differ in white space, if equal ones are
    /// far from it.
    ///
    /// # Errors
    /// `ambiguous` if the lines are also at the end of the file, or at the line in the header.
    pub(super) fn check_elsewhere(
        &self,
        scene: &EditContext<'_>,
        quote: &Quote<'_>,
        fit: Fit<'_>,
        hit: &Hit,
    ) -> Result<(), Refusal> {
        let Some(near) = quote.near.filter(|_| self.literal) else { return Ok(()) };
        let text = scene.text;
        let (_, head, tail) = self.shape(text.breaks);
        let ends = |range: &Range<usize>| range.end + text.break_at(range.end) == text.len();
        if head > 0 && tail == 0 && !ends(&hit.range) {
            let same = Quote { near: None, loosest: hit.rung, ..quote.clone() };
            let last = |range: &Range<usize>| if ends(range) { fit(range) } else { CandidateFit::Out };
            if let Some(other) = other(scene, &same, &last, hit)? {
                let place = "the end of the file, which a hunk without context below its changes can mean";
                return Err(two_places(scene, [hit, &other], place));
            }
        }
        if hit.moved.is_some_and(|moved| moved.unsigned_abs() > AROUND) {
            let line = text.line_start(usize::try_from(near).unwrap_or(usize::MAX));
            let there =
                |range: &Range<usize>| if range.start == line { fit(range) } else { CandidateFit::Out };
            let any = Quote { near: None, ..quote.clone() };
            // The neighbours of the hunk exclude a place of the same rung.
            if let Some(other) = other(scene, &any, &there, hit)?.filter(|other| other.rung != hit.rung) {
                return Err(two_places(scene, [hit, &other], "the line in the header, but less exactly"));
            }
        }
        Ok(())
    }
}

/// Returns a second place of a quotation.
fn other(
    scene: &EditContext<'_>,
    quote: &Quote<'_>,
    fit: Fit<'_>,
    hit: &Hit,
) -> Result<Option<Hit>, Refusal> {
    match locate::one_where(scene.hay, quote, fit) {
        Ok(found) => Ok(found.ok().filter(|other| other.range.start != hit.range.start)),
        Err(refusal) if refusal.code == ErrorCode::Ambiguous => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Returns the refusal of a hunk with two places; `second` describes the second one.
fn two_places(scene: &EditContext<'_>, places: [&Hit; 2], second: &str) -> Refusal {
    let [first, other] = places.map(|hit| scene.text.line_of(hit.range.start));
    let message = format!(
        "the lines of the hunk are at line {first}, and at line {other}, {second}; quote more lines, as they are in the file"
    );
    let mut error = locate::ambiguous(message, 2);
    error.candidates = places.map(|hit| locate::candidate(scene.text, hit.range.start)).to_vec();
    error
}
