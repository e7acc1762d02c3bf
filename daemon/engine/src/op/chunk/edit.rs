//! A chunk's fields and its effect: the window is located, and its old lines are replaced. Failures are explained
//! elsewhere.

use std::ops::{ControlFlow, Range};
use std::rc::Rc;
use std::sync::Arc;

use editd_types::{EditScope, ErrorCode, FileEdit, limits};

use super::ChunkCheck;
use super::region::{Region, RegionSearch};
use super::rejected::explain;
use super::window::ChunkWindow;
use crate::Refusal;
use crate::cut::Cut;
use crate::locate::{self, Adapted, Needle, Rung, ambiguous, candidate};
use crate::op::effect::{EditContext, Effect, PlaceReport};
use crate::op::fields;
use crate::op::given::fit;
use crate::op::lines::{lead, line_text};
use crate::op::registry::Op;
use crate::op::within;
use crate::refusal::malformed;
use crate::splice::{InsertionKind, Place};
use crate::text::{Breaks, Text, split_final_break};

/// The rungs of a chunk, in the order of the ladder.
pub(super) const RUNGS: [Rung; 5] = [Rung::Exact, Rung::Eol, Rung::Trailing, Rung::Indent, Rung::Typographic];

/// A chunk.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// The quoted lines.
    pub(crate) window: ChunkWindow,
    /// The lines that replace the old ones.
    pub(crate) new: String,
    /// The part of the file that is searched; the whole file if absent.
    pub(crate) within: Option<EditScope>,
}

pub(crate) fn parse(edit: &FileEdit, _: Option<f64>) -> Result<Op, Refusal> {
    let old = fields::required(edit, "old", &edit.old)?;
    let new = fields::required(edit, "new", &edit.new)?.clone();
    let before = edit.before.as_deref().unwrap_or("");
    let after = edit.after.as_deref().unwrap_or("");
    let window = ChunkWindow::new(before, old, after);
    if window.is_empty() {
        let error = malformed("an insertion needs a line before or after it; quote at least one");
        return Err(ChunkCheck::Insertion.refuses(error));
    }
    let within = within::read(edit)?;
    Ok(Op::Chunk(Arc::new(Chunk { window, new, within })))
}

/// The one place of a window.
struct WindowMatch {
    /// Its lines, without the last break.
    range: Range<usize>,
    rung: Rung,
    /// The new lines as the rung fits them to the place.
    adapted: Adapted,
}

impl Chunk {
    /// Returns the edit with other lines to search; `None` if it names no lines.
    pub(crate) fn in_lines(&self, lines: (u64, u64)) -> Option<Self> {
        let within = Some(EditScope::Lines(lines));
        matches!(self.within, Some(EditScope::Lines(_))).then(|| Self { within, ..self.clone() })
    }

    /// Returns the text that the first rung looks up.
    pub(crate) fn needle(&self, breaks: Breaks) -> Needle<'_> {
        self.window.needle(breaks)
    }

    /// Finds the window and replaces its old lines.
    pub(crate) fn effect(&self, scene: &EditContext<'_>) -> Result<Effect, Refusal> {
        let text = scene.text;
        let region = Region::of(text, self.lines(scene)?)?;
        let found = region.look(scene, self.needle(text.breaks), |field| self.stand(text, field))?;
        let stand = match found {
            Ok(stand) => stand,
            Err(unmapped) => return Err(explain(self, scene, &region, unmapped)),
        };
        let old = self.window.old_lines(text, &stand.range);
        let mapped = stand.adapted.new.as_deref().unwrap_or(&self.new);
        let (made, converted) = if self.window.old.is_empty() {
            line_text(text, &old, mapped, false)
        } else {
            self.instead(text, &old, mapped, &stand)
        };
        let lines = Some(text.lines_of(old.clone()));
        let part = within::report(self.within.as_ref(), scene);
        let found = PlaceReport { rung: Some(stand.rung), lines, converted, ..part };
        let place = if old.is_empty() {
            let lead = lead(text, &old, &made);
            let kind = InsertionKind::Between;
            Place { lead, ..Place::inserting(scene.edit, old.start, &Rc::from(made), kind) }
        } else {
            Place::owning(text, scene.edit, old, &Rc::from(made))
        };
        Ok(Effect { places: vec![place], stored: None, found })
    }

    /// Returns the first and last line of the range that is searched.
    fn lines(&self, scene: &EditContext<'_>) -> Result<Option<(u64, u64)>, Refusal> {
        within::lines(self.within.as_ref(), scene).map_err(|refusal| match refusal.code {
            ErrorCode::SymbolNotFound | ErrorCode::Ambiguous | ErrorCode::OutOfRange => {
                ChunkCheck::Position.refuses(refusal)
            }
            _ => refusal,
        })
    }

    /// Walks down the ladder to the first rung at which a window stands in the region and the new lines can be indented
    /// as the file is. If there is none, the error is the first window that failed only by the indentation.
    fn stand(
        &self,
        text: &Text<'_>,
        field: &RegionSearch<'_, '_>,
    ) -> Result<Result<WindowMatch, Option<Range<usize>>>, Refusal> {
        let quote = self.window.quote(&self.new);
        let mut unmapped = None;
        for rung in RUNGS {
            let (mut count, mut kept) = (0, Vec::new());
            field.each(&quote, rung, &mut |range| {
                count += 1;
                if kept.len() < limits::CANDIDATES {
                    kept.push(range);
                }
                ControlFlow::Continue(())
            })?;
            let range = match (count, kept.first()) {
                (0, _) | (_, None) => continue,
                (1, Some(range)) => range.clone(),
                _ => return Err(several(text, count, &kept)),
            };
            let adapted = field.adapt(&quote, rung, &range);
            let adapted = adapted.map_err(|conflict| ChunkCheck::Content.refuses(conflict.refusal(text)))?;
            if let Some(adapted) = adapted {
                return Ok(Ok(WindowMatch { range, rung, adapted }));
            }
            unmapped.get_or_insert(range);
        }
        Ok(Err(unmapped))
    }

    /// Returns the text that replaces the old lines, and the number of converted breaks.
    fn instead(
        &self,
        text: &Text<'_>,
        old: &Range<usize>,
        mapped: &str,
        stand: &WindowMatch,
    ) -> (String, u64) {
        if self.new.is_empty() {
            return (String::new(), 0);
        }
        let (own, ending) = split_final_break(text.content.cut(old.clone()), text.breaks);
        let (quote, lines) = (self.window.quote(&self.new), locate::lines(mapped, text.breaks));
        let line = |at: usize, _: &str| lines.get(at).map(|(line, _)| (*line).to_owned());
        // A looser rung must not change the lines that the chunk does not.
        let matched = old.start..old.start + own.len();
        let removed = if stand.adapted.as_file { own } else { &self.window.old };
        let kept = locate::keep_shared(text, &quote, (removed, &self.new), &matched, line);
        let kept = kept.as_deref().unwrap_or(mapped);
        // The last line's break stays the file's, whatever the new lines end with.
        let body = split_final_break(kept, text.breaks).0;
        fit(text, old, &[body, ending].concat(), stand.rung, false)
    }
}

/// Returns the refusal of a window that stands at several places.
fn several(text: &Text<'_>, count: u64, kept: &[Range<usize>]) -> Refusal {
    let message =
        format!("the lines occur at {count} places; quote more lines before or after, or narrow the range");
    let mut error = ambiguous(message, count);
    error.candidates = kept.iter().map(|range| candidate(text, range.start)).collect();
    ChunkCheck::Position.refuses(error)
}
