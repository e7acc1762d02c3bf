//! Sends a request until it is answered: again to the next daemon if one stops, and again after a moment
//! if the daemon is busy. A request that may have been carried out is sent again only if that changes nothing.

use std::time::{Duration, Instant};

use editd_proto::message::{JobStatus, Receipt};
use editd_proto::{ErrorCode, RequestError};

use crate::{CallError, Connection, machine};

/// Maximum number of daemons to which a request is sent, if each stops before it has started the request.
const DAEMONS: u32 = 16;

/// The time for which a busy daemon is asked again. Nothing of a request that is `busy` was done.
const BUSY_PATIENCE: Duration = Duration::from_secs(10);

/// The first and the longest pause between two requests to a busy daemon.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(200));

/// The time after which the user is told about a wait.
const TELL_AFTER: Duration = Duration::from_secs(1);

/// The waits for a busy daemon during one command.
struct BusyWaits {
    begun: Instant,
    pause: Duration,
    told: bool,
}

impl BusyWaits {
    fn new() -> Self {
        Self { begun: machine::tick(), pause: PAUSES.0, told: false }
    }

    /// Waits before the request is sent again. Returns false if the time for that has passed.
    fn wait(&mut self, busy: &RequestError, tell: fn(&str)) -> bool {
        let waited = machine::tick().saturating_duration_since(self.begun);
        if waited >= BUSY_PATIENCE {
            return false;
        }
        if waited >= TELL_AFTER && !self.told {
            self.told = true;
            tell(&format!("waiting, since the daemon is busy: {}", busy.message));
        }
        machine::pause(self.pause);
        self.pause = (self.pause * 2).min(PAUSES.1);
        true
    }
}

/// Sends requests, each on a connection of its own.
///
/// `E` is the caller's error, which can hold the errors of a connection.
pub struct Caller<'a, E> {
    connect: Box<dyn Fn() -> Result<Connection, E> + 'a>,
    tell: fn(&str),
}

impl<'a, E: From<CallError>> Caller<'a, E> {
    /// Creates a caller that connects with `connect`, and reports long waits to `tell`.
    pub fn new(connect: impl Fn() -> Result<Connection, E> + 'a, tell: fn(&str)) -> Self {
        Self { connect: Box::new(connect), tell }
    }

    /// Sends a request. If the daemon is stopping and did not start it, the request is sent to the next daemon. If the
    /// daemon is busy, the request is sent again for 10 s. If the daemon disconnects before it replies, a
    /// repeatable request is sent once more: one that changes nothing or has a key.
    pub fn ask<R>(
        &self,
        repeatable: bool,
        request: impl Fn(&mut Connection) -> Result<R, CallError>,
    ) -> Result<R, E> {
        self.ask_until(repeatable, |_| None, request)
    }

    /// The same for a job, whose receipt may say that the daemon was busy.
    pub fn ask_job(
        &self,
        repeatable: bool,
        request: impl Fn(&mut Connection) -> Result<Receipt, CallError>,
    ) -> Result<Receipt, E> {
        self.ask_until(repeatable, busy_receipt, request)
    }

    fn ask_until<R>(
        &self,
        repeatable: bool,
        busy_reply: impl Fn(&R) -> Option<&RequestError>,
        request: impl Fn(&mut Connection) -> Result<R, CallError>,
    ) -> Result<R, E> {
        let (mut lost, mut stopped, mut waits) = (false, 1, BusyWaits::new());
        loop {
            let answer = request(&mut (self.connect)()?);
            let busy = match &answer {
                Ok(reply) => busy_reply(reply),
                Err(CallError::Refused(error)) => {
                    Some(&**error).filter(|error| error.code == ErrorCode::Busy)
                }
                Err(_) => None,
            };
            if busy.is_some_and(|busy| waits.wait(busy, self.tell)) {
                continue;
            }
            match answer {
                Err(CallError::Refused(error)) if error.code == ErrorCode::Stopping && stopped < DAEMONS => {
                    stopped += 1;
                }
                Err(CallError::Closed) if repeatable && !lost => lost = true,
                answer => return Ok(answer?),
            }
        }
    }

    /// Sends a request once: `busy` has another meaning for it, or it must not be repeated.
    pub fn ask_once<R>(&self, request: impl Fn(&mut Connection) -> Result<R, CallError>) -> Result<R, E> {
        for _ in 1..DAEMONS {
            match request(&mut (self.connect)()?) {
                Err(CallError::Refused(error)) if error.code == ErrorCode::Stopping => {}
                answer => return Ok(answer?),
            }
        }
        Ok(request(&mut (self.connect)()?)?)
    }
}

/// Returns the error of a receipt whose job was refused because the daemon was busy.
fn busy_receipt(receipt: &Receipt) -> Option<&RequestError> {
    let error = receipt.error.as_ref().filter(|error| error.code == ErrorCode::Busy)?;
    (receipt.status == JobStatus::Refused).then_some(error)
}
