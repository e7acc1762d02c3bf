//! Adds the lines of a hunk that quotes nothing: at a line, at the end, or in an empty file. It finds no block.

use std::rc::Rc;

use editd_types::{EditPosition, ErrorCode};

use super::body::Ending;
use super::edit::{Breaking, HunkEdit, instead};
use super::repeat::{self, OpenSides};
use crate::Refusal;
use crate::locate::{self, Rung};
use crate::op::effect::{EditContext, Effect, PlaceReport};
use crate::op::lines::{lead, line_range};
use crate::refusal::refuse;
use crate::splice::{InsertionKind, Place};

impl HunkEdit {
    /// Returns the effect of lines that have no block.
    pub(super) fn added(&self, scene: &EditContext<'_>) -> Result<Effect, Refusal> {
        let text = scene.text;
        if self.whole && text.len() > 0 {
            return Err(self.not_empty(scene));
        }
        let range = match &self.at {
            Some(EditPosition::Line(line)) if scene.neighbours.stand_on_their_lines(scene) => {
                line_range(text, *line, line.saturating_sub(1))?
            }
            Some(EditPosition::Line(line)) => {
                let message = format!(
                    "the hunk quotes no line, and others of the diff are not at the lines that they name, so that line {line} is not certain; quote a line of context"
                );
                return Err(refuse(ErrorCode::NotFound, message));
            }
            _ => text.len()..text.len(),
        };
        let added = locate::lines(&self.body.new, text.breaks);
        repeat::check(text, range.start, &added, OpenSides { above: true, below: true })?;
        let ending = if range.end == text.len() { self.body.ending } else { Ending::Kept };
        let plain = Breaking { rung: Rung::Exact, literal: false, as_file: false };
        let (made, converted) = instead(text, &range, &self.body.new, plain, ending);
        let found =
            PlaceReport { lines: Some(text.lines_of(range.clone())), converted, ..PlaceReport::default() };
        let places = if made.is_empty() {
            Vec::new()
        } else {
            let lead = lead(text, &range, &made);
            let at_end = matches!(self.at, Some(EditPosition::End));
            let kind = if at_end { InsertionKind::End } else { InsertionKind::Between };
            vec![Place { lead, ..Place::inserting(scene.edit, range.start, &Rc::from(made), kind) }]
        };
        Ok(Effect { places, stored: None, found })
    }

    /// Returns the refusal of a hunk for an empty file if the file has lines.
    fn not_empty(&self, scene: &EditContext<'_>) -> Refusal {
        let (path, lines) = (scene.origin, scene.text.lines());
        let what = if self.body.new.is_empty() {
            format!("{path} is not empty, and the diff removes it without its lines; send them with `-`")
        } else {
            format!(
                "{path} is not empty, and the hunk begins at line 0, as for an empty file; quote a line of context"
            )
        };
        let mut error = refuse(ErrorCode::Exists, what);
        error.lines = Some(lines as u64);
        error
    }
}
