//! Taking one file of an entry back where it no longer shows what the entry left: the inverse is merged into what
//! is there. It merges text and modes; what was made or deleted, it leaves.

use editd_engine::{Refusal, State, apply};
use editd_proto::error::Code;
use editd_proto::ids::JobId;
use editd_proto::path::WirePath;

use super::turn::FileTurn;
use crate::store::record::FileMeta;
use crate::store::taken::FileTaken;

/// Why nothing is taken back.
pub(super) enum NotMerged {
    /// It is nothing that can be merged: the end of a sentence.
    Stale(&'static str),
    /// Later changes touch it.
    Conflict(Refusal),
}

impl NotMerged {
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
                refusal.later = stale.later;
                refusal
            }
        }
    }
}

/// A state with a turn merged into it.
pub(super) fn turned(turn: &FileTurn<'_>, state: &State) -> Result<State, NotMerged> {
    let file = turn.file;
    let (base, splices) = turn.merge_sides().map_err(NotMerged::Stale)?;
    let State::File { bytes, mode } = state else {
        return Err(NotMerged::Stale("the file is gone"));
    };
    let mode = match (&file.before, &file.after) {
        (Some(before), Some(after)) if before.mode != after.mode => match (&turn.from, &turn.to) {
            (FileTaken::Whole, _) => mode_between(before, after, *mode)?,
            (_, FileTaken::Whole) => mode_between(after, before, *mode)?,
            _ => *mode,
        },
        _ => *mode,
    };
    if splices.is_empty() {
        return Ok(State::File { bytes: bytes.clone(), mode });
    }
    let options = turn.state.options(std::iter::once(&file.path));
    let label = options.encodings.first().map(|(_, label)| label.as_str());
    let splices =
        editd_engine::merge(&base, &splices, bytes, label).map_err(|refusal| match refusal.code {
            Code::Conflict => NotMerged::Conflict(refusal),
            _ => NotMerged::Stale("only text is merged"),
        })?;
    let merged = apply(bytes, &splices).ok_or(NotMerged::Stale("the merge does not fit the file"))?;
    Ok(State::File { bytes: merged.into(), mode })
}

/// The mode after a turn from one face to another, unless others gave the file a third one.
fn mode_between(from: &FileMeta, to: &FileMeta, mode: u32) -> Result<u32, NotMerged> {
    if mode == from.mode || mode == to.mode {
        return Ok(to.mode);
    }
    Err(NotMerged::Stale("others have changed its mode too"))
}
