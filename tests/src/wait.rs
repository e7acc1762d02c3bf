//! Waiting for a condition, with a time limit. This is the only place of the tests that sleeps; a test always checks
//! the condition, and never assumes it after some time.

use std::time::{Duration, Instant};

/// The time limit for anything that takes seconds, or on a busy machine with a slow disk minutes: only a fault reaches it.
pub const LONG: Duration = Duration::from_secs(300);

/// Looks again and again until `look` returns something.
///
/// # Panics
/// After `limit`, naming what was waited for.
#[track_caller]
pub fn until<T>(what: &str, limit: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(start.elapsed() < limit, "{what}: not within {limit:?}");
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Sleeps for this time. A test must not conclude anything from it.
pub fn pause(time: Duration) {
    std::thread::sleep(time);
}
