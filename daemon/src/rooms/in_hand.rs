//! What requests hold of files' contents: one sum, given out in the order in which it was asked for. It holds none itself.
//!
//! *Invariants*: who waits holds nothing. A request asks once, before it has looked at a content, for all that it is
//! likely to need; where that turns out to be too little, it gets more only if there is more at once, or gives back what
//! it has and asks again. So nobody waits for one who waits, and what needs more than there is goes alone. What runs
//! behind the requests (settling, the watcher's looks) waits for nobody either: it holds a file at a time.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::error::{Code, WireError};

use super::lock;
use crate::limits;

/// The sum of what is held.
#[derive(Default)]
pub struct InHand {
    line: Mutex<Line>,
    changed: Condvar,
}

/// Who asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// A request that is no job.
    Reader,
    /// A job.
    Job,
}

#[derive(Default)]
struct Line {
    held: usize,
    /// Those who wait, the first in front.
    waiting: VecDeque<(u64, Asks)>,
    last: u64,
}

/// The right to hold so many bytes; given back when it is dropped.
#[must_use]
pub struct Share<'h> {
    of: &'h InHand,
    bytes: Cell<usize>,
}

/// A reply, with the right to hold it until it is on its way.
pub struct Covered<'h, T> {
    /// The reply.
    pub reply: T,
    _share: Option<Share<'h>>,
}

impl<'h, T> Covered<'h, T> {
    /// A reply that a share covers.
    pub fn by(share: Share<'h>, reply: T) -> Self {
        Self { reply, _share: Some(share) }
    }

    /// A reply that is small, or whose share was given back.
    pub fn freely(reply: T) -> Self {
        Self { reply, _share: None }
    }
}

impl<T> std::ops::Deref for Covered<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.reply
    }
}

impl Line {
    fn fits(&self, bytes: usize) -> bool {
        self.held == 0 || self.held.saturating_add(bytes) <= limits::IN_HAND
    }

    fn is_turn(&self, ticket: u64, bytes: usize) -> bool {
        self.waiting.front().is_some_and(|(first, _)| *first == ticket) && self.fits(bytes)
    }

    /// Whether as many wait as may.
    fn is_full(&self, who: Asks) -> bool {
        let most = match who {
            Asks::Reader => limits::READERS_WAITING,
            Asks::Job => limits::JOBS_WAITING,
        };
        self.waiting.iter().filter(|(_, other)| *other == who).count() >= most
    }
}

impl InHand {
    /// Waits until so many bytes may be held. Few need no asking. To be called by who holds nothing yet.
    ///
    /// # Errors
    /// `busy`, where that takes too long or too many wait already.
    pub fn share(&self, bytes: usize, who: Asks) -> Result<Share<'_>, Refusal> {
        self.share_within(bytes, who, Duration::from_millis(limits::IN_HAND_MS))
    }

    fn share_within(&self, bytes: usize, who: Asks, patience: Duration) -> Result<Share<'_>, Refusal> {
        if bytes <= limits::IN_HAND_UNASKED {
            return Ok(self.of(0));
        }
        let mut line = lock(&self.line);
        if !line.waiting.is_empty() || !line.fits(bytes) {
            if line.is_full(who) {
                return Err(busy());
            }
            line.last += 1;
            let ticket = line.last;
            line.waiting.push_back((ticket, who));
            let waits = |line: &mut Line| !line.is_turn(ticket, bytes);
            let waited = self.changed.wait_timeout_while(line, patience, waits);
            line = waited.unwrap_or_else(PoisonError::into_inner).0;
            let turn = line.is_turn(ticket, bytes);
            line.waiting.retain(|(other, _)| *other != ticket);
            // The next one may fit beside this one, or would have without it.
            self.changed.notify_all();
            if !turn {
                return Err(busy());
            }
        }
        line.held = line.held.saturating_add(bytes);
        Ok(self.of(bytes))
    }

    /// So many bytes where that is possible at once: for what can be left out.
    pub fn spare(&self, bytes: usize) -> Option<Share<'_>> {
        let share = self.of(0);
        share.cover(bytes).then_some(share)
    }

    fn of(&self, bytes: usize) -> Share<'_> {
        Share { of: self, bytes: Cell::new(bytes) }
    }
}

impl Share<'_> {
    /// How many bytes may be held.
    pub fn room(&self) -> usize {
        self.bytes.get().max(limits::IN_HAND_UNASKED)
    }

    /// Whether so many may be held: more than before only where there are more at once. It never waits.
    pub fn cover(&self, bytes: usize) -> bool {
        if bytes <= self.room() {
            return true;
        }
        let (own, mut line) = (self.bytes.get(), lock(&self.of.line));
        let others = line.held.saturating_sub(own);
        let fits = others == 0 || others.saturating_add(bytes) <= limits::IN_HAND;
        if fits {
            line.held = others.saturating_add(bytes);
            self.bytes.set(bytes);
        }
        fits
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let bytes = self.bytes.get();
        if bytes > 0 {
            let mut line = lock(&self.of.line);
            line.held = line.held.saturating_sub(bytes);
            drop(line);
            self.of.changed.notify_all();
        }
    }
}

fn busy() -> Refusal {
    let message = "too many large files are in hand; try again in a moment, or with fewer or smaller files";
    Box::new(WireError::new(Code::Busy, message))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const HALF: usize = limits::IN_HAND / 2;

    fn waiting(hand: &InHand) -> usize {
        lock(&hand.line).waiting.len()
    }

    fn held(hand: &InHand) -> usize {
        lock(&hand.line).held
    }

    fn until_waiting(hand: &InHand, number: usize) {
        while waiting(hand) < number {
            std::thread::yield_now();
        }
    }

    #[test]
    fn little_needs_no_asking_and_the_largest_goes_alone() {
        let hand = InHand::default();
        let huge = hand.share(usize::MAX, Asks::Job).unwrap();
        for who in [Asks::Reader, Asks::Job] {
            let little = hand.share(limits::IN_HAND_UNASKED, who).unwrap();
            assert_eq!(little.room(), limits::IN_HAND_UNASKED);
            let more = hand.share_within(limits::IN_HAND_UNASKED + 1, who, Duration::ZERO);
            assert!(more.is_err_and(|refusal| refusal.code == Code::Busy));
        }
        drop(huge);
        assert_eq!((held(&hand), waiting(&hand)), (0, 0), "also by those who gave up");
        let beside = (hand.share(HALF, Asks::Job).unwrap(), hand.share(HALF, Asks::Reader).unwrap());
        assert!(hand.share_within(limits::IN_HAND_UNASKED + 1, Asks::Job, Duration::ZERO).is_err());
        drop(beside);
        assert_eq!(held(&hand), 0);
    }

    #[test]
    fn a_large_one_is_not_overtaken_by_small_ones_that_would_fit() {
        let hand = InHand::default();
        let first = hand.share(HALF, Asks::Reader).unwrap();
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _all = hand.share(limits::IN_HAND, Asks::Job).unwrap();
                lock(&order).push("large");
            });
            until_waiting(&hand, 1);
            scope.spawn(|| {
                let _little = hand.share(limits::IN_HAND_UNASKED * 2, Asks::Reader).unwrap();
                lock(&order).push("small");
            });
            until_waiting(&hand, 2);
            drop(first);
        });
        assert_eq!(*lock(&order), ["large", "small"]);
        assert_eq!(held(&hand), 0);
    }

    #[test]
    fn who_gives_up_lets_those_behind_go_on() {
        let hand = InHand::default();
        let _first = hand.share(HALF, Asks::Reader).unwrap();
        std::thread::scope(|scope| {
            let large = || hand.share_within(limits::IN_HAND, Asks::Job, Duration::from_millis(20)).is_err();
            let large = scope.spawn(large);
            until_waiting(&hand, 1);
            let small = scope.spawn(|| hand.share(HALF, Asks::Reader).is_ok());
            assert!(large.join().unwrap() && small.join().unwrap());
        });
    }

    #[test]
    fn few_may_wait_and_the_sum_is_never_exceeded() {
        let hand = InHand::default();
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let all = hand.share(limits::IN_HAND, Asks::Job).unwrap();
        std::thread::scope(|scope| {
            for who in [Asks::Reader, Asks::Job] {
                let places = if who == Asks::Job { limits::JOBS_WAITING } else { limits::READERS_WAITING };
                for nth in 0..places {
                    let (hand, now, most) = (&hand, &now, &most);
                    scope.spawn(move || {
                        let bytes = limits::IN_HAND / (2 + nth % 5);
                        let share = hand.share(bytes, who).unwrap();
                        most.fetch_max(now.fetch_add(bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(bytes, Ordering::SeqCst);
                        drop(share);
                    });
                }
            }
            until_waiting(&hand, limits::JOBS_WAITING + limits::READERS_WAITING);
            for who in [Asks::Reader, Asks::Job] {
                assert!(hand.share(HALF, who).is_err_and(|refusal| refusal.code == Code::Busy));
            }
            drop(all);
        });
        assert!((HALF..=limits::IN_HAND).contains(&most.into_inner()));
        assert_eq!((held(&hand), waiting(&hand)), (0, 0));
    }

    #[test]
    fn more_is_had_at_once_or_not_at_all() {
        let hand = InHand::default();
        let one = hand.share(HALF, Asks::Job).unwrap();
        assert!(one.cover(limits::IN_HAND_UNASKED) && one.cover(HALF), "it has that");
        let other = hand.share(HALF, Asks::Job).unwrap();
        assert!(!one.cover(HALF + 1) && !other.cover(usize::MAX));
        assert!(hand.spare(limits::IN_HAND_UNASKED + 1).is_none());
        assert!(hand.spare(limits::IN_HAND_UNASKED).is_some());
        drop(other);
        assert!(one.cover(usize::MAX), "alone it may have all that it needs");
        assert_eq!(one.room(), usize::MAX);
        drop(one);
        assert_eq!(held(&hand), 0);
    }
}
