//! The damage of the log that was found: when the store was opened, and by checks since. It changes nothing in the log.

use std::collections::BTreeMap;

use super::index::key;
use super::index::row::{self, ClipRow};
use super::log::mend::LogGap;
use super::log::verify::LogCheck;
use super::losses::{LogLosses, shown};
use super::shared::StoreParts;
use super::{Store, StoreError};
use crate::sync::lock;

/// The names that a message lists at most.
const NAMED: usize = 20;

/// The damage that is known.
#[derive(Default, Debug)]
pub(super) struct FoundDamage {
    /// Sentences about the damage that was passed when the store was opened.
    opened: Vec<String>,
    /// True if the end of the log was lost then, and nothing else: the log is whole without it.
    is_cut: bool,
    /// The gaps in each segment, as its last check found them.
    checked: BTreeMap<u64, SegmentDamage>,
}

#[derive(Default, Debug)]
struct SegmentDamage {
    gaps: Vec<LogGap>,
    /// A sentence about the gaps, and the entries and clipboards in them.
    told: String,
}

impl FoundDamage {
    /// Notes the damage that was passed when the store was opened, and sentences about it.
    pub(super) fn open(&mut self, losses: &LogLosses, told: &[String]) {
        self.opened = told.to_vec();
        self.is_cut = losses.gaps().all(LogGap::is_lost_end);
    }
}

impl Store {
    /// Returns the numbers of the log's segments, oldest first.
    pub fn segments(&self) -> Vec<u64> {
        self.shared.log.segments().into_iter().map(|(id, _)| id).collect()
    }

    /// Reads every record of a segment. Returns damage that no earlier check found, and the remedy. Edits continue
    /// meanwhile.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn check_segment(&self, id: u64) -> Result<Option<String>, StoreError> {
        let shared = &self.shared;
        let gaps = {
            // Keeps the segment from being dropped while it is read.
            let _still = lock(&shared.upkeep);
            let segments = shared.log.segments();
            let first = segments.first().map_or(0, |(first, _)| *first);
            lock(&shared.damage).checked.retain(|known, _| *known >= first);
            if !segments.iter().any(|(known, _)| *known == id) {
                return Ok(None);
            }
            shared.log.verify_segment(id)?.gaps
        };
        if gaps.is_empty() {
            lock(&shared.damage).checked.remove(&id);
            return Ok(None);
        }
        if lock(&shared.damage).checked.get(&id).is_some_and(|known| known.gaps == gaps) {
            return Ok(None);
        }
        let told = shared.describe(&gaps)?;
        lock(&shared.damage).checked.insert(id, SegmentDamage { gaps, told: told.clone() });
        Ok(Some(advised(&told)))
    }

    /// Returns the known damage and the remedy; `None` if there is none.
    pub fn damage(&self) -> Option<String> {
        let found = lock(&self.shared.damage);
        let checked = found.checked.values().map(|segment| &segment.told);
        let all: Vec<&str> = found.opened.iter().chain(checked).map(String::as_str).collect();
        let advise = if found.is_cut && found.checked.is_empty() { advised_cut } else { advised };
        (!all.is_empty()).then(|| advise(&all.join("; ")))
    }
}

/// Adds the remedy to a description of damage.
pub(super) fn advised(damage: &str) -> String {
    format!(
        "the log is damaged: {damage}. Everything else is served. `editctl stop`, then `editctl salvage` writes a log of \
         all that is intact, and keeps the damaged one"
    )
}

/// Adds to a description of a lost end that no command brings it back.
fn advised_cut(damage: &str) -> String {
    format!(
        "the log is damaged: {damage}. Everything else is served, and new jobs are recorded. The lost part cannot be \
         salvaged, since nothing of it is in the log: check the disk, and look for these entries in a file of `editctl export` \
         if there is one. The next start no longer reports it"
    )
}

impl StoreParts {
    /// Checks the whole log.
    pub(super) fn verify(&self) -> Result<LogCheck, StoreError> {
        // Keeps segments from being dropped while they are read.
        let _still = lock(&self.upkeep);
        self.log.verify()
    }

    /// Describes gaps, with the entries and clipboards whose records are in them.
    pub(super) fn describe(&self, gaps: &[LogGap]) -> Result<String, StoreError> {
        let inside = |value: &[u8]| -> Result<bool, StoreError> {
            let at = row::place(value)?;
            Ok(gaps.iter().any(|gap| gap.from <= at && at < gap.to))
        };
        let mut entries: Vec<(u64, u64)> = Vec::new();
        self.rows.down(&[key::ENTRY], &key::behind(&[key::ENTRY]), &mut |key, value| {
            if inside(value)?
                && let Some(id) = key::id_of(key)
            {
                match entries.last_mut() {
                    Some((first, _)) if *first == id.0 + 1 => *first = id.0,
                    _ => entries.push((id.0, id.0)),
                }
            }
            Ok(true)
        })?;
        let mut clips = Vec::new();
        self.rows.down(&[key::CLIP], &key::behind(&[key::CLIP]), &mut |_, value| {
            if inside(value)? {
                clips.push(row::rest::<ClipRow>(value)?.name);
            }
            Ok(true)
        })?;
        let places: Vec<String> =
            gaps.iter().take(NAMED).map(|gap| format!("{} at {}", gap.what, gap.from.shown())).collect();
        let mut told = places.join(", ");
        if gaps.len() > NAMED {
            told.push_str(&format!(" and {} more places", gaps.len() - NAMED));
        }
        if !entries.is_empty() {
            entries.truncate(NAMED);
            told.push_str(&format!("; these entries cannot be shown or undone: {}", shown(&entries)));
        }
        if !clips.is_empty() {
            clips.truncate(NAMED);
            told.push_str(&format!("; these clipboards cannot be read: {}", clips.join(", ")));
        }
        Ok(told)
    }
}
