//! Refuses changes of a file that has a name outside the workspace: the change would reach a file that no job may touch.
//! It writes nothing.

use editd_engine::{FileState, Refusal};
use editd_proto::error::{ErrorCode, RequestError};

use super::{FileChange, git_folder};
use crate::config::HardLinkPolicy;
use crate::disk::linked::{LinkedFile, NamesInside};
use crate::state::WorkspaceState;
use crate::state::refusal::disk_refusal;

/// Refuses changes of content or mode of files that have names outside the workspace or in a git folder, unless the settings allow them. A
/// deletion removes one name only, and is permitted.
///
/// # Errors
/// `rejected`, with the numbers of names and what to do; errors of the system.
pub(super) fn check(state: &WorkspaceState, changes: &[FileChange]) -> Result<(), Refusal> {
    if state.settings.hard_links == HardLinkPolicy::Allow {
        return Ok(());
    }
    let linked: Vec<LinkedFile<'_>> = changes.iter().filter_map(linked).collect();
    let Some((first, _)) = linked.first() else { return Ok(()) };
    let inside = state.disk.names_inside(&linked).map_err(|error| disk_refusal(first.path(), &error))?;
    for ((place, found), inside) in linked.into_iter().zip(inside) {
        let (path, links) = (place.path(), found.links);
        git_folder::check_names(state, path, &state.disk.found_names(found))?;
        let known = match inside {
            NamesInside::All => continue,
            NamesInside::Only(inside) => format!("{} in the workspace", were_found(inside)),
            NamesInside::AtLeast(inside) => {
                format!("{}, and the workspace has too many files to look at all", were_found(inside))
            }
        };
        let message = format!(
            "{path} has {links} names (hard links), and {known}: the job would also change a file outside the \
             workspace. Replace it by a copy (`cp -p FILE FILE.new && mv FILE.new FILE`), or set hard_links = \
             \"allow\" in .editd.toml, approve that with `editctl trust`, and run `editctl stop`"
        );
        return Err(Box::new(RequestError::new(ErrorCode::Rejected, message).at(path)));
    }
    Ok(())
}

fn were_found(names: u64) -> String {
    let verb = if names == 1 { "was" } else { "were" };
    format!("{names} of them {verb} found")
}

/// Returns the file that a change rewrites in place, if it has several names.
fn linked(change: &FileChange) -> Option<LinkedFile<'_>> {
    let (Some(found), FileState::File { .. }) = (&change.before, &change.after) else { return None };
    (found.links > 1).then_some((&change.place, found))
}
