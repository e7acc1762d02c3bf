//! Finds files that an entry moved and that others moved again or deleted since. Making the old name again would leave two
//! copies, or bring a deleted file back. It reads nothing.

use std::collections::BTreeMap;

use editd_engine::FileState;
use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use super::turn::FileTurn;

/// Returns the path to which an entry moved a file that its turn would make again, if the file is not there any more.
/// `current` returns the state of a path. As in the rest of the journal, a moved file is one with the content of a
/// removed one.
pub(super) fn moved_again<'t>(
    turns: &[FileTurn<'t>],
    current: &dyn Fn(&FilePath) -> FileState,
) -> Option<&'t FilePath> {
    let ends = |turn: &FileTurn<'t>| {
        turn.ends().map(|(start, end)| (start.map(|meta| meta.hash), end.map(|meta| meta.hash)))
    };
    let mut left: BTreeMap<ContentHash, Vec<&FileTurn<'t>>> = BTreeMap::new();
    for turn in turns {
        if let Some((Some(start), end)) = ends(turn)
            && end != Some(start)
        {
            left.entry(start).or_default().push(turn);
        }
    }
    let is_gone = |turn: &&FileTurn<'t>| turn.is_done(&current(&turn.file.path));
    let lost = |turn: &FileTurn<'t>| {
        let Some((None, Some(content))) = ends(turn) else { return None };
        let moved = left.get(&content)?;
        let is_made = matches!(current(&turn.file.path), FileState::Absent);
        (is_made && moved.iter().all(is_gone)).then_some(moved.first()?.file)
    };
    turns.iter().find_map(lost).map(|file| &file.path)
}
