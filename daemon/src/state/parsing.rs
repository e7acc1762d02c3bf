//! Gives turns of parsing to large texts, whose syntax trees take many times their size: one at a time, for readers and
//! jobs, and fairly among their owners. It parses nothing.
//!
//! *Invariants*: the next turn goes to the owner whose texts have taken the least time since the last pause, and among
//! those to the request that came first. The time of an owner is the longest that its connection, its session or its
//! process has taken. So a process with many hostile texts delays another one by one text, whatever sessions it names.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use editd_engine::Refusal;
use editd_proto::error::{ErrorCode, RequestError};

use super::lock;
use crate::caller::{RequestOwner, ShareTable};
use crate::clock::Clock;
use crate::limits;
use crate::os;

/// The turns of parsing large texts.
pub struct ParsingLock {
    clock: Arc<dyn Clock>,
    turns: Mutex<ParsingTurns>,
    over: Condvar,
}

#[derive(Default)]
struct ParsingTurns {
    taken: bool,
    waiting: Vec<WaitingParse>,
    /// The time that the turns of each owner have taken. Forgotten when nobody waits, and after very many owners.
    spent: ShareTable<Duration>,
    last: u64,
}

/// A request that waits for its turn.
struct WaitingParse {
    number: u64,
    owner: RequestOwner,
    reader: bool,
}

/// The right to parse a large text, released when it is dropped.
#[must_use]
pub struct ParsingTurn<'p> {
    lock: &'p ParsingLock,
    owner: RequestOwner,
    began: Duration,
}

impl ParsingTurns {
    /// Returns true if it is the turn of this request.
    fn is_turn(&self, number: u64) -> bool {
        let order = |parse: &WaitingParse| {
            (self.spent.of(&parse.owner).map(|(_, spent)| *spent).max().unwrap_or_default(), parse.number)
        };
        !self.taken && self.waiting.iter().map(order).min().is_some_and(|(_, first)| first == number)
    }

    /// Returns true if no more readers, or none of this owner, may wait.
    fn is_full(&self, owner: &RequestOwner) -> bool {
        let readers = || self.waiting.iter().filter(|parse| parse.reader);
        let most = limits::READERS_IN_LINE;
        readers().count() >= most || owner.has_no_place(most, readers().map(|parse| &parse.owner))
    }
}

impl ParsingLock {
    /// Creates the turns; `clock` tells how long each takes.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, turns: Mutex::default(), over: Condvar::new() }
    }

    /// Waits for the turn of a job to parse so many bytes; a small text needs none.
    ///
    /// # Errors
    /// `busy` if that takes too long.
    pub fn turn(&self, owner: &RequestOwner, bytes: usize) -> Result<Option<ParsingTurn<'_>>, Refusal> {
        self.turn_within(owner, bytes, false, Duration::from_millis(limits::PARSE_WAIT_MS))
    }

    /// Waits for the turn of a reader, of which only a few may wait.
    ///
    /// # Errors
    /// `busy` if that takes too long, [`limits::READERS_IN_LINE`] wait already, or half as many of the owner.
    pub fn turn_of_reader(
        &self,
        owner: &RequestOwner,
        bytes: usize,
    ) -> Result<Option<ParsingTurn<'_>>, Refusal> {
        self.turn_within(owner, bytes, true, Duration::from_millis(limits::PARSE_WAIT_MS))
    }

    fn turn_within(
        &self,
        owner: &RequestOwner,
        bytes: usize,
        reader: bool,
        patience: Duration,
    ) -> Result<Option<ParsingTurn<'_>>, Refusal> {
        if bytes <= limits::PARSED_AT_ONCE {
            return Ok(None);
        }
        let mut turns = lock(&self.turns);
        if reader && turns.is_full(owner) {
            return Err(busy());
        }
        turns.last += 1;
        let number = turns.last;
        turns.waiting.push(WaitingParse { number, owner: owner.clone(), reader });
        let waited = self.over.wait_timeout_while(turns, patience, |turns| !turns.is_turn(number));
        let (mut turns, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let came = turns.is_turn(number);
        turns.waiting.retain(|parse| parse.number != number);
        turns.taken |= came;
        drop(turns);
        if !came {
            // Another request may be the next one without it.
            self.over.notify_all();
            return Err(busy());
        }
        let (owner, began) = (owner.clone(), self.clock.monotonic());
        Ok(Some(ParsingTurn { lock: self, owner, began }))
    }
}

/// Returns the refusal of a request that got no turn.
pub fn busy() -> Refusal {
    let message = "other large files are being parsed; try again in a moment, or read and edit by lines";
    Box::new(RequestError::new(ErrorCode::Busy, message))
}

impl Drop for ParsingTurn<'_> {
    fn drop(&mut self) {
        let took = self.lock.clock.monotonic().saturating_sub(self.began);
        if took >= Duration::from_millis(limits::PARSE_LONG_MS) {
            // The next text would otherwise be parsed in memory beside that of this one: each thread has its own.
            os::give_back();
        }
        let mut turns = lock(&self.lock.turns);
        turns.taken = false;
        if turns.waiting.is_empty() || turns.spent.len() >= 4 * limits::CONNECTIONS {
            turns.spent.clear();
        } else {
            turns.spent.change(&self.owner, |spent| *spent += took);
        }
        drop(turns);
        self.lock.over.notify_all();
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::clock::SystemClock;

    const LARGE: usize = limits::PARSED_AT_ONCE + 1;

    fn parsing() -> ParsingLock {
        ParsingLock::new(Arc::new(SystemClock::start()))
    }

    fn named(session: &str) -> RequestOwner {
        RequestOwner::of_session(session)
    }

    fn until_waiting(parsing: &ParsingLock, number: usize) {
        while lock(&parsing.turns).waiting.len() < number {
            std::thread::yield_now();
        }
    }

    #[test]
    fn large_texts_take_turns_and_small_ones_do_not_wait() {
        let parsing = parsing();
        let turn = parsing.turn(&named("s"), LARGE).unwrap();
        assert!(turn.is_some());
        assert!(parsing.turn(&named("s"), limits::PARSED_AT_ONCE).is_ok_and(|small| small.is_none()));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| parsing.turn(&named("s"), LARGE).is_ok_and(|turn| turn.is_some()));
            drop(turn);
            assert!(second.join().unwrap());
        });
        assert!(parsing.turn(&named("s"), LARGE).is_ok_and(|turn| turn.is_some()), "each gives it back");
    }

    #[test]
    fn few_readers_wait_and_jobs_have_their_turn_beside_them() {
        let parsing = parsing();
        let turn = parsing.turn(&named("s"), LARGE);
        std::thread::scope(|scope| {
            let parsing = &parsing;
            let reads = |session: &'static str| {
                scope.spawn(move || {
                    parsing.turn_of_reader(&named(session), LARGE).is_ok_and(|turn| turn.is_some())
                })
            };
            let half = limits::READERS_IN_LINE / 2;
            let mut waiting: Vec<_> = (0..half).map(|_| reads("one")).collect();
            until_waiting(parsing, half);
            assert!(!reads("one").join().unwrap(), "one session has its share");
            waiting.extend((0..half).map(|_| reads("two")));
            until_waiting(parsing, 2 * half);
            assert!(!reads("three").join().unwrap());
            assert!(
                parsing.turn_of_reader(&named("one"), limits::PARSED_AT_ONCE).is_ok(),
                "a small one need not wait"
            );
            let job = scope.spawn(|| parsing.turn(&named("one"), LARGE).is_ok());
            drop(turn);
            assert!(waiting.into_iter().all(|reader| reader.join().unwrap()));
            assert!(job.join().unwrap());
        });
        assert!(lock(&parsing.turns).waiting.is_empty());
    }

    #[test]
    fn an_owner_that_has_taken_less_time_comes_first() {
        let parsing = parsing();
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            let (parsing, order) = (&parsing, &order);
            let first = parsing.turn(&RequestOwner::new(0, "greedy", Some(7)), LARGE).unwrap();
            let parse = |session: &'static str, number| {
                // A greedy process names a new session for each request.
                let owner = match session {
                    "greedy" => RequestOwner::new(number as u64, &format!("greedy {number}"), Some(7)),
                    _ => named(session),
                };
                scope.spawn(move || {
                    let _turn = parsing.turn(&owner, LARGE).unwrap();
                    lock(order).push(session);
                    // So that its turn takes longer than nothing, however coarse the clock is.
                    let began = parsing.clock.monotonic();
                    while parsing.clock.monotonic() == began {}
                });
                until_waiting(parsing, number);
            };
            (1..=5).for_each(|number| parse("greedy", number));
            parse("honest", 6);
            drop(first);
        });
        assert_eq!(lock(&order).first(), Some(&"honest"));
    }

    #[test]
    fn a_parse_that_waits_too_long_is_busy_and_delays_nobody() {
        let parsing = parsing();
        let turn = parsing.turn(&named("s"), LARGE);
        let refused = parsing.turn_within(&named("s"), LARGE, false, Duration::ZERO);
        assert!(refused.is_err_and(|refusal| refusal.code == ErrorCode::Busy));
        drop(turn);
        assert!(parsing.turn(&named("s"), LARGE).is_ok());
    }
}
