//! The author of a change that no job made: the session that announced it, and the receipt of that session for what it
//! wrote. It appends nothing.

use editd_engine::Splice;
use editd_proto::ids::ContentHash;
use editd_proto::path::FilePath;

use crate::receipt::{self, KnownChange};
use crate::record::ReadReceipt;
use crate::state::announced::ChangeClaim;
use crate::state::{WorkspaceState, lock};

/// A change of a path.
pub(super) struct AttributedChange<'c> {
    pub(super) path: &'c FilePath,
    /// The hash before it; `None` if there was no file.
    pub(super) before: Option<ContentHash>,
    /// The content before it; `None` if it is not known.
    pub(super) old: Option<&'c [u8]>,
    /// The hash and the content after it; `None` if there is no file.
    pub(super) after: Option<(ContentHash, &'c [u8])>,
}

/// Returns the author of a change of a path, if a session announced it.
pub(super) fn author(state: &WorkspaceState, path: &FilePath) -> Option<ChangeClaim> {
    lock(&state.announced).author(path, state.steady.now_ms(&*state.clock))
}

/// Returns the receipt that the author gets at the end of the call, since it knows what it wrote to a file that it named.
/// `None` if it keeps its receipt: it did not name the file, changed only its mode, or had not seen what was there before.
pub(super) fn receipt(
    state: &WorkspaceState,
    author: &ChangeClaim,
    change: &AttributedChange<'_>,
    splices: &[Splice],
) -> Option<ReadReceipt> {
    if !author.named || (change.before.is_some() && change.before == change.after.map(|(hash, _)| hash)) {
        return None;
    }
    let now = state.clock.wall_ms();
    let seen = match &author.pending {
        Some(pending) => Some(pending.clone()),
        None => state.store.seen(&author.session, change.path).ok()?,
    };
    let content = match (change.after, &seen) {
        (None, _) => receipt::absent(now),
        (Some((hash, new)), seen) => {
            let old = change.old?;
            let whole;
            let splices = if splices.is_empty() {
                // The journal keeps no ranges of large files.
                whole = [Splice { at: 0, old: old.to_vec(), new: new.to_vec() }];
                &whole
            } else {
                splices
            };
            let known = KnownChange::new((old, new), splices);
            match seen {
                Some(seen) if seen.hash.is_some() && seen.hash == change.before => {
                    receipt::renewed(seen, hash, &known, now)
                }
                Some(seen) if seen.hash.is_some() => return None,
                earlier => receipt::first(earlier.as_ref(), hash, &known, now),
            }
        }
    };
    Some(receipt::of_session(&author.session, change.path, content))
}
