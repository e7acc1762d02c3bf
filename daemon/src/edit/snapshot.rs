//! The step `snapshot`: reads everything that the job may need, once. These contents are checked for staleness, planned
//! on, and later compared with the displaced files.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use editd_engine::{FileState, Refusal, WorkspaceSnapshot};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::limits;
use editd_proto::path::FilePath;

use super::resolve::ResolvedJob;
use super::{ParsedJob, memory_estimate};
use crate::caller::Caller;
use crate::disk::{Observation, ResolvedPath};
use crate::limits::JOB_BYTES;
use crate::os::FileKind;
use crate::state::WorkspaceState;
use crate::state::refusal::{disk_refusal, store_refusal};
use crate::transaction::{JobAbort, JobGuard};

/// A job with the files and clipboards that it reads.
pub(super) struct JobSnapshot {
    pub(super) request: ParsedJob,
    pub(super) places: BTreeMap<FilePath, ResolvedPath>,
    pub(super) observations: BTreeMap<FilePath, Observation>,
    pub(super) world: WorkspaceSnapshot,
    /// With `partial`: the refusals of the entries (by index) whose files cannot be edited.
    pub(super) skipped: BTreeMap<usize, Refusal>,
}

/// Reads every file and every clipboard that a job names.
///
/// # Errors
/// [`JobAbort::NeedsMemory`] if the files are larger than the job may hold: they have grown since they were resolved.
pub(super) fn take(
    state: &WorkspaceState,
    guard: &JobGuard<'_>,
    caller: &Caller,
    resolved: ResolvedJob,
) -> Result<JobSnapshot, JobAbort> {
    let ResolvedJob { request, places, mut skipped } = resolved;
    let needs = editd_engine::needs(&request.job)?;
    let mut world = WorkspaceSnapshot::default();
    let mut observations = BTreeMap::new();
    let mut read = 0_usize;
    let mut refused: BTreeMap<&FilePath, Refusal> = BTreeMap::new();
    let holds = memory_estimate::holds(&request);
    let room = (guard.room() / holds).min(JOB_BYTES);
    for (path, place) in &places {
        let seen = state.disk.observe_within(place, room.saturating_sub(read));
        let seen = seen.map_err(|error| disk_refusal(path, &error));
        if let Ok(Observation::TooLarge(stat)) = &seen
            && crate::state::readable(stat.size) > 0
        {
            let total = read.saturating_add(crate::state::readable(stat.size));
            if total > JOB_BYTES {
                return Err(too_much().into());
            }
            let ahead = places.range::<FilePath, _>((Excluded(path), Unbounded)).map(|(_, place)| place);
            return Err(JobAbort::NeedsMemory(
                total.saturating_add(memory_estimate::sizes(ahead)).saturating_mul(holds),
            ));
        }
        let looked = seen.and_then(|observation| Ok((state_of(path, &observation)?, observation)));
        let (state, observation) = match looked {
            Ok(looked) => looked,
            Err(refusal) if request.job.partial => {
                refused.insert(path, refusal);
                continue;
            }
            Err(refusal) => return Err(refusal.into()),
        };
        if let FileState::File { bytes, .. } = &state {
            read = read.saturating_add(bytes.len());
        }
        world.files.insert(path.clone(), state);
        observations.insert(path.clone(), observation);
    }
    for name in needs.clips {
        let session = crate::clipboard::owner(&caller.session, &name);
        if let Some(clip) = state.store.clip(session, &name).map_err(|error| store_refusal(&error))?
            && let Some(bytes) = clip.bytes
        {
            world.clips.insert(name, bytes);
        }
    }
    for (index, entry) in request.job.entries.iter().enumerate().filter(|_| !refused.is_empty()) {
        let mut paths = std::iter::once(&entry.path).chain(entry.targets());
        if let Some(refusal) = paths.find_map(|path| refused.get(path)) {
            skipped.entry(index).or_insert_with(|| refusal.clone());
        }
    }
    Ok(JobSnapshot { request, places, observations, world, skipped })
}

/// Returns the state of a file for the engine.
pub(super) fn state_of(path: &FilePath, observation: &Observation) -> Result<FileState, Refusal> {
    match observation {
        Observation::Absent => Ok(FileState::Absent),
        Observation::File(found) => Ok(FileState::File { bytes: found.bytes.clone(), mode: found.meta.mode }),
        Observation::TooLarge(stat) => {
            let message =
                format!("{path} has {} bytes; editd edits files up to {} bytes", stat.size, limits::FILE);
            let mut error = RequestError::new(ErrorCode::TooLarge, message).at(path);
            error.limit = Some(limits::FILE as u64);
            Err(Box::new(error))
        }
        Observation::Unreadable(_) => {
            let message =
                format!("{path} may not be read; change its permissions, or run the daemon as its owner");
            Err(Box::new(RequestError::new(ErrorCode::Denied, message).at(path)))
        }
        Observation::Other(kind) => {
            let what = match kind {
                FileKind::Dir => "a folder",
                FileKind::Link => "a symbolic link that was made just now",
                FileKind::File | FileKind::Other => "a FIFO, socket or device",
            };
            Err(Box::new(
                RequestError::new(ErrorCode::Unsupported, format!("{path} is {what}; name a regular file"))
                    .at(path),
            ))
        }
    }
}

fn too_much() -> Refusal {
    let limit = JOB_BYTES;
    let mut error = RequestError::new(
        ErrorCode::TooLarge,
        format!("the files of the job hold more than {limit} bytes; split it into several jobs"),
    );
    error.limit = Some(limit as u64);
    Box::new(error)
}
