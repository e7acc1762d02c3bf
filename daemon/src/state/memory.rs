//! The memory budget for contents of files: requests reserve from one sum, in order of arrival. It holds no content
//! itself.
//!
//! *Invariants*: a request holds no reservation while it waits for one, so requests cannot deadlock. It reserves
//! once, before it reads a content, all that it is likely to need. If that is too little, it grows only if the budget
//! has room at once; otherwise it releases what it has and starts again. A request that needs more than the whole
//! budget runs alone. Background work (settling, observations of the watcher) does not reserve either: it holds one
//! file at a time.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};

use super::lock;
use crate::limits;

/// The budget.
#[derive(Default)]
pub struct MemoryBudget {
    queue: Mutex<WaitQueue>,
    changed: Condvar,
}

/// The class of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BudgetClass {
    /// A request that is not a job.
    Reader,
    /// A job.
    Job,
}

#[derive(Default)]
struct WaitQueue {
    held: usize,
    /// The waiting requests, the first in front.
    waiting: VecDeque<(u64, BudgetClass)>,
    last: u64,
}

/// A reservation of bytes, released when it is dropped.
#[must_use]
pub struct Reservation<'h> {
    budget: &'h MemoryBudget,
    bytes: Cell<usize>,
}

/// A reply with its reservation, which is held until the reply is sent.
pub struct ReservedReply<'h, T> {
    /// The reply.
    pub reply: T,
    _reservation: Option<Reservation<'h>>,
}

impl<'h, T> ReservedReply<'h, T> {
    /// Creates a reply with its reservation.
    pub fn new(reservation: Reservation<'h>, reply: T) -> Self {
        Self { reply, _reservation: Some(reservation) }
    }

    /// Creates a reply without a reservation.
    #[cfg(test)]
    pub fn unreserved(reply: T) -> Self {
        Self { reply, _reservation: None }
    }
}

impl<T> std::ops::Deref for ReservedReply<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.reply
    }
}

impl WaitQueue {
    fn fits(&self, bytes: usize) -> bool {
        self.held == 0 || self.held.saturating_add(bytes) <= limits::MEMORY_BUDGET
    }

    fn is_turn(&self, ticket: u64, bytes: usize) -> bool {
        self.waiting.front().is_some_and(|(first, _)| *first == ticket) && self.fits(bytes)
    }

    /// Returns true if no more requests of this class may wait.
    fn is_full(&self, who: BudgetClass) -> bool {
        let most = match who {
            BudgetClass::Reader => limits::READERS_WAITING,
            BudgetClass::Job => limits::JOBS_WAITING,
        };
        self.waiting.iter().filter(|(_, other)| *other == who).count() >= most
    }
}

impl MemoryBudget {
    /// Waits until so many bytes can be reserved. A small number needs no reservation. The caller must not hold
    /// another one.
    ///
    /// # Errors
    /// `busy` if that takes too long or too many requests wait already.
    pub fn acquire(&self, bytes: usize, who: BudgetClass) -> Result<Reservation<'_>, Refusal> {
        self.acquire_within(bytes, who, Duration::from_millis(limits::MEMORY_WAIT_MS))
    }

    fn acquire_within(
        &self,
        bytes: usize,
        who: BudgetClass,
        patience: Duration,
    ) -> Result<Reservation<'_>, Refusal> {
        if bytes <= limits::MEMORY_UNRESERVED {
            return Ok(self.reservation(0));
        }
        let mut queue = lock(&self.queue);
        if !queue.waiting.is_empty() || !queue.fits(bytes) {
            if queue.is_full(who) {
                return Err(busy());
            }
            queue.last += 1;
            let ticket = queue.last;
            queue.waiting.push_back((ticket, who));
            let waits = |queue: &mut WaitQueue| !queue.is_turn(ticket, bytes);
            let waited = self.changed.wait_timeout_while(queue, patience, waits);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            let turn = queue.is_turn(ticket, bytes);
            queue.waiting.retain(|(other, _)| *other != ticket);
            // The next request may fit beside this one, or would have without it.
            self.changed.notify_all();
            if !turn {
                return Err(busy());
            }
        }
        queue.held = queue.held.saturating_add(bytes);
        Ok(self.reservation(bytes))
    }

    /// Reserves so many bytes if that is possible at once, for optional work.
    pub fn try_acquire(&self, bytes: usize) -> Option<Reservation<'_>> {
        let reservation = self.reservation(0);
        reservation.grow(bytes).then_some(reservation)
    }

    fn reservation(&self, bytes: usize) -> Reservation<'_> {
        Reservation { budget: self, bytes: Cell::new(bytes) }
    }
}

impl Reservation<'_> {
    /// Returns the number of bytes that may be held.
    pub fn granted(&self) -> usize {
        self.bytes.get().max(limits::MEMORY_UNRESERVED)
    }

    /// Grows the reservation to so many bytes; returns false if the budget has no room at once. Never waits.
    pub fn grow(&self, bytes: usize) -> bool {
        if bytes <= self.granted() {
            return true;
        }
        let (own, mut queue) = (self.bytes.get(), lock(&self.budget.queue));
        let others = queue.held.saturating_sub(own);
        let fits = others == 0 || others.saturating_add(bytes) <= limits::MEMORY_BUDGET;
        if fits {
            queue.held = others.saturating_add(bytes);
            self.bytes.set(bytes);
        }
        fits
    }

    /// Releases all but so many bytes, if it has more.
    pub fn shrink(&self, bytes: usize) {
        let own = self.bytes.get();
        let less = own.saturating_sub(bytes);
        if less > 0 {
            let mut queue = lock(&self.budget.queue);
            queue.held = queue.held.saturating_sub(less);
            self.bytes.set(own - less);
            drop(queue);
            self.budget.changed.notify_all();
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let bytes = self.bytes.get();
        if bytes > 0 {
            let mut queue = lock(&self.budget.queue);
            queue.held = queue.held.saturating_sub(bytes);
            drop(queue);
            self.budget.changed.notify_all();
        }
    }
}

fn busy() -> Refusal {
    let message = "other requests use the memory for large files; try again in a moment, or with fewer or smaller files";
    Box::new(RequestError::new(ErrorCode::Busy, message))
}

/// Returns the bytes that are read of a file of a size: a file that is too large is not read.
pub fn readable(size: u64) -> usize {
    usize::try_from(size).ok().filter(|size| *size <= editd_proto::limits::FILE).unwrap_or(0)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const HALF: usize = limits::MEMORY_BUDGET / 2;

    fn waiting(budget: &MemoryBudget) -> usize {
        lock(&budget.queue).waiting.len()
    }

    fn held(budget: &MemoryBudget) -> usize {
        lock(&budget.queue).held
    }

    fn until_waiting(budget: &MemoryBudget, number: usize) {
        while waiting(budget) < number {
            std::thread::yield_now();
        }
    }

    #[test]
    fn little_needs_no_asking_and_the_largest_goes_alone() {
        let budget = MemoryBudget::default();
        let huge = budget.acquire(usize::MAX, BudgetClass::Job).unwrap();
        for who in [BudgetClass::Reader, BudgetClass::Job] {
            let little = budget.acquire(limits::MEMORY_UNRESERVED, who).unwrap();
            assert_eq!(little.granted(), limits::MEMORY_UNRESERVED);
            let more = budget.acquire_within(limits::MEMORY_UNRESERVED + 1, who, Duration::ZERO);
            assert!(more.is_err_and(|refusal| refusal.code == ErrorCode::Busy));
        }
        drop(huge);
        assert_eq!((held(&budget), waiting(&budget)), (0, 0), "also by those who gave up");
        let beside = (
            budget.acquire(HALF, BudgetClass::Job).unwrap(),
            budget.acquire(HALF, BudgetClass::Reader).unwrap(),
        );
        assert!(
            budget.acquire_within(limits::MEMORY_UNRESERVED + 1, BudgetClass::Job, Duration::ZERO).is_err()
        );
        drop(beside);
        assert_eq!(held(&budget), 0);
    }

    #[test]
    fn a_large_one_is_not_overtaken_by_small_ones_that_would_fit() {
        let budget = MemoryBudget::default();
        let first = budget.acquire(HALF, BudgetClass::Reader).unwrap();
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _all = budget.acquire(limits::MEMORY_BUDGET, BudgetClass::Job).unwrap();
                lock(&order).push("large");
            });
            until_waiting(&budget, 1);
            scope.spawn(|| {
                let _little = budget.acquire(limits::MEMORY_UNRESERVED * 2, BudgetClass::Reader).unwrap();
                lock(&order).push("small");
            });
            until_waiting(&budget, 2);
            drop(first);
        });
        assert_eq!(*lock(&order), ["large", "small"]);
        assert_eq!(held(&budget), 0);
    }

    #[test]
    fn who_gives_up_lets_those_behind_go_on() {
        let budget = MemoryBudget::default();
        let _first = budget.acquire(HALF, BudgetClass::Reader).unwrap();
        std::thread::scope(|scope| {
            let large = || {
                budget
                    .acquire_within(limits::MEMORY_BUDGET, BudgetClass::Job, Duration::from_millis(20))
                    .is_err()
            };
            let large = scope.spawn(large);
            until_waiting(&budget, 1);
            let small = scope.spawn(|| budget.acquire(HALF, BudgetClass::Reader).is_ok());
            assert!(large.join().unwrap() && small.join().unwrap());
        });
    }

    #[test]
    fn few_may_wait_and_the_sum_is_never_exceeded() {
        let budget = MemoryBudget::default();
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let all = budget.acquire(limits::MEMORY_BUDGET, BudgetClass::Job).unwrap();
        std::thread::scope(|scope| {
            for who in [BudgetClass::Reader, BudgetClass::Job] {
                let places =
                    if who == BudgetClass::Job { limits::JOBS_WAITING } else { limits::READERS_WAITING };
                for nth in 0..places {
                    let (budget, now, most) = (&budget, &now, &most);
                    scope.spawn(move || {
                        let bytes = limits::MEMORY_BUDGET / (2 + nth % 5);
                        let reservation = budget.acquire(bytes, who).unwrap();
                        most.fetch_max(now.fetch_add(bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(bytes, Ordering::SeqCst);
                        drop(reservation);
                    });
                }
            }
            until_waiting(&budget, limits::JOBS_WAITING + limits::READERS_WAITING);
            for who in [BudgetClass::Reader, BudgetClass::Job] {
                assert!(budget.acquire(HALF, who).is_err_and(|refusal| refusal.code == ErrorCode::Busy));
            }
            drop(all);
        });
        assert!((HALF..=limits::MEMORY_BUDGET).contains(&most.into_inner()));
        assert_eq!((held(&budget), waiting(&budget)), (0, 0));
    }

    #[test]
    fn more_is_had_at_once_or_not_at_all() {
        let budget = MemoryBudget::default();
        let one = budget.acquire(HALF, BudgetClass::Job).unwrap();
        assert!(one.grow(limits::MEMORY_UNRESERVED) && one.grow(HALF), "it has that");
        let other = budget.acquire(HALF, BudgetClass::Job).unwrap();
        assert!(!one.grow(HALF + 1) && !other.grow(usize::MAX));
        assert!(budget.try_acquire(limits::MEMORY_UNRESERVED + 1).is_none());
        assert!(budget.try_acquire(limits::MEMORY_UNRESERVED).is_some());
        drop(other);
        assert!(one.grow(usize::MAX), "alone it may have all that it needs");
        assert_eq!(one.granted(), usize::MAX);
        drop(one);
        assert_eq!(held(&budget), 0);
    }
}
