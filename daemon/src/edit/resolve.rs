//! The step `resolve`: resolves the paths that a client wrote to paths inside the workspace. Aliases of one file become
//! one path. It reads names, not contents.

use std::collections::BTreeMap;

use editd_engine::{EditFacts, JobEntry, Refusal};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::path::FilePath;

use super::ParsedJob;
use crate::caller::{LaneKey, Lanes};
use crate::disk::{ResolveError, ResolvedPath};
use crate::state::WorkspaceState;
use crate::transaction::git_folder;

/// A job whose paths are resolved.
#[derive(Debug)]
pub struct ResolvedJob {
    /// The job, with every path as the workspace knows it.
    pub request: ParsedJob,
    /// Every path of the job.
    pub places: BTreeMap<FilePath, ResolvedPath>,
    /// With `partial`: the refusals of the entries (by index) whose paths cannot be resolved.
    pub skipped: BTreeMap<usize, Refusal>,
}

impl ResolvedJob {
    /// Returns true if no other job can have changed the places since they were resolved: each lies in a folder that existed
    /// then, and no failed job locks it. Contents and metadata are read again in any case.
    pub fn still_holds(&self, state: &WorkspaceState) -> bool {
        let holds = |(path, place): (&FilePath, &ResolvedPath)| {
            place.missing().is_empty() && !state.is_broken(path) && !state.is_broken(place.path())
        };
        self.places.iter().all(holds)
    }
}

/// Resolves every path of a job.
///
/// # Errors
/// Those of [`ResolveError`], and `busy` for a path of a failed job that is not rolled back yet. With `partial` only
/// errors of the job as a whole.
pub fn resolve(state: &WorkspaceState, request: &ParsedJob) -> Result<ResolvedJob, Refusal> {
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
        // If a job names two hard links of one file, the edits must see each other, so they become one path.
        let path = match place.stat() {
            Some(stat) if stat.links > 1 && !itself => {
                aliases.entry(stat.identity).or_insert_with(|| known.clone()).clone()
            }
            _ => known,
        };
        places.entry(path.clone()).or_insert(place);
        Ok(path)
    };
    let mut resolve_entry = |entry: &mut JobEntry| -> Result<(), Refusal> {
        // A link is refused, not followed, if the entry removes the name itself.
        let itself = entry.edits().any(EditFacts::removes_file);
        entry.path = place_of(&entry.path, itself)?;
        // `check_limits` refuses every change in a `.git` folder; this saves the client a read before the refusal.
        let copied = |edit: EditFacts<'_>| edit.target().is_some() && !edit.removes_file();
        if entry.edits().any(|edit| !copied(edit) && !edit.stores_clipboard()) {
            git_folder::check(state, &entry.path)?;
        }
        entry.replace_targets(|to| {
            let target = place_of(to, true)?;
            git_folder::check(state, &target)?;
            Ok(target)
        })
    };
    let mut skipped = BTreeMap::new();
    for (index, entry) in request.job.entries.iter_mut().enumerate() {
        match resolve_entry(entry) {
            Ok(()) => {}
            Err(refusal) if request.job.partial => drop(skipped.insert(index, refusal)),
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(ResolvedJob { request, places, skipped })
}

/// Returns the lanes that a job needs for itself, with the resolved job.
///
/// # Errors
/// As [`resolve`].
pub fn lanes_of(state: &WorkspaceState, request: &ParsedJob) -> Result<(Lanes, ResolvedJob), Refusal> {
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
    Ok((Lanes::Some(keys), resolved))
}

fn refusal(path: &FilePath, error: &ResolveError) -> Refusal {
    Box::new(error.to_wire(path))
}
