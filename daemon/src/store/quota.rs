//! The limit of the log's size: it wakes retention when the log has grown, and lets callers wait for a moment until there
//! is room. It removes nothing itself.
//!
//! The log grows by whole segments. A new one is begun for a request only while all others together are within the
//! limit, so the log exceeds it by at most one segment (larger than usual if one job needs that), the next one, which is
//! prepared ahead, and one for records that end a job or that retention writes again. Once these have begun a segment, requests
//! are refused even if it has room.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::log::Log;
use super::{Store, StoreError};
use crate::limits;
use crate::sync::lock;

/// A kind of retention that is due.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RetentionTask {
    /// [`Store::trim`]: the log has grown.
    Trim,
    /// [`Store::upkeep`]: age and number are to be checked as well.
    Upkeep,
}

/// The limit of the log's size, and the requests to retention.
#[derive(Default)]
pub(super) struct LogQuota {
    state: Mutex<QuotaState>,
    changed: Condvar,
}

#[derive(Default)]
struct QuotaState {
    /// The most bytes of the log; `None` for no limit.
    limit: Option<u64>,
    /// Bytes that the last retention left because they are needed, if they are more than the limit.
    needed: u64,
    /// The newest segment when retention was last asked for.
    noticed: u64,
    /// The task that is asked for.
    task: Option<RetentionTask>,
    /// True while a thread waits for tasks or carries one out.
    listening: bool,
    ended: bool,
}

impl QuotaState {
    fn most(&self) -> u64 {
        self.limit.map_or(u64::MAX, |limit| limit.max(self.needed))
    }
}

impl LogQuota {
    /// Returns the most bytes that the log may have before a request adds a segment.
    pub(super) fn most(&self) -> u64 {
        lock(&self.state).most()
    }

    /// Refuses a group that needs more than the limit for itself.
    pub(super) fn permits(&self, needed: u64) -> Result<(), StoreError> {
        match lock(&self.state).limit {
            Some(limit) if needed > limit => Err(StoreError::TooLarge { needed, limit }),
            _ => Ok(()),
        }
    }

    /// Notes that records were appended. Asks for retention if the log has a new segment.
    pub(super) fn grown(&self, log: &Log) {
        let mut state = lock(&self.state);
        let current = log.current();
        if current > std::mem::replace(&mut state.noticed, current) {
            self.ask(&mut state, RetentionTask::Trim);
        }
    }

    fn ask(&self, state: &mut QuotaState, task: RetentionTask) {
        state.task = state.task.max(Some(task));
        self.changed.notify_all();
    }

    /// Asks for retention and waits until the log has room, for at most [`limits::ROOM_MS`]. Returns false if it has none.
    pub(super) fn wait_for_room(&self, log: &Log) -> bool {
        let mut state = lock(&self.state);
        self.ask(&mut state, RetentionTask::Trim);
        if !state.listening {
            return false;
        }
        let time = Duration::from_millis(limits::ROOM_MS);
        let waited = self.changed.wait_timeout_while(state, time, |state| log.bytes() > state.most());
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Notes that a segment was dropped or became shorter.
    pub(super) fn made_room(&self) {
        // Locked, so that a caller that is about to wait does not miss it.
        let _state = lock(&self.state);
        self.changed.notify_all();
    }

    /// Notes the bytes that retention had to leave.
    pub(super) fn left(&self, needed: u64) {
        lock(&self.state).needed = needed;
        self.changed.notify_all();
    }
}

impl Store {
    /// Sets the most bytes of the log. Until then, there is no limit.
    pub fn limit_log(&self, bytes: u64) {
        lock(&self.shared.quota.state).limit = Some(bytes);
    }

    /// Asks for retention.
    pub fn ask_retention(&self, task: RetentionTask) {
        let quota = &self.shared.quota;
        quota.ask(&mut lock(&quota.state), task);
    }

    /// Waits until retention is asked for; `None` once [`Store::end_retention`] was called. Callers of
    /// [`Store::append`] wait for room only if a thread calls this.
    pub fn await_retention(&self) -> Option<RetentionTask> {
        let quota = &self.shared.quota;
        let mut state = lock(&quota.state);
        state.listening = true;
        loop {
            if state.ended {
                state.listening = false;
                return None;
            }
            if let Some(task) = state.task.take() {
                return Some(task);
            }
            state = quota.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends [`Store::await_retention`].
    pub fn end_retention(&self) {
        lock(&self.shared.quota.state).ended = true;
        self.shared.quota.changed.notify_all();
    }

    /// Returns true if the log has more bytes than its limit.
    pub fn is_over_limit(&self) -> bool {
        let limit = lock(&self.shared.quota.state).limit;
        limit.is_some_and(|limit| self.shared.log.bytes() > limit)
    }
}
