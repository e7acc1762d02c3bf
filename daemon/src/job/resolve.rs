//! `resolve`: from paths as a client wrote them to places inside the workspace. Aliases of one file become one
//! path. It looks at names, not at contents.

use std::collections::BTreeMap;

use editd_engine::Refusal;
use editd_proto::error::{Code, WireError};
use editd_proto::message::{FileEntry, JobRequest};
use editd_proto::path::WirePath;

use crate::disk::{ResolveError, ResolvedPath};
use crate::state::WorkspaceState;
use crate::workspace::{LaneKey, Lanes};

/// A job whose paths are the workspace's own.
pub struct Resolved {
    /// The job, with every path as the workspace knows it.
    pub request: JobRequest,
    /// Every path of the job.
    pub places: BTreeMap<WirePath, ResolvedPath>,
    /// With `partial`: entries (by index) with a path that leads nowhere, and why.
    pub skipped: BTreeMap<usize, Refusal>,
}

/// Finds every place of a job.
///
/// # Errors
/// `outside`, `unsupported`, `malformed`, `denied`, `io`: see [`ResolveError`]. With `partial` only what is wrong with the
/// job as a whole.
pub fn resolve(state: &WorkspaceState, request: &JobRequest) -> Result<Resolved, Refusal> {
    // Checked first, so that a hostile job costs no walk through the tree.
    editd_engine::needs(request)?;
    let mut request = request.clone();
    let mut places = BTreeMap::new();
    let mut aliases: BTreeMap<crate::os::Identity, WirePath> = BTreeMap::new();
    let mut place_of = |path: &WirePath, itself: bool| -> Result<WirePath, Refusal> {
        let found = if itself { state.disk.resolve_link(path) } else { state.disk.resolve(path) };
        let place = found.map_err(|error| refusal(path, &error))?;
        let known = place.path().clone();
        if state.is_broken(&known) {
            let message = format!("{known} waits for a job that broke to be taken back; send the job again");
            return Err(Box::new(WireError::new(Code::Busy, message).at(&known)));
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
    let mut resolve_entry = |entry: &mut FileEntry| -> Result<(), Refusal> {
        let itself = moves(entry);
        entry.path = place_of(&entry.path, itself)?;
        for edit in &mut entry.edits {
            if let Some(to) = &edit.to {
                edit.to = Some(place_of(to, true)?);
            }
        }
        Ok(())
    };
    let mut skipped = BTreeMap::new();
    for (index, entry) in request.files.iter_mut().enumerate() {
        match resolve_entry(entry) {
            Ok(()) => {}
            Err(refusal) if request.partial => drop(skipped.insert(index, refusal)),
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(Resolved { request, places, skipped })
}

/// What a job needs to itself.
///
/// # Errors
/// As [`resolve`].
pub fn lanes_of(state: &WorkspaceState, request: &JobRequest) -> Result<Lanes, Refusal> {
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

/// Whether an entry takes the name itself away: a link is then refused, not followed.
fn moves(entry: &FileEntry) -> bool {
    entry.edits.iter().any(|edit| matches!(edit.op.as_str(), "delete" | "rename"))
}

fn refusal(path: &WirePath, error: &ResolveError) -> Refusal {
    Box::new(error.to_wire(path))
}
