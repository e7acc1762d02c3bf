//! The damage of the log that was found: when the store was opened, by checks since, and by requests that could not read
//! a record. It changes nothing in the log.

use std::collections::{BTreeMap, BTreeSet};

use super::index::key;
use super::index::row::{self, ClipRow};
use super::log::mend::LogGap;
use super::log::verify::LogCheck;
use super::losses::{LogLosses, shown};
use super::shared::StoreParts;
use super::{LogPosition, Store, StoreError};
use crate::sync::lock;

/// The names that a message lists at most.
const NAMED: usize = 20;

/// The positions that requests could not read, and that are kept at most; checks find the other ones.
const SUSPECTS: usize = 1000;

/// The damaged part in messages if only a request found it.
const UNREAD: &str = "a record that cannot be read";

/// Wakes the thread that reports damage. Called by requests, with locks of the store: it must not call the store.
pub type DamageSignal = Box<dyn Fn() + Send + Sync>;

/// The damage that is known.
#[derive(Default, Debug)]
pub(super) struct FoundDamage {
    /// Sentences about the damage that was passed when the store was opened.
    opened: Vec<String>,
    /// True if the end of the log was lost then, and nothing else: the log is whole without it.
    is_cut: bool,
    /// The gaps in each segment, as its last check found them.
    checked: BTreeMap<u64, SegmentDamage>,
    /// The positions at which a request could read no record, and which no check has found yet.
    unread: BTreeSet<LogPosition>,
    /// Those of their segments that have not been checked since.
    suspected: BTreeSet<u64>,
    /// Damage that a check for a request found, with the remedy: nobody else was told of it.
    untold: Vec<String>,
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

    /// Returns true if a check has found damage at a position.
    fn is_checked(&self, at: LogPosition) -> bool {
        let gaps = self.checked.get(&at.segment()).map(|segment| segment.gaps.as_slice());
        gaps.unwrap_or_default().iter().any(|gap| gap.covers(at))
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
        self.shared.check_segment(id).map(|(_, new)| new)
    }

    /// Sets the function that is called when a request has found damage. Later calls do nothing.
    pub fn on_damage(&self, signal: DamageSignal) {
        // A second caller would have to share the first one's reports.
        drop(self.shared.on_damage.set(signal));
    }

    /// Checks the segments that requests could not read, and returns the damage that requests have found since the last
    /// call, with the remedy.
    pub fn found_damage(&self) -> Vec<String> {
        let suspected = std::mem::take(&mut lock(&self.shared.damage).suspected);
        let mut found = Vec::new();
        for id in suspected {
            match self.shared.check_segment(id) {
                Ok((_, new)) => found.extend(new),
                // Later checks repeat this one.
                Err(error) => tracing::warn!("segment {id} of the log cannot be checked: {error}"),
            }
        }
        found.append(&mut lock(&self.shared.damage).untold);
        found
    }

    /// Returns the known damage and the remedy; `None` if there is none.
    pub fn damage(&self) -> Option<String> {
        let found = lock(&self.shared.damage);
        let checked = found.checked.values().map(|segment| segment.told.clone());
        let unchecked = found.unread.iter().filter(|at| !found.is_checked(**at));
        let unchecked = unchecked.map(|at| format!("{UNREAD} at {}", at.shown()));
        // A check finds again what the start has passed, if it is still in the log.
        let is_new = |told: &String| !found.opened.iter().any(|passed| passed.contains(told.as_str()));
        let later: Vec<String> = checked.chain(unchecked).filter(is_new).collect();
        let advise = if found.is_cut && later.is_empty() { advised_cut } else { advised };
        let all: Vec<&str> = found.opened.iter().chain(&later).map(String::as_str).collect();
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
    /// Notes the position of a record that a request could not read, and asks for a check of its segment. `at`: the
    /// position, if the error has none.
    pub(super) fn suspect(&self, at: Option<LogPosition>, error: &StoreError) {
        let at = match error {
            StoreError::Rotten { at, .. } => *at,
            StoreError::Io(_) => match at {
                Some(at) => at,
                None => return,
            },
            _ => return,
        };
        {
            let mut found = lock(&self.damage);
            if found.unread.len() >= SUSPECTS || found.is_checked(at) || found.unread.contains(&at) {
                return;
            }
            found.unread.insert(at);
            found.suspected.insert(at.segment());
        }
        self.report_damage();
    }

    /// Notes damage that a check for a request found.
    pub(super) fn note_damage(&self, told: String) {
        lock(&self.damage).untold.push(told);
        self.report_damage();
    }

    fn report_damage(&self) {
        if let Some(signal) = self.on_damage.get() {
            signal();
        }
    }

    /// Reads every record of a segment. Returns what it found, and the damage that no earlier check found, with the
    /// remedy.
    ///
    /// # Errors
    /// [`StoreError::Gone`] if the folder of the log was removed; errors of the system.
    pub(super) fn check_segment(&self, id: u64) -> Result<(LogCheck, Option<String>), StoreError> {
        if self.log.is_removed() {
            return Err(StoreError::Gone);
        }
        let (mut check, unread) = {
            // Keeps the segment from being dropped while it is read.
            let _still = lock(&self.upkeep);
            let segments = self.log.segments();
            let first = segments.first().map_or(0, |(first, _)| *first);
            let unread: Vec<LogPosition> = {
                let mut found = lock(&self.damage);
                found.checked.retain(|known, _| *known >= first);
                found.unread.retain(|at| at.segment() >= first);
                found.suspected.remove(&id);
                found.unread.iter().copied().filter(|at| at.segment() == id).collect()
            };
            if !segments.iter().any(|(known, _)| *known == id) {
                return Ok((LogCheck::default(), None));
            }
            let check = self.log.verify_segment(id)?;
            // A record may be valid and not decode, and a disk may fail at some reads only.
            let still =
                |at: &LogPosition| !check.gaps.iter().any(|gap| gap.covers(*at)) && self.record(*at).is_err();
            let unread: Vec<LogPosition> = unread.into_iter().filter(still).collect();
            (check, unread)
        };
        check.gaps.extend(unread.iter().map(|at| LogGap {
            from: *at,
            to: LogPosition(at.0 + 1),
            records: Some(1),
            what: UNREAD,
        }));
        let new = self.keep_checked(id, &check.gaps, unread);
        Ok((check, new))
    }

    /// Keeps the damage that a check of a segment found. Returns it with the remedy if it is not known yet.
    fn keep_checked(&self, id: u64, gaps: &[LogGap], unread: Vec<LogPosition>) -> Option<String> {
        let told = match gaps {
            [] => String::new(),
            gaps => self.describe(gaps).unwrap_or_else(|e| format!("{} places ({e})", gaps.len())),
        };
        let mut found = lock(&self.damage);
        // Other requests may have failed there since this check began.
        if !found.suspected.contains(&id) {
            found.unread.retain(|at| at.segment() != id);
        }
        found.unread.extend(unread);
        if gaps.is_empty() {
            found.checked.remove(&id);
            return None;
        }
        let known = found.checked.get(&id).is_some_and(|known| known.gaps == gaps);
        let advised = advised(&told);
        found.checked.insert(id, SegmentDamage { gaps: gaps.to_vec(), told });
        (!known).then_some(advised)
    }

    /// Describes gaps, with the entries and clipboards whose records are in them.
    pub(super) fn describe(&self, gaps: &[LogGap]) -> Result<String, StoreError> {
        let inside = |value: &[u8]| -> Result<bool, StoreError> {
            let at = row::place(value)?;
            Ok(gaps.iter().any(|gap| gap.covers(at)))
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
