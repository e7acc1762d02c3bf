//! Decides about *doubtful* entries: those whose end may be lost through damage of the log. They may have been rolled
//! back, settled, undone, or followed by lost entries. It observes and changes nothing.
//!
//! *Invariants*: a file of such an entry is changed only if nobody has written to it since the journal recorded it, so that
//! only a power cut can have made it what it is:
//! * it is the very file that the journal recorded (inode and birth time), not modified later than then, and it is torn or
//!   has an earlier recorded content; every other file stays, an emptied one among them;
//! * there is no file, and nothing was created or removed in its folder since the entry.
//!
//! An unsealed entry counts as applied if one of its files shows it; then all of its files get its content under these
//! rules. If no file shows it, all of them stay, and its outcome is unknown.
//!
//! *Limitations*: a file that was rewritten in place stays as it is.

use std::collections::BTreeSet;
use std::io;

use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use super::chain::{EntryEnd, RecordChain};
use super::contents::IntactContents;
use super::decide::{LaterChange, RecoveryAction, TargetState, bring, shows, stands};
use super::signs::{is_torn, same_file};
use crate::disk::Observation;
use crate::record::{ChangeMethod, FileMeta, FileRecord};
use crate::state::WorkspaceState;

/// The entries that are decided here.
pub struct DoubtfulEntries<'d> {
    /// Their numbers.
    pub ids: &'d BTreeSet<JobId>,
    /// The paths of open entries behind them, which are recovered after them.
    pub later: BTreeSet<&'d FilePath>,
}

/// Marks the links of doubtful entries, before recovery changes anything. Returns the entries that no seal and no file
/// shows to be applied.
///
/// # Errors
/// Errors of the system.
pub fn mark_doubtful(
    state: &WorkspaceState,
    chains: &mut [RecordChain<'_>],
    doubtful: &DoubtfulEntries<'_>,
) -> io::Result<BTreeSet<JobId>> {
    let mut unknown = BTreeSet::new();
    let links = chains.iter().flat_map(|chain| &chain.links);
    unknown.extend(links.map(|link| link.entry).filter(|it| doubtful.ids.contains(&it.id)).map(|it| it.id));
    for chain in chains.iter_mut() {
        let Some(first) = chain.links.first() else { continue };
        if !chain.links.iter().any(|link| doubtful.ids.contains(&link.entry.id)) {
            continue;
        }
        let began = i64::try_from(first.entry.time).unwrap_or(i64::MAX).saturating_mul(1_000_000);
        chain.is_untouched = state.disk.changed(chain.path)? < began;
        if doubtful.later.contains(chain.path) {
            chain.behind = LaterChange::Settled;
        }
        let case = chain.observe(state, &BTreeSet::new())?;
        let records = chain.records();
        for (at, link) in chain.links.iter().enumerate() {
            let is_applied = || -> io::Result<bool> {
                let Some(case) = &case else { return Ok(false) };
                let staged = state.disk.observe_staged(&link.file.staging, &link.file.staged_name)?;
                Ok(was_followed(&records, at) || is_shown(link.file, &case.target, &staged, &case.contents))
            };
            if unknown.contains(&link.entry.id) && (link.sealed || is_applied()?) {
                unknown.remove(&link.entry.id);
            }
        }
    }
    for link in chains.iter_mut().flat_map(|chain| &mut chain.links) {
        link.end = match doubtful.ids.contains(&link.entry.id) {
            false => EntryEnd::Known,
            true if unknown.contains(&link.entry.id) => EntryEnd::Unknown,
            true => EntryEnd::Applied,
        };
    }
    Ok(unknown)
}

/// Returns true if a later record of the path began with the file that a record left.
fn was_followed(records: &[&FileRecord], at: usize) -> bool {
    let after = records.get(at).and_then(|file| file.after.as_ref());
    after.is_some_and(|after| {
        let later = records.iter().skip(at + 1).filter_map(|file| file.before.as_ref());
        later
            .into_iter()
            .any(|before| before.hash == after.hash && same_file(before.identity, after.identity))
    })
}

/// Returns true if the target shows that a record was applied.
fn is_shown(
    file: &FileRecord,
    target: &Observation,
    staged: &Observation,
    contents: &IntactContents,
) -> bool {
    match (target, &file.after) {
        (Observation::File(found), Some(after)) => {
            let (meta, written) = (&found.meta, contents.get(after.hash));
            let is_new =
                shows(meta, after) && !file.before.as_ref().is_some_and(|before| shows(meta, before));
            let is_put = matches!(file.how, ChangeMethod::Swap | ChangeMethod::Create)
                && is_unwritten(meta, after)
                && written.is_some_and(|written| is_torn(&found.bytes, written));
            is_new || is_put
        }
        (Observation::Absent, None) => match (&file.before, staged.identity()) {
            (Some(before), Some(staged)) => same_file(before.identity, staged),
            _ => false,
        },
        _ => false,
    }
}

/// Returns true if this is the recorded file, and nobody has written to it since.
fn is_unwritten(meta: &FileMeta, recorded: &FileMeta) -> bool {
    same_file(meta.identity, recorded.identity) && meta.modified <= recorded.modified
}

/// Decides about a path whose newest entry is doubtful. `chain` has its records without those of entries that nothing shows
/// to be applied.
pub fn decide_doubtful(
    chain: &[&FileRecord],
    is_untouched: bool,
    behind: LaterChange,
    shown: &TargetState,
    contents: &IntactContents,
) -> RecoveryAction {
    if stands(behind, shown) {
        return RecoveryAction::Superseded;
    }
    let is_of_the_cut = match shown {
        TargetState::Absent => is_untouched,
        TargetState::File { meta, .. } => {
            let states = chain.iter().flat_map(|file| [&file.before, &file.after]).flatten();
            states.into_iter().any(|recorded| is_unwritten(meta, recorded))
        }
        TargetState::Strange => false,
    };
    match bring(chain, shown, contents) {
        RecoveryAction::Done => RecoveryAction::Done,
        restored @ (RecoveryAction::Rebuild(..) | RecoveryAction::Remove) if is_of_the_cut => restored,
        _ => RecoveryAction::Leave,
    }
}

/// Returns the note about a path that was left as it is.
pub fn told(chain: &RecordChain<'_>) -> String {
    let last = chain.links.last().map_or(JobId(0), |link| link.entry.id);
    format!(
        "{}: records after job {last} may be lost through damage of the log, and the file is not as that job left it; it \
         was left unchanged: compare it with `editctl show {last}`",
        chain.path
    )
}

#[cfg(test)]
mod tests;
