//! Runs the checks that are due after jobs, on threads of their own, and answers jobs whose replies wait for them. A check
//! never delays another job, and ends when the daemon stops.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{CheckOutcome, CheckStatus, ChecksRequest, JobStatus, Receipt};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::sleep;

use super::watching::ChangeReporter;
use crate::caller::Caller;
use crate::checks::{CheckBoard, FinishedRun, StartedCheck};
use crate::ipc::CheckProvider;
use crate::limits;
use crate::queue::{ActivityCounter, JobOutcome, JobReply, WorkspaceRequests};
use crate::sync::lock;
use crate::validate::RunEnd;

/// The checks, and the threads that run them.
pub(super) struct CheckThreads {
    shared: Arc<CheckShared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct CheckShared {
    workspace: Arc<dyn WorkspaceRequests>,
    watching: Arc<ChangeReporter>,
    /// Counts running checks, so that the daemon does not exit for lack of work.
    activity: Arc<ActivityCounter>,
    runtime: Handle,
    state: Mutex<CheckThreadsState>,
    /// Counts the ends of runs.
    ended: watch::Sender<u64>,
    stop: AtomicBool,
}

#[derive(Default)]
struct CheckThreadsState {
    board: CheckBoard,
    /// The number of threads that run checks.
    running: usize,
}

impl CheckThreads {
    /// Creates the part without threads: they are started for a check and end when none is due.
    pub(super) fn new(
        workspace: Arc<dyn WorkspaceRequests>,
        watching: Arc<ChangeReporter>,
        activity: Arc<ActivityCounter>,
        runtime: Handle,
    ) -> Arc<Self> {
        let shared = CheckShared {
            workspace,
            watching,
            activity,
            runtime,
            state: Mutex::default(),
            ended: watch::Sender::default(),
            stop: AtomicBool::new(false),
        };
        Arc::new(Self { shared: Arc::new(shared), threads: Mutex::default() })
    }

    /// Makes the checks of a job due, and answers it: at once, unless one of them has a `wait`.
    pub(super) fn answer(&self, caller: &Caller, outcome: JobOutcome, reply: Option<JobReply>) {
        let receipt = match outcome {
            Ok(receipt) if receipt.status != JobStatus::Refused => receipt,
            other => return reply.into_iter().for_each(|reply| reply.send(other.clone())),
        };
        let shared = &self.shared;
        let due = if shared.is_stopping() { Vec::new() } else { shared.workspace.checks_after(&receipt) };
        let job = receipt.job.filter(|_| !due.is_empty());
        let waits: Vec<(String, Duration)> = due
            .iter()
            .filter(|check| !check.spec.wait.is_zero())
            .map(|check| (check.spec.name.clone(), check.spec.wait))
            .collect();
        if let Some(job) = job {
            lock(&shared.state).board.add(job, &caller.session, due);
        }
        shared.forget_removed();
        if let Some(reply) = reply {
            self.send(reply, receipt, &caller.session, (job, waits));
        }
        if job.is_some() {
            self.start_threads();
        }
    }

    fn send(
        &self,
        reply: JobReply,
        receipt: Receipt,
        session: &str,
        (job, waits): (Option<JobId>, Vec<(String, Duration)>),
    ) {
        let Some(awaited) = job.filter(|_| !waits.is_empty()) else {
            return reply.send(Ok(self.shared.with_results(receipt, session, job)));
        };
        let (shared, session) = (Arc::clone(&self.shared), session.to_owned());
        drop(self.shared.runtime.spawn(async move {
            shared.awaited(awaited, waits).await;
            reply.send(Ok(shared.with_results(receipt, &session, job)));
        }));
    }

    /// Starts threads for the checks that may begin now.
    fn start_threads(&self) {
        let mut threads = lock(&self.threads);
        threads.retain(|thread| !thread.is_finished());
        loop {
            let started = {
                let mut state = lock(&self.shared.state);
                if state.running >= limits::CHECKS_AT_ONCE {
                    return;
                }
                let Some(started) = state.board.next() else { return };
                state.running += 1;
                started
            };
            let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(limits::STACK);
            let (shared, mine) = (Arc::clone(&self.shared), started.clone());
            match thread.spawn(move || shared.work(mine)) {
                Ok(thread) => threads.push(thread),
                Err(why) => {
                    lock(&self.shared.state).running -= 1;
                    self.shared.finish(&started, &not_run(format!("no thread can be started: {why}")));
                }
            }
        }
    }

    /// Ends all checks soon, and answers the jobs that wait for them. No check begins from now on.
    pub(super) fn stop(&self) {
        self.shared.stop.store(true, Ordering::Release);
        self.shared.ended.send_modify(|count| *count += 1);
    }

    /// Waits until all threads have ended, after [`Self::stop`].
    pub(super) fn join(&self) {
        for thread in std::mem::take(&mut *lock(&self.threads)) {
            if thread.join().is_err() {
                tracing::error!("internal error in a check");
            }
        }
    }
}

impl CheckProvider for CheckThreads {
    fn resolve(&self, request: ChecksRequest) -> ChecksRequest {
        self.shared.forget_removed();
        ChecksRequest { job: request.job.map(|job| self.shared.entry_of(job)), ..request }
    }

    fn is_running(&self, caller: &Caller, request: &ChecksRequest) -> bool {
        let running = |outcome: &CheckOutcome| outcome.status == CheckStatus::Running;
        let state = lock(&self.shared.state);
        !self.shared.is_stopping()
            && match request.job {
                Some(job) => state.board.of_job(job).is_some_and(|checks| checks.iter().any(running)),
                None if request.unseen => !state.board.running_for(&caller.session).is_empty(),
                None => state.board.all().iter().any(running),
            }
    }

    fn results(&self, caller: &Caller, request: &ChecksRequest) -> Result<Vec<CheckOutcome>, Refusal> {
        let mut state = lock(&self.shared.state);
        let Some(job) = request.job else {
            if !request.unseen {
                return Ok(state.board.all());
            }
            let mut told = state.board.tell(&caller.session, None);
            told.extend(state.board.running_for(&caller.session));
            return Ok(told);
        };
        state.board.of_job(job).ok_or_else(|| {
            let message = format!(
                "no check ran because of job {job}, or its result is no longer kept; `editctl checks` shows the last ones"
            );
            Box::new(RequestError::new(ErrorCode::NotFound, message))
        })
    }

    fn ends(&self) -> watch::Receiver<u64> {
        self.shared.ended.subscribe()
    }
}

impl CheckShared {
    fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Forgets the checks that the present `.editd.toml` does not name.
    fn forget_removed(&self) {
        if lock(&self.state).board.is_empty() {
            return;
        }
        if let Some(names) = self.workspace.check_names() {
            lock(&self.state).board.keep_only(&names);
        }
    }

    /// Returns the number of a job's entry, which a detached job has beside the one under which it was queued. Reads the
    /// store.
    fn entry_of(&self, job: JobId) -> JobId {
        if lock(&self.state).board.of_job(job).is_some() {
            return job;
        }
        self.workspace.receipt(job).ok().flatten().and_then(|receipt| receipt.job).unwrap_or(job)
    }

    /// Runs a check, and then others as long as one is due.
    fn work(&self, first: StartedCheck) {
        let _active = self.activity.begin();
        let mut next = Some(first).filter(|_| !self.is_stopping());
        while let Some(started) = next.take() {
            let run = || self.workspace.run_check(&started, &self.stop);
            let run = catch_unwind(AssertUnwindSafe(run));
            let run =
                run.unwrap_or_else(|_| not_run("editd made a mistake; please report its log".to_owned()));
            if !self.is_stopping() {
                self.finish(&started, &run);
            }
            let mut state = lock(&self.state);
            next = if self.is_stopping() { None } else { state.board.next() };
            if next.is_none() {
                state.running -= 1;
            }
        }
    }

    fn finish(&self, started: &StartedCheck, run: &FinishedRun) {
        let outcome = lock(&self.state).board.finish(started, run);
        self.ended.send_modify(|count| *count += 1);
        if let Some(outcome) = outcome {
            self.watching.checked(outcome);
        }
    }

    /// Returns once each of these checks has ended for the job, or its time is over.
    async fn awaited(&self, job: JobId, waits: Vec<(String, Duration)>) {
        let mut ended = self.ended.subscribe();
        // All times begin now.
        let waits: Vec<_> = waits.into_iter().map(|(name, wait)| (name, Box::pin(sleep(wait)))).collect();
        for (name, mut late) in waits {
            while !self.is_stopping() && lock(&self.state).board.is_running(job, &name) {
                tokio::select! {
                    _ = ended.changed() => {}
                    () = &mut late => break,
                }
            }
        }
    }

    /// Adds the results that the session has not been told, and the checks of its job.
    fn with_results(&self, receipt: Receipt, session: &str, job: Option<JobId>) -> Receipt {
        let checks = lock(&self.state).board.tell(session, job);
        Receipt { checks, ..receipt }
    }
}

fn not_run(why: String) -> FinishedRun {
    FinishedRun { end: RunEnd::CouldNotRun(why), issues: Vec::new(), lines: Default::default() }
}
