//! The jobs of the queue: those that wait, those that run, and the waits for their ends. Pure except for the replies
//! it keeps; it runs nothing.

use std::collections::{HashMap, HashSet};

use editd_proto::ids::JobId;
use editd_proto::message::{UndoRequest, kind};

use super::activity::ActivityGuard;
use super::admit::AdmissionPass;
use super::held::HeldJobs;
use super::lanes::{LaneRemoval, LaneTable, LaneTicket};
use super::ready::WorkerTurns;
use super::reply::JobReply;
use crate::caller::{Caller, Lanes};
use crate::metrics::JobTrace;
use crate::workspace::ParsedRequest;

/// The work of a job.
#[derive(Debug)]
pub(super) enum JobWork {
    Edit(JobId, Box<ParsedRequest>),
    Undo(Box<UndoRequest>),
    Redo(Box<UndoRequest>),
}

impl JobWork {
    /// Returns the kind of its request.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Edit(..) => kind::EDIT,
            Self::Undo(_) => kind::UNDO,
            Self::Redo(_) => kind::REDO,
        }
    }
}

/// An admitted job.
#[derive(Debug)]
pub(super) struct QueuedJob {
    pub(super) caller: Caller,
    pub(super) work: JobWork,
    /// The reply to its sender; `None` if it is detached.
    pub(super) reply: Option<JobReply>,
    /// The times of its steps.
    pub(super) trace: JobTrace,
    /// True if its reply may be sent before it is flushed.
    pub(super) relaxed: bool,
    /// True if commands of the workspace may run for it: it may take as long as they do.
    pub(super) runs_commands: bool,
    /// Its admission, and its part in the activity that keeps the daemon running.
    pub(super) held: (AdmissionPass, ActivityGuard),
}

impl QueuedJob {
    pub(super) fn id(&self) -> Option<JobId> {
        match &self.work {
            JobWork::Edit(id, _) => Some(*id),
            JobWork::Undo(_) | JobWork::Redo(_) => None,
        }
    }

    /// Drops what only a job that begins at once needs.
    fn waits(&self) {
        if let JobWork::Edit(_, parsed) = &self.work {
            parsed.drop_resolved();
        }
    }
}

/// The number of a wait, by which it can be given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitId {
    job: JobId,
    number: u64,
}

/// The result of cancelling a job.
#[derive(Debug)]
pub(super) enum CancelOutcome {
    /// It was removed; these jobs may begin now.
    Taken(Box<QueuedJob>, BegunJobs),
    /// It runs, or cannot be cancelled.
    TooLate,
    /// There is no such job.
    Unknown,
}

/// Jobs that begin.
pub(super) type BegunJobs = Vec<(LaneTicket, QueuedJob)>;

/// The replies of the waits for postponed detached jobs.
pub(super) type PostponedWaits = Vec<Vec<JobReply>>;

/// All jobs that wait or run.
#[derive(Debug, Default)]
pub(super) struct QueueBoard {
    table: LaneTable,
    /// Jobs that are kept out of the lanes while commands run.
    held: HeldJobs,
    /// Jobs in the lanes that may run commands.
    calling: HashSet<LaneTicket>,
    /// Jobs that have not begun.
    waiting: HashMap<LaneTicket, QueuedJob>,
    /// The jobs that run, and those for which only a worker is missing.
    workers: WorkerTurns,
    by_id: HashMap<JobId, LaneTicket>,
    waiters: HashMap<JobId, Vec<(u64, JobReply)>>,
    next_wait: u64,
}

impl QueueBoard {
    /// Adds a job. Returns it if it may begin at once.
    pub(super) fn arrive(&mut self, job: QueuedJob, lanes: Lanes) -> Option<(LaneTicket, QueuedJob)> {
        if self.held.keeps_out(&job.caller.session, &lanes, !self.calling.is_empty()) {
            job.waits();
            self.held.add(job, lanes);
            return None;
        }
        let ticket = self.enter(job, lanes);
        // Jobs that enter now are behind this one, or behind a job that needs all lanes.
        self.enter_held();
        let begun = self.begin().pop();
        if let Some(job) = self.waiting.get(&ticket) {
            job.waits();
        }
        begun
    }

    /// Puts a job in its lanes.
    fn enter(&mut self, job: QueuedJob, lanes: Lanes) -> LaneTicket {
        let (ticket, at_once) = self.table.arrive(lanes);
        if let Some(id) = job.id() {
            self.by_id.insert(id, ticket);
        }
        if job.runs_commands {
            self.calling.insert(ticket);
            self.held.overtake();
        }
        self.waiting.insert(ticket, job);
        if at_once {
            self.make_ready([ticket]);
        }
        ticket
    }

    /// Puts the jobs in their lanes that need not be kept out any more.
    fn enter_held(&mut self) {
        while let Some((job, lanes)) = self.held.next(!self.calling.is_empty()) {
            let _ticket = self.enter(job, lanes);
        }
    }

    /// Removes a job that has ended. Returns the jobs that may begin now, and the waits for its end.
    pub(super) fn leave(&mut self, ticket: LaneTicket, id: Option<JobId>) -> (BegunJobs, Vec<JobReply>) {
        let waiters = id.map_or_else(Vec::new, |id| {
            self.by_id.remove(&id);
            self.take_waiters(id)
        });
        self.workers.end(ticket);
        let next = self.table.leave(ticket);
        self.make_ready(next);
        self.calling.remove(&ticket);
        self.enter_held();
        (self.begin(), waiters)
    }

    /// Removes a detached job that has not begun.
    pub(super) fn cancel(&mut self, id: JobId) -> CancelOutcome {
        if let Some(held) = self.held.cancel(id) {
            self.enter_held();
            return CancelOutcome::Taken(Box::new(held), self.begin());
        }
        let Some(&ticket) = self.by_id.get(&id) else {
            return if self.held.has(id) { CancelOutcome::TooLate } else { CancelOutcome::Unknown };
        };
        match self.waiting.remove(&ticket) {
            Some(job) if job.reply.is_none() => {
                let next = self.take_away(ticket, id);
                CancelOutcome::Taken(Box::new(job), next)
            }
            Some(attached) => {
                self.waiting.insert(ticket, attached);
                CancelOutcome::TooLate
            }
            None => CancelOutcome::TooLate,
        }
    }

    /// Removes all detached jobs that have not begun: they are stored, and begin after the next start. Returns the
    /// waits for them, and the jobs that may begin now.
    pub(super) fn put_off(&mut self) -> (PostponedWaits, BegunJobs) {
        let detached = |(_, job): &(&LaneTicket, &QueuedJob)| job.reply.is_none();
        let waiting = self.waiting.iter().filter(detached).filter_map(|(_, job)| job.id());
        let ids: Vec<JobId> = self.held.detached().chain(waiting).collect();
        let mut off = Vec::with_capacity(ids.len());
        let mut next = Vec::new();
        for id in ids {
            // A job that an earlier removal let through has begun.
            if let CancelOutcome::Taken(_, begun) = self.cancel(id) {
                next.extend(begun);
                off.push(self.take_waiters(id));
            }
        }
        (off, next)
    }

    /// Adds a wait for the end of a job.
    pub(super) fn wait(&mut self, job: JobId, reply: JobReply) -> WaitId {
        let number = self.next_wait;
        self.next_wait += 1;
        self.waiters.entry(job).or_default().push((number, reply));
        WaitId { job, number }
    }

    /// Gives a wait up; `None` if it has been answered.
    pub(super) fn unwait(&mut self, wait: WaitId) -> Option<JobReply> {
        let waiting = self.waiters.get_mut(&wait.job)?;
        let at = waiting.iter().position(|(number, _)| *number == wait.number)?;
        let (_, reply) = waiting.remove(at);
        if waiting.is_empty() {
            self.waiters.remove(&wait.job);
        }
        Some(reply)
    }

    /// Takes all waits for a job that has ended.
    pub(super) fn take_waiters(&mut self, job: JobId) -> Vec<JobReply> {
        self.waiters.remove(&job).unwrap_or_default().into_iter().map(|(_, reply)| reply).collect()
    }

    fn take_away(&mut self, ticket: LaneTicket, id: JobId) -> BegunJobs {
        self.by_id.remove(&id);
        match self.table.remove(ticket) {
            LaneRemoval::Waiting(next) => self.make_ready(next),
            // Its lanes were free and only a worker was missing.
            LaneRemoval::Running => {
                self.workers.withdraw(ticket);
                let next = self.table.leave(ticket);
                self.make_ready(next);
            }
            LaneRemoval::Unknown => {}
        }
        self.calling.remove(&ticket);
        self.enter_held();
        self.begin()
    }

    fn make_ready(&mut self, tickets: impl IntoIterator<Item = LaneTicket>) {
        for ticket in tickets {
            if let Some(job) = self.waiting.get(&ticket) {
                self.workers.add(ticket, &job.caller.session, job.runs_commands);
            }
        }
    }

    /// Takes jobs whose lanes are free, as long as there are free workers.
    fn begin(&mut self) -> BegunJobs {
        let mut begun = Vec::new();
        while let Some(ticket) = self.workers.begin() {
            match self.waiting.remove(&ticket) {
                Some(job) => begun.push((ticket, job)),
                None => self.workers.end(ticket),
            }
        }
        begun
    }
}
