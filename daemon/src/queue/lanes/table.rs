//! The table of lanes: the jobs of each lane in order. It never runs anything.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::caller::{LaneKey, Lanes};

/// The number of a job in the table; it grows with every arrival.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LaneTicket(pub u64);

/// The state of a removed job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LaneRemoval {
    /// It had not begun; these jobs may run now.
    Waiting(Vec<LaneTicket>),
    /// It runs, and stays until it leaves.
    Running,
    /// There is no such job.
    Unknown,
}

/// A job that is in all its lanes.
#[derive(Debug)]
struct PlacedJob {
    /// Its keys, each once.
    keys: Vec<Arc<LaneKey>>,
    /// The number of its lanes in which it is not first; it runs at 0.
    behind: usize,
}

/// A job after a barrier, or a barrier itself.
#[derive(Debug)]
struct WaitingJob {
    ticket: LaneTicket,
    lanes: Lanes,
}

/// Jobs and the lanes that they need.
#[derive(Debug, Default)]
pub struct LaneTable {
    next: u64,
    /// The queue of jobs of each key; never empty.
    lines: HashMap<Arc<LaneKey>, VecDeque<LaneTicket>>,
    placed: HashMap<LaneTicket, PlacedJob>,
    /// Set while a job that needs all lanes runs; `placed` is empty then.
    barrier: Option<LaneTicket>,
    /// The first barrier that waits, and everything after it, in order of arrival.
    behind: VecDeque<WaitingJob>,
}

impl LaneTable {
    /// Returns the number of jobs that wait or run.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.placed.len() + self.behind.len() + usize::from(self.barrier.is_some())
    }

    /// Adds a job. Returns its ticket, and true if it may run at once.
    pub fn arrive(&mut self, lanes: Lanes) -> (LaneTicket, bool) {
        let ticket = LaneTicket(self.next);
        self.next += 1;
        self.behind.push_back(WaitingJob { ticket, lanes });
        // Earlier jobs after a barrier could not move, so only the new job can be let through.
        (ticket, !self.advance().is_empty())
    }

    /// Removes a running job that has ended. Returns the jobs that may run now, in order of arrival.
    pub fn leave(&mut self, ticket: LaneTicket) -> Vec<LaneTicket> {
        if self.barrier == Some(ticket) {
            self.barrier = None;
            return self.advance();
        }
        self.take_out(ticket)
    }

    /// Removes a job that has not begun.
    pub fn remove(&mut self, ticket: LaneTicket) -> LaneRemoval {
        if self.barrier == Some(ticket) {
            return LaneRemoval::Running;
        }
        match self.placed.get(&ticket) {
            Some(placed) if placed.behind == 0 => LaneRemoval::Running,
            Some(_) => LaneRemoval::Waiting(self.take_out(ticket)),
            None => {
                let before = self.behind.len();
                self.behind.retain(|waiting| waiting.ticket != ticket);
                if self.behind.len() == before {
                    return LaneRemoval::Unknown;
                }
                LaneRemoval::Waiting(self.advance())
            }
        }
    }

    /// Removes a job from all its lanes.
    fn take_out(&mut self, ticket: LaneTicket) -> Vec<LaneTicket> {
        let Some(job) = self.placed.remove(&ticket) else { return Vec::new() };
        let mut runnable = Vec::new();
        for key in &job.keys {
            let Some(line) = self.lines.get_mut(key) else { continue };
            let was_first = line.front() == Some(&ticket);
            line.retain(|waiting| *waiting != ticket);
            match line.front() {
                None => {
                    self.lines.remove(key);
                }
                Some(first) if was_first => {
                    if let Some(next) = self.placed.get_mut(first) {
                        next.behind -= 1;
                        if next.behind == 0 {
                            runnable.push(*first);
                        }
                    }
                }
                Some(_) => {}
            }
        }
        runnable.extend(self.advance());
        runnable.sort_unstable();
        runnable
    }

    /// Lets jobs through from behind the barrier as far as possible. Returns those that may run.
    fn advance(&mut self) -> Vec<LaneTicket> {
        let mut runnable = Vec::new();
        while self.barrier.is_none() {
            match self.behind.pop_front() {
                None => break,
                Some(WaitingJob { ticket, lanes: Lanes::Some(keys) }) => {
                    if self.place(ticket, keys) {
                        runnable.push(ticket);
                    }
                }
                Some(barrier) if !self.placed.is_empty() => {
                    self.behind.push_front(barrier);
                    break;
                }
                Some(barrier) => {
                    self.barrier = Some(barrier.ticket);
                    runnable.push(barrier.ticket);
                }
            }
        }
        runnable
    }

    /// Puts a job in all its lanes. Returns true if it may run.
    fn place(&mut self, ticket: LaneTicket, mut keys: Vec<LaneKey>) -> bool {
        keys.sort_unstable();
        keys.dedup();
        let keys: Vec<Arc<LaneKey>> = keys.into_iter().map(Arc::new).collect();
        let mut behind = 0;
        for key in &keys {
            let line = self.lines.entry(Arc::clone(key)).or_default();
            behind += usize::from(!line.is_empty());
            line.push_back(ticket);
        }
        self.placed.insert(ticket, PlacedJob { keys, behind });
        behind == 0
    }
}
