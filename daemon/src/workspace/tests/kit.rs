//! A workspace in a folder of its own, for tests: it is asked as the queue would ask it. It starts no thread.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

use std::path::Path;
use std::sync::Arc;

use editd_proto::message::{EditPosition, FileEdit, FileEntry, JobRequest, Receipt};

use crate::caller::Caller;
use crate::clock::{Clock, SystemClock};
use crate::config::Settings;
use crate::metrics::JobTrace;
use crate::os::Os;
use crate::os::unix::Unix;
use crate::state::WorkspaceState;
use crate::store::{DatabaseBackend, StoreOptions};
use crate::workspace::{Admission, ParsedRequest, Workspace};

/// The workspace and its folder.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
    pub(crate) workspace: Workspace,
}

fn open(os: Arc<dyn Os>, root: &Path, state: &Path, clock: Arc<dyn Clock>) -> (Workspace, Vec<String>) {
    let options = StoreOptions {
        database: DatabaseBackend::Memory,
        segment: 1 << 20,
        contents: 1 << 20,
        background: false,
        progress: Default::default(),
    };
    let opened = Workspace::open(os, root, state, options, Settings::default(), clock);
    let (workspace, recovered) = opened.unwrap();
    (workspace, recovered.notes)
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock::start()))
    }

    pub(crate) fn with_clock(clock: Arc<dyn Clock>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (root, state) = (root.join("w"), root.join("state"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&state).unwrap();
        let workspace = open(Arc::new(Unix), &root, &state, clock).0;
        Self { folder, workspace }
    }

    /// The same folder, as the next daemon finds it, on another machine if need be; and what it has to tell.
    pub(crate) fn reopened(self, os: Arc<dyn Os>) -> (Self, Vec<String>) {
        let Self { folder, workspace } = self;
        drop(workspace);
        let root = folder.path().canonicalize().unwrap();
        let (workspace, notes) =
            open(os, &root.join("w"), &root.join("state"), Arc::new(SystemClock::start()));
        (Self { folder, workspace }, notes)
    }

    pub(crate) fn state(&self) -> &WorkspaceState {
        &self.workspace.state
    }

    /// The folder of the journal's segments.
    pub(crate) fn log_folder(&self) -> std::path::PathBuf {
        self.folder.path().join("state/log")
    }

    /// The folder above the workspace `w`, links resolved.
    pub(crate) fn folder(&self) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn put(&self, path: &str, text: &str) {
        std::fs::write(self.folder.path().join("w").join(path), text).unwrap();
    }

    /// Edits a file `a` in a new folder as if that were another mount: its slots stand in it, and it is noted.
    pub(crate) fn stage_beside(&self, folder: &str) {
        let path = format!("{folder}/a");
        self.mkdir(folder);
        self.put(&path, "text");
        self.state().disk.stage_beside(&path.as_str().into());
        self.append("s", &path, "more");
        self.workspace.settle(true);
    }

    pub(crate) fn mkdir(&self, path: &str) {
        std::fs::create_dir(self.folder.path().join("w").join(path)).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.folder.path().join("w").join(path)).unwrap();
    }

    /// The names in a folder, sorted.
    pub(crate) fn list(&self, path: &str) -> Vec<String> {
        let listed = std::fs::read_dir(self.folder.path().join("w").join(path)).unwrap();
        let mut names: Vec<String> =
            listed.map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn get(&self, path: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("w").join(path)).unwrap()
    }

    pub(crate) fn run(&self, session: &str, parsed: &ParsedRequest) -> Receipt {
        let caller = Caller::of_session(session, "test");
        if let Err(refusal) = self.workspace.lanes(&caller, parsed) {
            return parsed.refused(refusal);
        }
        match self.workspace.admit(&caller, parsed) {
            Admission::New(id) => self.workspace.edit(&caller, id, parsed, &|| (), &JobTrace::default()),
            Admission::Ended(receipt) => parsed.with_dialect_text(*receipt),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn edit(&self, session: &str, path: &str, edit: FileEdit) -> Receipt {
        let entry = FileEntry { path: path.into(), base: None, edits: vec![edit], ..FileEntry::default() };
        let request = JobRequest { files: vec![entry], ..JobRequest::default() };
        self.run(session, &self.workspace.understand(request))
    }

    pub(crate) fn append(&self, session: &str, path: &str, text: &str) -> Receipt {
        let at = Some(EditPosition::End);
        self.edit(
            session,
            path,
            FileEdit { op: "insert".into(), at, text: Some(text.into()), ..FileEdit::default() },
        )
    }

    pub(crate) fn replace(&self, session: &str, path: &str, old: &str, new: &str) -> Receipt {
        let (old, new) = (Some(old.to_owned()), Some(new.to_owned()));
        self.edit(session, path, FileEdit { op: "replace".into(), old, new, ..FileEdit::default() })
    }
}
