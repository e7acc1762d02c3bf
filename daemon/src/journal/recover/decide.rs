//! Decides what to do about a path after a power cut: a pure function of the chain of the path's unsettled records
//! and the present state of its target.

use std::sync::Arc;

use editd_proto::ids::ContentHash;

use super::contents::{IntactContents, is_whole};
use super::signs::{is_own, is_torn, same_file};
use crate::record::{ChangeMethod, FileMeta, FileRecord};

/// The present state of a target.
#[derive(Clone, Debug)]
pub enum TargetState {
    /// No file.
    Absent,
    /// A file.
    File {
        /// Its metadata.
        meta: FileMeta,
        /// Its content.
        bytes: Arc<[u8]>,
    },
    /// Not a regular file, too large, or not readable.
    Strange,
}

/// The action for a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecoveryAction {
    /// None: it has the content of the newest entry.
    Done,
    /// It has what the power cut left: write this content there, with this metadata.
    Rebuild(Arc<[u8]>, FileMeta),
    /// It was being rewritten in place: write this content into it.
    RewriteInPlace(Arc<[u8]>, FileMeta),
    /// The newest entry deletes it and the power cut undid that: move it away.
    Remove,
    /// None: it has bytes of another program, bytes that nothing explains, or a content that cannot be rebuilt.
    Leave,
    /// None: it has the content of a later change, which the journal has, so the chain is done.
    Superseded,
    /// A rolled-back job displaced the file of another program, and the target has only the job's own file, or none:
    /// move the other program's file back from the job's staged name.
    Return,
}

/// The change of a path after its chain, as the journal has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaterChange {
    /// No change.
    Nothing,
    /// A change by another program or a command that left this content (`None`: no file). It was never flushed.
    Content(Option<ContentHash>),
    /// At least one change is a job's: that is settled, so its file was flushed in place of the chain's.
    Settled,
}

/// Decides about one path after a power cut. `chain` has its unsettled records, oldest first; the last `refused` of
/// them belong to jobs that are rolled back. `theirs` is true if the first of these displaced a file of another
/// program.
pub fn decide(
    chain: &[&FileRecord],
    refused: usize,
    theirs: bool,
    behind: LaterChange,
    shown: &TargetState,
    contents: &IntactContents,
) -> RecoveryAction {
    let Some((standing, refused)) = chain.split_at_checked(chain.len().saturating_sub(refused)) else {
        return RecoveryAction::Leave;
    };
    // An observation before the job was refused may have taken the job's own file for another program's.
    let own = refused.iter().filter_map(|file| file.after.as_ref()).any(|after| {
        matches!(shown, TargetState::File { meta, .. } if shows(meta, after) && same_file(meta.identity, after.identity))
    });
    if stands(behind, shown) && !own {
        return RecoveryAction::Superseded;
    }
    let Some(first) = refused.first() else { return bring(chain, shown, contents) };
    let vacant = match shown {
        TargetState::Absent => true,
        TargetState::File { meta, bytes } => is_own(first, meta, bytes, contents),
        TargetState::Strange => false,
    };
    if theirs && vacant {
        return RecoveryAction::Return;
    }
    match take_back(chain, refused, shown, contents) {
        // The target may still have a file of the jobs before them.
        RecoveryAction::Leave => bring(standing, shown, contents),
        other => other,
    }
}

/// Returns true if the target has what the change after the chain left.
pub(super) fn stands(behind: LaterChange, shown: &TargetState) -> bool {
    match (behind, shown) {
        (LaterChange::Nothing, _) | (LaterChange::Content(_), TargetState::Strange) => false,
        (LaterChange::Content(left), TargetState::Absent) => left.is_none(),
        (LaterChange::Content(left), TargetState::File { meta, .. }) => left == Some(meta.hash),
        (LaterChange::Settled, _) => true,
    }
}

pub(super) fn shows(meta: &FileMeta, state: &FileMeta) -> bool {
    meta.hash == state.hash && meta.mode == state.mode
}

/// Rolls the last records of a chain back, as if their inverses had been done after them.
fn take_back(
    chain: &[&FileRecord],
    refused: &[&FileRecord],
    shown: &TargetState,
    contents: &IntactContents,
) -> RecoveryAction {
    let Some(first) = refused.first() else { return RecoveryAction::Leave };
    let wanted = first.before.as_ref();
    if let TargetState::File { meta, .. } = shown
        && !wanted.is_some_and(|wanted| shows(meta, wanted))
        && refused.iter().filter_map(|file| file.after.as_ref()).any(|after| shows(meta, after))
    {
        // Whatever its inode: an interrupted recovery may have put it there.
        return match wanted {
            None => RecoveryAction::Remove,
            Some(wanted) => put_anew(first.how, meta, wanted, contents),
        };
    }
    let inverses: Vec<FileRecord> = refused.iter().rev().map(|file| inverse(file)).collect();
    let all: Vec<&FileRecord> = chain.iter().copied().chain(&inverses).collect();
    bring(&all, shown, contents)
}

/// Returns the inverse of a record. It has no staged file.
fn inverse(file: &FileRecord) -> FileRecord {
    FileRecord {
        before: file.after.clone(),
        after: file.before.clone(),
        splices: editd_engine::invert(&file.splices),
        how: if file.how == ChangeMethod::InPlace { ChangeMethod::InPlace } else { ChangeMethod::Nothing },
        staged_name: String::new(),
        ..file.clone()
    }
}

/// Decides how a path gets the state that the newest record of its chain left.
pub(super) fn bring(chain: &[&FileRecord], shown: &TargetState, contents: &IntactContents) -> RecoveryAction {
    let Some(newest) = chain.last() else { return RecoveryAction::Leave };
    let wanted = newest.after.as_ref();
    match (shown, wanted) {
        (TargetState::Strange, _) => RecoveryAction::Leave,
        (TargetState::Absent, None) => RecoveryAction::Done,
        (TargetState::Absent, Some(wanted)) => {
            // The name may be lost together with the swap that made it, or with the young file that was swapped.
            if chain.iter().any(|file| file.before.is_none() || file.after.is_none() || is_whole(file)) {
                rebuild(wanted, contents)
            } else {
                RecoveryAction::Leave
            }
        }
        (TargetState::File { meta, .. }, None) => {
            if older_state(chain, meta) || torn(chain, shown, contents) || unflushed(chain, meta) {
                RecoveryAction::Remove
            } else {
                RecoveryAction::Leave
            }
        }
        (TargetState::File { meta, bytes }, Some(wanted)) => {
            let (has_content, is_older) = (meta.hash == wanted.hash, older_state(chain, meta));
            if has_content && (meta.mode == wanted.mode || !(is_older || older_mode(chain, meta))) {
                RecoveryAction::Done
            } else if let Some(rewritten) = rewritten(chain, meta, bytes, contents) {
                rewritten
            } else if has_content && !is_older {
                RecoveryAction::Done
            } else if is_older || torn(chain, shown, contents) || unflushed(chain, meta) {
                put_anew(newest.how, meta, wanted, contents)
            } else {
                RecoveryAction::Leave
            }
        }
    }
}

/// Decides how to write a content over a present file.
fn put_anew(
    how: ChangeMethod,
    stands: &FileMeta,
    wanted: &FileMeta,
    contents: &IntactContents,
) -> RecoveryAction {
    match rebuild(wanted, contents) {
        // An exchange would separate its names.
        RecoveryAction::Rebuild(bytes, wanted)
            if how == ChangeMethod::InPlace && same_file(stands.identity, wanted.identity) =>
        {
            RecoveryAction::RewriteInPlace(bytes, wanted)
        }
        other => other,
    }
}

fn rebuild(wanted: &FileMeta, contents: &IntactContents) -> RecoveryAction {
    match contents.get(wanted.hash) {
        Some(bytes) => RecoveryAction::Rebuild(bytes.clone(), wanted.clone()),
        None => RecoveryAction::Leave,
    }
}

/// Returns true if the file has the mode from before a rewrite in place. A power cut may keep the new bytes of such a file
/// without its new mode.
fn older_mode(chain: &[&FileRecord], meta: &FileMeta) -> bool {
    let mut had =
        chain.iter().filter(|file| file.how == ChangeMethod::InPlace).filter_map(|file| file.before.as_ref());
    had.any(|before| before.mode == meta.mode && same_file(before.identity, meta.identity))
}

/// Returns true if this is an older state of the chain, in the very file that was recorded for it. A different file
/// with an old content is a revert by another program.
fn older_state(chain: &[&FileRecord], meta: &FileMeta) -> bool {
    let last = chain.len().saturating_sub(1);
    chain.iter().enumerate().any(|(at, file)| {
        let was = |state: Option<&FileMeta>| {
            state.is_some_and(|state| state.hash == meta.hash && same_file(state.identity, meta.identity))
        };
        was(file.before.as_ref()) || (at < last && was(file.after.as_ref()))
    })
}

/// Returns true if a file that an unsettled entry staged reached the disk only in part: each block is as written or
/// zero, and the file is no longer than written. The same holds for a young file that an entry stores whole.
fn torn(chain: &[&FileRecord], shown: &TargetState, contents: &IntactContents) -> bool {
    let TargetState::File { meta, bytes } = shown else { return false };
    let states = chain.iter().flat_map(|file| {
        let staged =
            file.after.as_ref().filter(|_| matches!(file.how, ChangeMethod::Swap | ChangeMethod::Create));
        let young = file.before.as_ref().filter(|_| is_whole(file));
        staged.into_iter().chain(young)
    });
    states
        .filter(|state| same_file(state.identity, meta.identity))
        .filter_map(|state| contents.get(state.hash))
        .any(|written| is_torn(bytes, written))
}

/// Returns true if this is the very file that an entry stores whole, with an earlier content: the later bytes had not
/// reached the disk, and neither had the swap. Bytes that another program wrote later would have a later time.
fn unflushed(chain: &[&FileRecord], meta: &FileMeta) -> bool {
    let carried = chain
        .iter()
        .filter(|file| matches!(file.how, ChangeMethod::Swap | ChangeMethod::Delete) && is_whole(file));
    carried
        .filter_map(|file| file.before.as_ref())
        .any(|before| same_file(before.identity, meta.identity) && meta.modified <= before.modified)
}

/// Returns true if this is the very file that an entry stores whole, with bytes that are certainly older: the program
/// that wrote the stored content had replaced these bytes itself.
pub fn outlived(chain: &[&FileRecord], meta: &FileMeta) -> bool {
    let before =
        |file: &&FileRecord| file.before.as_ref().is_none_or(|before| meta.modified < before.modified);
    let older: Vec<&FileRecord> = chain.iter().copied().filter(before).collect();
    unflushed(&older, meta)
}

/// Returns the decision about a file that only entries in place changed, if its bytes are a mixture of their states;
/// otherwise `None`.
fn rewritten(
    chain: &[&FileRecord],
    meta: &FileMeta,
    bytes: &[u8],
    contents: &IntactContents,
) -> Option<RecoveryAction> {
    let is_it = |state: &Option<FileMeta>| {
        state.as_ref().is_some_and(|state| same_file(state.identity, meta.identity))
    };
    let from = chain.iter().position(|file| file.how == ChangeMethod::InPlace && is_it(&file.before))?;
    let chain = chain.get(from..)?;
    let newest = chain.last()?;
    if !chain.iter().all(|file| file.how == ChangeMethod::InPlace) || !is_it(&newest.after) {
        return None;
    }
    let wanted = newest.after.as_ref()?;
    let states = in_place_states(chain, bytes, contents)?;
    let content = states.last()?;
    let mixture = is_mixture(bytes, &states);
    mixture.then(|| RecoveryAction::RewriteInPlace(content.clone(), wanted.clone()))
}

/// The content before and after.
pub type ContentSides = (Arc<[u8]>, Arc<[u8]>);

/// Returns both contents of a rewrite in place if its file is a mixture of them.
pub fn in_place_sides(file: &FileRecord, meta: &FileMeta, found: &[u8]) -> Option<ContentSides> {
    let before = file.before.as_ref().filter(|before| same_file(before.identity, meta.identity))?;
    let after = file.after.as_ref()?;
    let states = in_place_states(&[file], found, &IntactContents::default())?;
    let get = |meta: &FileMeta| {
        states.iter().find(|bytes| crate::disk::observation::hash(bytes) == meta.hash).cloned()
    };
    is_mixture(found, &states).then_some((get(before)?, get(after)?))
}

/// Returns true if every byte is zero or the one that some state has at its offset, and the file is no longer than the
/// longest state.
fn is_mixture(found: &[u8], states: &[Arc<[u8]>]) -> bool {
    let longest = states.iter().map(|state| state.len()).max().unwrap_or(0);
    found.len() <= longest
        && found
            .iter()
            .enumerate()
            .all(|(at, byte)| *byte == 0 || states.iter().any(|state| state.get(at) == Some(byte)))
}

/// Returns every state of a chain of rewrites in place. Bytes before the first changed one were never touched, so
/// they are taken from the file itself; the hashes verify them.
fn in_place_states(chain: &[&FileRecord], found: &[u8], contents: &IntactContents) -> Option<Vec<Arc<[u8]>>> {
    let get = |meta: Option<&FileMeta>| meta.and_then(|meta| contents.get(meta.hash)).cloned();
    let mut known = IntactContents::default();
    for file in chain {
        for state in [file.before.as_ref(), file.after.as_ref()] {
            get(state).into_iter().for_each(|bytes| known.add(bytes));
        }
        if file.splices.is_empty() {
            known.add(found.into());
        }
        if let [splice] = file.splices.as_slice() {
            let at = usize::try_from(splice.at).ok()?;
            let prefix = found.get(..at)?;
            known.add([prefix, &splice.old].concat().into());
            known.add([prefix, &splice.new].concat().into());
        }
    }
    known.reach(chain);
    let hashes: Vec<ContentHash> = chain
        .iter()
        .flat_map(|file| [file.before.as_ref(), file.after.as_ref()])
        .flatten()
        .map(|meta| meta.hash)
        .collect();
    hashes.into_iter().map(|hash| known.get(hash).cloned()).collect()
}

#[cfg(test)]
pub(super) mod tests;
