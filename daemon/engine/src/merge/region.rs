//! Collects the conflicting regions that a refusal shows: few and short. Another module decides which changes
//! conflict.

use editd_types::error::{ConflictRegion, ErrorCode};
use editd_types::limits::CANDIDATES;

use crate::Refusal;
use crate::cut::Cut;
use crate::limits;
use crate::refusal::{on_line, refuse};

/// The conflicts of one merge.
#[derive(Default)]
pub(super) struct Conflicts {
    regions: Vec<ConflictRegion>,
    count: usize,
}

impl Conflicts {
    /// Adds a conflict.
    pub(super) fn add(&mut self, line: usize, base: &str, current: &str, wanted: &str) {
        self.count += 1;
        if self.regions.len() < CANDIDATES {
            let (base, current, wanted) = (short(base), short(current), short(wanted));
            self.regions.push(ConflictRegion { line: line as u64, base, current, wanted });
        }
    }

    /// Returns a refusal if there are conflicts.
    pub(super) fn refused(self) -> Result<(), Refusal> {
        let Some(first) = self.regions.first() else { return Ok(()) };
        let line = first.line;
        let more = match self.count - 1 {
            0 => String::new(),
            1 => " and at one more place".to_owned(),
            more => format!(" and at {more} more places"),
        };
        let message = format!(
            "others changed the same or neighbouring lines at line {line}{more}; compare the three texts, and edit \
             the present text"
        );
        let mut error = on_line(line, refuse(ErrorCode::Conflict, message));
        error.found = Some(self.count as u64);
        error.regions = self.regions;
        Err(error)
    }
}

/// Returns a text truncated to `limits::REGION` bytes.
fn short(text: &str) -> String {
    if text.len() <= limits::REGION {
        return text.to_owned();
    }
    format!("{}…", text.cut(0..text.floor_char_boundary(limits::REGION)))
}
