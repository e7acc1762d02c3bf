//! A workspace for tests: it has no files, and acts on the labels of jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::{JobId, Version};
use editd_proto::message::{
    ChangeEvent, CheckReply, ClipReply, ClipRequest, ConfigReply, ContentReply, ContentRequest,
    DialectsReply, ExportReply, ExportRequest, FileOutcome, ForgetReply, ForgetRequest, HistoryReply,
    HistoryRequest, JobRequest, JobStatus, MarkReply, MarkRequest, NoteReply, NoteRequest, OutlineReply,
    OutlineRequest, ReadReply, ReadRequest, Receipt, ShowReply, ShowRequest, TrustReply, TrustRequest,
    UndoRequest,
};
use editd_proto::path::FilePath;

use crate::caller::{Caller, LaneKey, Lanes};
use crate::clock::SystemClock;
use crate::metrics::{JobTrace, Metrics, OtherCounts};
use crate::queue::reply::{self, queued};
use crate::queue::{FinishedJob, QueueEvents, WorkspaceRequests};
use crate::workspace::{
    Admission, Counts, DamageSignal, DueCheck, FinishedRun, ParsedRequest, ReservedReply, StartedCheck,
};

#[derive(Default)]
struct Inside {
    next: u64,
    keys: BTreeMap<String, JobId>,
    ended: BTreeMap<JobId, Receipt>,
    held: BTreeSet<String>,
    log: Vec<String>,
    /// True if another folder is at its path.
    replaced: bool,
    rebuilding: bool,
}

/// A job with a `label` logs `begin label`, waits while the label is held, panics if it is `panic`, and logs `end
/// label`. Jobs on paths below `checked/` may run commands. A read returns its path as its text; for `big/N` a text
/// of N bytes.
#[derive(Default)]
pub(crate) struct FakeWorkspace {
    inside: Mutex<Inside>,
    changed: Condvar,
}

impl FakeWorkspace {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Makes jobs with this label stop after they began.
    pub(crate) fn hold(&self, label: &str) {
        self.inside().held.insert(label.to_owned());
    }

    pub(crate) fn let_go(&self, label: &str) {
        self.inside().held.remove(label);
        self.changed.notify_all();
    }

    #[cfg(unix)]
    pub(crate) fn let_all_go(&self) {
        self.inside().held.clear();
        self.changed.notify_all();
    }

    /// Puts another folder at its path: from now on jobs are refused.
    #[cfg(unix)]
    pub(crate) fn replace(&self) {
        self.inside().replaced = true;
    }

    /// Makes the database one that is being rebuilt, or no longer.
    #[cfg(unix)]
    pub(crate) fn rebuild(&self, rebuilding: bool) {
        self.inside().rebuilding = rebuilding;
    }

    /// Returns the log once it has `what`.
    pub(crate) fn log_with(&self, what: &str) -> Vec<String> {
        self.log_until(what, |log| log.iter().any(|line| line == what))
    }

    /// Returns the events so far, as soon as there are so many.
    pub(crate) fn log_of(&self, count: usize) -> Vec<String> {
        self.log_until(&format!("{count} things"), |log| log.len() >= count)
    }

    fn log_until(&self, what: &str, enough: impl Fn(&[String]) -> bool) -> Vec<String> {
        let inside = self.inside();
        let (inside, waited) = self
            .changed
            .wait_timeout_while(inside, std::time::Duration::from_secs(30), |inside| !enough(&inside.log))
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        assert!(!waited.timed_out(), "{what:?} did not happen: {:?}", inside.log);
        inside.log.clone()
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.inside().log.clone()
    }

    fn note(&self, line: String) {
        self.inside().log.push(line);
        self.changed.notify_all();
    }

    fn perform(&self, label: &str, job: Option<JobId>) -> Receipt {
        self.note(format!("begin {label}"));
        assert!(label != "panic", "as told");
        drop(
            self.changed
                .wait_while(self.inside(), |inside| inside.held.contains(label))
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        );
        if let Err(refusal) = self.root_present() {
            return Receipt::refused(*refusal);
        }
        let receipt = receipt(job, JobStatus::Applied);
        if let Some(job) = job {
            self.inside().ended.insert(job, receipt.clone());
        }
        self.note(format!("end {label}"));
        receipt
    }
}

pub(crate) fn receipt(job: Option<JobId>, status: JobStatus) -> Receipt {
    let file = FileOutcome {
        after: Some(Version("0123456789ab".into())),
        diff: Some("a diff".into()),
        ..FileOutcome::new("a".into(), status)
    };
    Receipt { status, files: vec![file], ..queued(job.unwrap_or(JobId(0))) }
}

fn not_there() -> Refusal {
    Box::new(RequestError::new(ErrorCode::NotFound, "no such job"))
}

impl WorkspaceRequests for FakeWorkspace {
    fn root_present(&self) -> Result<(), Refusal> {
        if self.inside().replaced { Err(reply::stopping()) } else { Ok(()) }
    }
    fn read(&self, _: &Caller, request: &ReadRequest) -> Result<ReservedReply<'_, ReadReply>, Refusal> {
        let path = request.path.display();
        assert!(path != "panic", "as told");
        let text = match path.strip_prefix("big/").and_then(|size| size.parse().ok()) {
            Some(size) => "x".repeat(size),
            None => path,
        };
        Ok(ReservedReply::unreserved(ReadReply {
            path: request.path.clone(),
            version: Version("0123456789ab".into()),
            hash: String::new(),
            size: text.len() as u64,
            symbol: None,
            text: Some(text),
            bytes: None,
            lines: 1,
            first_line: 1,
            encoding: "utf-8".into(),
            line_ending: "lf".into(),
            bom: false,
        }))
    }
    fn outline(
        &self,
        _: &Caller,
        request: &OutlineRequest,
    ) -> Result<ReservedReply<'_, OutlineReply>, Refusal> {
        Ok(ReservedReply::unreserved(OutlineReply {
            path: request.path.clone(),
            version: Version("0123456789ab".into()),
            language: "rust".into(),
            symbols: Vec::new(),
            omitted: None,
            warnings: Vec::new(),
        }))
    }
    fn understand(&self, request: JobRequest) -> ParsedRequest {
        ParsedRequest::new(request, &[], crate::limits::PAYLOAD)
    }
    fn lanes(&self, _: &Caller, parsed: &ParsedRequest) -> Result<Lanes, Refusal> {
        let request = parsed.request();
        if request.files.iter().any(|file| file.path.as_bytes().starts_with(b"../")) {
            return Err(Box::new(RequestError::new(ErrorCode::Outside, "the path leaves the workspace")));
        }
        Ok(Lanes::Some(request.files.iter().map(|file| LaneKey::Path(file.path.clone())).collect()))
    }
    fn runs_commands(&self, lanes: &Lanes) -> bool {
        let is_called_for =
            |key: &LaneKey| matches!(key, LaneKey::Path(path) if path.as_bytes().starts_with(b"checked/"));
        matches!(lanes, Lanes::Some(keys) if keys.iter().any(is_called_for))
    }
    fn admit(&self, _: &Caller, parsed: &ParsedRequest) -> Admission {
        let request = parsed.request();
        let mut inside = self.inside();
        if let Some(id) = request.key.as_ref().and_then(|key| inside.keys.get(key)) {
            return match inside.ended.get(id) {
                Some(receipt) => Admission::Ended(Box::new(reply::repeated(receipt))),
                None => Admission::Pending(*id),
            };
        }
        inside.next += 1;
        let id = JobId(inside.next);
        if let Some(key) = &request.key {
            inside.keys.insert(key.clone(), id);
        }
        Admission::New(id)
    }
    fn edit(&self, _: &Caller, id: JobId, parsed: &ParsedRequest, _: &dyn Fn(), _: &JobTrace) -> Receipt {
        self.perform(parsed.request().label.as_deref().unwrap_or("edit"), Some(id))
    }
    fn undo(&self, _: &Caller, _: &UndoRequest, _: &JobTrace) -> Receipt {
        self.perform("undo", None)
    }
    fn redo(&self, _: &Caller, _: &UndoRequest, _: &JobTrace) -> Receipt {
        self.perform("redo", None)
    }
    fn cancel(&self, id: JobId) -> Result<Receipt, Refusal> {
        let mut inside = self.inside();
        if inside.ended.contains_key(&id) || id.0 > inside.next {
            return Err(not_there());
        }
        let receipt = receipt(Some(id), JobStatus::Refused);
        inside.ended.insert(id, receipt.clone());
        Ok(receipt)
    }
    fn receipt(&self, id: JobId) -> Result<Option<Receipt>, Refusal> {
        let inside = self.inside();
        match inside.ended.get(&id) {
            Some(receipt) => Ok(Some(receipt.clone())),
            None if id.0 <= inside.next => Ok(None),
            None => Err(not_there()),
        }
    }
    fn history(&self, _: &Caller, _: &HistoryRequest) -> Result<ReservedReply<'_, HistoryReply>, Refusal> {
        Ok(ReservedReply::unreserved(HistoryReply { entries: Vec::new(), more: false }))
    }
    fn show(&self, _: &Caller, _: &ShowRequest) -> Result<ReservedReply<'_, ShowReply>, Refusal> {
        Err(not_there())
    }
    fn content(&self, _: &Caller, _: &ContentRequest) -> Result<ReservedReply<'_, ContentReply>, Refusal> {
        Err(not_there())
    }
    fn export(&self, _: &Caller, _: &ExportRequest) -> Result<ReservedReply<'_, ExportReply>, Refusal> {
        Err(not_there())
    }
    fn clip(&self, caller: &Caller, _: &ClipRequest) -> Result<ClipReply, Refusal> {
        Ok(ClipReply { name: Some(caller.session.clone()), ..ClipReply::default() })
    }
    fn forget(&self, _: &Caller, _: &ForgetRequest) -> Result<ForgetReply, Refusal> {
        Err(not_there())
    }
    fn note(&self, _: &Caller, _: &NoteRequest) -> Result<NoteReply, Refusal> {
        Err(not_there())
    }
    fn mark(&self, _: &Caller, _: &MarkRequest) -> Result<MarkReply, Refusal> {
        Err(not_there())
    }
    fn is_announced(&self, _: &FilePath) -> bool {
        false
    }
    fn observe(&self, path: &FilePath) -> Option<ChangeEvent> {
        self.note(format!("look {path}"));
        None
    }
    fn is_as_left(&self, _: &FilePath) -> bool {
        false
    }
    fn unreported(&self) -> (Vec<JobId>, bool) {
        (Vec::new(), false)
    }
    fn tracked_below(&self, folder: &FilePath) -> Vec<FilePath> {
        vec![format!("{folder}/known").as_str().into()]
    }
    fn settle(&self, all: bool) -> Option<u64> {
        self.note(format!("settle {all}"));
        None
    }
    fn flush(&self) -> Result<(), Refusal> {
        self.note("flush".into());
        Ok(())
    }
    fn close(&self) {
        self.note("close".into());
    }
    fn ask_upkeep(&self) {
        self.note("upkeep".into());
    }
    fn drop_trees(&self) {
        self.note("drop trees".into());
    }
    fn retain(&self) -> bool {
        false
    }
    fn end_retention(&self) {}
    fn log_segments(&self) -> Vec<u64> {
        Vec::new()
    }
    fn check_log_segment(&self, _: u64) -> Result<Option<String>, Refusal> {
        Ok(None)
    }
    fn on_damage(&self, _: DamageSignal) {}
    fn found_damage(&self) -> Vec<String> {
        Vec::new()
    }
    fn damage(&self) -> Option<String> {
        None
    }
    fn rebuilding(&self) -> Option<String> {
        self.inside().rebuilding.then(|| "the database is being rebuilt".to_owned())
    }
    fn database_fault(&self) -> Option<String> {
        None
    }
    fn metrics(&self) -> Arc<Metrics> {
        Arc::new(Metrics::new(Arc::new(SystemClock::start())))
    }
    fn other_counts(&self) -> OtherCounts {
        OtherCounts::default()
    }
    fn counts(&self) -> Counts {
        Counts { entries: self.inside().ended.len() as u64, unsettled: 0 }
    }
    fn failed(&self) -> Option<String> {
        None
    }
    fn touched_folders(&self, known: usize) -> Option<Vec<FilePath>> {
        (known == 0).then(|| vec![FilePath::default(), "folder".into()])
    }
    fn check(&self) -> CheckReply {
        CheckReply { findings: Vec::new() }
    }
    fn dialects(&self) -> DialectsReply {
        DialectsReply::default()
    }
    fn trust(&self, _: &TrustRequest) -> Result<TrustReply, Refusal> {
        Ok(TrustReply { hash: None, trusted: false, commands: Vec::new(), settings: Vec::new() })
    }
    fn config(&self) -> ConfigReply {
        ConfigReply::default()
    }
    fn left_out(&self) -> Option<String> {
        None
    }
    fn checks_after(&self, _: &Receipt) -> Vec<DueCheck> {
        Vec::new()
    }
    fn check_names(&self) -> Option<BTreeSet<String>> {
        None
    }
    fn run_check(&self, _: &StartedCheck, _: &AtomicBool) -> FinishedRun {
        panic!("no check is due")
    }
}

/// Ignores all events.
pub(crate) struct NoEvents;

impl QueueEvents for NoEvents {
    fn job_ended(&self, _: FinishedJob) {}
    fn receipt_renewed(&self) {}
    fn memory_freed(&self) {}
}
