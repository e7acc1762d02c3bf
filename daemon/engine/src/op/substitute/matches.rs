//! Collects the matches of a substitution and their new texts. It does not match the pattern.

use std::ops::Range;
use std::rc::Rc;

use crate::Refusal;
use crate::cut::{Cut, Span};
use crate::limits;
use crate::locate::too_many_places;
use crate::op::effect::EditContext;
use crate::op::given::changed_breaks;
use crate::op::replace::check_size;
use crate::refusal::no_room;
use crate::splice::Place;
use crate::text::follow;

/// Bytes of new text that are kept in one piece.
const CHUNK: usize = 64 * 1024;

/// Matches, and the positions of their new texts in one shared text.
struct MatchBatch {
    whole: Rc<str>,
    matches: Vec<(Span, Span)>,
}

/// Matches as they are found: small, and their texts share few allocations, since there may be very many.
pub(super) struct MatchList<'p, 's> {
    pub(super) scene: &'p EditContext<'s>,
    literal: bool,
    /// True if a match that swallows a second start is refused.
    pub(super) guarded: bool,
    batches: Vec<MatchBatch>,
    chunk: String,
    pending: Vec<(Span, Span)>,
    pub(super) count: usize,
    total: usize,
    pub(super) converted: u64,
}

impl<'p, 's> MatchList<'p, 's> {
    /// Creates an empty list.
    pub(super) fn new(scene: &'p EditContext<'s>, literal: bool, guarded: bool) -> Self {
        Self {
            scene,
            literal,
            guarded,
            batches: Vec::new(),
            chunk: String::new(),
            pending: Vec::new(),
            count: 0,
            total: 0,
            converted: 0,
        }
    }

    /// Returns true if a match begins or ends between `\r` and `\n`; it is skipped then.
    pub(super) fn splits_break(&self, range: &Range<usize>) -> bool {
        self.scene.text.splits_break(range.start) || self.scene.text.splits_break(range.end)
    }

    pub(super) fn add(&mut self, range: Range<usize>, new: &str) -> Result<(), Refusal> {
        let text = self.scene.text;
        let breaks = memchr::memchr2(b'\n', b'\r', new.as_bytes()).is_some();
        let start = self.chunk.len();
        if self.literal || !breaks {
            self.chunk.push_str(new);
        } else {
            let matched = text.content.cut(range.clone());
            let (made, _) = follow(new, matched, text.ending_at(range.start), text.breaks);
            self.converted += changed_breaks(new, &made, text.breaks);
            self.chunk.push_str(&made);
        }
        self.total = self.total.saturating_add(self.chunk.len() - start);
        check_size(self.total)?;
        if !self.scene.budget.has_room(self.total) {
            return Err(no_room());
        }
        if self.count >= limits::PLACES {
            return Err(too_many_places());
        }
        self.count += 1;
        self.pending.push((Span::new(range), Span::new(start..self.chunk.len())));
        if self.chunk.len() >= CHUNK || self.pending.len() >= CHUNK {
            self.flush();
        }
        Ok(())
    }

    fn flush(&mut self) {
        let whole = Rc::from(std::mem::take(&mut self.chunk));
        self.batches.push(MatchBatch { whole, matches: std::mem::take(&mut self.pending) });
    }

    /// Makes places of the matches.
    pub(super) fn finish(mut self) -> Vec<Place> {
        self.flush();
        let (text, edit) = (self.scene.text, self.scene.edit);
        // A list that grows would hold the places twice for a moment.
        let mut list = Vec::with_capacity(self.count);
        for MatchBatch { whole, matches } in self.batches {
            list.extend(
                matches
                    .into_iter()
                    .map(|(range, new)| Place::replacing_by(text, edit, range.range(), &whole, new.range())),
            );
        }
        list
    }
}
