//! A workspace on a simulated machine, called as the daemon's queue calls it. It starts no thread: the same requests
//! make the same calls.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use editd::testing::{
    Admission, Caller, Clock, DatabaseBackend, JobTrace, Settings, StoreOptions, UnreadPolicy, Workspace,
};
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{
    ClipAction, ClipRequest, EntrySummary, HistoryRequest, Receipt, ShowReply, ShowRequest,
};

use super::content_log::removed_by;
use super::sim_scenario::ChangeRequest;
use crate::sim::{OutsideFile, OutsideProcess, SimMachine};

/// The workspace on every machine.
pub const ROOT: &str = "/w";
/// The folder of the journal.
pub const STATE: &str = "/state";
/// Bytes of a log segment: small, so that scenarios cross from one to the next.
const SEGMENT: u64 = 64 * 1024;
/// Times that settling is asked for before what is left counts as never ending.
const SETTLES: usize = 8;

/// The machine's own time.
struct SimClock(SimMachine);

impl Clock for SimClock {
    fn wall_ms(&self) -> u64 {
        u64::try_from(self.0.now() / 1_000_000).unwrap_or(0)
    }

    fn monotonic(&self) -> Duration {
        Duration::from_nanos(u64::try_from(self.0.now()).unwrap_or(0))
    }
}

/// The actions of other processes that tests need to know later. A clone shares them.
#[derive(Clone, Default)]
pub struct OutsideEffects {
    /// Files that they have open for writing.
    held: Arc<Mutex<Vec<OutsideFile>>>,
    /// Contents that they took away.
    removed: Arc<Mutex<BTreeSet<Vec<u8>>>>,
}

impl OutsideEffects {
    /// Does something as another process and notes the contents that it took away.
    pub fn run<T>(&self, outside: &OutsideProcess, run: impl FnOnce(&OutsideProcess) -> T) -> T {
        let (done, taken) = removed_by(outside, run);
        self.removed.lock().unwrap_or_else(PoisonError::into_inner).extend(taken);
        done
    }

    /// Keeps a file open.
    pub fn hold(&self, file: OutsideFile) {
        self.held().push(file);
    }

    fn held(&self) -> MutexGuard<'_, Vec<OutsideFile>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open workspace. A clone is the same workspace.
#[derive(Clone)]
pub struct SimWorkspace {
    /// The machine on which it runs.
    pub machine: SimMachine,
    /// The workspace.
    pub inner: Arc<Workspace>,
    /// The session that sends the jobs.
    pub session: String,
    /// The notes of recovery.
    pub notes: Vec<String>,
    /// The actions of other processes.
    pub others: OutsideEffects,
}

impl SimWorkspace {
    /// Opens the workspace on a machine, which recovers the state that the last process left.
    ///
    /// # Errors
    /// The message of the workspace.
    pub fn open(machine: &SimMachine) -> Result<Self, String> {
        Self::open_with(machine, settings(), "s")
    }

    /// Opens the workspace with other settings, for jobs of this session.
    ///
    /// # Errors
    /// The message of the workspace.
    pub fn open_with(machine: &SimMachine, settings: Settings, session: &str) -> Result<Self, String> {
        Self::open_all(machine, options(), settings, session)
    }

    /// Opens the workspace with other options of its store.
    ///
    /// # Errors
    /// The message of the workspace.
    pub fn open_on(machine: &SimMachine, options: StoreOptions) -> Result<Self, String> {
        Self::open_all(machine, options, settings(), "s")
    }

    fn open_all(
        machine: &SimMachine,
        options: StoreOptions,
        settings: Settings,
        session: &str,
    ) -> Result<Self, String> {
        // No daemon starts in the millisecond in which another one ended.
        machine.pass(Duration::from_millis(20));
        let opened = Workspace::open(
            Arc::new(machine.clone()),
            Path::new(ROOT),
            Path::new(STATE),
            options,
            settings,
            Arc::new(SimClock(machine.clone())),
        );
        let (workspace, recovered) = opened.map_err(|error| error.to_string())?;
        Ok(Self {
            machine: machine.clone(),
            inner: Arc::new(workspace),
            session: session.to_owned(),
            notes: recovered.notes,
            others: OutsideEffects::default(),
        })
    }

    /// Sends a request of a scenario under this key, as the session of this workspace, and returns its receipt.
    #[must_use]
    pub fn send(&self, request: &ChangeRequest, key: &str) -> Receipt {
        let caller = Caller::of_session(&self.session, "test");
        match request.clone() {
            ChangeRequest::Edit(mut job) => {
                job.key = Some(key.to_owned());
                let parsed = self.inner.understand(job);
                match self.inner.admit(&caller, &parsed) {
                    Admission::New(id) => self.inner.edit(&caller, id, &parsed, &|| (), &JobTrace::default()),
                    Admission::Ended(receipt) => *receipt,
                    Admission::Pending(_) => {
                        Receipt::refused(RequestError::new(ErrorCode::Busy, "it is underway"))
                    }
                    Admission::Refused(error) => Receipt::refused(*error),
                }
            }
            ChangeRequest::Undo(mut undo) => {
                undo.key = Some(key.to_owned());
                self.inner.undo(&caller, &undo, &JobTrace::default())
            }
            ChangeRequest::Redo(mut redo) => {
                redo.key = Some(key.to_owned());
                self.inner.redo(&caller, &redo, &JobTrace::default())
            }
        }
    }

    /// Contents that other processes took away.
    #[must_use]
    pub fn removed(&self) -> BTreeSet<Vec<u8>> {
        self.others.removed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Other processes close the files that they had open.
    pub fn release(&self) {
        self.others.held().clear();
    }

    /// Settles everything; `false` where something never comes to an end.
    pub fn settle(&self) -> bool {
        for _ in 0..SETTLES {
            self.machine.pass(Duration::from_secs(2));
            self.inner.settle(true);
            if self.inner.counts().unsettled == 0 {
                return true;
            }
        }
        false
    }

    /// Every entry of the journal, newest first.
    ///
    /// # Errors
    /// The refusal of the workspace.
    pub fn entries(&self) -> Result<Vec<EntrySummary>, String> {
        let all = HistoryRequest { limit: Some(1000), ..HistoryRequest::default() };
        let reply = self.inner.history(&test_caller(), &all).map_err(|error| error.message)?;
        Ok(reply.reply.entries)
    }

    /// One entry with its changes.
    ///
    /// # Errors
    /// The refusal of the workspace.
    pub fn show(&self, id: JobId) -> Result<ShowReply, String> {
        let request = ShowRequest { job: id, from: None };
        self.inner.show(&test_caller(), &request).map(|shown| shown.reply).map_err(|error| error.message)
    }

    /// Every clipboard with its text.
    ///
    /// # Errors
    /// The refusal of the workspace.
    pub fn clips(&self) -> Result<BTreeMap<String, String>, String> {
        let ask = |action, name| {
            self.inner
                .clip(&test_caller(), &ClipRequest { action, name, to: None, text: None })
                .map_err(|error| error.message)
        };
        let listed = ask(ClipAction::List, None)?.clips.unwrap_or_default();
        let text = |name: String| {
            let shown = ask(ClipAction::Show, Some(name.clone()))?;
            Ok((name, shown.text.unwrap_or_default()))
        };
        listed.into_iter().map(|clip| text(clip.name)).collect()
    }
}

/// The client that sends all jobs.
#[must_use]
pub fn test_caller() -> Caller {
    Caller::of_session("s", "test")
}

/// The options of every store on a simulated machine.
#[must_use]
pub fn options() -> StoreOptions {
    StoreOptions {
        database: DatabaseBackend::Memory,
        segment: SEGMENT,
        contents: 1 << 20,
        background: false,
        progress: Default::default(),
    }
}

fn settings() -> Settings {
    Settings { unread: UnreadPolicy::Allow, keep_contents: 1 << 20, ..Settings::default() }
}
