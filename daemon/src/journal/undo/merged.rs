//! Taking one file of an entry back where it no longer shows what the entry left: the inverse is merged into what
//! is there. It merges text and modes; what was made or deleted, it leaves.

use editd_engine::{Refusal, State, apply, invert};
use editd_proto::error::Code;
use editd_proto::ids::{ContentHash, JobId};
use editd_proto::path::WirePath;

use crate::disk::sight::hash;
use crate::journal::past::{self, Patience};
use crate::rooms::Rooms;
use crate::store::record::{Face, FileRecord};

/// Why nothing is taken back.
pub(super) enum Kept {
    /// It is nothing that can be merged: the end of a sentence.
    Stale(&'static str),
    /// Later changes touch it.
    Conflict(Refusal),
}

impl Kept {
    /// Its words; `stale` are those of an undo that merges nothing.
    pub(super) fn refusal(self, id: JobId, path: &WirePath, mut stale: Refusal) -> Refusal {
        match self {
            Self::Stale(why) => {
                stale.message = format!("{} (it was not merged: {why})", stale.message);
                stale
            }
            Self::Conflict(mut refusal) => {
                refusal.message = format!("cannot undo entry {id} in {path}: {}", refusal.message);
                refusal.path = Some(path.clone());
                refusal.entries = stale.entries;
                refusal
            }
        }
    }
}

/// A state with a record taken back. `there` is what the path holds now, where the state has had other entries taken
/// back already.
pub(super) fn back(
    rooms: &Rooms,
    file: &FileRecord,
    there: &State,
    state: &State,
    patience: &Patience,
) -> Result<State, Kept> {
    let (Some(before), Some(after)) = (&file.before, &file.after) else {
        return Err(Kept::Stale("the entry made or deleted the file"));
    };
    let State::File { bytes, mode } = state else {
        return Err(Kept::Stale("the file is gone"));
    };
    let mode = mode_back(before, after, *mode)?;
    if before.hash == after.hash {
        return Ok(State::File { bytes: bytes.clone(), mode });
    }
    let left = left(rooms, &file.path, there, after.hash, patience)
        .ok_or(Kept::Stale("what the entry left is not held any more"))?;
    let inverse = invert(&file.splices);
    let fits = apply(&left, &inverse).is_some_and(|old| hash(&old) == before.hash);
    if !fits {
        return Err(Kept::Stale("the journal does not hold the bytes before it"));
    }
    let options = rooms.options(std::iter::once(&file.path));
    let label = options.encodings.first().map(|(_, label)| label.as_str());
    let splices =
        editd_engine::merge(&left, &inverse, bytes, label).map_err(|refusal| match refusal.code {
            Code::Conflict => Kept::Conflict(refusal),
            _ => Kept::Stale("only text is merged"),
        })?;
    let merged = apply(bytes, &splices).ok_or(Kept::Stale("the merge does not fit the file"))?;
    Ok(State::File { bytes: merged.into(), mode })
}

/// The mode with a change of the mode taken back, unless others gave the file a third one.
fn mode_back(before: &Face, after: &Face, mode: u32) -> Result<u32, Kept> {
    match mode {
        _ if before.mode == after.mode => Ok(mode),
        now if now == after.mode || now == before.mode => Ok(before.mode),
        _ => Err(Kept::Stale("others have changed its mode too")),
    }
}

/// The content that an entry left.
fn left(
    rooms: &Rooms,
    path: &WirePath,
    there: &State,
    wanted: ContentHash,
    patience: &Patience,
) -> Option<Vec<u8>> {
    let now = match there {
        State::Absent => None,
        State::File { bytes, .. } => Some((hash(bytes), &**bytes)),
    };
    if let Some((_, bytes)) = now.filter(|(hash, _)| *hash == wanted) {
        return Some(bytes.to_vec());
    }
    rooms.store.content(wanted).or_else(|| {
        past::content(rooms, path, now, patience, &|hash, _| hash == wanted).map(|(_, bytes)| bytes)
    })
}
