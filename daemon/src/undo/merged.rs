//! Undoes one file of an entry that other changes followed: the inverse is merged into the present content. It merges
//! text and modes, and leaves created or deleted files alone.

use editd_engine::{FileState, Refusal, apply};
use editd_proto::error::ErrorCode;
use editd_proto::ids::JobId;
use editd_proto::path::FilePath;

use super::turn::FileTurn;
use crate::limits::{UNDO_PAST_BYTES, UNDO_PAST_ENTRIES};
use crate::record::FileMeta;
use crate::store::taken::FileTaken;

/// The reason why nothing is undone.
pub(super) enum NotMerged {
    /// It cannot be merged: the end of a sentence.
    Stale(&'static str),
    /// The content on which later changes were made is not made: the budget for earlier contents is spent.
    Spent,
    /// Later changes touch it.
    Conflict(Refusal),
}

impl NotMerged {
    /// Returns the refusal; `stale` is that of an undo that merges nothing.
    pub(super) fn refusal(self, id: JobId, path: &FilePath, mut stale: Refusal) -> Refusal {
        match self {
            Self::Stale(why) => {
                stale.message = format!("{} (it was not merged: {why})", stale.message);
                stale
            }
            Self::Spent => {
                let (entries, mib) = (UNDO_PAST_ENTRIES, UNDO_PAST_BYTES / (1024 * 1024));
                stale.message = format!(
                    "{} (it was not merged: to make the earlier contents, more than {entries} entries or {mib} MiB would \
                     have to be read; undo fewer entries at once, the newest first)",
                    stale.message
                );
                stale.limit = Some(entries as u64);
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

/// Returns a state with a turn merged into it.
pub(super) fn turned(turn: &FileTurn<'_>, state: &FileState) -> Result<FileState, NotMerged> {
    let file = turn.file;
    let (base, splices) = turn.merge_sides()?;
    let FileState::File { bytes, mode } = state else {
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
        return Ok(FileState::File { bytes: bytes.clone(), mode });
    }
    let options = turn.state.options(std::iter::once(&file.path));
    let label = options.encodings.first().map(|(_, label)| label.as_str());
    let splices =
        editd_engine::merge(&base, &splices, bytes, label).map_err(|refusal| match refusal.code {
            ErrorCode::Conflict => NotMerged::Conflict(refusal),
            _ => NotMerged::Stale("only text is merged"),
        })?;
    let merged = apply(bytes, &splices).ok_or(NotMerged::Stale("the merge does not fit the file"))?;
    Ok(FileState::File { bytes: merged.into(), mode })
}

/// Returns the mode after a turn, unless another program set a third one.
fn mode_between(from: &FileMeta, to: &FileMeta, mode: u32) -> Result<u32, NotMerged> {
    if mode == from.mode || mode == to.mode {
        return Ok(to.mode);
    }
    Err(NotMerged::Stale("others have changed its mode too"))
}
