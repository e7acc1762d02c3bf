//! Marks entries as undone or redone: the effect of an undo or a redo on the entries that it names. Pure.
//!
//! An undo takes back the entries that it names. A redo brings them back; if it names an undo, it takes that undo
//! back, which restores the entries that the undo had taken back. An undo of an undo or of a redo has its effect in
//! the same way, at most `DEPTH` levels deep. If parts of an entry are named, only those are affected.

use std::collections::BTreeSet;

use editd_proto::ids::JobId;
use editd_proto::message::EntryKind;

use super::row::{EntryRow, fitting_value, place, rest, value};
use super::{RowChanges, key};
use crate::limits;
use crate::record::{Entry, EntryPart};
use crate::store::taken::TakenBack;
use crate::store::{LogPosition, StoreError};

/// The number of levels of undos of undos that are followed.
const DEPTH: u32 = 64;

/// Reads the entries that an entry names from its record, if they do not fit a row.
pub type ReadNamed<'a> = dyn Fn(LogPosition) -> Result<NamedEntries, StoreError> + 'a;

/// The entries that an undo or a redo names, and the parts of them.
pub type NamedEntries = (Vec<JobId>, Vec<EntryPart>);

/// Marks the entries that a sealed entry undoes or redoes.
pub fn mark(draft: &mut RowChanges<'_>, entry: &Entry, of: &ReadNamed<'_>) -> Result<(), StoreError> {
    let mut marking = EntryMarking { draft, of, seen: BTreeSet::new() };
    marking.works(entry.kind, (&entry.of, &entry.parts), true, 0)?;
    if entry.kind == EntryKind::Hook { marking.belongs(entry.id, &entry.of) } else { Ok(()) }
}

struct EntryMarking<'a, 'b> {
    draft: &'a mut RowChanges<'b>,
    of: &'a ReadNamed<'a>,
    seen: BTreeSet<JobId>,
}

impl EntryMarking<'_, '_> {
    /// Applies the effect of an entry of a kind to the entries that it names, when it becomes valid or is undone
    /// itself.
    fn works(
        &mut self,
        kind: EntryKind,
        (of, parts): (&[JobId], &[EntryPart]),
        stands: bool,
        depth: u32,
    ) -> Result<(), StoreError> {
        // Undone entries leave what was there before the oldest of them, restored ones what was there after the newest. Of several
        // effects on one entry, the first counts.
        let restores = kind == EntryKind::Undo && !stands;
        let order: Vec<JobId> = if restores { of.iter().rev().copied().collect() } else { of.to_vec() };
        for id in order {
            let meant: Vec<&EntryPart> = parts.iter().filter(|part| part.entry == id).collect();
            match kind {
                EntryKind::Undo if !meant.is_empty() => self.set_parts(id, &meant, !stands, depth)?,
                EntryKind::Redo if !meant.is_empty() => self.set_parts(id, &meant, stands, depth)?,
                EntryKind::Undo => self.set(id, !stands, depth)?,
                EntryKind::Redo => {
                    let names_undo = self.row(id)?.is_some_and(|(_, row)| row.kind == EntryKind::Undo);
                    self.set(id, stands != names_undo, depth)?;
                }
                EntryKind::Edit | EntryKind::External | EntryKind::Hook | EntryKind::Mark => {}
            }
        }
        Ok(())
    }

    /// Notes the entry of a hook at the entries whose files the hook changed.
    fn belongs(&mut self, hook: JobId, of: &[JobId]) -> Result<(), StoreError> {
        for &id in of {
            let Some((at, mut row)) = self.row(id)? else { continue };
            if row.hooks.len() >= limits::COMMANDS {
                continue;
            }
            row.hooks.push(hook);
            let bytes = fitting_value(at, row, |row| row.brief = None)?;
            self.draft.put(key::job(key::ENTRY, id), bytes);
        }
        Ok(())
    }

    /// Marks parts of an entry. A mark that the record makes directly takes precedence over one that follows from the
    /// entries it names.
    fn set_parts(
        &mut self,
        id: JobId,
        parts: &[&EntryPart],
        stand: bool,
        depth: u32,
    ) -> Result<(), StoreError> {
        if self.seen.contains(&id) {
            return Ok(());
        }
        if depth == 0 {
            self.seen.insert(id);
        }
        let Some((at, mut row)) = self.row(id)? else { return Ok(()) };
        let mut taken = TakenBack::new(row.undone, std::mem::take(&mut row.parts));
        parts.iter().for_each(|part| taken.set(part.files, &part.part, !stand));
        (row.undone, row.parts) = (taken.is_whole(), taken.parts());
        let bytes = fitting_value(at, row, |row| row.brief = None)?;
        self.draft.put(key::job(key::ENTRY, id), bytes);
        Ok(())
    }

    fn set(&mut self, id: JobId, stands: bool, depth: u32) -> Result<(), StoreError> {
        if depth >= DEPTH || !self.seen.insert(id) {
            return Ok(());
        }
        // An entry that retention has dropped needs no mark.
        let Some((at, mut row)) = self.row(id)? else { return Ok(()) };
        let of = match (&row.brief, row.kind) {
            (_, EntryKind::Edit | EntryKind::External | EntryKind::Hook | EntryKind::Mark) => {
                NamedEntries::default()
            }
            (Some(brief), _) => (brief.of.clone(), brief.parts.clone()),
            (None, _) => (self.of)(at)?,
        };
        let changed = row.undone == stands;
        row.undone = !stands;
        row.parts.clear();
        let bytes = value(at, &row)?;
        let kind = row.kind;
        self.draft.put(key::job(key::ENTRY, id), bytes);
        if changed { self.works(kind, (&of.0, &of.1), stands, depth + 1) } else { Ok(()) }
    }

    fn row(&self, id: JobId) -> Result<Option<(LogPosition, EntryRow)>, StoreError> {
        match self.draft.get(&key::job(key::ENTRY, id))? {
            Some(bytes) => Ok(Some((place(&bytes)?, rest(&bytes)?))),
            None => Ok(None),
        }
    }
}
