//! Runs the queue's jobs on worker threads as their lanes become free. The workspace carries out a job.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};
use editd_proto::ids::JobId;
use editd_proto::message::{Durability, JobRequest, JobStatus, Receipt, UndoRequest};
use tokio::runtime::Handle;

use super::activity::ActivityCounter;
use super::admit::AdmissionPass;
use super::board::{BegunJobs, CancelOutcome, JobWork, QueueBoard, QueuedJob, WaitId};
use super::lanes::LaneTicket;
use super::reply::{self, JobOutcome, JobReply};
use super::requests::WorkspaceRequests;
use crate::caller::{Caller, Lanes};
use crate::metrics::{JobTrace, Metrics, TraceStep};
use crate::sync::lock;
use crate::workspace::{Admission, ParsedRequest, is_call_id};

/// A job that has ended, and whose reply was sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinishedJob {
    /// Its reply was sent before a flush.
    pub relaxed: bool,
    /// The journal entry that it made, if it changed something, and those of its hooks.
    pub entries: Vec<JobId>,
}

/// Is notified of finished work, so that flushing, settling and notifying subscribers can follow.
pub trait QueueEvents: Send + Sync {
    /// Called when a job has ended.
    fn job_ended(&self, done: FinishedJob);
    /// Called when a session has read something and its receipt is not flushed.
    fn receipt_renewed(&self);
    /// Called when much memory was used for a moment: a text was parsed for a reader, or subscriptions have ended.
    fn memory_freed(&self);
    /// Called when the lanes of a job are free, to answer it: at once, or after the checks for which its reply waits. There
    /// is no reply to a detached job.
    fn answer(&self, _caller: &Caller, outcome: JobOutcome, reply: Option<JobReply>) {
        if let Some(reply) = reply {
            reply.send(outcome);
        }
    }
}

struct QueueInner {
    workspace: Arc<dyn WorkspaceRequests>,
    metrics: Arc<Metrics>,
    events: Arc<dyn QueueEvents>,
    activity: Arc<ActivityCounter>,
    /// The durability of jobs whose requests name none.
    durability: Durability,
    workers: Handle,
    board: Mutex<QueueBoard>,
}

/// The queue of jobs. Clones share one queue.
#[derive(Clone)]
pub struct JobQueue(Arc<QueueInner>);

/// A job that may run now. If it were dropped instead of run, it would hold its lanes forever.
#[must_use]
pub struct RunnableJob {
    queue: JobQueue,
    ticket: LaneTicket,
    job: QueuedJob,
}

impl JobQueue {
    /// Creates a queue of jobs for `workspace`, run on the blocking threads of `workers`.
    pub fn new(
        workspace: Arc<dyn WorkspaceRequests>,
        events: Arc<dyn QueueEvents>,
        activity: Arc<ActivityCounter>,
        durability: Durability,
        workers: Handle,
    ) -> Self {
        let metrics = workspace.metrics();
        Self(Arc::new(QueueInner {
            workspace,
            metrics,
            events,
            activity,
            durability,
            workers,
            board: Mutex::default(),
        }))
    }

    /// Adds an edit. The calling thread runs the returned job, if any.
    pub fn edit(
        &self,
        caller: Caller,
        request: JobRequest,
        pass: AdmissionPass,
        reply: JobReply,
        trace: JobTrace,
    ) -> Option<RunnableJob> {
        let workspace = &self.0.workspace;
        let parsed = workspace.understand(request);
        let request = parsed.request();
        // If the key may be known, the job is looked up before its paths are resolved: they may be gone because it ran.
        let known = request.key.is_some() || request.detach;
        let early = match known {
            true => None,
            false => match workspace.lanes(&caller, &parsed) {
                Ok(lanes) => Some(lanes),
                Err(refusal) => {
                    reply.send(Ok(parsed.refused(refusal)));
                    return None;
                }
            },
        };
        let (id, reply) = self.admit(&caller, &parsed, reply)?;
        // A job whose lanes cannot be determined runs alone; its own steps report the error.
        let lanes = early.unwrap_or_else(|| workspace.lanes(&caller, &parsed).unwrap_or(Lanes::All));
        let reply = if request.detach {
            reply.send(Ok(parsed.with_dialect_text(reply::queued(id))));
            None
        } else {
            Some(reply)
        };
        let durability = request.durability.unwrap_or(self.0.durability);
        let runs_commands = workspace.runs_commands(&lanes);
        let work = JobWork::Edit(id, Box::new(parsed));
        trace.took(TraceStep::Decode);
        let job = self.job(caller, work, reply, durability, pass, trace);
        self.place(QueuedJob { runs_commands, ..job }, lanes)
    }

    /// Assigns a number to a new job. Returns `None` if the request is refused or repeats an earlier job; its reply is
    /// then sent now, or when that job ends.
    fn admit(
        &self,
        caller: &Caller,
        parsed: &ParsedRequest,
        mut reply: JobReply,
    ) -> Option<(JobId, JobReply)> {
        let mut before = None;
        loop {
            let outcome = match self.0.workspace.admit(caller, parsed) {
                Admission::New(id) => return Some((id, reply.repeated_if(false))),
                Admission::Ended(receipt) => Ok(parsed.with_dialect_text(*receipt)),
                Admission::Refused(refusal) => Ok(parsed.refused(refusal)),
                Admission::Pending(id) if parsed.request().detach && !is_call_id(id) => {
                    Ok(parsed.with_dialect_text(reply::repeated(&reply::queued(id))))
                }
                Admission::Pending(id) => {
                    let (back, refusal) = self.in_line(id, reply.repeated_if(true)).err()?;
                    reply = back.repeated_if(false);
                    // The job has just ended. The next call returns its receipt, or admits this request as a new job.
                    if before.replace(id) != Some(id) {
                        continue;
                    }
                    Err(refusal)
                }
            };
            reply.send(outcome);
            return None;
        }
    }

    /// Adds an undo. It runs alone.
    pub fn undo(
        &self,
        caller: Caller,
        request: UndoRequest,
        pass: AdmissionPass,
        reply: JobReply,
        trace: JobTrace,
    ) -> Option<RunnableJob> {
        let durability = request.durability.unwrap_or(self.0.durability);
        let work = JobWork::Undo(Box::new(request));
        trace.took(TraceStep::Decode);
        self.place(self.job(caller, work, Some(reply), durability, pass, trace), Lanes::All)
    }

    /// Adds a redo. It runs alone.
    pub fn redo(
        &self,
        caller: Caller,
        request: UndoRequest,
        pass: AdmissionPass,
        reply: JobReply,
        trace: JobTrace,
    ) -> Option<RunnableJob> {
        let durability = request.durability.unwrap_or(self.0.durability);
        let work = JobWork::Redo(Box::new(request));
        trace.took(TraceStep::Decode);
        self.place(self.job(caller, work, Some(reply), durability, pass, trace), Lanes::All)
    }

    /// Adds a detached job of an earlier daemon.
    pub fn requeue(&self, id: JobId, caller: Caller, request: JobRequest, pass: AdmissionPass) {
        let parsed = self.0.workspace.understand(request);
        let lanes = self.0.workspace.lanes(&caller, &parsed).unwrap_or(Lanes::All);
        let durability = parsed.request().durability.unwrap_or(self.0.durability);
        let runs_commands = self.0.workspace.runs_commands(&lanes);
        let work = JobWork::Edit(id, Box::new(parsed));
        let trace = self.0.metrics.trace(self.0.metrics.now());
        let job = self.job(caller, work, None, durability, pass, trace);
        self.spawn(self.place(QueuedJob { runs_commands, ..job }, lanes));
    }

    /// Answers `reply` with the job's receipt once the job has ended. Returns `None` if that was done at once.
    pub fn wait(&self, job: JobId, reply: JobReply) -> Option<WaitId> {
        self.in_line(job, reply).unwrap_or_else(|(reply, refusal)| {
            reply.send(Err(refusal));
            None
        })
    }

    fn in_line(&self, job: JobId, reply: JobReply) -> Result<Option<WaitId>, (JobReply, Refusal)> {
        // The wait is added before the look-up, so that a job that ends in between is found by one of the two.
        let wait = lock(&self.0.board).wait(job, reply);
        let Some(outcome) = self.0.workspace.receipt(job).transpose() else { return Ok(Some(wait)) };
        let reply = lock(&self.0.board).unwait(wait);
        match (reply, outcome) {
            (Some(reply), Ok(receipt)) => reply.send(Ok(receipt)),
            (Some(reply), Err(refusal)) => return Err((reply, refusal)),
            (None, _) => {}
        }
        Ok(None)
    }

    /// Gives a wait up and returns its reply unless it was answered.
    pub fn unwait(&self, wait: WaitId) -> Option<JobReply> {
        lock(&self.0.board).unwait(wait)
    }

    /// Cancels a detached job that has not begun.
    ///
    /// # Errors
    /// `busy` if it runs already; the workspace's error if it is not in the queue.
    pub fn cancel(&self, job: JobId) -> reply::JobOutcome {
        let cancelled = lock(&self.0.board).cancel(job);
        match cancelled {
            CancelOutcome::Unknown => self.0.workspace.cancel(job),
            CancelOutcome::TooLate => {
                let message = format!("job {job} has begun or is not detached; wait for it instead");
                Err(Box::new(RequestError::new(ErrorCode::Busy, message)))
            }
            CancelOutcome::Taken(taken, next) => {
                self.begin(next);
                let outcome = self.0.workspace.cancel(job);
                let waiters = lock(&self.0.board).take_waiters(job);
                for waiter in waiters {
                    waiter.send(outcome.clone());
                }
                drop(taken);
                outcome
            }
        }
    }

    /// Postpones detached jobs that have not begun, because the daemon stops: they are stored.
    pub fn put_off(&self) {
        let (off, next) = lock(&self.0.board).put_off();
        self.begin(next);
        for waiters in off {
            for waiter in waiters {
                waiter.send(Err(reply::stopping()));
            }
        }
    }

    fn job(
        &self,
        caller: Caller,
        work: JobWork,
        reply: Option<JobReply>,
        durability: Durability,
        pass: AdmissionPass,
        trace: JobTrace,
    ) -> QueuedJob {
        let held = (pass, self.0.activity.begin());
        QueuedJob {
            caller,
            work,
            reply,
            trace,
            relaxed: durability == Durability::Relaxed,
            runs_commands: false,
            held,
        }
    }

    fn place(&self, job: QueuedJob, lanes: Lanes) -> Option<RunnableJob> {
        let (ticket, job) = lock(&self.0.board).arrive(job, lanes)?;
        Some(RunnableJob { queue: self.clone(), ticket, job })
    }

    fn begin(&self, jobs: BegunJobs) {
        for (ticket, job) in jobs {
            self.spawn(Some(RunnableJob { queue: self.clone(), ticket, job }));
        }
    }

    fn spawn(&self, runnable: Option<RunnableJob>) {
        if let Some(runnable) = runnable {
            self.0.workers.spawn_blocking(move || runnable.run());
        }
    }

    fn perform(&self, job: &QueuedJob) -> Result<Receipt, Refusal> {
        let workspace = &self.0.workspace;
        let trace = &job.trace;
        let work = || match &job.work {
            JobWork::Edit(id, parsed) => {
                workspace.edit(&job.caller, *id, parsed, &|| job.held.0.freed(), trace)
            }
            JobWork::Undo(request) => workspace.undo(&job.caller, request, trace),
            JobWork::Redo(request) => workspace.redo(&job.caller, request, trace),
        };
        // A panic is an error in editd; the lanes must become free and the other jobs must go on.
        let receipt = catch_unwind(AssertUnwindSafe(work)).map_err(|_| reply::internal())?;
        match receipt.error {
            // The job was not carried out: its sender gets the error instead of a receipt.
            Some(left) if left.code == ErrorCode::Stopping => Err(Box::new(left)),
            _ => Ok(receipt),
        }
    }
}

impl RunnableJob {
    /// Runs the job, sends its receipt, and continues with the jobs that may begin then.
    pub fn run(self) {
        let mut next = Some(self);
        while let Some(runnable) = next.take() {
            let (queue, mut begun) = runnable.run_one();
            next = begun.pop().map(|(ticket, job)| RunnableJob { queue: queue.clone(), ticket, job });
            queue.begin(begun);
        }
    }

    fn run_one(self) -> (JobQueue, BegunJobs) {
        let Self { queue, ticket, job } = self;
        job.trace.took(TraceStep::Wait);
        let outcome = queue.perform(&job);
        job.trace.took(TraceStep::End);
        let metrics = &queue.0.metrics;
        let queued = job.id().filter(|id| !is_call_id(*id));
        let number = metrics.keep_trace(job.work.kind(), queued, result_of(&outcome), &job.trace);
        if job.reply.is_none() {
            metrics.job_answered(job.work.kind(), result_of(&outcome), job.trace.arrived());
        }
        let entries = outcome.as_ref().map(entries_of).unwrap_or_default();
        let (begun, waiters) = lock(&queue.0.board).leave(ticket, job.id());
        let QueuedJob { caller, reply, held, relaxed, trace, .. } = job;
        // Its admission ends before the reply is visible, so that the next request is not refused because of it.
        drop(held);
        for waiter in waiters {
            waiter.send(outcome.as_ref().map(reply::without_diffs).map_err(Clone::clone));
        }
        queue.0.events.answer(&caller, outcome, reply);
        trace.took(TraceStep::Reply);
        queue.0.metrics.keep_reply_time(number, &trace);
        queue.0.events.job_ended(FinishedJob { relaxed, entries });
        (queue, begun)
    }
}

/// Returns the outcome of a job as it is counted.
pub fn result_of(outcome: &JobOutcome) -> Result<&Receipt, ErrorCode> {
    outcome.as_ref().map_err(|refusal| refusal.code)
}

/// Returns the entries of a job that wrote something.
fn entries_of(receipt: &Receipt) -> Vec<JobId> {
    if receipt.repeated || !matches!(receipt.status, JobStatus::Applied | JobStatus::Partial) {
        return Vec::new();
    }
    receipt.job.into_iter().chain(receipt.hooks.iter().filter_map(|hook| hook.job)).collect()
}
