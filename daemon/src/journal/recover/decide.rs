//! What a power cut left, and what to do about it: a pure function from the chain of a path's unsettled records
//! and what its target shows now. The table stands in the design; each row is one arm here.

use std::sync::Arc;

use editd_proto::ids::ContentHash;

use super::contents::{IntactContents, is_whole};
use super::signs::{is_own, is_torn, same_file};
use crate::store::record::{ChangeMethod, FileMeta, FileRecord};

/// What stands at a target.
#[derive(Clone, Debug)]
pub enum TargetState {
    /// Nothing.
    Absent,
    /// A file.
    File {
        /// What it is.
        face: FileMeta,
        /// Its content.
        bytes: Arc<[u8]>,
    },
    /// Something else, or nothing that can be read.
    Strange,
}

/// What to do with a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// It shows what the newest entry says.
    Done,
    /// It shows what the power cut left: put this content there, with this face.
    Rebuild(Arc<[u8]>, FileMeta),
    /// It was being rewritten in place: write this content into it.
    RewriteInPlace(Arc<[u8]>, FileMeta),
    /// The newest entry deletes it, and the cut took that: move it away.
    Remove,
    /// Others' bytes, or bytes that nothing explains: leave them.
    Leave,
    /// What a later change left there, which the journal has: nothing of the chain is owed.
    Superseded,
    /// What a refused job put over others' file, or nothing: that file goes back to its name from the job's slot.
    Return,
}

/// What the journal has of a path behind its chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behind {
    /// Nothing.
    Nothing,
    /// Others', or a command's, that left this content (`None`: no file). Nobody flushed it.
    Content(Option<ContentHash>),
    /// A job's, among others: it is settled, so that its file was flushed in the place of the chain's.
    Settled,
}

/// Decides about one path after a power cut. `chain` is its unsettled records, oldest first; the last `refused` of them
/// are of jobs that are taken back, the first of which had displaced others' file if `theirs`.
pub fn decide(
    chain: &[&FileRecord],
    refused: usize,
    theirs: bool,
    behind: Behind,
    shown: &TargetState,
    contents: &IntactContents,
) -> Action {
    let Some((standing, refused)) = chain.split_at_checked(chain.len().saturating_sub(refused)) else {
        return Action::Leave;
    };
    // What a look took for others' before the job was refused is still the job's own.
    let own = refused.iter().filter_map(|file| file.after.as_ref()).any(|after| {
        matches!(shown, TargetState::File { face, .. } if shows(face, after) && same_file(face.identity, after.identity))
    });
    if stands(behind, shown) && !own {
        return Action::Superseded;
    }
    let Some(first) = refused.first() else { return bring(chain, shown, contents) };
    let vacant = match shown {
        TargetState::Absent => true,
        TargetState::File { face, bytes } => is_own(first, face, bytes, contents),
        TargetState::Strange => false,
    };
    if theirs && vacant {
        return Action::Return;
    }
    match take_back(chain, refused, shown, contents) {
        // What the jobs below left may be there all the same.
        Action::Leave => bring(standing, shown, contents),
        other => other,
    }
}

/// Whether what stands is what was left behind the chain.
fn stands(behind: Behind, shown: &TargetState) -> bool {
    match (behind, shown) {
        (Behind::Nothing, _) | (Behind::Content(_), TargetState::Strange) => false,
        (Behind::Content(left), TargetState::Absent) => left.is_none(),
        (Behind::Content(left), TargetState::File { face, .. }) => left == Some(face.hash),
        (Behind::Settled, _) => true,
    }
}

fn shows(face: &FileMeta, state: &FileMeta) -> bool {
    face.hash == state.hash && face.mode == state.mode
}

/// Takes the last records of a chain back, as if their inverses had been done behind them.
fn take_back(
    chain: &[&FileRecord],
    refused: &[&FileRecord],
    shown: &TargetState,
    contents: &IntactContents,
) -> Action {
    let Some(first) = refused.first() else { return Action::Leave };
    let wanted = first.before.as_ref();
    if let TargetState::File { face, .. } = shown
        && !wanted.is_some_and(|wanted| shows(face, wanted))
        && refused.iter().filter_map(|file| file.after.as_ref()).any(|after| shows(face, after))
    {
        // Whatever the inode: recovery may have put it there before it was cut.
        return match wanted {
            None => Action::Remove,
            Some(wanted) => put_anew(first.how, face, wanted, contents),
        };
    }
    let inverses: Vec<FileRecord> = refused.iter().rev().map(|file| inverse(file)).collect();
    let all: Vec<&FileRecord> = chain.iter().copied().chain(&inverses).collect();
    bring(&all, shown, contents)
}

/// The record that takes another one back. Nothing was staged for it.
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

/// Brings a path to what the newest record of its chain says.
fn bring(chain: &[&FileRecord], shown: &TargetState, contents: &IntactContents) -> Action {
    let Some(newest) = chain.last() else { return Action::Leave };
    let wanted = newest.after.as_ref();
    match (shown, wanted) {
        (TargetState::Strange, _) => Action::Leave,
        (TargetState::Absent, None) => Action::Done,
        (TargetState::Absent, Some(wanted)) => {
            // The name may be lost with the swap that made it, or with the young file that was swapped.
            if chain.iter().any(|file| file.before.is_none() || file.after.is_none() || is_whole(file)) {
                rebuild(wanted, contents)
            } else {
                Action::Leave
            }
        }
        (TargetState::File { face, .. }, None) => {
            if older_state(chain, face) || torn(chain, shown, contents) || unflushed(chain, face) {
                Action::Remove
            } else {
                Action::Leave
            }
        }
        (TargetState::File { face, bytes }, Some(wanted)) => {
            if face.hash == wanted.hash && (face.mode == wanted.mode || !older_state(chain, face)) {
                Action::Done
            } else if let Some(rewritten) = rewritten(chain, face, bytes, contents) {
                rewritten
            } else if older_state(chain, face) || torn(chain, shown, contents) || unflushed(chain, face) {
                put_anew(newest.how, face, wanted, contents)
            } else {
                Action::Leave
            }
        }
    }
}

/// Puts a content where a file stands.
fn put_anew(how: ChangeMethod, stands: &FileMeta, wanted: &FileMeta, contents: &IntactContents) -> Action {
    match rebuild(wanted, contents) {
        // Exchanging would part its names.
        Action::Rebuild(bytes, wanted)
            if how == ChangeMethod::InPlace && same_file(stands.identity, wanted.identity) =>
        {
            Action::RewriteInPlace(bytes, wanted)
        }
        other => other,
    }
}

fn rebuild(wanted: &FileMeta, contents: &IntactContents) -> Action {
    match contents.get(wanted.hash) {
        Some(bytes) => Action::Rebuild(bytes.clone(), wanted.clone()),
        None => Action::Leave,
    }
}

/// A state that the chain has left behind, in the very file that was recorded for it. Another file with an old
/// content is a foreign revert.
fn older_state(chain: &[&FileRecord], face: &FileMeta) -> bool {
    let last = chain.len().saturating_sub(1);
    chain.iter().enumerate().any(|(at, file)| {
        let was = |state: Option<&FileMeta>| {
            state.is_some_and(|state| state.hash == face.hash && same_file(state.identity, face.identity))
        };
        was(file.before.as_ref()) || (at < last && was(file.after.as_ref()))
    })
}

/// A file that was staged by an unsettled entry, and whose blocks reached the disk only in part: each is as
/// written or zero, and it is no longer than written. The same for a young file that an entry carries whole.
fn torn(chain: &[&FileRecord], shown: &TargetState, contents: &IntactContents) -> bool {
    let TargetState::File { face, bytes } = shown else { return false };
    let states = chain.iter().flat_map(|file| {
        let staged =
            file.after.as_ref().filter(|_| matches!(file.how, ChangeMethod::Swap | ChangeMethod::Create));
        let young = file.before.as_ref().filter(|_| is_whole(file));
        staged.into_iter().chain(young)
    });
    states
        .filter(|state| same_file(state.identity, face.identity))
        .filter_map(|state| contents.get(state.hash))
        .any(|written| is_torn(bytes, written))
}

/// The very file that an entry carries whole, with bytes that it held before those: they had not reached the disk,
/// and the swap had not either. Bytes that others wrote later would have made it younger.
fn unflushed(chain: &[&FileRecord], face: &FileMeta) -> bool {
    let carried = chain
        .iter()
        .filter(|file| matches!(file.how, ChangeMethod::Swap | ChangeMethod::Delete) && is_whole(file));
    carried
        .filter_map(|file| file.before.as_ref())
        .any(|before| same_file(before.identity, face.identity) && face.modified <= before.modified)
}

/// As above, and certainly older than what the entry carries: whoever wrote that had replaced these bytes himself.
pub fn outlived(chain: &[&FileRecord], face: &FileMeta) -> bool {
    let before =
        |file: &&FileRecord| file.before.as_ref().is_none_or(|before| face.modified < before.modified);
    let older: Vec<&FileRecord> = chain.iter().copied().filter(before).collect();
    unflushed(&older, face)
}

/// A file that some entry was rewriting in place: its bytes are a mixture of states.
fn rewritten(
    chain: &[&FileRecord],
    face: &FileMeta,
    bytes: &[u8],
    contents: &IntactContents,
) -> Option<Action> {
    let is_it = |state: &Option<FileMeta>| {
        state.as_ref().is_some_and(|state| same_file(state.identity, face.identity))
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
    mixture.then(|| Action::RewriteInPlace(content.clone(), wanted.clone()))
}

/// A content before and after.
pub type Sides = (Arc<[u8]>, Arc<[u8]>);

/// Both sides of one rewriting, if the file that it was done to is a mixture of them.
pub fn in_place_sides(file: &FileRecord, face: &FileMeta, found: &[u8]) -> Option<Sides> {
    let before = file.before.as_ref().filter(|before| same_file(before.identity, face.identity))?;
    let after = file.after.as_ref()?;
    let states = in_place_states(&[file], found, &IntactContents::default())?;
    let get = |face: &FileMeta| {
        states.iter().find(|bytes| crate::disk::observation::hash(bytes) == face.hash).cloned()
    };
    is_mixture(found, &states).then_some((get(before)?, get(after)?))
}

/// Whether every byte is one that some state has there, or zero.
fn is_mixture(found: &[u8], states: &[Arc<[u8]>]) -> bool {
    let longest = states.iter().map(|state| state.len()).max().unwrap_or(0);
    found.len() <= longest
        && found
            .iter()
            .enumerate()
            .all(|(at, byte)| *byte == 0 || states.iter().any(|state| state.get(at) == Some(byte)))
}

/// Every state of a chain of rewritings. Bytes before the first changed one were never touched, so they are
/// taken from the file itself, and the hashes tell whether that was right.
fn in_place_states(chain: &[&FileRecord], found: &[u8], contents: &IntactContents) -> Option<Vec<Arc<[u8]>>> {
    let get = |face: Option<&FileMeta>| face.and_then(|face| contents.get(face.hash)).cloned();
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
        .map(|face| face.hash)
        .collect();
    hashes.into_iter().map(|hash| known.get(hash).cloned()).collect()
}

#[cfg(test)]
pub(super) mod tests;
