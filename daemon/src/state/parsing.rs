//! Serialises the parsing of large texts, whose syntax trees take many times their size: one at a time, for readers
//! and jobs. It parses nothing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};

use super::lock;
use crate::limits;

/// The turn of parsing a large text.
#[derive(Default)]
pub struct ParsingLock {
    taken: Mutex<bool>,
    over: Condvar,
    readers: AtomicUsize,
}

/// The right to parse a large text, released when it is dropped.
#[must_use]
pub struct ParsingTurn<'p>(&'p ParsingLock);

impl ParsingLock {
    /// Waits until no other large text is parsed; a small one need not wait.
    ///
    /// # Errors
    /// `busy` if that takes too long.
    pub fn turn(&self, bytes: usize) -> Result<Option<ParsingTurn<'_>>, Refusal> {
        self.turn_within(bytes, Duration::from_millis(limits::PARSE_WAIT_MS))
    }

    /// The same for a reader, of which only a few may wait.
    ///
    /// # Errors
    /// `busy` if that takes too long or [`limits::READERS_IN_LINE`] wait already.
    pub fn turn_of_reader(&self, bytes: usize) -> Result<Option<ParsingTurn<'_>>, Refusal> {
        if bytes <= limits::PARSED_AT_ONCE {
            return Ok(None);
        }
        let before = self.readers.fetch_add(1, Ordering::AcqRel);
        let turn = if before < limits::READERS_IN_LINE { self.turn(bytes) } else { Err(busy()) };
        self.readers.fetch_sub(1, Ordering::AcqRel);
        turn
    }

    fn turn_within(&self, bytes: usize, patience: Duration) -> Result<Option<ParsingTurn<'_>>, Refusal> {
        if bytes <= limits::PARSED_AT_ONCE {
            return Ok(None);
        }
        let waited = self.over.wait_timeout_while(lock(&self.taken), patience, |taken| *taken);
        let (mut taken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *taken {
            return Err(busy());
        }
        *taken = true;
        Ok(Some(ParsingTurn(self)))
    }
}

fn busy() -> Refusal {
    Box::new(RequestError::new(
        ErrorCode::Busy,
        "other large files are being parsed; try again, or read by lines",
    ))
}

impl Drop for ParsingTurn<'_> {
    fn drop(&mut self) {
        *lock(&self.0.taken) = false;
        self.0.over.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_texts_take_turns_and_small_ones_do_not_wait() {
        let parsing = ParsingLock::default();
        let large = limits::PARSED_AT_ONCE + 1;
        let turn = parsing.turn(large).unwrap_or_default();
        assert!(turn.is_some());
        assert!(parsing.turn(limits::PARSED_AT_ONCE).is_ok_and(|small| small.is_none()));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| parsing.turn(large).is_ok_and(|turn| turn.is_some()));
            drop(turn);
            assert!(second.join().unwrap_or_default());
        });
        assert!(parsing.turn(large).is_ok_and(|turn| turn.is_some()), "each gives it back");
    }

    #[test]
    fn few_readers_wait_and_jobs_have_their_turn_behind_them() {
        let parsing = ParsingLock::default();
        let turn = parsing.turn(usize::MAX);
        std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..limits::READERS_IN_LINE)
                .map(|_| scope.spawn(|| parsing.turn_of_reader(usize::MAX).is_ok_and(|turn| turn.is_some())))
                .collect();
            while parsing.readers.load(Ordering::Acquire) < limits::READERS_IN_LINE {
                std::thread::yield_now();
            }
            assert!(parsing.turn_of_reader(usize::MAX).is_err_and(|refusal| refusal.code == ErrorCode::Busy));
            assert!(parsing.turn_of_reader(limits::PARSED_AT_ONCE).is_ok(), "a small one need not wait");
            let job = scope.spawn(|| parsing.turn(usize::MAX).is_ok());
            drop(turn);
            assert!(waiting.into_iter().all(|reader| reader.join().unwrap_or_default()));
            assert!(job.join().unwrap_or_default());
        });
        assert_eq!(parsing.readers.load(Ordering::Acquire), 0);
    }

    #[test]
    fn who_waits_too_long_is_told_to_try_again() {
        let parsing = ParsingLock::default();
        let turn = parsing.turn(usize::MAX);
        assert!(
            parsing
                .turn_within(usize::MAX, Duration::ZERO)
                .is_err_and(|refusal| refusal.code == ErrorCode::Busy)
        );
        drop(turn);
    }
}
