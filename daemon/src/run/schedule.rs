//! Schedules flushing, settling, pruning and the check of the daemon's paths. Pure: it gets events and times and
//! returns the tasks that are due; it carries out none.

use std::time::Duration;

use crate::limits;

/// The tasks that are due.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct DueTasks {
    pub(super) flush: bool,
    pub(super) settle: bool,
    pub(super) upkeep: bool,
    /// True if freed memory is given back to the system.
    pub(super) free_memory: bool,
    /// True if the syntax trees of recent contents are removed.
    pub(super) drop_trees: bool,
    /// True if the paths of the workspace and the socket are checked.
    pub(super) check_paths: bool,
}

/// The times of later tasks. Empty if there are none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TaskSchedule {
    flush: Option<Duration>,
    settle: Option<Duration>,
    upkeep: Option<Duration>,
    free_memory: Option<Duration>,
    /// The time at which the idle threads have ended, and have left the memory that they kept.
    threads_ended: Option<Duration>,
    drop_trees: Option<Duration>,
    check_paths: Option<Duration>,
    /// Jobs since the last upkeep.
    jobs: u32,
}

impl TaskSchedule {
    /// Notes that a job has ended. `unflushed`: some of its records are not flushed: all for a relaxed job, and for
    /// others the seal, without which recovery must infer the outcome after a power cut.
    pub(super) fn job_ended(&mut self, unflushed: bool, now: Duration) {
        if unflushed {
            // Half of the time promised for relaxed jobs: the other half is for the flush itself and for delays.
            sooner(&mut self.flush, now + Duration::from_millis(limits::RELAXED_MS / 2));
        }
        sooner(&mut self.settle, now + Duration::from_millis(limits::SETTLE_AFTER_MS));
        self.jobs = self.jobs.saturating_add(1);
        // Postponed while jobs arrive, but not forever.
        let busy = self.jobs >= limits::UPKEEP_JOBS;
        self.upkeep = Some(if busy { now } else { now + Duration::from_millis(limits::UPKEEP_AFTER_MS) });
        self.memory_used(now);
    }

    /// Notes that a session's receipt was renewed: a power cut that loses it costs one read.
    pub(super) fn receipt_renewed(&mut self, now: Duration) {
        sooner(&mut self.flush, now + Duration::from_millis(limits::RECEIPT_MS));
        self.memory_used(now);
    }

    /// Notes that much memory was used for a moment and is free again.
    pub(super) fn memory_freed(&mut self, now: Duration) {
        sooner(&mut self.free_memory, now + Duration::from_millis(limits::REST_MS));
        self.memory_used(now);
    }

    /// Notes that threads have worked and that syntax trees may have been used: by a job, an outline or a read of a symbol.
    fn memory_used(&mut self, now: Duration) {
        self.threads_ended = Some(now + Duration::from_millis(limits::IDLE_THREAD_MS + limits::REST_MS));
        self.drop_trees = Some(now + Duration::from_millis(limits::SYNTAX_TREES_MS));
    }

    /// Notes that the daemon has started: entries of the last one must be settled.
    pub(super) fn started(&mut self, now: Duration) {
        sooner(&mut self.settle, now);
        self.upkeep = Some(now + Duration::from_millis(limits::UPKEEP_AFTER_MS));
        self.check_paths = Some(now + Duration::from_millis(limits::FOLDER_MS));
    }

    /// Schedules the next settling after this long.
    pub(super) fn settle_again(&mut self, after: Duration, now: Duration) {
        sooner(&mut self.settle, now + after);
    }

    /// Returns when the next task is due; `None` if there is none.
    pub(super) fn next(&self) -> Option<Duration> {
        let memory = [self.free_memory, self.threads_ended, self.drop_trees];
        let tasks = [self.flush, self.settle, self.upkeep, self.check_paths].into_iter().chain(memory);
        tasks.flatten().min()
    }

    /// Returns true if there were neither jobs nor reads lately.
    pub(super) fn is_quiet(&self) -> bool {
        self.flush.is_none() && self.settle.is_none()
    }

    /// Takes the tasks that are due.
    pub(super) fn take(&mut self, now: Duration) -> DueTasks {
        let due = DueTasks {
            flush: take_due(&mut self.flush, now),
            settle: take_due(&mut self.settle, now),
            upkeep: take_due(&mut self.upkeep, now),
            free_memory: take_due(&mut self.free_memory, now) | take_due(&mut self.threads_ended, now),
            drop_trees: take_due(&mut self.drop_trees, now),
            check_paths: take_due(&mut self.check_paths, now),
        };
        if due.check_paths {
            self.check_paths = Some(now + Duration::from_millis(limits::FOLDER_MS));
        }
        if due.upkeep {
            self.jobs = 0;
        }
        due
    }
}

fn sooner(when: &mut Option<Duration>, at: Duration) {
    *when = Some(when.map_or(at, |set| set.min(at)));
}

fn take_due(when: &mut Option<Duration>, now: Duration) -> bool {
    let due = when.is_some_and(|at| at <= now);
    if due {
        *when = None;
    }
    due
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    const NOTHING: DueTasks = DueTasks {
        flush: false,
        settle: false,
        upkeep: false,
        free_memory: false,
        drop_trees: false,
        check_paths: false,
    };

    #[test]
    fn nothing_is_due_when_nothing_happened() {
        let mut schedule = TaskSchedule::default();
        assert_eq!(schedule.next(), None);
        assert_eq!(schedule.take(at(1_000_000)), NOTHING);
    }

    #[test]
    fn the_paths_are_checked_periodically() {
        let mut schedule = TaskSchedule::default();
        schedule.started(at(0));
        let (step, free_memory) = (limits::FOLDER_MS, 10 * limits::UPKEEP_AFTER_MS);
        assert!(schedule.take(at(free_memory)).check_paths);
        assert_eq!(schedule.next(), Some(at(free_memory + step)));
        assert_eq!(schedule.take(at(free_memory + step)), DueTasks { check_paths: true, ..NOTHING });
        assert_eq!(schedule.next(), Some(at(free_memory + 2 * step)));
        assert!(schedule.is_quiet(), "that is no work");
    }

    #[test]
    fn memory_of_a_parse_is_given_back_soon_and_nothing_else_is_done() {
        let mut schedule = TaskSchedule::default();
        schedule.memory_freed(at(0));
        schedule.memory_freed(at(500));
        assert!(schedule.is_quiet());
        assert_eq!(schedule.next(), Some(at(limits::REST_MS)));
        let freed = DueTasks { free_memory: true, ..NOTHING };
        assert_eq!(schedule.take(at(limits::REST_MS)), freed);
        let ended = at(500 + limits::IDLE_THREAD_MS + limits::REST_MS);
        assert_eq!(schedule.next(), Some(ended), "the threads keep some");
        assert_eq!(schedule.take(ended), freed);
        assert_eq!(schedule.next(), Some(at(500 + limits::SYNTAX_TREES_MS)), "trees are kept for longer");
        let due = DueTasks { drop_trees: true, ..NOTHING };
        assert_eq!(schedule.take(at(500 + limits::SYNTAX_TREES_MS)), due);
        assert_eq!(schedule.next(), None);
    }

    #[test]
    fn a_relaxed_job_is_flushed_in_time_however_many_follow() {
        let mut schedule = TaskSchedule::default();
        let first = at(1000);
        for ms in 0..limits::RELAXED_MS / 2 {
            schedule.job_ended(true, first + at(ms));
            assert_eq!(schedule.next(), Some(first + at(limits::RELAXED_MS / 2)));
        }
        let now = first + at(limits::RELAXED_MS / 2);
        assert_eq!(schedule.take(now), DueTasks { flush: true, ..NOTHING });
        schedule.job_ended(false, now);
        assert!(!schedule.take(now + at(limits::SETTLE_AFTER_MS - 1)).flush, "nothing of it is left");
    }

    #[test]
    fn settling_rests_and_then_goes_as_it_asks() {
        let mut schedule = TaskSchedule::default();
        schedule.job_ended(false, at(0));
        assert_eq!(schedule.take(at(limits::SETTLE_AFTER_MS - 1)), NOTHING);
        assert_eq!(schedule.take(at(limits::SETTLE_AFTER_MS)), DueTasks { settle: true, ..NOTHING });
        schedule.settle_again(at(7), at(5000));
        assert_eq!(schedule.next(), Some(at(5007)));
        assert!(!schedule.is_quiet());
        assert!(schedule.take(at(5007)).settle && schedule.is_quiet(), "upkeep is not work");
    }

    #[test]
    fn upkeep_comes_when_it_is_quiet_or_after_many_jobs() {
        let mut schedule = TaskSchedule::default();
        schedule.job_ended(false, at(0));
        schedule.job_ended(false, at(limits::UPKEEP_AFTER_MS - 1));
        assert!(!schedule.take(at(limits::UPKEEP_AFTER_MS)).upkeep, "put off by the second job");
        assert!(schedule.take(at(2 * limits::UPKEEP_AFTER_MS)).upkeep);
        for job in 0..limits::UPKEEP_JOBS {
            assert!(!schedule.take(at(0)).upkeep, "{job}");
            schedule.job_ended(false, at(0));
        }
        assert!(schedule.take(at(0)).upkeep);
        assert!(!schedule.take(at(0)).upkeep);
    }
}
