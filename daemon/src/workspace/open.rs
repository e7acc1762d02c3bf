//! Opens a workspace: its lock, its log, recovery. No request is served before all of it is done.

use std::path::Path;
use std::sync::Arc;

use editd_proto::system_error::is_out_of_descriptors;

use super::{OpenError, Recovered, Workspace};
use crate::clock::Clock;
use crate::config::{FILE_NAME, Settings};
use crate::disk::Disk;
use crate::journal::recover;
use crate::os::Os;
use crate::state::{WorkspaceParts, WorkspaceState, lock};
use crate::store::{Store, StoreOptions};
use crate::trust::CommandTrust;

/// The words for a recovery that needs more open files than there may be.
const OUT_OF_DESCRIPTORS: &str =
    "too many files are open at once; raise the limit (`ulimit -n`) and start the daemon again";

pub(super) fn open(
    os: Arc<dyn Os>,
    root: &Path,
    state: &Path,
    options: StoreOptions,
    settings: Settings,
    clock: Arc<dyn Clock>,
) -> Result<(Workspace, Recovered), OpenError> {
    let say = |what: &str, error: &dyn std::fmt::Display| OpenError(format!("{what}: {error}"));
    let boot = os.boot_id().map_err(|error| say("cannot distinguish starts of the machine", &error))?;
    let disk = Disk::open(os.clone(), root).map_err(|error| OpenError(error.to_string()))?;
    let mount = disk.mount().map_err(|error| say("cannot distinguish mounts of the workspace", &error))?;
    let boot = boot.of_mount(mount);
    let dir = os.open_dir(state).map_err(|error| say("cannot open the state folder", &error))?;
    disk.reserve_state(state, dir.clone()).map_err(|error| say("cannot look at the state folder", &error))?;
    let trust = CommandTrust::new(os.clone(), dir.clone(), state, root);
    let progress = options.progress.clone();
    let (store, opened) = Store::open(os, dir, options, clock.wall_ms())
        .map_err(|error| say("cannot open the journal", &error))?;
    store.limit_log(settings.keep_bytes);
    let mut notes: Vec<String> =
        opened.rebuilt.iter().map(|why| format!("the database was rebuilt: {why}")).collect();
    notes.extend(opened.damage.iter().map(|damage| format!("the log is damaged: {damage}")));
    let state = WorkspaceState::new(WorkspaceParts {
        root: root.to_path_buf(),
        disk,
        store,
        state_folder: state.to_path_buf(),
        clock,
        settings,
        trust,
        boot,
        last_id: opened.last_id,
    });
    if let Err(why) = state.disk.clear_scratch() {
        notes.push(format!("temporary files of an earlier run stay in .editd/check: {why}"));
    }
    if let Some(why) = state.workspace_commands().problem() {
        notes.push(format!("the commands of {FILE_NAME} were left out: {why}"));
    }
    let recovered = recover::recover(&state, opened.open, &opened.doubtful, &progress).map_err(|error| {
        match is_out_of_descriptors(&error) {
            true => say("cannot recover", &OUT_OF_DESCRIPTORS),
            false => say("cannot recover", &error),
        }
    })?;
    notes.extend(recovered);
    // A detached job may have been killed after its seal: then it is not run again.
    let mut queued = Vec::new();
    for job in opened.queued {
        let ended = state.store.receipt(job.id).map_err(|error| say("cannot read the journal", &error))?;
        if ended.is_none() {
            queued.push(job);
        }
    }
    let mut pending = lock(&state.pending);
    for job in &queued {
        if let Some(key) = &job.key {
            pending.keys.insert((job.session.clone(), key.clone()), (job.id, job.request));
        }
        pending.detached.insert(job.id, (job.clone(), false));
    }
    drop(pending);
    Ok((Workspace::of(state), Recovered { queued, notes }))
}
