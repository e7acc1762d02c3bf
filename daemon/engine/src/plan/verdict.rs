//! Collects the refused edits of an entry with the reasons. Unless the job is `partial`, the first refusal ends the
//! entry.

use editd_types::FilePath;

use crate::Refusal;
use crate::limits;

/// The refusals of one entry's edits.
#[derive(Debug)]
pub(crate) struct Verdicts<'p> {
    path: &'p FilePath,
    partial: bool,
    refused: Vec<Option<Refusal>>,
    given: usize,
}

impl<'p> Verdicts<'p> {
    /// Creates an empty collection.
    pub(crate) fn new(path: &'p FilePath, partial: bool, edits: usize) -> Self {
        Self { path, partial, refused: vec![None; edits], given: 0 }
    }

    /// Refuses an edit. If it is refused already, the first reason is kept.
    ///
    /// # Errors
    /// The refusal, with the path and the number of the edit, if the job is not `partial`.
    pub(crate) fn refuse(&mut self, edit: usize, mut refusal: Refusal) -> Result<(), Refusal> {
        refusal.path.get_or_insert_with(|| self.path.clone());
        refusal.edit.get_or_insert(edit as u64 + 1);
        if !self.partial {
            return Err(refusal);
        }
        self.given += 1;
        if self.given > limits::EXPLAINED {
            // Further refusals have a short message and no path: it may be long, and the outcome of the
            // file has it.
            refusal.candidates.clear();
            refusal.near_misses.clear();
            refusal.path = None;
            if let Some((end, _)) = refusal.message.char_indices().nth(limits::BRIEFLY) {
                refusal.message.truncate(end);
                refusal.message.push('\u{2026}');
            }
        }
        if let Some(slot) = self.refused.get_mut(edit) {
            slot.get_or_insert(refusal);
        }
        Ok(())
    }

    /// Refuses each edit that is selected by `which` and not refused yet.
    pub(crate) fn refuse_all(
        &mut self,
        refusal: &Refusal,
        which: impl Fn(usize) -> bool,
    ) -> Result<(), Refusal> {
        for edit in 0..self.refused.len() {
            if which(edit) && self.stands(edit) {
                self.refuse(edit, refusal.clone())?;
            }
        }
        Ok(())
    }

    /// Returns true if an edit was not refused.
    pub(crate) fn stands(&self, edit: usize) -> bool {
        self.refused.get(edit).is_some_and(Option::is_none)
    }

    /// Returns the reason why an edit was refused.
    pub(crate) fn of(&self, edit: usize) -> Option<&Refusal> {
        self.refused.get(edit).and_then(Option::as_ref)
    }

    /// Returns the first refusal.
    pub(crate) fn first(&self) -> Option<&Refusal> {
        self.refused.iter().flatten().next()
    }

    /// Returns the number of refused edits.
    pub(crate) fn count(&self) -> usize {
        self.refused.iter().flatten().count()
    }
}
