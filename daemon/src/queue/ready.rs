//! Decides which of the jobs whose lanes are free gets the next worker. Pure; it runs nothing.
//!
//! *Invariants*: at most `limits::WORKERS` jobs run, at most `limits::CALLING_WORKERS` of them with commands, and of one
//! session at most `limits::WORKERS_SHARE` and `limits::CALLING_SHARE`. Of the jobs that may run, it takes one of the session
//! with the fewest running jobs, and of those the one that arrived first.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::lanes::LaneTicket;
use crate::limits;

/// The jobs that run and those that wait only for a worker, by session.
#[derive(Debug, Default)]
pub(super) struct WorkerTurns {
    sessions: BTreeMap<Arc<str>, SessionJobs>,
    /// The session of each job, and true if it may run commands.
    jobs: HashMap<LaneTicket, (Arc<str>, bool)>,
    running: usize,
    calling: usize,
}

/// The jobs of one session.
#[derive(Debug, Default)]
struct SessionJobs {
    ready: BTreeSet<LaneTicket>,
    /// The same for jobs that may run commands.
    ready_to_call: BTreeSet<LaneTicket>,
    running: usize,
    /// The number of those that may run commands.
    calling: usize,
}

impl SessionJobs {
    /// Returns the job that would begin next.
    fn next(&self, may_call: bool) -> Option<LaneTicket> {
        if self.running >= limits::WORKERS_SHARE {
            return None;
        }
        let may_call = may_call && self.calling < limits::CALLING_SHARE;
        let calling = self.ready_to_call.first().filter(|_| may_call);
        self.ready.first().into_iter().chain(calling).min().copied()
    }

    fn is_empty(&self) -> bool {
        self.running == 0 && self.ready.is_empty() && self.ready_to_call.is_empty()
    }
}

impl WorkerTurns {
    /// Adds a job whose lanes are free.
    pub(super) fn add(&mut self, ticket: LaneTicket, session: &str, calls: bool) {
        let known = self.sessions.get_key_value(session).map(|(name, _)| Arc::clone(name));
        let name = known.unwrap_or_else(|| session.into());
        let jobs = self.sessions.entry(Arc::clone(&name)).or_default();
        if calls { &mut jobs.ready_to_call } else { &mut jobs.ready }.insert(ticket);
        self.jobs.insert(ticket, (name, calls));
    }

    /// Takes the next job that may run, if a worker is free for it.
    pub(super) fn begin(&mut self) -> Option<LaneTicket> {
        if self.running >= limits::WORKERS {
            return None;
        }
        let may_call = self.calling < limits::CALLING_WORKERS;
        let next = self.sessions.values().filter_map(|jobs| Some((jobs.running, jobs.next(may_call)?)));
        let (_, ticket) = next.min()?;
        let (name, calls) = self.jobs.get(&ticket)?;
        let jobs = self.sessions.get_mut(name)?;
        jobs.running += 1;
        self.running += 1;
        if *calls {
            jobs.ready_to_call.remove(&ticket);
            jobs.calling += 1;
            self.calling += 1;
        } else {
            jobs.ready.remove(&ticket);
        }
        Some(ticket)
    }

    /// Removes a job that ran.
    pub(super) fn end(&mut self, ticket: LaneTicket) {
        let Some((name, calls)) = self.jobs.remove(&ticket) else { return };
        let Some(jobs) = self.sessions.get_mut(&name) else { return };
        jobs.running = jobs.running.saturating_sub(1);
        self.running = self.running.saturating_sub(1);
        if calls {
            jobs.calling = jobs.calling.saturating_sub(1);
            self.calling = self.calling.saturating_sub(1);
        }
        if jobs.is_empty() {
            self.sessions.remove(&name);
        }
    }

    /// Removes a job that waits for a worker.
    pub(super) fn withdraw(&mut self, ticket: LaneTicket) {
        let Some((name, _)) = self.jobs.remove(&ticket) else { return };
        let Some(jobs) = self.sessions.get_mut(&name) else { return };
        jobs.ready.remove(&ticket);
        jobs.ready_to_call.remove(&ticket);
        if jobs.is_empty() {
            self.sessions.remove(&name);
        }
    }
}
