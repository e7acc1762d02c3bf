//! The memory budget for contents of files: requests reserve from one sum, in order of arrival. It holds no content
//! itself.
//!
//! *Invariants*: a request holds no reservation while it waits for one, so requests cannot deadlock. It reserves
//! once, before it reads a content, all that it is likely to need. If that is too little, it grows only if the budget
//! has room at once; otherwise it releases what it has and starts again. A request that needs more than the whole
//! budget runs alone. Several requests of one connection, session or process together reserve at most a share of it; its
//! other requests wait, and delay no request of others. Background work (settling, observations of the watcher) does not
//! reserve either: it holds one file at a time.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};

use super::lock;
use crate::caller::{RequestOwner, ShareHolder, ShareTable};
use crate::{limits, os};

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
    /// The part of it that each owner holds.
    of: ShareTable<usize>,
    /// The waiting requests, the first in front.
    waiting: VecDeque<WaitingRequest>,
    last: u64,
}

struct WaitingRequest {
    ticket: u64,
    who: BudgetClass,
    owner: RequestOwner,
    bytes: usize,
}

/// A reservation of bytes, released when it is dropped.
#[must_use]
pub struct Reservation<'h> {
    budget: &'h MemoryBudget,
    /// `None` for optional work, which counts for nobody.
    owner: Option<RequestOwner>,
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

    /// Returns true if each owner may hold so many more bytes. A single request of it may always be larger.
    fn has_share(&self, owner: &RequestOwner, bytes: usize) -> bool {
        self.exhausted(owner, bytes).is_none()
    }

    /// Returns the first owner that may not hold so many more bytes, with what it holds.
    fn exhausted<'q>(&'q self, owner: &'q RequestOwner, bytes: usize) -> Option<(&'q ShareHolder, usize)> {
        let is_over = |(holder, held): &(&ShareHolder, &usize)| {
            held.saturating_add(bytes) > holder.share_of(limits::MEMORY_BUDGET)
        };
        self.of.of(owner).find(is_over).map(|(holder, held)| (holder, *held))
    }

    /// Returns the first waiting request whose owners may hold more.
    fn next(&self) -> Option<&WaitingRequest> {
        self.waiting.iter().find(|request| self.has_share(&request.owner, request.bytes))
    }

    fn is_turn(&self, ticket: u64, bytes: usize) -> bool {
        self.next().is_some_and(|next| next.ticket == ticket) && self.fits(bytes)
    }

    /// Returns true if no more requests of this class, or of this class and owner, may wait.
    fn is_full(&self, who: BudgetClass, owner: &RequestOwner) -> bool {
        let most = match who {
            BudgetClass::Reader => limits::READERS_WAITING,
            BudgetClass::Job => limits::JOBS_WAITING,
        };
        let same = || self.waiting.iter().filter(|request| request.who == who);
        same().count() >= most || owner.has_no_place(most, same().map(|request| &request.owner))
    }

    /// Replaces the bytes that an owner holds.
    fn replace(&mut self, owner: Option<&RequestOwner>, from: usize, to: usize) {
        let replaced = |held: usize| held.saturating_sub(from).saturating_add(to);
        self.held = replaced(self.held);
        if let Some(owner) = owner {
            self.of.change(owner, |held| *held = replaced(*held));
        }
    }

    /// Returns the refusal of a request that gets no bytes, which names the owner whose share is used up.
    fn refusal(&self, owner: &RequestOwner, bytes: usize) -> Refusal {
        match self.exhausted(owner, bytes) {
            Some((holder, held)) => busy(&format!(
                "requests of {holder} hold {held} bytes, its share of the memory; wait for some of them, or try again in a moment"
            )),
            None => busy(
                "other requests use the memory for large files; try again in a moment, or with fewer or smaller files",
            ),
        }
    }
}

impl MemoryBudget {
    /// Waits until so many bytes can be reserved for a request of this owner. A small number needs no reservation. The
    /// request must not hold another one.
    ///
    /// # Errors
    /// `busy` if that takes too long or too many requests wait already.
    pub fn acquire(
        &self,
        owner: &RequestOwner,
        bytes: usize,
        who: BudgetClass,
    ) -> Result<Reservation<'_>, Refusal> {
        self.acquire_within(owner, bytes, who, Duration::from_millis(limits::MEMORY_WAIT_MS))
    }

    fn acquire_within(
        &self,
        owner: &RequestOwner,
        bytes: usize,
        who: BudgetClass,
        patience: Duration,
    ) -> Result<Reservation<'_>, Refusal> {
        if bytes <= limits::MEMORY_UNRESERVED {
            return Ok(self.reservation(Some(owner), 0));
        }
        let mut queue = lock(&self.queue);
        if queue.next().is_some() || !queue.has_share(owner, bytes) || !queue.fits(bytes) {
            if queue.is_full(who, owner) {
                return Err(queue.refusal(owner, bytes));
            }
            queue.last += 1;
            let ticket = queue.last;
            queue.waiting.push_back(WaitingRequest { ticket, who, owner: owner.clone(), bytes });
            let waits = |queue: &mut WaitQueue| !queue.is_turn(ticket, bytes);
            let waited = self.changed.wait_timeout_while(queue, patience, waits);
            queue = waited.unwrap_or_else(PoisonError::into_inner).0;
            let turn = queue.is_turn(ticket, bytes);
            queue.waiting.retain(|request| request.ticket != ticket);
            // The next request may fit beside this one, or would have without it.
            self.changed.notify_all();
            if !turn {
                return Err(queue.refusal(owner, bytes));
            }
        }
        queue.replace(Some(owner), 0, bytes);
        Ok(self.reservation(Some(owner), bytes))
    }

    /// Reserves so many bytes if that is possible at once, for optional work.
    pub fn try_acquire(&self, bytes: usize) -> Option<Reservation<'_>> {
        let reservation = self.reservation(None, 0);
        reservation.grow(bytes).then_some(reservation)
    }

    /// If requests wait for memory: returns the pages of what was released to the system, since the allocator would keep
    /// them for a while beside those of the next request, and wakes the requests.
    fn released(&self, queue: MutexGuard<'_, WaitQueue>) {
        let waits = !queue.waiting.is_empty();
        drop(queue);
        if waits {
            os::give_back();
            self.changed.notify_all();
        }
    }

    fn reservation(&self, owner: Option<&RequestOwner>, bytes: usize) -> Reservation<'_> {
        Reservation { budget: self, owner: owner.cloned(), bytes: Cell::new(bytes) }
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
            queue.replace(self.owner.as_ref(), own, bytes);
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
            queue.replace(self.owner.as_ref(), less, 0);
            self.bytes.set(own - less);
            self.budget.released(queue);
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let bytes = self.bytes.get();
        if bytes > 0 {
            let mut queue = lock(&self.budget.queue);
            queue.replace(self.owner.as_ref(), bytes, 0);
            self.budget.released(queue);
        }
    }
}

fn busy(message: &str) -> Refusal {
    Box::new(RequestError::new(ErrorCode::Busy, message))
}

/// Returns the bytes that are read of a file of a size: a file that is too large is not read.
pub fn readable(size: u64) -> usize {
    usize::try_from(size).ok().filter(|size| *size <= editd_proto::limits::FILE).unwrap_or(0)
}

#[cfg(test)]
mod tests;
