//! `resolve`: from paths as a client wrote them to places inside the workspace. Aliases of one file become one
//! path. It looks at names, not at contents.

use std::collections::BTreeMap;

use editd_engine::{EditFacts, Entry, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::path::FilePath;

use super::ParsedJob;
use crate::disk::{ResolveError, ResolvedPath};
use crate::state::WorkspaceState;
use crate::workspace::{LaneKey, Lanes};

/// A job whose paths are the workspace's own.
pub struct Resolved {
    /// The job, with every path as the workspace knows it.
    pub request: ParsedJob,
    /// Every path of the job.
    pub places: BTreeMap<FilePath, ResolvedPath>,
    /// With `partial`: entries (by index) with a path that leads nowhere, and why.
    pub skipped: BTreeMap<usize, Refusal>,
}

/// Finds every place of a job.
///
/// # Errors
/// `outside`, `unsupported`, `malformed`, `denied`, `io`: see [`ResolveError`]. With `partial` only what is wrong with the
/// job as a whole.
pub fn resolve(state: &WorkspaceState, request: &ParsedJob) -> Result<Resolved, Refusal> {
    // Checked first, so that a hostile job costs no walk through the tree.
    editd_engine::needs(&request.job)?;
    let mut request = request.clone();
    let mut places = BTreeMap::new();
    let mut aliases: BTreeMap<crate::os::FileIdentity, FilePath> = BTreeMap::new();
    let mut place_of = |path: &FilePath, itself: bool| -> Result<FilePath, Refusal> {
        let found = if itself { state.disk.resolve_link(path) } else { state.disk.resolve(path) };
        let place = found.map_err(|error| refusal(path, &error))?;
        let known = place.path().clone();
        if state.is_broken(&known) {
            let message = format!("{known} is locked until a failed job is rolled back; send the job again");
            return Err(Box::new(RequestError::new(ErrorCode::Busy, message).at(&known)));
        }
        // Two hard links of one file in one job: the edits must see each other, so they are one path.
        let path = match place.stat() {
            Some(stat) if stat.links > 1 && !itself => {
                aliases.entry(stat.identity).or_insert_with(|| known.clone()).clone()
            }
            _ => known,
        };
        places.entry(path.clone()).or_insert(place);
        Ok(path)
    };
    let mut resolve_entry = |entry: &mut Entry| -> Result<(), Refusal> {
        // A link is refused, not followed, if the entry takes the name itself away.
        let itself = entry.edits().any(EditFacts::removes_file);
        entry.path = place_of(&entry.path, itself)?;
        entry.replace_targets(|to| place_of(to, true))
    };
    let mut skipped = BTreeMap::new();
    for (index, entry) in request.job.entries.iter_mut().enumerate() {
        match resolve_entry(entry) {
            Ok(()) => {}
            Err(refusal) if request.job.partial => drop(skipped.insert(index, refusal)),
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(Resolved { request, places, skipped })
}

/// Returns the lanes that a job needs for itself.
///
/// # Errors
/// As [`resolve`].
pub fn lanes_of(state: &WorkspaceState, request: &ParsedJob) -> Result<Lanes, Refusal> {
    let resolved = resolve(state, request)?;
    let mut keys = Vec::with_capacity(resolved.places.len() * 2);
    for (path, place) in &resolved.places {
        keys.push(LaneKey::Path(path.clone()));
        if let Some(stat) = place.stat() {
            keys.push(LaneKey::File(stat.identity));
        }
    }
    keys.sort();
    keys.dedup();
    Ok(Lanes::Some(keys))
}

fn refusal(path: &FilePath, error: &ResolveError) -> Refusal {
    Box::new(error.to_wire(path))
}
