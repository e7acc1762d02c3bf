//! Jobs that are kept out of the lanes because they need all of them while commands of the workspace run: in the lanes,
//! they would make every later job wait for these commands. Pure; it runs nothing.
//!
//! *Invariants*: a job that needs all lanes enters once no job that may run commands is in the lanes, or once
//! `limits::OVERTAKEN` of those have entered after it arrived. Jobs of the same session that arrive meanwhile enter after it.

use std::collections::{HashSet, VecDeque};

use editd_proto::ids::JobId;

use super::board::QueuedJob;
use crate::caller::Lanes;
use crate::limits;

/// The jobs that are kept out, in order of arrival.
#[derive(Debug, Default)]
pub(super) struct HeldJobs(VecDeque<HeldJob>);

#[derive(Debug)]
struct HeldJob {
    job: QueuedJob,
    lanes: Lanes,
    /// The number of jobs that may run commands and have entered since.
    overtaken: usize,
}

impl HeldJobs {
    /// Returns true if a new job of a session must be kept out. `commands`: jobs that may run commands are in the lanes.
    pub(super) fn keeps_out(&self, session: &str, lanes: &Lanes, commands: bool) -> bool {
        let needs_all = matches!(lanes, Lanes::All);
        (needs_all && commands) || self.0.iter().any(|held| held.job.caller.session == session)
    }

    /// Adds a job.
    pub(super) fn add(&mut self, job: QueuedJob, lanes: Lanes) {
        self.0.push_back(HeldJob { job, lanes, overtaken: 0 });
    }

    /// Notes that a job that may run commands has entered.
    pub(super) fn overtake(&mut self) {
        self.0.iter_mut().for_each(|held| held.overtaken += 1);
    }

    /// Takes the next job that may enter.
    pub(super) fn next(&mut self, commands: bool) -> Option<(QueuedJob, Lanes)> {
        let mut behind: HashSet<&str> = HashSet::new();
        let may_enter = |held: &HeldJob| {
            !commands || !matches!(held.lanes, Lanes::All) || held.overtaken >= limits::OVERTAKEN
        };
        let at = self.0.iter().position(|held| {
            let session = held.job.caller.session.as_str();
            let enters = !behind.contains(session) && may_enter(held);
            behind.insert(session);
            enters
        })?;
        self.0.remove(at).map(|held| (held.job, held.lanes))
    }

    /// Takes a detached job out; returns `None` if it is not detached, or is not here.
    pub(super) fn cancel(&mut self, id: JobId) -> Option<QueuedJob> {
        let is_it = |held: &HeldJob| held.job.id() == Some(id) && held.job.reply.is_none();
        let at = self.0.iter().position(is_it)?;
        self.0.remove(at).map(|held| held.job)
    }

    /// Returns true if the job is here.
    pub(super) fn has(&self, id: JobId) -> bool {
        self.0.iter().any(|held| held.job.id() == Some(id))
    }

    /// Returns the numbers of the detached jobs.
    pub(super) fn detached(&self) -> impl Iterator<Item = JobId> {
        self.0.iter().filter(|held| held.job.reply.is_none()).filter_map(|held| held.job.id())
    }
}
